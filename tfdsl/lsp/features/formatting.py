"""Bringing a text, or a part of it, into the one layout, with as few edits as do it."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.syntax import lexer
from tfdsl.syntax.brackets import CLOSERS
from tfdsl.syntax.format import format_source
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot

TRIGGERS = ("}", "\n")
"""Characters that format what they end."""


def format_all(snapshot: Snapshot) -> list[Edit]:
    """The edits that format the whole text; declarations with syntax errors are left alone."""
    source = snapshot.source
    text, _ = format_source(source)
    if text == source.text:
        return []
    old, new = source.text.splitlines(keepends=True), text.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        Edit(Span(source, starts[i1], starts[i2]), "".join(new[j1:j2]))
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def format_range(snapshot: Snapshot, start: int, end: int) -> list[Edit]:
    """The edits of :func:`format_all` that touch the characters from ``start`` to ``end``."""
    return [edit for edit in format_all(snapshot) if edit.span.start < end and start < max(edit.span.end, 1)]


def format_typed(snapshot: Snapshot, offset: int, typed: str) -> list[Edit]:
    """The edits for what the character before ``offset`` ends: a block, or the line before.

    The line that the cursor is in is left alone but for the brace itself, so that nothing jumps under the fingers.
    """
    text = snapshot.source.text
    if typed == "}":
        start = _opening(snapshot, offset)
        end = offset
    else:
        end = text.rfind("\n", 0, offset)
        start = text.rfind("\n", 0, max(end, 0)) + 1
    if start is None or end < 0:
        return []
    line = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop + 1
    return [edit for edit in format_all(snapshot) if line <= edit.span.start and edit.span.end <= stop]


def _opening(snapshot: Snapshot, offset: int) -> int | None:
    """Where the bracket opens that the character before ``offset`` closes."""
    lexed = snapshot.lexed
    opened: list[int] = []
    for at, type_ in enumerate(lexed.types):
        if type_ in CLOSERS:
            opened.append(lexed.starts[at])
        elif type_ in (lexer.RBRACE, lexer.RSQB, lexer.RPAR) and opened:
            start = opened.pop()
            if lexed.ends[at] == offset:
                return start
        if lexed.starts[at] >= offset:
            return None
    return None
