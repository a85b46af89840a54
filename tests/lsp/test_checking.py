"""A text that changes is told the same as a fresh one."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest

from tests.lsp.long_text import long_text, random_edit
from tests.sampled import sampled
from tfdsl.compiling import pipeline
from tfdsl.lsp.checking import Checker
from tfdsl.lsp.features.folding import folding
from tfdsl.lsp.features.semantic_tokens import semantic_tokens
from tfdsl.lsp.features.symbols import outline
from tfdsl.lsp.settings import Settings
from tfdsl.lsp.snapshot import Snapshot
from tfdsl.record import replace
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.semantics.check import Checked
    from tfdsl.semantics.project import Program

COMMON = "let shared = 2\ntemplate t { cpu = shared }\n"
INCLUDED = [COMMON, COMMON.replace("2", "3"), "let shared = \n", "let more = 1\ntemplate t { use u }\n"]
BLOCKS = ('"""\n', "'''\n", "<<EOF\n", "/*", "`")
HOSTILE = (*BLOCKS, "\r", "\u202e", "😀", "job\n", "\njob x {\n", "}\n}\n", "edition 2\n", 'include "common.tfjob"\n')
included = [COMMON]


def read(path: str, roots: Sequence[str] = ()) -> Source | str:
    return Source(path, included[0], path) if path.endswith("common.tfjob") else "there is no such file"


def snapshot(text: str, checker: Checker, settings: Settings | None = None) -> Snapshot:
    return Snapshot(Source("/w/a.tfjob", text, "/w/a.tfjob"), read, settings, checker)


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


def assert_as_fresh(made: Snapshot) -> None:
    """All that an editor shows by itself is what it would show of a text that has just been opened."""
    assert told(made.diagnostics) == told(fresh(made)), made.source.text
    opened = Snapshot(made.source, read, made.settings)
    assert outline(made.file) == outline(opened.file), made.source.text
    assert semantic_tokens(made) == semantic_tokens(opened), made.source.text
    assert folding(made) == folding(opened), made.source.text


def edit_and_compare(text: str, chance: random.Random, edits: int) -> None:
    checker = Checker()
    included[0] = COMMON
    for _ in range(edits):
        start, end, piece = random_edit(text, chance)
        if chance.random() < 0.2:
            end, piece = start, chance.choice(HOSTILE)
        if chance.random() < 0.1:
            included[0] = chance.choice(INCLUDED)
        changed = text[:start] + piece + text[end:]
        made = snapshot(changed, checker)
        assert_as_fresh(made)
        if chance.random() < 0.3 and not made.program.syntax_errors:
            text = changed
        elif chance.random() < 0.3:
            assert_as_fresh(snapshot(text, checker))


@pytest.mark.parametrize("seed", sampled(range(2), 2))
@pytest.mark.parametrize("name", BASES)
def test_a_job_that_is_edited_tells_what_a_fresh_check_tells(name: str, seed: int) -> None:
    edit_and_compare(BASES[name], random.Random(f"{name} {seed}"), 50)


def test_a_few_edits() -> None:
    """Of the many above, for a quick run."""
    edit_and_compare(LETS + JOBS[: JOBS.index("job j2")], random.Random(2), 8)


LETS = """\
param workers: int = 2 { max = 9 }
param most: int = 4
let a = 1
let b = a + 1
let c = "x"
let spare = b
template one { cpu = b, use two }
template two { memory = 2Gi, env = { C = c } }
template alone { gpu = a }
profile prod { workers = 3 }
"""
JOBS = "".join(
    f'job j{number} {{ image = "x:1", role worker {{ {line}, replicas = 2 }}, target volcano {{ }} }}\n'
    for number, line in enumerate(
        ["cpu = a", "cpu = b", "env = { X = c }", "use one", "use two", "cpu = 1", "min_available = workers", "cpu = d"]
    )
)


@pytest.mark.parametrize("seed", sampled(range(8), 3))
def test_edits_beside_the_jobs_tell_what_a_fresh_check_tells(seed: int) -> None:
    chance = random.Random(seed)
    checker = Checker()
    text = (LETS, LETS.replace("let spare = b\n", ""))[seed % 2] + (JOBS, JOBS.replace("cpu = d", "cpu = a"))[seed // 4]
    names = ["a", "b", "c", "d", "spare", "one", "two", "workers", "nothing", "file(c)", '"y:latest"', "1", "-1", ""]
    for _ in range(40):
        head = text[: text.index("job j0")]
        words = [found.span() for found in re.finditer(r"\w+|[={}]", head)]
        start, end = chance.choice(words)
        changed = text[:start] + chance.choice(names) + text[end:]
        if chance.random() < 0.2:
            lines = head.splitlines(keepends=True)
            chance.shuffle(lines)
            changed = "".join(lines) + text[len(head) :]
        for one in (changed, text):
            made = snapshot(one, checker)
            assert told(made.diagnostics) == told(fresh(made)), one
        if chance.random() < 0.3 and "job j0" in changed and not snapshot(changed, checker).program.syntax_errors:
            text = changed


def test_only_the_jobs_that_name_a_let_are_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = spied(monkeypatch)
    checker = Checker()
    text = LETS + JOBS
    assert snapshot(text, checker).diagnostics
    for before, after, expected in (
        ("let a = 1", "let a = 3", {"j0", "j1", "j3"}),
        ('let c = "x"', 'let c = "z"', {"j2", "j3", "j4"}),
        ("gpu = a", "gpu = 2", set[str]()),
        ("let spare = b", "let spare = a", set[str]()),
    ):
        checked.clear()
        assert snapshot(text.replace(before, after), checker).diagnostics
        assert set(checked) == expected, before
        assert snapshot(text, checker).diagnostics


def spied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the jobs that are checked from now on, not only named."""
    checked: list[str] = []
    real = pipeline.check

    def spy(program: Program, request: pipeline.Request, *rest: Sequence[pipeline.Choice]) -> Checked:
        checked.extend(job.name.text for job in program.jobs if request.extent != "names")
        return real(program, request, *rest)

    monkeypatch.setattr(pipeline, "check", spy)
    return checked


@pytest.mark.slow
def test_strict_and_targets_are_those_of_the_settings() -> None:
    checker = Checker()
    text = long_text(60)
    for settings in (Settings(targets=("yarn",)), Settings(targets=("tfjob", "volcano@1.9")), Settings(strict=True)):
        made = snapshot(text, checker, settings)
        assert told(made.diagnostics) == told(fresh(made))
        assert made.diagnostics
    assert any(
        one.rule.code.startswith("YRN") for one in snapshot(text, checker, Settings(targets=("yarn",))).diagnostics
    )


@pytest.mark.slow
def test_only_the_edited_job_is_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = spied(monkeypatch)
    checker = Checker()
    text = long_text(90)
    assert snapshot(text, checker).diagnostics
    assert len(checked) > 2
    checked.clear()
    edited = text.replace("retries = 2", "retries = 5", 1)
    assert snapshot(edited, checker).diagnostics
    assert checked == ["mnist0"]
    checked.clear()
    assert snapshot(edited.replace("= 4 {", "= 5 {", 1), checker).diagnostics
    assert "mnist1" in checked, "a param is seen by all jobs"
