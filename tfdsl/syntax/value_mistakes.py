"""Mistakes inside values: operators of other languages, units apart from their numbers, text without quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.syntax import _tables as tables
from tfdsl.syntax import lexer, repairs
from tfdsl.syntax.wording import shortened
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.syntax.recovery import Recovery

EQUAL, COLON = lexer.OPERATORS["="], lexer.OPERATORS[":"]
NUMBERS = NUMBER, UNIT = tables.TERMINALS.index("NUMBER"), tables.TERMINALS.index("UNIT")
AT_LEAST, MORE = lexer.OPERATORS[">="], lexer.OPERATORS[">"]
COMPARISONS = {lexer.OPERATORS[text] for text in ("==", "!=", "<", "<=", ">", ">=")}
DOT, SLASH = lexer.OPERATORS["."], lexer.OPERATORS["/"]
QUOTING = repairs.BRACKETS | {EQUAL, lexer.STRING, lexer.ERROR, tables.TERMINALS.index("TEXT"), lexer.OPERATORS[","]}
BANG, AND, OR = (lexer.OPERATORS[text] for text in ("!", "&&", "||"))
WORD_OPERATORS = {"and": AND, "or": OR}
SIZES = {f"{size}{rest}" for size in "KMGTPEkmg" for rest in ("", "i", "b", "B", "iB")}
UNITS = SIZES | {"ms", "s", "h", "d", "B"}


def split_comparison(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """``list<int>= …`` is right: the closing ``>`` of the type, then ``=``. Nothing to report."""
    lexed = recovery.lexed
    if lexed.types[at] != AT_LEAST or MORE not in acceptable:
        return False
    middle = lexed.starts[at] + 1
    lexed.types.insert(at, MORE)
    lexed.starts.insert(at, lexed.starts[at])
    lexed.ends.insert(at, middle)
    lexed.types[at + 1], lexed.starts[at + 1] = EQUAL, middle
    recovery.errors -= 1
    return True


def word_operator(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """``a and b``, ``a or b``, ``not a``."""
    lexed = recovery.lexed
    number = WORD_OPERATORS.get(lexed.text(at))
    if number is not None and number in acceptable:
        place = at
    elif (
        recovery.before and lexed.text(at - 1) == "not" and repairs.fits(recovery.before.states, BANG, lexed.types[at])
    ):
        recovery.step_back()
        place, number = at - 1, BANG
    else:
        return False
    span = recovery.span(place)
    operator = next(text for text, each in tables.OPERATORS if each == number)
    end = lexed.starts[at] if number == BANG else span.end
    edit = Edit(Span(span.source, span.start, end), operator)
    recovery.report(
        rules.WORD_OPERATOR(span, operator=operator, found=shortened(span.text)).fix(
            f"write {operator}", edit, safe=True
        )
    )
    recovery.replace(place, number)
    return True


def chained_comparison(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """``1 < x < 5``."""
    if recovery.lexed.types[at] not in COMPARISONS or not {AND, OR} <= acceptable:
        return False
    recovery.report(rules.CHAINED_COMPARISON(recovery.span(at)))
    recovery.replace(at, AND)
    return True


def split_unit(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``16 Gi``."""
    lexed = recovery.lexed
    if not recovery.before or lexed.types[at - 1] != NUMBER or lexed.text(at) not in UNITS:
        return False
    if lexed.types[at + 1] in (EQUAL, COLON):
        return False
    if not repairs.fits(recovery.before.states, UNIT):
        return False
    recovery.step_back()
    span = Span(lexed.source, lexed.starts[at - 1], lexed.ends[at])
    together = lexed.text(at - 1) + lexed.text(at)
    recovery.report(
        rules.SPLIT_UNIT(span, together=shortened(together)).fix(f"write {together}", Edit(span, together), safe=True)
    )
    recovery.replace(at - 1, lexer.ERROR, 2)
    return True


def leading_dot(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """``.5``."""
    lexed = recovery.lexed
    if lexed.types[at] != DOT or lexed.types[at + 1] not in (NUMBER, UNIT) or lexer.ERROR not in acceptable:
        return False
    span = Span(lexed.source, lexed.starts[at], lexed.ends[at + 1])
    number = f"0{span.text}"
    recovery.report(rules.LEADING_DOT(span, number=number).fix(f"write {number}", Edit(span, number), safe=True))
    recovery.replace(at, lexer.ERROR, 2)
    return True


def unquoted_path(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """``at /data``."""
    lexed = recovery.lexed
    if lexed.types[at] not in (SLASH, DOT) or lexer.ERROR not in acceptable:
        return False
    end = at + 1
    while lexed.types[end] not in repairs.FIXED and lexed.ends[end - 1] == lexed.starts[end]:
        end += 1
    return _unquoted(recovery, at, end)


def unquoted_value(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``image = registry.example.com/mnist:1.4`` and ``command = python train.py``."""
    lexed = recovery.lexed
    equal = recovery.line_start(at) + 1
    if equal >= at - 1 or lexed.types[equal] != EQUAL or lexed.types[equal + 1] not in (lexer.NAME, SLASH):
        return False
    end = recovery.line_end(at)
    if any(type_ in QUOTING for type_ in lexed.types[equal + 1 : end]) or not recovery.cut_behind(equal):
        return False
    return _unquoted(recovery, equal + 1, end)


def _unquoted(recovery: Recovery, at: int, end: int) -> bool:
    span = Span(recovery.lexed.source, recovery.lexed.starts[at], recovery.lexed.ends[end - 1])
    diagnostic = rules.UNQUOTED_TEXT(span)
    recovery.report(diagnostic.fix("write it in quotes", Edit(span, f'"{span.text}"')))
    recovery.replace(at, lexer.ERROR, end - at)
    return True
