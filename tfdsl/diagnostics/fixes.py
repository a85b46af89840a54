"""Applying the safe fixes of diagnostics to a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tfdsl.diagnostics.diagnostic import Diagnostic, Edit
    from tfdsl.text import Source

_SYNTAX = "TFJ0"


def fixed(diagnostics: Sequence[Diagnostic], sources: Iterable[Source]) -> dict[str, str]:
    """New texts, by path, of those of ``sources`` that a safe fix changes.

    The first safe fix of each diagnostic is taken, whole or not at all: not when it touches another file, or a text
    that a fix before it has changed. As long as the form of a file is wrong only its form is mended, for what the
    rest means is then a guess. What is left over needs another round.
    """
    texts = {source.path: source.text for source in sources}
    edits: dict[str, list[Edit]] = {}
    misshapen = {found.span.source.path for found in diagnostics if _is_syntax(found) and found.level == "error"}
    for diagnostic in diagnostics:
        fix = next((fix for fix in diagnostic.fixes if fix.safe), None)
        if fix is None or any(edit.span.source.path not in texts for edit in fix.edits):
            continue
        if not _is_syntax(diagnostic) and any(edit.span.source.path in misshapen for edit in fix.edits):
            continue
        if _fits(fix.edits, edits):
            for edit in fix.edits:
                edits.setdefault(edit.span.source.path, []).append(edit)
    return {path: _apply(texts[path], found) for path, found in edits.items()}


def _is_syntax(diagnostic: Diagnostic) -> bool:
    return diagnostic.rule.code.startswith(_SYNTAX)


def _fits(new: Sequence[Edit], taken: dict[str, list[Edit]]) -> bool:
    """Whether ``new`` edits touch neither each other nor the edits that are taken."""
    for at, edit in enumerate(new):
        path = edit.span.source.path
        others = [*taken.get(path, ()), *(other for other in new[:at] if other.span.source.path == path)]
        if not all(edit.span.end < other.span.start or edit.span.start > other.span.end for other in others):
            return False
    return True


def _apply(text: str, edits: Iterable[Edit]) -> str:
    carriage = text.count("\r\n") == text.count("\n") > 0
    for edit in sorted(edits, key=lambda edit: edit.span.start, reverse=True):
        put = edit.text.replace("\r\n", "\n").replace("\n", "\r\n") if carriage else edit.text
        text = text[: edit.span.start] + put + text[edit.span.end :]
    return text
