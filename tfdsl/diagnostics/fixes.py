"""Applying the safe fixes of diagnostics to a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tfdsl.diagnostics.diagnostic import Diagnostic, Edit
    from tfdsl.text import Source


def fixed(diagnostics: Iterable[Diagnostic], sources: Iterable[Source]) -> dict[str, str]:
    """New texts, by path, of those of ``sources`` that a safe fix changes.

    The first safe fix of each diagnostic is taken, whole or not at all: not when it touches another file, or a text
    that a fix before it has changed. What is left over needs another round.
    """
    texts = {source.path: source.text for source in sources}
    edits: dict[str, list[Edit]] = {}
    for diagnostic in diagnostics:
        fix = next((fix for fix in diagnostic.fixes if fix.safe), None)
        if fix is None or any(edit.span.source.path not in texts for edit in fix.edits):
            continue
        if all(_free(edit, edits.get(edit.span.source.path, ())) for edit in fix.edits):
            for edit in fix.edits:
                edits.setdefault(edit.span.source.path, []).append(edit)
    return {path: _apply(texts[path], found) for path, found in edits.items()}


def _free(edit: Edit, others: Iterable[Edit]) -> bool:
    return all(edit.span.end < other.span.start or edit.span.start > other.span.end for other in others)


def _apply(text: str, edits: Iterable[Edit]) -> str:
    for edit in sorted(edits, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text
