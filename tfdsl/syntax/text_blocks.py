"""Text blocks without an opening or a closing mark.

Without its closing mark, a block extends to the opening mark of the next one, and everything in between is lost;
without an opening mark, its lines are read as code. Indentation shows where the mark is missing.
"""

from __future__ import annotations

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.patterns import regex
from tfdsl.syntax import _tables as tables
from tfdsl.syntax import lexer
from tfdsl.syntax.lexer import Lexed
from tfdsl.text import Span

TEXT, RAW = tables.TERMINALS.index("TEXT"), tables.TERMINALS.index("RAW")
EQUAL = lexer.OPERATORS["="]

# The last line of a block that ends at the opening mark of the next block.
_OPENS = regex(r"[ \t]*(?:[A-Za-z_]\w*[ \t]*(?:=|:)|run|copy)[ \t]*\Z")


def close_texts(lexed: Lexed) -> None:
    """Lex again a text whose text blocks are not closed, or not opened, where they should be."""
    distrusted = set(_swallowing(lexed))
    while distrusted:
        again = lexer.lex(lexed.source, unclosed=frozenset(distrusted))
        for slot in lexed.__slots__:
            setattr(lexed, slot, getattr(again, slot))
        more = set(_swallowing(lexed)) - distrusted
        if not more:
            break
        distrusted |= more
    for diagnostic in [each for each in lexed.diagnostics if each.rule is rules.UNCLOSED_TEXT]:
        _open_text(lexed, diagnostic.span)


def _swallowing(lexed: Lexed) -> list[int]:
    """The starts of blocks that end at what looks like the opening mark of the next one."""
    text = lexed.source.text
    starts: list[int] = []
    for i, type_ in enumerate(lexed.types):
        if type_ in (TEXT, RAW):
            end = lexed.ends[i] - 3
            if _OPENS.match(text, text.rfind("\n", 0, end) + 1, end):
                starts.append(lexed.starts[i])
    return starts


def _open_text(lexed: Lexed, mark: Span) -> None:
    """If the mark is alone on its line, read the lines above it that are at least as deep as its text."""
    text = lexed.source.text
    line = text.rfind("\n", 0, mark.start) + 1
    indent = mark.start - line
    if text[line : mark.start].strip(" \t") or not indent:
        return
    start = line
    while start:
        above = text.rfind("\n", 0, start - 1) + 1
        content = text[above : start - 1].rstrip("\r")
        if content.strip() and len(content) - len(content.lstrip(" \t")) < indent:
            break
        start = above
    if start < line and start:
        _replace_lines(lexed, start, mark)


def _replace_lines(lexed: Lexed, start: int, mark: Span) -> None:
    """Replace the tokens from ``start`` to the mark with one error value, if a value belongs there."""
    first = next(i for i, begin in enumerate(lexed.starts) if begin >= start)
    last = next(i for i, begin in enumerate(lexed.starts) if begin == mark.start)
    if first < 2 or lexed.types[first - 1] != lexer.NEWLINE or lexed.types[first - 2] != EQUAL:
        return
    place = lexed.ends[first - 2]
    span = Span(lexed.source, place, place)
    kept = [each for each in lexed.diagnostics if not start <= each.span.start < lexed.ends[last]]
    diagnostic = rules.TEXT_NOT_OPENED(span, mark=mark.text).note(mark, "the text ends here")
    lexed.diagnostics[:] = [*kept, diagnostic.fix(f"add {mark.text}", Edit(span, f" {mark.text}"))]
    end = mark.end
    for column in (lexed.types, lexed.starts, lexed.ends):
        del column[first - 1 : last + 1]
    lexed.types.insert(first - 1, lexer.ERROR)
    lexed.starts.insert(first - 1, place)
    lexed.ends.insert(first - 1, end)
