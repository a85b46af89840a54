"""Jobs compiled for Slurm, from their text."""

from __future__ import annotations

from typing import cast

from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source


def outcome(*lines: str, options: str = "") -> pipeline.Outcome:
    """What the compiler makes of a job with ``lines`` in it."""
    body = "\n  ".join((*lines, f"target slurm {{ {options} }}"))
    program = pipeline.load(Source("mnist.tfjob", f"job mnist {{\n  {body}\n}}\n"), lambda path: "no files here")
    backend = targets.find("slurm")
    assert backend is not None
    return pipeline.run(program, Request(), [Choice(backend)])


def codes(*lines: str, options: str = "") -> list[str]:
    """The codes of the target that are reported, in order."""
    return [one.rule.code for one in outcome(*lines, options=options).diagnostics if one.rule.code.startswith("SLM")]


def scripts(*lines: str, options: str = "") -> dict[str, str]:
    """The files, by name; the job must have no error."""
    made = outcome(*lines, options=options)
    errors = [one.message for one in made.diagnostics if one.level == "error"]
    assert not errors, errors
    return {str(one.file): cast("str", one.data) for one in made.made[0].documents}


def directives(text: str) -> list[list[str]]:
    """The ``#SBATCH`` options of each component."""
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        if line == "#SBATCH hetjob":
            found.append([])
        elif line.startswith("#SBATCH "):
            found[-1].append(line.removeprefix("#SBATCH "))
    return found
