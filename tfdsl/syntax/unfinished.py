"""Statements that are not complete, as in an editor while somebody is typing.

The parser then stops at the end of an item. The tables show which tokens would complete the statement: they are
inserted as empty tokens, one message names the first of them, and the next statement is read normally.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Diagnostic, Edit
from tfdsl.syntax import _tables as tables
from tfdsl.syntax import lexer, repairs, wording
from tfdsl.syntax.brackets import OPENERS
from tfdsl.syntax.wording import shortened
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.syntax.recovery import Recovery

COMMA, COLON, EQUAL, ARROW, CLOSE, PLUS = map(lexer.OPERATORS.__getitem__, (",", ":", "=", "=>", ">", "+"))
ON, JOB, WHEN = (lexer.KEYWORDS[word] for word in ("on", "job", "when"))

# What can end an item, and the tokens after which no item has begun.
ENDS = {lexer.NEWLINE, lexer.END, COMMA, *OPENERS}
STARTS = {lexer.NEWLINE, COMMA, lexer.LBRACE}

# Signs after which a line end does not end the item.
LINKS = {COLON, EQUAL, ARROW}

# What can be inserted where no value fits; a value is always an error value.
BLOCK = (lexer.LBRACE, lexer.RBRACE)
PARTS: tuple[tuple[int, ...], ...] = (
    (lexer.NAME,),
    (lexer.JOB_NAME,),
    (lexer.STRING,),
    (tables.TERMINALS.index("NUMBER"),),
    (EQUAL,),
    (ARROW,),
    (COLON,),
    (lexer.KEYWORDS["at"],),
    (lexer.KEYWORDS["to"],),
    (CLOSE,),
    BLOCK,
)
LONGEST = 7


def unfinished(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``mount pvc`` and nothing more, or ``n > 1 ? 2`` before a closing bracket."""
    types = recovery.lexed.types
    if types[at] == ARROW and at and types[at - 1] == WHEN:
        return _complete(recovery, at, (lexer.ERROR,))
    if types[at] not in ENDS or not at or types[at - 1] in STARTS or (types[at] == COMMA and types[at - 1] in OPENERS):
        return False
    put = _completion(recovery.machine.states, types[at : at + 2], _first(recovery, at))
    return put is not None and _complete(recovery, at, put)


def dangling(recovery: Recovery, at: int, _: set[int]) -> bool:
    """The same before a line end where a value can continue: the next item was read as the missing part."""
    types, before = recovery.lexed.types, recovery.before_line_end
    if before is None or not 1 <= at - before.at <= 2 or not before.at or types[before.at - 1] in STARTS:
        return False
    following = [*types[before.at : at], EQUAL if types[at] == COLON else types[at]]
    put = _completion(before.states, following, ())
    if put is None:
        return False
    end = before.at
    recovery.back_to_line_end()
    return _complete(recovery, end, put)


def _first(recovery: Recovery, at: int) -> tuple[int, ...]:
    """What must come next even if something else is shorter: after ``on worker`` an event, which it is not itself."""
    lexed = recovery.lexed
    after_role = at > 1 and lexed.types[at - 2] == ON and lexed.text(at - 1) in wording.ROLES
    return (lexer.NAME,) if after_role else ()


def _completion(states: list[int], following: Sequence[int], first: tuple[int, ...]) -> tuple[int, ...] | None:
    """The fewest tokens that complete what was read, so that the tokens ``following`` fit."""
    start = states.copy()
    if not all(repairs.advance(start, type_, exactly=True) for type_ in first):
        return None
    waiting = [(start, first)]
    for stack, put in waiting:
        if put and put[-1] not in LINKS and repairs.fits(stack, *following):
            return put
        if len(put) >= LONGEST:
            continue
        # An optional source is asked for, too: which kinds have none is not known here.
        for part in ((lexer.ERROR,),) if repairs.fits(stack, lexer.ERROR) else PARTS:
            if part == (CLOSE,) and repairs.fits(stack, PLUS):
                continue  # after a value it compares; it closes only in a type
            trial = stack.copy()
            if all(repairs.advance(trial, type_, exactly=True) for type_ in part):
                waiting.append((trial, put + part))
    return None


def _complete(recovery: Recovery, at: int, put: tuple[int, ...]) -> bool:
    recovery.report(_message(recovery, at, put))
    for offset, type_ in enumerate(put):
        recovery.insert(at + offset, type_)
    return True


def _message(recovery: Recovery, at: int, put: tuple[int, ...]) -> Diagnostic:
    lexed = recovery.lexed
    span = recovery.span(at)
    start = _statement(recovery, at)
    before = lexed.text(at - 1)
    if put == BLOCK:
        end = lexed.ends[at - 1]
        head = Span(lexed.source, lexed.starts[start], end)
        edit = Edit(Span(lexed.source, end, end), " { }")
        return rules.MISSING_BLOCK(span, what=shortened(head.text)).fix("add an empty block", edit)
    statement = lexed.text(start) if lexed.types[start] >= tables.FIRST_KEYWORD else ""
    if lexed.types[at - 1] == EQUAL and at > 1:
        key = start + 1 if statement in ("param", "let") else at - 2
        return rules.MISSING_VALUE(span, key=shortened(lexed.text(key)))
    diagnostic = rules.UNFINISHED(span, expected=wording.missing(put, before, statement), before=shortened(before))
    form = wording.FORMS.get(statement)
    return diagnostic if form is None else diagnostic.help(f"for example: {form}")


def _statement(recovery: Recovery, at: int) -> int:
    """The first token of the item that ends before token ``at``."""
    types = recovery.lexed.types
    depth = 0
    while at and types[at - 1] != lexer.NEWLINE:
        type_ = types[at - 1]
        depth += (type_ in OPENERS) - (type_ in repairs.BRACKETS and type_ not in OPENERS)
        if depth < 0 or (depth == 0 and type_ == COMMA):
            break
        at -= 1
    return at
