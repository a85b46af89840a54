"""The smallest change to the tokens that lets the parser continue.

Tried on bare stacks of states, without building anything: insert, remove or replace a token, at the error or one token
before it. A change is accepted only if the tokens after it fit too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tfdsl.syntax import _tables as tables
from tfdsl.syntax import lexer
from tfdsl.syntax.driver import ENDS, find_action, jump, row

# How many tokens after the change must fit, unless the line ends earlier: then those and the first of the next line.
LOOK_AHEAD = 4

_index = tables.TERMINALS.index
EQUAL, EQUALS, COMMA, COLON, ARROW = map(lexer.OPERATORS.__getitem__, ("=", "==", ",", ":", "=>"))
BRACKETS = {lexer.LBRACE, lexer.RBRACE, lexer.LSQB, lexer.RSQB, lexer.LPAR, lexer.RPAR}
FIXED = BRACKETS | {lexer.NEWLINE, lexer.END}

# What can be inserted, and how unlikely each is. Apart from an empty block there are no brackets: ``brackets`` has
# already made them match.
INSERTIONS: tuple[tuple[tuple[int, ...], float], ...] = (
    ((EQUAL,), 1.0),
    ((COMMA,), 1.0),
    ((lexer.NEWLINE,), 1.05),
    ((lexer.ERROR,), 1.2),
    ((COLON,), 1.2),
    ((ARROW,), 1.2),
    ((lexer.KEYWORDS["at"],), 1.2),
    ((lexer.KEYWORDS["to"],), 1.2),
    ((lexer.NAME,), 1.3),
    ((lexer.STRING,), 1.35),
    ((_index("NUMBER"),), 1.35),
    ((lexer.LBRACE, lexer.RBRACE), 1.4),
    ((EQUAL, lexer.ERROR), 1.6),
    ((lexer.ERROR, COLON), 1.9),
    ((COLON, lexer.ERROR), 1.9),
    ((lexer.NAME, EQUAL), 1.9),
    ((lexer.KEYWORDS["at"], lexer.ERROR), 1.8),
    ((lexer.KEYWORDS["to"], lexer.ERROR), 1.8),
    ((ARROW, lexer.NAME), 1.8),
    ((COLON, lexer.NAME), 1.8),
    ((COLON, lexer.NAME, EQUAL, lexer.ERROR), 2.6),
)
SUBSTITUTES: tuple[tuple[int, float], ...] = (
    (EQUAL, 1.5),
    (COMMA, 1.5),
    (COLON, 1.6),
    (ARROW, 1.5),
    (lexer.ERROR, 1.6),
    (lexer.KEYWORDS["at"], 1.5),
    (lexer.KEYWORDS["to"], 1.5),
    (lexer.NAME, 1.7),
    (lexer.STRING, 1.7),
    (_index("NUMBER"), 1.7),
)
LEAVE_OUT = 1.1
LEAVE_OUT_TWO = 2.2
ALIKE = 0.9
ONE_BACK = 0.35


class Repair(NamedTuple):
    """Remove ``out`` tokens, starting ``back`` tokens before the error, and insert tokens of ``types`` there."""

    cost: float
    back: int
    out: int
    types: tuple[int, ...]


def advance(states: list[int], type_: int, *, exactly: bool = False) -> bool:
    """Read one token on a stack of states; False, with the stack unusable, when it does not fit.

    ``exactly``: a keyword does not count as a name.
    """
    while True:
        actions = row(states[-1])
        action = actions.get(type_) if exactly else find_action(actions, type_)
        if action is None:
            return type_ == lexer.END and states[-1] in ENDS
        if action >= 0:
            states.append(action)
            return True
        size, origin = tables.RULES[-1 - action][:2]
        del states[-size:]
        states.append(jump(states[-1])[origin])


def fits(states: list[int], *types: int) -> bool:
    """Whether tokens of these types may come next."""
    trial = states.copy()
    return all(advance(trial, type_) for type_ in types)


def acceptable(states: list[int]) -> set[int]:
    """The types of all tokens that may come next."""
    return {type_ for type_ in row(states[-1]) if fits(states, type_)}


def _goes_on(states: list[int], types: Sequence[int], at: int) -> int:
    """How many of the tokens from ``at`` on fit after ``states`` (consumed); at most twice the look-ahead."""
    taken = 0
    while taken < 2 * LOOK_AHEAD and at + taken < len(types):
        if not advance(states, types[at + taken]):
            break
        taken += 1
    return taken


def goes_on(states: list[int], types: Sequence[int], at: int) -> bool:
    """Whether enough of the tokens from ``at`` on fit after ``states`` (consumed)."""
    return _enough(types, at, _goes_on(states, types, at))


def _enough(types: Sequence[int], at: int, taken: int) -> bool:
    if taken >= LOOK_AHEAD or at + taken >= len(types):
        return True
    return lexer.NEWLINE in types[at : at + taken]


def find(stacks: Sequence[list[int]], types: Sequence[int], at: int, alike: Sequence[Sequence[int]]) -> Repair | None:
    """The cheapest repair of an error at token ``at``.

    ``stacks`` has the stack of states before that token, and the one before the previous token if there is one;
    ``alike`` has the keywords that the two tokens resemble.
    """
    best: tuple[float, int, Repair] | None = None
    for repair in _candidates(stacks, types, at, alike):
        if best is not None and repair.cost > best[0]:
            continue
        states = stacks[repair.back].copy()
        if not all(advance(states, type_, exactly=True) for type_ in repair.types):
            continue
        next_ = at - repair.back + repair.out
        taken = _goes_on(states, types, next_)
        if _enough(types, next_, taken) and next_ + taken > at:
            key = (repair.cost, -taken, repair)
            if best is None or key < best:
                best = key
    return best[2] if best else None


def _candidates(
    stacks: Sequence[list[int]], types: Sequence[int], at: int, alike: Sequence[Sequence[int]]
) -> Iterator[Repair]:
    for back in range(len(stacks)):
        place = at - back
        extra = ONE_BACK * back
        here = types[place]
        for put, cost in INSERTIONS:
            yield Repair(cost + extra, back, 0, put)
        if here in FIXED:
            continue
        yield Repair(LEAVE_OUT + extra, back, 1, ())
        for type_ in alike[back]:
            yield Repair(ALIKE, back, 1, (type_,))
        if here == EQUAL:
            yield Repair(LEAVE_OUT + 0.1, back, 1, (EQUALS,))
        for type_, cost in SUBSTITUTES:
            yield Repair(cost + extra, back, 1, (type_,))
        if back == 0 and types[at + 1] not in FIXED:
            yield Repair(LEAVE_OUT_TWO, 0, 2, ())
            yield Repair(LEAVE_OUT_TWO + 0.3, 0, 2, (lexer.ERROR,))
            yield Repair(LEAVE_OUT_TWO + 0.4, 0, 2, (EQUAL,))
