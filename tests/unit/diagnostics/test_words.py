"""Messages are plain English: none of the forms that the glossary's voice leaves behind (docs/glossary.md)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tfdsl.diagnostics.registry import rules

if TYPE_CHECKING:
    from tfdsl.diagnostics import Rule

ROOT = Path(__file__).parents[3]

FORBIDDEN = {
    r"(?<![Tt]here )\bis no (?!longer)": "is not a",
    r"(?<![Tt]here )\bare no (?!longer)": "are not",
    r"\btakes? no\b": "cannot have",
    r"\bis none\b": "is not one",
    r"\bstands?\b(?!ard)": "is, goes, appears",
    r"\btold\b": "reported",
    r"\bcircle": "cycle",
    r"\bcomes? out even\b": "is a whole number",
    r"\bmend(s|ed|ing)?\b": "fix, repair",
    r"\bslips?\b": "mistake",
    r"\bput (it )?into\b": "put in",
    r"\bmay not\b": "cannot, must not",
    r"\bmust not be empty\b": "say what is expected",
    r"\bplease\b": "say what to write",
    r"\bsmall letters\b": "lowercase letters",
    r"\bcapital letters\b": "uppercase letters",
}
"""A form → what to write instead."""


def habits(text: str) -> list[str]:
    """The forbidden forms in ``text``."""
    return [f"{found[0]!r}: write {better}" for form, better in FORBIDDEN.items() if (found := re.search(form, text))]


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.slug)
def test_messages(rule: Rule) -> None:
    message = rule.message
    assert habits(message) == []
    assert not message.endswith(".")


PAGES = sorted((ROOT / "tfdsl/diagnostics/pages").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages(page: Path) -> None:
    assert habits(page.read_text(encoding="utf-8").split("## Bad")[0]) == []
