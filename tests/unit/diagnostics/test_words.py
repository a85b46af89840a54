"""Words that users read are plain English: none of the forms below (docs/glossary.md has the terms)."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tfdsl.compiling.pipeline import every_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]

FORBIDDEN = {
    r"(?<![Tt]here )\b(is|are) no (?!longer)": "is not a",
    r"\btakes? no\b": "cannot have",
    r"\bis none\b": "is not one",
    r"\bstands?\b(?! for)": "is, goes, appears",
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

EXCEPTIONS = {
    "SIGTERM may not reach the program: the shell runs it without exec": "it is possible, not forbidden",
    "a message that is none of ours: %r": "a line in the log of a program, where it is exact",
}
"""Words with such a form that are right → why."""


def habits(text: str) -> list[str]:
    """The forbidden forms in ``text``."""
    if text in EXCEPTIONS:
        return []
    return [f"{found[0]!r}: write {better}" for form, better in FORBIDDEN.items() if (found := re.search(form, text))]


def test_messages() -> None:
    rules = set(every_rule().values())
    assert rules
    assert [(rule.code, *found) for rule in rules if (found := habits(rule.message))] == []
    assert [rule.code for rule in rules if rule.message.endswith(".")] == []


def test_pages() -> None:
    pages = {page.stem: page.read_text("utf-8") for page in (ROOT / "tfdsl/diagnostics/pages").glob("*.md")}
    assert pages
    assert [(name, *found) for name, text in pages.items() if (found := habits(text.split("## Bad")[0]))] == []


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of several words in a module, by line, without docstrings."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        text = node.value if isinstance(node, ast.Constant) and id(node) not in docstrings else None
        if isinstance(node, ast.Constant) and isinstance(text, str) and " " in text.strip():
            yield node.lineno, text


@pytest.mark.parametrize("room", ["tfdsl", "backends"])
def test_texts_of_modules(room: str) -> None:
    """Help, labels, reasons and what scripts print."""
    modules = sorted((ROOT / room).rglob("*.py"))
    assert modules
    assert [
        (f"{path.relative_to(ROOT)}:{line}", *found)
        for path in modules
        for line, text in texts(path)
        if (found := habits(text))
    ] == []
