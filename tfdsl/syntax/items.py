"""Where an item of a block begins and ends, among tokens whose brackets match."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tfdsl.syntax import lexer
from tfdsl.syntax.brackets import CLOSERS, OPENERS

COMMA = lexer.OPERATORS[","]
ENDS = {lexer.NEWLINE, COMMA, lexer.END}


def item_start(types: Sequence[int], at: int) -> int:
    """The first token, on its line, of the item that ends before token ``at``."""
    depth = 0
    while at and types[at - 1] != lexer.NEWLINE:
        type_ = types[at - 1]
        depth += (type_ in OPENERS) - (type_ in CLOSERS)
        if depth < 0 or (depth == 0 and type_ == COMMA):
            break
        at -= 1
    return at


def item_end(types: Sequence[int], at: int, also: Collection[int] = ()) -> int:
    """The token that ends the item of token ``at``, or the first one of a type in ``also`` outside of its brackets."""
    depth = 0
    while types[at] != lexer.END:
        type_ = types[at]
        if depth == 0 and (type_ in ENDS or type_ in OPENERS or type_ in also):
            break
        depth += (type_ in CLOSERS) - (type_ in OPENERS)
        at += 1
    return at


def around(types: Sequence[int], at: int) -> int | None:
    """The bracket that is open at token ``at``."""
    depth = 0
    for place in range(at - 1, -1, -1):
        if types[place] in CLOSERS and depth == 0:
            return place
        depth += (types[place] in OPENERS) - (types[place] in CLOSERS)
    return None


def opening(types: Sequence[int], closing: int) -> int:
    """The bracket that the one at ``closing`` closes."""
    depth = 0
    for at in range(closing, -1, -1):
        depth += (types[at] in OPENERS) - (types[at] in CLOSERS)
        if depth == 0:
            return at
    return closing
