"""Mistakes inside values: operators of other languages, units apart from their numbers, text without quotes."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.patterns import regex
from tfdsl.syntax import _tables as tables, lexer, repairs
from tfdsl.syntax.lexer import (
    AND,
    AT_LEAST,
    BANG,
    COLON,
    COMMA,
    DOT,
    EQUAL,
    ITEM_STARTS,
    MINUS,
    MORE,
    NUMBER,
    OR,
    SLASH,
    TEXT,
    UNIT,
)
from tfdsl.syntax.wording import shortened
from tfdsl.text import Span
from tfdsl.vocabulary import attributes, foreign
from tfdsl.vocabulary.quantities import nearest_unit

if TYPE_CHECKING:
    from tfdsl.syntax.recovery import Recovery


NUMBERS = (NUMBER, UNIT)
COMPARISONS = {lexer.OPERATORS[text] for text in ("==", "!=", "<", "<=", ">", ">=")}
QUOTING = repairs.BRACKETS | {EQUAL, lexer.STRING, lexer.ERROR, TEXT, COMMA}
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
    behind = _compared(recovery, at) if number == BANG else None
    if behind is not None:
        parentheses = (Edit(Span(span.source, span.start, lexed.starts[at]), "!("), Edit(behind, ")"))
        recovery.report(rules.WORD_OPERATOR(span, operator="!", found="not").fix("write !( )", *parentheses, safe=True))
        recovery.replace(place, lexer.ERROR, _token_at(recovery, behind.start) - place)
        return True
    operator = _SIGNS[number]
    end = lexed.starts[at] if number == BANG else span.end
    edits = [Edit(Span(span.source, span.start, end), operator)]
    recovery.replace(place, number)
    for other in range(place + 1, recovery.line_end(place)) if number != BANG else ():
        if (sign := WORD_OPERATORS.get(lexed.text(other))) is not None and lexed.types[other - 1] not in ITEM_STARTS:
            edits.append(Edit(recovery.span(other), _SIGNS[sign]))
            recovery.replace(other, sign)
    diagnostic = rules.WORD_OPERATOR(span, operator=operator, found=shortened(span.text))
    recovery.report(diagnostic.fix(f"write {operator}", *edits, safe=True))
    recovery.builder.doubtful.append(span.start)
    return True


_SIGNS = {number: text for text, number in tables.OPERATORS}


def _compared(recovery: Recovery, at: int) -> Span | None:
    """The place behind the comparison that begins at token ``at``, to which a ``not`` belongs as a whole."""
    types = recovery.types
    depth, compares = 0, False
    for end in range(at, len(types)):
        type_ = types[end]
        depth += (type_ in lexer.CLOSERS) - (type_ in lexer.OPENERS)
        if depth < 0 or (depth == 0 and (type_ in _BELOW_NOT or recovery.text(end) in ("and", "or", "else"))):
            place = recovery.lexed.ends[end - 1]
            return Span(recovery.lexed.source, place, place) if compares else None
        compares = compares or (depth == 0 and type_ in COMPARISONS)
    return None


def _token_at(recovery: Recovery, offset: int) -> int:
    """The first token at or behind an offset."""
    return bisect_left(recovery.lexed.starts, offset)


_BELOW_NOT = {AND, OR, COMMA, COLON, lexer.OPERATORS["?"], lexer.WHEN, lexer.NEWLINE, lexer.END, lexer.LBRACE}


def unquoted_address(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``mount nfs nas:/export at "/x"`` and ``{ image = r.example.com/x:1, gpu = 1 }``."""
    lexed = recovery.lexed
    types = lexed.types
    if types[at] not in (COLON, SLASH, DOT, MINUS, NUMBER):
        return False
    first, end = at, at + 1
    while first and lexed.ends[first - 1] == lexed.starts[first] and types[first - 1] not in repairs.FIXED:
        first -= 1
    while lexed.ends[end - 1] == lexed.starts[end] and types[end] not in repairs.FIXED | {COMMA}:
        end += 1
    after = types[first - 1] if first else lexer.NEWLINE
    is_source = after == lexer.NAME and first > 1 and types[first - 2] == lexer.MOUNT
    if types[end - 1] == COLON:
        return False
    clock = nearest_unit(recovery.spanning(first, end).text) if after == EQUAL and types[at] == COLON else None
    if clock is not None and recovery.cut_from(first):
        span = recovery.spanning(first, end)
        diagnostic = rules.FOREIGN_EXPRESSION(span, what=span.text).help(f"write {clock}")
        recovery.report(diagnostic.replacing(f"write {clock}", clock))
        recovery.replace(first, lexer.ERROR, end - first)
        return True
    devices = _DEVICES.fullmatch(recovery.spanning(first, end).text) if after == EQUAL and first > 1 else None
    if devices is not None and recovery.text(first - 2).lower() in _GPU and recovery.cut_from(first):
        diagnostic = rules.FOREIGN_EXPRESSION(recovery.spanning(first, end), what=devices[0])
        number = devices[1]
        recovery.report(diagnostic.help(foreign.DEVICES.format(number=number)).replacing(f"write {number}", number))
        recovery.replace(first, lexer.ERROR, end - first)
        return True
    if first == at or not (is_source or after in _BEFORE_ADDRESS) or not {COLON, SLASH, DOT} & set(types[first:end]):
        return False
    if {EQUAL, lexer.STRING} & set(types[first:end]) or not recovery.cut_from(first):
        return False
    return _unquoted(recovery, first, end)


_GPU = {attributes.BY_NAME["gpu"].name, *attributes.BY_NAME["gpu"].aliases, *attributes.BY_NAME["gpu"].akin}
_DEVICES = regex(r"[A-Za-z][\w./:-]*:([0-9]{1,9})")
_BEFORE_ADDRESS = {EQUAL, *(lexer.KEYWORDS[word] for word in ("at", "to", "output", "copy", "run"))}


def chained_comparison(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """``1 < x < 5``."""
    if recovery.types[at] not in COMPARISONS or not {AND, OR} <= acceptable:
        return False
    recovery.report(rules.CHAINED_COMPARISON(recovery.span(at)))
    recovery.replace(at, AND)
    return True


def split_unit(recovery: Recovery, at: int, _: set[int]) -> bool:
    """A space between a number and its unit: ``16 Gi``."""
    if not recovery.before or recovery.types[at - 1] != NUMBER:
        return False
    if recovery.text(at) not in UNITS and nearest_unit(f"1{recovery.text(at)}") is None:
        return False
    if recovery.types[at + 1] in (EQUAL, COLON):
        return False
    if not repairs.fits(recovery.before.states, UNIT):
        return False
    recovery.step_back()
    span = recovery.spanning(at - 1, at + 1)
    together = recovery.text(at - 1) + recovery.text(at)
    together = nearest_unit(together) or together
    recovery.report(
        rules.SPLIT_UNIT(span, together=shortened(together)).fix(f"write {together}", Edit(span, together), safe=True)
    )
    recovery.replace(at - 1, lexer.ERROR, 2)
    return True


def split_value(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``1,000``, ``1,5Gi`` and ``1h 30m``; ``args = "a", "b"``, a list without its brackets."""
    lexed = recovery.lexed
    types = lexed.types
    values = {*NUMBERS, lexer.STRING}
    if types[at] not in values or at < 2:
        return False
    stop = at + 1
    if types[at - 2 : at + 1] == [EQUAL, lexer.STRING, lexer.STRING]:
        span = recovery.spanning(at - 1, stop)
        text = f"[{recovery.text(at - 1)}, {recovery.text(at)}]"
        diagnostic = rules.FOREIGN_EXPRESSION(span, what="a text behind another").help("join texts with +: a + b")
    elif types[at] == types[at - 1] == UNIT:
        span = recovery.spanning(at - 1, stop)
        text = span.text.replace(" ", "")
        diagnostic = rules.SPLIT_UNIT(span, together=text)
    elif types[at - 1] != COMMA or types[at - 2] not in values or types[at] in recovery.acceptable():
        return False  # of a map, the next key
    elif (
        types[at] in NUMBERS
        and types[at - 2] == NUMBER
        and lexed.ends[at - 2] + 1 == lexed.starts[at]
        and ("." not in lexed.text(at - 2))
    ):
        span = recovery.spanning(at - 2, stop)
        thousands = types[at] == NUMBER and len(lexed.text(at)) == 3
        text = span.text.replace(",", "" if thousands else ".")
        diagnostic = rules.FOREIGN_EXPRESSION(span, what=span.text).help(f"write {text}")
    else:
        first = at
        while types[first - 1] in values | {COMMA}:
            first -= 1
        while types[stop] == COMMA and types[stop + 1] in values:
            stop += 2
        if types[first - 1] != EQUAL or types[stop] not in {lexer.NEWLINE, lexer.END, lexer.RBRACE}:
            return False
        span = recovery.spanning(first, stop)
        text = f"[{span.text}]"
        diagnostic = rules.YAML_LIST(span)
    recovery.report(diagnostic.replacing(f"write {shortened(text)}", text))
    recovery.builder.doubtful.append(lexed.starts[at])
    recovery.delete(at, stop - at)
    return True


def leading_dot(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """A number that begins with its dot: ``.5``."""
    if recovery.types[at] != DOT or recovery.types[at + 1] not in (NUMBER, UNIT) or lexer.ERROR not in acceptable:
        return False
    span = recovery.spanning(at, at + 2)
    number = f"0{span.text}"
    recovery.report(rules.LEADING_DOT(span, number=number).fix(f"write {number}", Edit(span, number), safe=True))
    recovery.replace(at, lexer.ERROR, 2)
    return True


def unquoted_path(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """A path without quotes: ``at /data``."""
    lexed = recovery.lexed
    if lexed.types[at] not in (SLASH, DOT) or lexer.ERROR not in acceptable:
        return False
    end = at + 1
    while lexed.types[end] not in repairs.FIXED and lexed.ends[end - 1] == lexed.starts[end]:
        end += 1
    return _unquoted(recovery, at, end)


def unquoted_value(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``image = registry.example.com/mnist:1.4`` and ``command = python train.py``."""
    equal = recovery.line_start(at) + 1
    if equal >= at - 1 or recovery.types[equal] != EQUAL or recovery.types[equal + 1] not in (lexer.NAME, SLASH):
        return False
    end = recovery.line_end(at)
    if any(type_ in QUOTING for type_ in recovery.types[equal + 1 : end]) or not recovery.cut_behind(equal):
        return False
    return _unquoted(recovery, equal + 1, end)


def _unquoted(recovery: Recovery, at: int, end: int) -> bool:
    span = recovery.spanning(at, end)
    recovery.report(rules.UNQUOTED_TEXT(span).fix("write it in quotes", Edit(span, f'"{span.text}"')))
    recovery.replace(at, lexer.ERROR, end - at)
    return True


# --- yaml mistakes ---
#
# Lists and maps written as in YAML, by indentation alone.

_SIMPLE = regex(r'-[ \t]+("[^"]*"|[^\s"\'{}\[\]:#&*!|>%@`][^"\'{}\[\]:#\n]*?)[ \t]*\r?$')


def folded_text(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``command = >`` and then deeper lines."""
    types = recovery.types
    if types[at : at + 2] != [MORE, lexer.NEWLINE] or not at or types[at - 1] not in (EQUAL, COLON):
        return False
    end = at + 1
    indent = recovery.column(recovery.line_start(at))
    while types[end] == lexer.NEWLINE and types[end + 1] != lexer.END and recovery.column(end + 1) > indent:
        end = recovery.line_end(end + 1)
    recovery.report(rules.HEREDOC(recovery.span(at)))
    stop = recovery.lexed.ends[end - 1]
    found = recovery.lexed.diagnostics
    found[:] = [one for one in found if not recovery.lexed.starts[at] <= one.span.start < stop]
    recovery.replace(at, lexer.ERROR, end - at)
    return True


def yaml_separator(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``---`` alone on a line."""
    types = recovery.types
    if types[at : at + 3] != [MINUS] * 3 or types[at + 3] not in (lexer.NEWLINE, lexer.END):
        return False
    if at and types[at - 1] != lexer.NEWLINE:
        return False
    span = recovery.spanning(at, at + 3)
    recovery.report(rules.YAML_SEPARATOR(span).fix("remove it", Edit(span, "")))
    recovery.delete(at, 4 if types[at + 3] == lexer.NEWLINE else 3)
    return True


def yaml_block(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """``spec:`` and then deeper lines ``key: value``: one report, and the item is left out."""
    lexed = recovery.lexed
    types = lexed.types
    if types[at : at + 2] != [COLON, lexer.NEWLINE] or EQUAL not in acceptable or types[at - 1] != lexer.NAME:
        return False
    indent = recovery.column(recovery.line_start(at))
    if types[at + 2] == lexer.END or recovery.column(at + 2) <= indent or types[at + 3] != COLON:
        return False
    end = recovery.line_end(at + 2)
    while types[end] == lexer.NEWLINE and types[end + 1] != lexer.END and recovery.column(end + 1) > indent:
        end = recovery.line_end(end + 1)
    stop = lexed.ends[end - 1]
    recovery.report(rules.YAML_MAP(recovery.span(at + 1), key=lexed.text(at - 1)))
    lexed.diagnostics[:] = [each for each in lexed.diagnostics if not lexed.starts[at] <= each.span.start < stop]
    lexed.meant[lexed.starts[at - 1]] = ""
    recovery.delete(at + 2, end - at - 2)
    recovery.replace(at, EQUAL)
    recovery.replace(at + 1, lexer.ERROR)
    lexed.ends[at + 1] = stop
    return True


def yaml_list(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``key =`` and then lines that begin with ``-``; also such lines in place of an item."""
    types = recovery.types
    if types[at] == lexer.NEWLINE and at and types[at - 1] in (EQUAL, COLON) and types[at + 1] == MINUS:
        dash = at + 1
    elif types[at] == MINUS and (not at or types[at - 1] == lexer.NEWLINE):
        dash = at
    else:
        return False
    end = _end_of_list(recovery, dash)
    lexed = recovery.lexed
    diagnostic = rules.YAML_LIST(recovery.span(dash))
    if dash > at:
        before = lexed.ends[at - 1] if lexed.text(at - 1) == "=" else lexed.ends[at - 2]
        place = Span(lexed.source, before, lexed.ends[end - 1])
        elements = _elements(lexed.source.text[lexed.starts[dash] : place.end])
        sign = "" if lexed.text(at - 1) == "=" else " ="
        if elements is not None:
            diagnostic = diagnostic.fix("write it in brackets", Edit(place, f"{sign} [{', '.join(elements)}]"))
        recovery.report(diagnostic)
        recovery.replace(at, lexer.ERROR, end - at)
        return True
    recovery.report(diagnostic)
    if types[end] == lexer.NEWLINE:
        end += 1
    recovery.delete(at, end - at)
    return True


def _end_of_list(recovery: Recovery, dash: int) -> int:
    """The token after the last line of the list."""
    types = recovery.types
    column = recovery.column(dash)
    end = recovery.line_end(dash)
    while types[end] == lexer.NEWLINE and types[end + 1] != lexer.END:
        here = recovery.column(end + 1)
        if here < column or (here == column and types[end + 1] != MINUS):
            break
        end = recovery.line_end(end + 1)
    return end


def _elements(text: str) -> list[str] | None:
    """The elements as written in brackets; None when one is not a plain word or string."""
    elements: list[str] = []
    for line in text.split("\n"):
        if not line.strip() or line.strip().startswith("#"):
            continue
        simple = _SIMPLE.match(line.strip())
        if simple is None:
            return None
        word = simple[1]
        plain = word.startswith('"') or re.fullmatch(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false", word)
        elements.append(word if plain else '"' + word.replace("\\", "\\\\").replace("${", "\\${") + '"')
    return elements


def indented_map(recovery: Recovery, at: int, acceptable: set[int]) -> bool:
    """``key =`` (or only ``key``) and then deeper lines of the form ``name = value``."""
    lexed = recovery.lexed
    types = lexed.types
    if types[at] != lexer.NEWLINE or not at or types[at + 1] == lexer.END:
        return False
    key = at - 1 if EQUAL in acceptable else at - 2
    if key < 0 or (key == at - 2 and types[at - 1] != EQUAL) or types[key] != lexer.NAME:
        return False
    indent = recovery.column(recovery.line_start(at - 1))
    if recovery.column(at + 1) <= indent or types[at + 2] not in (EQUAL, COLON):
        return False
    place = recovery.span(at)
    end = recovery.line_end(at + 1)
    while types[end] == lexer.NEWLINE and types[end + 1] != lexer.END and recovery.column(end + 1) > indent:
        end = recovery.line_end(end + 1)
    stop = lexed.ends[end - 1]
    edits = (
        Edit(place, " {" if key == at - 2 else " = {"),
        Edit(Span(lexed.source, stop, stop), "\n" + " " * (indent - 1) + "}"),
    )
    recovery.report(rules.YAML_MAP(place, key=lexed.text(key)).fix("add braces", *edits))
    recovery.insert(end, lexer.RBRACE)
    recovery.insert(at, lexer.LBRACE)
    if key == at - 1:
        recovery.insert(at, EQUAL)
    return True
