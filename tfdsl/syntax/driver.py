"""Runs the LALR(1) tables: tokens in, whatever the builders return for each rule out.

The driver never raises. When no action fits, :meth:`Machine.run` stops, and the machine can be repaired and resumed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

from tfdsl.syntax import _tables as tables
from tfdsl.syntax.lexer import END, JOB_NAME, NAME, Lexed
from tfdsl.text import Span

FIRST_KEYWORD = tables.FIRST_KEYWORD

# Called when a rule has been read, with the owner of the machine, the span of the text and the kept children. A child
# that is a token is the token's number.
Build: TypeAlias = "Callable[..., object]"


# No correct text needs this many states; the lexer limits brackets, this limits types and prefix operators.
MAX_STACK = 2000

ENDS = (tables.END_FILE, tables.END_EXPRESSION, tables.END_VALUES)
_PASS, _VOID, _SPLICE, _NODE = range(4)
_WAYS = {"pass": _PASS, "void": _VOID, "splice": _SPLICE, "node": _NODE}


def _picks(keep: tuple[int, ...]) -> tuple[tuple[int, bool], ...] | None:
    """Which children are kept, and whether they are lists to splice; None when all are kept as they are."""
    if all(each == 1 for each in keep):
        return None
    return tuple((offset, each == 2) for offset, each in enumerate(keep) if each)


_RULES = [
    (size, origin, _WAYS[way], _picks(keep), keep.index(1) if way == "pass" else 0)
    for size, origin, _, way, keep in tables.RULES
]
_ROWS: list[dict[int, int] | None] = [None] * len(tables.ACTIONS)
_JUMPS: list[dict[int, int] | None] = [None] * len(tables.GOTOS)
_STATES, _TYPES = len(tables.ACTION_ROW), len(tables.TERMINALS)
_CHAINS: dict[int, int] = {}


def row(state: int) -> dict[int, int]:
    """Terminal to action: ``n >= 0`` shifts to state ``n``, ``n < 0`` reduces by rule ``-1 - n``."""
    number = tables.ACTION_ROW[state]
    actions = _ROWS[number]
    if actions is None:
        flat = tables.ACTIONS[number]
        actions = _ROWS[number] = dict(zip(flat[::2], flat[1::2], strict=True))
    return actions


def _follow(below: int, state: int, type_: int) -> int:
    """The state after all reductions that only rename the value on top (a name is an atom is a postfix is …)."""
    top = state
    while (action := find_action(row(top), type_)) is not None and action < 0:
        size, origin, way, _, _ = _RULES[-1 - action]
        if size != 1 or way != _PASS:
            break
        top = jump(below)[origin]
    _CHAINS[(below * _STATES + state) * _TYPES + type_] = top
    return top


def jump(state: int) -> dict[int, int]:
    """Nonterminal to next state."""
    number = tables.GOTO_ROW[state]
    states = _JUMPS[number]
    if states is None:
        flat = tables.GOTOS[number]
        states = _JUMPS[number] = dict(zip(flat[::2], flat[1::2], strict=True))
    return states


def find_action(actions: dict[int, int], type_: int) -> int | None:
    """The action for a token; a keyword that does not fit is a name, and so is a plain name after ``job``."""
    action = actions.get(type_)
    if action is None and (type_ >= FIRST_KEYWORD or type_ == NAME) and type_ != END:
        action = actions.get(NAME)
        if action is None:
            action = actions.get(JOB_NAME)
    return action


class Machine:
    """A parser at some point of a text: three parallel stacks and the next token.

    ``values`` are the results of the builders, ``firsts`` the first token of each value.
    """

    __slots__ = ("at", "builders", "firsts", "lexed", "owner", "states", "values")

    def __init__(self, lexed: Lexed, start: int, owner: object, builders: tuple[Build, ...]) -> None:
        self.lexed = lexed
        self.owner = owner
        self.builders = builders
        self.states = [start]
        self.values: list[object] = []
        self.firsts: list[int] = []
        self.at = 0

    def run(self, until: int) -> bool:
        """Continue until token number ``until`` has been read; False when no action fits before that.

        A text is complete when its ``$END`` has been read: the builder of the start rule has then been called.
        """
        lexed, owner, builders = self.lexed, self.owner, self.builders
        types, starts, ends, source = lexed.types, lexed.starts, lexed.ends, lexed.source
        states, values, firsts = self.states, self.values, self.firsts
        at = self.at
        state = states[-1]
        while at <= until:
            type_ = types[at]
            while True:
                actions = _ROWS[tables.ACTION_ROW[state]] or row(state)
                action = actions.get(type_)
                if action is None:
                    action = find_action(actions, type_)
                    if action is None:
                        complete = type_ == END and state in ENDS
                        self.at = at + complete
                        return complete
                if action >= 0:
                    if len(states) > MAX_STACK:
                        self.at = at
                        return False
                    state = action
                    states.append(state)
                    values.append(at)
                    firsts.append(at)
                    break
                size, origin, way, picks, only = _RULES[-1 - action]
                if size == 1 and way == _PASS:
                    key = (states[-2] * _STATES + state) * _TYPES + type_
                    state = states[-1] = _CHAINS.get(key) or _follow(states[-2], state, type_)
                    continue
                first = firsts[-size]
                children = values[-size:]
                value: object = None
                if way == _NODE:
                    build = builders[-1 - action]
                    if picks is not None:
                        children = _chosen(children, picks)
                    value = build(owner, Span(source, starts[first], ends[at - 1]), *children)
                elif way == _SPLICE:
                    value = children if picks is None else _chosen(children, picks)
                elif way == _PASS:
                    value = children[only]
                del values[-size:], firsts[-size:], states[-size:]
                values.append(value)
                firsts.append(first)
                state = states[-1]
                state = (_JUMPS[tables.GOTO_ROW[state]] or jump(state))[origin]
                states.append(state)
            at += 1
        self.at = at
        return True


def _chosen(children: list[object], picks: tuple[tuple[int, bool], ...]) -> list[object]:
    """The kept children. A list that comes first is extended in place, so that long lists take linear time."""
    chosen: list[object] | None = None
    for offset, splice in picks:
        child = children[offset]
        if not splice:
            if chosen is None:
                chosen = [child]
            else:
                chosen.append(child)
        elif chosen is None:
            chosen = cast("list[object]", child)
        else:
            chosen.extend(cast("list[object]", child))
    return [] if chosen is None else chosen
