"""Kubernetes manifests in a text: one report for each, and none about their content."""

from __future__ import annotations

import re
from bisect import bisect_left

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.patterns import regex
from tfdsl.syntax import lexer
from tfdsl.syntax.brackets import DECLARATIONS
from tfdsl.syntax.lexer import Lexed
from tfdsl.text import Span

COLON, MINUS = lexer.OPERATORS[":"], lexer.OPERATORS["-"]
# Each manifest takes a walk over all tokens; for a text with more of them, this many reports are enough.
MOST_MANIFESTS = 50

_ADVICE = "tfdsl import FILE writes the job that a manifest describes"
_FIRST_LINE = regex(r"^[ \t]*(apiVersion)[ \t]*:", re.M)
_JSON = regex(r'\s*\{\s*"(?:apiVersion|kind|metadata|spec)"\s*:')


def leave_out_manifests(lexed: Lexed) -> None:
    """Remove the tokens of all manifests, and what the lexer has reported about them."""
    text = lexed.source.text
    if _JSON.match(text):
        start = text.index("{")
        lexed.diagnostics[:] = [rules.MANIFEST(Span(lexed.source, start, start + 1)).help(_ADVICE)]
        del lexed.types[:-1], lexed.starts[:-1], lexed.ends[:-1]
        return
    if "apiVersion" not in text:
        return
    parts: list[tuple[int, int]] = []
    for match in _FIRST_LINE.finditer(text):
        first = bisect_left(lexed.starts, match.start(1))
        inside = bool(parts) and first < parts[-1][1]
        if not inside and lexed.starts[first] == match.start(1) and _begins_line(lexed, first):
            parts.append((first, _end(lexed, first)))
        if len(parts) == MOST_MANIFESTS:
            break
    for first, end in reversed(parts):
        _leave_out(lexed, first, end)


def _begins_line(lexed: Lexed, first: int) -> bool:
    return lexed.types[first] == lexer.NAME and (first == 0 or lexed.types[first - 1] in (lexer.NEWLINE, lexer.LBRACE))


def _end(lexed: Lexed, first: int) -> int:
    """The token after the last line that is at least as deep as the first and does not start a declaration."""
    types, position = lexed.types, lexed.source.position
    indent = position(lexed.starts[first])[1]
    end = first
    while True:
        while types[end] not in (lexer.NEWLINE, lexer.END):
            end += 1
        if types[end] == lexer.END or types[end + 1] == lexer.END:
            return end
        following = end + 1
        ours = types[following] in DECLARATIONS and types[following + 1] != COLON
        if ours or types[following] == lexer.RBRACE or position(lexed.starts[following])[1] < indent:
            return end
        end = following


def _leave_out(lexed: Lexed, first: int, end: int) -> None:
    types = lexed.types
    start, stop = lexed.starts[first], lexed.ends[end - 1]
    lexed.diagnostics[:] = [each for each in lexed.diagnostics if not start <= each.span.start < stop]
    lexed.diagnostics.append(rules.MANIFEST(Span(lexed.source, start, lexed.ends[first])).help(_ADVICE))
    while first >= 4 and types[first - 4 : first] == [MINUS, MINUS, MINUS, lexer.NEWLINE]:
        first -= 4
    if types[end] == lexer.NEWLINE:
        end += 1
    del types[first:end], lexed.starts[first:end], lexed.ends[first:end]
