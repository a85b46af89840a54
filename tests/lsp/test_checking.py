"""A text that changes is told the same as a fresh one."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.lsp.long_text import long_text, random_edit
from tfdsl import pipeline
from tfdsl.lsp.checking import Checker
from tfdsl.lsp.settings import Settings
from tfdsl.lsp.snapshot import Snapshot
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic

COMMON = "let shared = 2\ntemplate t { cpu = shared }\n"


def read(path: str) -> Source | str:
    return Source(path, COMMON, path) if path.endswith("common.tfjob") else "there is no such file"


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
    outcome = pipeline.run(program, made.request, made.choices)
    return pipeline.settle([outcome], [program], strict=made.settings.strict, paths=[made.source.path])


BASES = {
    "clean": long_text(150),
    "with an error in one job": long_text(150).replace("memory = 8Gi", "memory = 8", 1),
    "with an include": 'include "common.tfjob"\n'
    + long_text(100).replace("edition 1\n", "").replace("use gpu_node", "use t\n    use gpu_node"),
    "with labels across declarations": long_text(100)
    + 'let twice = 1\nlet twice = 2\njob mnist0 { image = "a:1", role worker { replicas = twice } }\n',
    "that reads a file": long_text(100).replace("retries = 2", 'retries = len(file("common.tfjob"))', 1),
    "with waivers": long_text(100).replace("  output ", "  # tfdsl: allow[VOL011] known\n  output "),
}


@pytest.mark.parametrize("name", BASES)
def test_a_job_that_is_edited_tells_what_a_fresh_check_tells(name: str) -> None:
    chance = random.Random(name)
    checker = Checker()
    text = BASES[name]
    for _ in range(60):
        start, end, piece = random_edit(text, chance)
        for changed in (text[:start] + piece + text[end:], text):
            made = snapshot(changed, checker)
            assert told(made.diagnostics) == told(fresh(made))
        if chance.random() < 0.2 and not snapshot(text[:start] + piece + text[end:], checker).program.syntax_errors:
            text = text[:start] + piece + text[end:]


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


def test_only_the_edited_job_is_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []
    real = pipeline.check

    def spy(program: object, *rest: object) -> object:
        checked.extend(job.name.text for job in program.jobs)  # type: ignore[attr-defined]
        return real(program, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "check", spy)
    checker = Checker()
    text = long_text(150)
    assert snapshot(text, checker).diagnostics
    assert len(checked) > 2
    checked.clear()
    edited = text.replace("retries = 2", "retries = 5", 1)
    assert snapshot(edited, checker).diagnostics
    assert checked == ["mnist0"]
    checked.clear()
    assert snapshot(edited.replace("= 4 {", "= 5 {", 1), checker).diagnostics
    assert "mnist1" in checked, "a param is seen by all jobs"
