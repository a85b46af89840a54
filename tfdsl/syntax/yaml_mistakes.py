"""Lists and maps written as in YAML, by indentation alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.patterns import regex
from tfdsl.syntax import lexer
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.syntax.recovery import Recovery

EQUAL, COLON, MINUS = map(lexer.OPERATORS.__getitem__, ("=", ":", "-"))
_SIMPLE = regex(r'-[ \t]+("[^"]*"|[^\s"\'{}\[\]:#&*!|>%@`][^"\'{}\[\]:#\n]*?)[ \t]*\r?$')


def yaml_separator(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``---`` alone on a line."""
    lexed = recovery.lexed
    types = lexed.types
    if types[at : at + 3] != [MINUS] * 3 or types[at + 3] not in (lexer.NEWLINE, lexer.END):
        return False
    if at and types[at - 1] != lexer.NEWLINE:
        return False
    span = Span(lexed.source, lexed.starts[at], lexed.ends[at + 2])
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
    types = recovery.lexed.types
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
        place = Span(lexed.source, lexed.ends[at - 1], lexed.ends[end - 1])
        elements = _elements(lexed.source.text[lexed.starts[dash] : place.end])
        if elements is not None:
            diagnostic = diagnostic.fix("write it in brackets", Edit(place, f" [{', '.join(elements)}]"))
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
    types = recovery.lexed.types
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
    recovery.insert(at, LBRACE)
    if key == at - 1:
        recovery.insert(at, EQUAL)
    return True


LBRACE = lexer.LBRACE
