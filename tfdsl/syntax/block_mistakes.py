"""``matrix``, ``prepare`` and ``sidecar`` written as attributes, without names, or with names that need quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.syntax import lexer, wording
from tfdsl.syntax.items import item_end, item_start
from tfdsl.syntax.odd_words import is_word
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.syntax.recovery import Recovery

MATRIX, PREPARE, SIDECAR = (lexer.KEYWORDS[word] for word in ("matrix", "prepare", "sidecar"))
# Containers before and beside the command in other languages, with the statement that is meant.
STEP_WORDS = {
    **dict.fromkeys(("init", "init_container", "init_containers", "initContainer", "initContainers"), "prepare"),
    **dict.fromkeys(("before", "setup", "pre_start", "prestart", "preStart"), "prepare"),
    **dict.fromkeys(("sidecars", "helper", "extra_container", "extraContainers"), "sidecar"),
}
UNNAMED = {MATRIX, lexer.KEYWORDS["cluster"], lexer.KEYWORDS["build"]}
STEPS = {PREPARE, SIDECAR}
EQUAL, COLON = lexer.OPERATORS["="], lexer.OPERATORS[":"]


def block_with_equals(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``matrix = { … }`` and ``prepare = …``."""
    lexed = recovery.lexed
    types = lexed.types
    word = at - 1 if types[at] in (EQUAL, COLON) else at
    if word < 0 or types[word] not in UNNAMED | STEPS or types[word + 1] not in (EQUAL, COLON):
        return False
    if item_start(types, word + 1) != word:
        return False
    keyword = lexed.text(word)
    sign = Span(lexed.source, lexed.starts[word + 1], lexed.ends[word + 1])
    diagnostic = rules.BLOCK_FORM(sign, word=keyword, form=_form(keyword))
    if types[word] in UNNAMED and types[word + 2] == lexer.LBRACE:
        gap = Span(lexed.source, lexed.ends[word], lexed.starts[word + 2])
        recovery.report(diagnostic.fix("remove it", Edit(gap, " "), safe=True))
        if word < at:
            recovery.delete(at)
        else:
            recovery.delete(word + 1)
        return True
    recovery.report(diagnostic)
    return _leave_out(recovery, word, at)


def _form(keyword: str) -> str:
    return wording.FORMS.get(keyword, f"{keyword} {{ … }}")


def _leave_out(recovery: Recovery, word: int, at: int) -> bool:
    """Remove the item of the keyword ``word``, which may have been read already."""
    types = recovery.lexed.types
    end = item_end(types, word)
    if types[end] in (lexer.NEWLINE, lexer.OPERATORS[","]):
        end += 1
    if word < at:
        if recovery.before is None:
            return False
        recovery.step_back()
    recovery.delete(word, end - word)
    return True


def matrix_axis(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``matrix lr = [0.1, 0.01]``; behind ``matrix``, or before it where the word was not taken as the keyword."""
    lexed = recovery.lexed
    types = lexed.types
    word = at if types[at] == MATRIX else at - 1
    if word < 0 or types[word] != MATRIX or item_start(types, word + 1) != word:
        return False
    if not is_word(types[word + 1]) or types[word + 2] != EQUAL:
        return False
    end = item_end(types, word)
    axis = Span(lexed.source, lexed.starts[word + 1], lexed.ends[end - 1])
    edit = Edit(axis, f"{{ {axis.text} }}")
    recovery.report(rules.BLOCK_FORM(axis, word="matrix", form=_form("matrix")).fix("add braces", edit, safe=True))
    recovery.insert(end, lexer.RBRACE)
    recovery.insert(word + 1, lexer.LBRACE)
    return True


def yaml_steps(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``initContainers:`` and then deeper lines: one report, and all of it is left out."""
    lexed = recovery.lexed
    types = lexed.types
    if types[at : at + 2] != [COLON, lexer.NEWLINE] or not at or recovery.before is None:
        return False
    meant = STEP_WORDS.get(lexed.text(at - 1))
    start = recovery.line_start(at)
    if meant is None or start != at - 1:
        return False
    indent = recovery.column(start)
    end = at
    while types[end] == lexer.NEWLINE or end == at:
        if types[end + 1] == lexer.END or (end > at and recovery.column(end + 1) <= indent):
            break
        end = recovery.line_end(end + 1)
    word = recovery.spanning(at - 1, at)
    diagnostic = rules.UNKNOWN_STATEMENT(word, found=word.text)
    recovery.report(diagnostic.help(f"for example: {_form(meant)}"))
    stop = lexed.ends[end - 1]
    lexed.diagnostics[:] = [each for each in lexed.diagnostics if not word.end <= each.span.start < stop]
    recovery.step_back()
    recovery.delete(start, end - start + (types[end] == lexer.NEWLINE))
    return True


def step_without_name(recovery: Recovery, at: int, _: set[int]) -> bool:
    """``prepare { … }``."""
    lexed = recovery.lexed
    if lexed.types[at] != lexer.LBRACE or not at or lexed.types[at - 1] not in STEPS:
        return False
    keyword = lexed.text(at - 1)
    expected = wording.put_in(lexer.NAME, keyword)
    diagnostic = rules.UNFINISHED(recovery.span(at), expected=expected, before=keyword)
    recovery.report(diagnostic.help(f"for example: {wording.FORMS[keyword]}"))
    recovery.insert(at, lexer.NAME)
    return True
