"""What can be folded: brackets and text blocks over several lines, and runs of comments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, TypeAlias

from tfdsl.record import Record
from tfdsl.syntax import _tables as tables
from tfdsl.syntax import lexer
from tfdsl.syntax.lexer import CLOSERS, comment_places

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot

Kind: TypeAlias = Literal["region", "comment", "imports"]


class Fold(Record):
    """Lines from 0; the first one stays."""

    first: int
    last: int
    kind: Kind = "region"


def folding(snapshot: Snapshot) -> list[Fold]:
    """The folds of a text, by their first line."""
    found = [*_brackets(snapshot), *_comments(snapshot)]
    return sorted(found, key=lambda fold: (fold.first, -fold.last))


def _brackets(snapshot: Snapshot) -> Iterator[Fold]:
    lexed, source = snapshot.lexed, snapshot.source
    opened: list[int] = []
    for at, type_ in enumerate(lexed.types):
        line = source.position(lexed.starts[at])[0] - 1
        if type_ in CLOSERS:
            opened.append(line)
        elif type_ in (lexer.RBRACE, lexer.RSQB, lexer.RPAR):
            if opened and line - 1 > (first := opened.pop()):
                yield Fold(first, line - 1)
        elif tables.TERMINALS[type_] in ("TEXT", "RAW"):
            last = source.position(lexed.ends[at])[0] - 1
            if last > line:
                yield Fold(line, last)


def _comments(snapshot: Snapshot) -> Iterator[Fold]:
    """Comments on lines of their own, one below the other."""
    source = snapshot.source
    lines: list[int] = []
    for start, _ in comment_places(snapshot.lexed):
        line, column = source.position(start)
        if source.text[start - column + 1 : start].strip():
            continue
        if lines and line - 1 != lines[-1] + 1:
            yield from _run(lines)
            lines = []
        lines.append(line - 1)
    yield from _run(lines)


def _run(lines: list[int]) -> Iterator[Fold]:
    if len(lines) > 1:
        yield Fold(lines[0], lines[-1], "comment")
