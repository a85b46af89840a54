"""An editor shows of the shipped examples what ``tfdsl check`` says, and no example is red in an editor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import ROOT, tfdsl
from tfdsl.lsp.features.problems import problems
from tfdsl.lsp.workspace import Workspace

if TYPE_CHECKING:
    from tfdsl.text import Span

EXAMPLES = sorted(path.relative_to(ROOT).as_posix() for path in Path(ROOT, "examples").rglob("*.tfjob"))


def _place(span: Span) -> tuple[int, int]:
    return span.source.position(span.start)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_editor_shows_what_check_says(name: str) -> None:
    path = Path(ROOT, name)
    workspace = Workspace()
    workspace.documents.open(path.as_uri(), path.read_text(encoding="utf-8"), 1)
    snapshot = workspace.snapshot(path.as_uri())
    assert snapshot is not None
    shown = [
        (one.diagnostic.rule.code, one.diagnostic.level, one.diagnostic.message, *_place(one.diagnostic.span))
        for told in problems(snapshot).values()
        for one in told
    ]
    targets = [part for choice in snapshot.choices for part in ("-t", choice.backend.name)]
    ran = tfdsl("check", "--format", "json", *targets, str(path), cwd=Path(ROOT))
    said = [
        (one["code"], one["level"], one["message"], one["start"]["line"], one["start"]["column"])
        for one in json.loads(ran.out)["diagnostics"]
    ]
    assert shown == said
    assert [one for one in shown if one[1] == "error"] == []
