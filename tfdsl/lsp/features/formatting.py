"""Bringing a text, or a part of it, into the one layout, with as few edits as do it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.syntax import lexer
from tfdsl.syntax.format import format_source
from tfdsl.syntax.lexer import CLOSERS
from tfdsl.text import Source, Span

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
    edits = _by_tokens(source, text)
    return edits if edits is not None else [Edit(Span(source, 0, len(source.text)), text)]


def _by_tokens(source: Source, text: str) -> list[Edit] | None:
    """One edit for each gap between tokens that differs, so that each can be applied alone.

    A layout has the tokens of the text; commas and line ends belong to the gaps.
    """
    old, new = _solid(source), _solid(Source("", text))
    if [kind for kind, _, _ in old] != [kind for kind, _, _ in new]:
        return None
    edits: list[Edit] = []
    before = after = 0
    for (_, start, end), (_, start_after, end_after) in zip(old, new, strict=True):
        for (first, last), (first_after, last_after) in (
            ((before, start), (after, start_after)),
            ((start, end), (start_after, end_after)),
        ):
            if source.text[first:last] != text[first_after:last_after]:
                edits.append(Edit(Span(source, first, last), text[first_after:last_after]))
        before, after = end, end_after
    return edits


def _solid(source: Source) -> list[tuple[int, int, int]]:
    """Kind, start and end of all tokens but commas and line ends; the end of the text is one."""
    lexed = lexer.lex(source)
    tokens = zip(lexed.types, lexed.starts, lexed.ends, strict=True)
    return [token for token in tokens if token[0] not in (lexer.NEWLINE, _COMMA)]


_COMMA = lexer.OPERATORS[","]


def format_range(snapshot: Snapshot, start: int, end: int) -> list[Edit]:
    """The edits of :func:`format_all` on the lines of the characters from ``start`` to ``end``."""
    text = snapshot.source.text
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", max(end - 1, start))
    return _within(format_all(snapshot), max(first - 1, 0), len(text) if last < 0 else last)


def format_typed(snapshot: Snapshot, offset: int, typed: str) -> list[Edit]:
    """The edits for what the character before ``offset`` ends: the block, or the line before.

    What is behind the character is left alone, so that nothing jumps under the fingers.
    """
    text = snapshot.source.text
    if typed == "}":
        start = _opening(snapshot, offset)
        if start is None:
            return []
        return _within(format_all(snapshot), max(text.rfind("\n", 0, start), 0), offset)
    end = text.rfind("\n", 0, offset)
    return _within(format_all(snapshot), max(text.rfind("\n", 0, max(end, 0)), 0), end)


def _within(edits: list[Edit], start: int, end: int) -> list[Edit]:
    return [edit for edit in edits if start <= edit.span.start and edit.span.end <= end]


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
