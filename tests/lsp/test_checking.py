"""An editor checks step by step, and is told what a check in one go tells."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.lsp.long_text import long_text, random_edit
from tests.sampled import sampled
from tfdsl.compiling import pipeline
from tfdsl.lsp.snapshot import Settings, Snapshot
from tfdsl.record import replace
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.diagnostics import Diagnostic

COMMON = "let shared = 2\ntemplate t { cpu = shared }\n"
INCLUDED = [COMMON, COMMON.replace("2", "3"), "let shared = \n", "let more = 1\ntemplate t { use u }\n"]
BLOCKS = ('"""\n', "'''\n", "<<EOF\n", "/*", "`")
HOSTILE = (*BLOCKS, "\r", "\u202e", "😀", "job\n", "\njob x {\n", "}\n}\n", "edition 2\n", 'include "common.tfjob"\n')
included = [COMMON]


def read(path: str, roots: Sequence[str] = ()) -> Source | str:
    return Source(path, included[0], path) if path.endswith("common.tfjob") else "there is no such file"


def snapshot(text: str, settings: Settings | None = None) -> Snapshot:
    return Snapshot(Source("/w/a.tfjob", text, "/w/a.tfjob"), read, settings)


def told(found: list[Diagnostic] | tuple[Diagnostic, ...]) -> list[object]:
    """All of a diagnostic that a reader can see, in plain values."""
    return [
        (
            *(one.rule.code, one.level, one.message, one.helps, one.mark),
            *(one.span.source.path, one.span.start, one.span.end, one.span.text),
            [(label.span.source.path, label.span.start, label.span.end, label.message) for label in one.labels],
            [[(edit.span.start, edit.span.end, edit.text) for edit in fix.edits] for fix in one.fixes],
        )
        for one in found
    ]


def fresh(made: Snapshot) -> list[Diagnostic]:
    """What the pipeline says of the whole program."""
    program = pipeline.load(made.source, read)
    outcome = pipeline.run(program, replace(made.request, extent="sample"), made.choices)
    return pipeline.settle([outcome], [program], strict=made.settings.strict, paths=[made.source.path])


CONDITIONS = """\
param big: bool = false
let small = !big
template some { gpu = 2 when big, gpu = 4 when small, cpu = 2, use more when big }
template more { shm = 1Gi when job.name == "a", on failed when big => restart job }
template less { unset gpu, unset shm, unset mount "/a", unset env["A"] when small }
job a when small {
  image = "x:1"
  mount pvc "a" at "/a" when role.name == "ps"
  prepare fetch when small { command = "c", cpu = 1 when big }
  role worker { use some, use less, unset cpu }
  role ps when big { memory = 1Gi }
  on ps failed => restart container
  target volcano { role ps { cpu = 1 }, queue = "q" when small, patch "spec.x" = 1 when big }
}
job b when big { image = "x:1", role worker { use some when small } }
job c when small { image = "x:1", gpu = 1, env = { A = "1" }, role worker { use less }, target volcano { unset gpu } }
"""
BASES = {
    "clean": long_text(90),
    "with an error in one job": long_text(90).replace("memory = 8Gi", "memory = 8", 1),
    "with an include": 'include "common.tfjob"\n'
    + long_text(90).replace("edition 1\n", "").replace("use gpu_node", "use t\n    use gpu_node"),
    "with labels across declarations": long_text(90)
    + 'let twice = 1\nlet twice = 2\njob mnist0 { image = "a:1", role worker { replicas = twice } }\n',
    "that reads a file": long_text(90).replace("retries = 2", 'retries = len(file("common.tfjob"))', 1),
    "with conditions": CONDITIONS
    + long_text(60).replace("edition 1\n", "").replace("use gpu_node", "use gpu_node when big"),
    "with waivers": long_text(90).replace("  output ", "  # tfdsl: allow[VOL011] known\n  output "),
}


def edit_and_compare(text: str, chance: random.Random, edits: int) -> None:
    included[0] = COMMON
    for _ in range(edits):
        start, end, piece = random_edit(text, chance)
        if chance.random() < 0.2:
            end, piece = start, chance.choice(HOSTILE)
        if chance.random() < 0.1:
            included[0] = chance.choice(INCLUDED)
        made = snapshot(text[:start] + piece + text[end:])
        assert told(made.diagnostics) == told(fresh(made)), made.source.text
        if chance.random() < 0.3 and not made.program.syntax_errors:
            text = made.source.text


@pytest.mark.parametrize("seed", sampled(range(2), 2))
@pytest.mark.parametrize("name", BASES)
def test_a_text_that_is_edited_tells_what_a_whole_check_tells(name: str, seed: int) -> None:
    edit_and_compare(BASES[name], random.Random(f"{name} {seed}"), 25)


def test_a_few_edits() -> None:
    """Of the many above, for a quick run."""
    edit_and_compare(CONDITIONS, random.Random(2), 8)


@pytest.mark.slow
def test_strict_and_targets_are_those_of_the_settings() -> None:
    text = long_text(60)
    for settings in (Settings(targets=("yarn",)), Settings(targets=("tfjob", "volcano@1.9")), Settings(strict=True)):
        made = snapshot(text, settings)
        assert told(made.diagnostics) == told(fresh(made))
        assert made.diagnostics
    assert any(one.rule.code.startswith("YRN") for one in snapshot(text, Settings(targets=("yarn",))).diagnostics)


@pytest.mark.parametrize("name", ["clean", "with waivers", "with an include"])
def test_what_is_said_early_is_what_is_said_of_these_lines_in_the_end(name: str) -> None:
    included[0] = COMMON
    made = snapshot(BASES[name], Settings(targets=("tfjob", "slider")))
    for job in (made.program.jobs[0], made.program.jobs[-1]):
        (first, last), found = made.early(job.name.span.start)
        starts = made.source.line_starts
        inside = [
            one
            for one in made.diagnostics
            if one.span.source is made.source and first <= made.source.position(one.span.start)[0] <= last
        ]
        assert starts[first - 1] <= job.span.start
        assert told(found) == told(inside)
    assert made.diagnostics


def test_mistakes_in_the_syntax_are_said_early_wherever_they_are() -> None:
    made = snapshot(long_text(90) + "job {\n")
    assert "job {" in {one.span.source.line(one.span.source.position(one.span.start)[0]) for one in made.early(0)[1]}
