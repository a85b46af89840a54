"""A file of values that is written as a program, as options of the command line, or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.syntax import _tables as tables, lexer
from tfdsl.syntax.brackets import item_end, item_start
from tfdsl.syntax.lexer import COLON, EQUAL, MINUS, NUMBER, is_word
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.syntax.recovery import Recovery

OPTIONS = {"set", "param", "var"}
FORM = "for example: workers = 4"


def not_a_value(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``param workers = 4``, ``--set workers=4``, ``profile prod { … }``, ``{ … }`` in a file of values."""
    if recovery.machine.states[0] != tables.START_VALUES:
        return False
    types = recovery.types
    start = item_start(types, at)
    if at == start:
        return _at_start(recovery, at)
    if at != start + 1 or not is_word(types[start]) or recovery.before is None:
        return False
    if is_word(types[at]) and types[at + 1] in (EQUAL, COLON):
        return _extra_word(recovery, at)
    if types[at] != lexer.END and (types[at] in (lexer.LBRACE, lexer.STRING, NUMBER) or types[at + 1] == lexer.LBRACE):
        if types[at] != lexer.LBRACE and recovery.text(start) not in _STATEMENTS:
            return False
        recovery.step_back()
        return _leave_out(recovery, start)
    return False


_STATEMENTS = {"edition", "include", "profile", "job", "template", "target", "role"}


def _at_start(recovery: Recovery, at: int) -> bool:
    """``--set n=4``, ``{ n = 4 }`` and ``[params]``."""
    lexed = recovery.lexed
    types = lexed.types
    if types[at] in (lexer.LBRACE, lexer.LSQB):
        return _leave_out(recovery, at)
    if types[at : at + 2] != [MINUS, MINUS] or not is_word(types[at + 2]):
        return False
    name = at + 3 if lexed.text(at + 2) in OPTIONS and is_word(types[at + 3]) else at + 2
    span = recovery.spanning(at, name)
    removed = Edit(Span(span.source, span.start, lexed.starts[name]), "")
    recovery.report(rules.NOT_A_VALUE(span).fix("remove it", removed, safe=True))
    recovery.delete(at, name - at)
    return True


def _extra_word(recovery: Recovery, at: int) -> bool:
    """``param n = 4``, ``param n: int = 4`` and ``export N=4``."""
    lexed = recovery.lexed
    types = lexed.types
    span = recovery.spanning(at - 1, at)
    edits = [Edit(Span(span.source, span.start, lexed.starts[at]), "")]
    end = item_end(types, at, (EQUAL,))
    typed = types[at + 1] == COLON and types[end] == EQUAL
    if typed:
        edits.append(Edit(Span(span.source, lexed.starts[at + 1], lexed.ends[end - 1]), ""))
        recovery.delete(at + 1, end - at - 1)
    recovery.report(rules.NOT_A_VALUE(span).fix("remove it", *edits, safe=True))
    recovery.step_back()
    recovery.delete(at - 1)
    return True


def _leave_out(recovery: Recovery, at: int) -> bool:
    end = item_end(recovery.types, at)
    recovery.report(rules.NOT_A_VALUE(recovery.span(at)).help(FORM))
    if recovery.types[end] != lexer.END:
        end += 1
    recovery.delete(at, end - at)
    return end > at
