"""The index of messages, ``docs/messages.md``, is generated; it goes wrong when a group of codes has no place."""

from __future__ import annotations

from tests.unit.diagnostics.pages import ROOT
from tfdsl.compiling import pipeline

PAGE = (ROOT / "docs" / "messages.md").read_text(encoding="utf-8")


def test_every_code_is_listed_once() -> None:
    codes = {rule.code for rule in pipeline.every_rule().values()}
    assert [code for code in sorted(codes) if PAGE.count(f"| `{code}` |") != 1] == []
