"""Applying the safe fixes of diagnostics to a text."""

from __future__ import annotations

from bisect import bisect_left
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
    edits: dict[str, _Taken] = {}
    misshapen = {found.span.source.path for found in diagnostics if _is_syntax(found) and found.level == "error"}
    for diagnostic in diagnostics:
        fix = next((fix for fix in diagnostic.fixes if fix.safe), None)
        if fix is None or any(edit.span.source.path not in texts for edit in fix.edits):
            continue
        if not _is_syntax(diagnostic) and any(edit.span.source.path in misshapen for edit in fix.edits):
            continue
        _take(fix.edits, edits)
    return {path: _apply(texts[path], found.edits) for path, found in edits.items() if found.edits}


def _is_syntax(diagnostic: Diagnostic) -> bool:
    return diagnostic.rule.code.startswith(_SYNTAX)


class _Taken:
    """The edits of one text that are taken, by their places; none touches another."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.edits: list[Edit] = []

    def add(self, edit: Edit) -> bool:
        """Take an edit; false when it touches one that is taken."""
        at = bisect_left(self.starts, edit.span.start)
        if at and self.edits[at - 1].span.end >= edit.span.start:
            return False
        if at < len(self.edits) and self.starts[at] <= edit.span.end:
            return False
        self.starts.insert(at, edit.span.start)
        self.edits.insert(at, edit)
        return True

    def drop(self, edit: Edit) -> None:
        """Give an edit up that was taken."""
        at = bisect_left(self.starts, edit.span.start)
        del self.starts[at], self.edits[at]


def _take(new: Sequence[Edit], taken: dict[str, _Taken]) -> None:
    """Take all edits of a fix, or none when one of them touches another edit."""
    done: list[Edit] = []
    for edit in new:
        if not taken.setdefault(edit.span.source.path, _Taken()).add(edit):
            for earlier in done:
                taken[earlier.span.source.path].drop(earlier)
            return
        done.append(edit)


def _apply(text: str, edits: Iterable[Edit]) -> str:
    """``text`` with ``edits``, which come in the order of their places."""
    carriage = text.count("\r\n") == text.count("\n") > 0
    parts: list[str] = []
    at = 0
    for edit in edits:
        put = edit.text.replace("\r\n", "\n").replace("\n", "\r\n") if carriage else edit.text
        parts += [text[at : edit.span.start], put]
        at = edit.span.end
    return "".join([*parts, text[at:]])
