"""Slips inside values: operators of other languages, units apart from their numbers, text without quotes."""

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


def split_comparison(at_work: Recovery, at: int, acceptable: set[int]) -> bool:
    """``list<int>= …`` is right: the closing ``>`` of the type, then ``=``. Nothing to report."""
    lexed = at_work.lexed
    if lexed.types[at] != AT_LEAST or MORE not in acceptable:
        return False
    middle = lexed.starts[at] + 1
    lexed.types.insert(at, MORE)
    lexed.starts.insert(at, lexed.starts[at])
    lexed.ends.insert(at, middle)
    lexed.types[at + 1], lexed.starts[at + 1] = EQUAL, middle
    at_work.errors -= 1
    return True


def word_operator(at_work: Recovery, at: int, acceptable: set[int]) -> bool:
    """``a and b``, ``a or b``, ``not a``."""
    lexed = at_work.lexed
    number = WORD_OPERATORS.get(lexed.text(at))
    if number is not None and number in acceptable:
        place = at
    elif at_work.before and lexed.text(at - 1) == "not" and repairs.fits(at_work.before.states, BANG, lexed.types[at]):
        at_work.step_back()
        place, number = at - 1, BANG
    else:
        return False
    span = at_work.span(place)
    operator = next(text for text, each in tables.OPERATORS if each == number)
    end = lexed.starts[at] if number == BANG else span.end
    edit = Edit(Span(span.source, span.start, end), operator)
    at_work.report(
        rules.WORD_OPERATOR(span, operator=operator, found=shortened(span.text)).fix(
            f"write {operator}", edit, safe=True
        )
    )
    at_work.replace(place, number)
    return True


def chained_comparison(at_work: Recovery, at: int, acceptable: set[int]) -> bool:
    """``1 < x < 5``."""
    if at_work.lexed.types[at] not in COMPARISONS or not {AND, OR} <= acceptable:
        return False
    at_work.report(rules.CHAINED_COMPARISON(at_work.span(at)))
    at_work.replace(at, AND)
    return True


def split_unit(at_work: Recovery, at: int, _: set[int]) -> bool:
    """``16 Gi``."""
    lexed = at_work.lexed
    if not at_work.before or lexed.types[at - 1] != NUMBER or lexed.text(at) not in UNITS:
        return False
    if lexed.types[at + 1] in (EQUAL, COLON):
        return False
    if not repairs.fits(at_work.before.states, UNIT):
        return False
    at_work.step_back()
    span = Span(lexed.source, lexed.starts[at - 1], lexed.ends[at])
    together = lexed.text(at - 1) + lexed.text(at)
    at_work.report(
        rules.SPLIT_UNIT(span, together=shortened(together)).fix(f"write {together}", Edit(span, together), safe=True)
    )
    at_work.replace(at - 1, lexer.ERROR, 2)
    return True


def leading_dot(at_work: Recovery, at: int, acceptable: set[int]) -> bool:
    """``.5``."""
    lexed = at_work.lexed
    if lexed.types[at] != DOT or lexed.types[at + 1] not in (NUMBER, UNIT) or lexer.ERROR not in acceptable:
        return False
    span = Span(lexed.source, lexed.starts[at], lexed.ends[at + 1])
    number = f"0{span.text}"
    at_work.report(rules.LEADING_DOT(span, number=number).fix(f"write {number}", Edit(span, number), safe=True))
    at_work.replace(at, lexer.ERROR, 2)
    return True


def unquoted_path(at_work: Recovery, at: int, acceptable: set[int]) -> bool:
    """``at /data``."""
    lexed = at_work.lexed
    if lexed.types[at] not in (SLASH, DOT) or lexer.ERROR not in acceptable:
        return False
    end = at + 1
    while lexed.types[end] not in repairs.FIXED and lexed.ends[end - 1] == lexed.starts[end]:
        end += 1
    return _unquoted(at_work, at, end)


def unquoted_value(at_work: Recovery, at: int, _: set[int]) -> bool:
    """``image = registry.example.com/mnist:1.4`` and ``command = python train.py``."""
    lexed = at_work.lexed
    equal = at_work.line_start(at) + 1
    if equal >= at - 1 or lexed.types[equal] != EQUAL or lexed.types[equal + 1] not in (lexer.NAME, SLASH):
        return False
    end = at_work.line_end(at)
    if any(type_ in QUOTING for type_ in lexed.types[equal + 1 : end]) or not at_work.cut_behind(equal):
        return False
    return _unquoted(at_work, equal + 1, end)


def _unquoted(at_work: Recovery, at: int, end: int) -> bool:
    span = Span(at_work.lexed.source, at_work.lexed.starts[at], at_work.lexed.ends[end - 1])
    found = rules.UNQUOTED_TEXT(span)
    at_work.report(found.fix("write it in quotes", Edit(span, f'"{span.text}"')))
    at_work.replace(at, lexer.ERROR, end - at)
    return True
