"""The formatter: what it gives is its own layout, and says what the text said."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from tests.fuzz import mending, programs
from tests.fuzz.case import Case, expect, kept
from tests.fuzz.mistakes import tokens
from tfdsl.compiling import pipeline
from tfdsl.semantics.request import Request
from tfdsl.syntax import parse
from tfdsl.syntax.format import format_source
from tfdsl.text import Source

if TYPE_CHECKING:
    import random

    from tfdsl.diagnostics import Diagnostic

GAPS = (" ", "", "  ", "\n", "\n\n\n", "\t", " # x\n", "\r\n", " \\\n", ",", ",\n", "\n# tfdsl: allow[unused-let] x\n")
PATH = "a.tfjob"
LONGEST = 1000
"""Characters of a sound text; a long one says no more."""


@cache
def _sound() -> tuple[str, ...]:
    return tuple(text for _, text in mending.sound_texts() if len(text) < LONGEST)


def make(chance: random.Random) -> Case:
    """A sound text or a program, with other gaps between its words."""
    text = programs.program(chance) if chance.random() < 0.6 else chance.choice(_sound())
    parts = tokens(text)
    for _ in range(chance.choice((0, 1, 3, 10, 30))):
        at = chance.randrange(len(parts))
        if parts[at].isspace():
            parts[at] = chance.choice(GAPS)
    text = "".join(parts)
    if chance.random() < 0.1:
        text = programs.mutated(text, chance)
    return Case(lambda: prove(text), {".tfjob": kept(text)})


def prove(text: str) -> None:
    """Formatting twice is formatting once, also beside syntax errors; nothing that is told changes but its place."""
    source = Source(PATH, text, PATH)
    once, errors = format_source(source)
    again, _ = format_source(Source(PATH, once, PATH))
    expect(errors or again == once, "formatting twice is not formatting once")
    if any(found.level == "error" for found in parse(source).diagnostics):
        return
    before, after = _meant(source), _meant(Source(PATH, once, PATH))
    expect(before[0] == after[0], f"formatting changes a job: {before[0]} {after[0]}")
    expect(
        before[1] == after[1],
        f"formatting changes what is told: {sorted((before[1] - after[1]) + (after[1] - before[1]))}",
    )


def _meant(source: Source) -> tuple[object, Counter[tuple[str, str]]]:
    program = pipeline.load(source, lambda name: "there is no such file")
    checked = pipeline.check(program, Request())
    told: list[Diagnostic] = [*program.diagnostics, *checked.diagnostics]
    wrong = any(found.level == "error" for found in told)
    jobs = None if wrong else tuple(mending.meaning(job) for job in checked.jobs)
    return jobs, Counter((found.rule.code, found.message) for found in told if found.level == "error")
