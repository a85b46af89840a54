"""The content of a string, text block or raw block: escapes undone, indentation removed, interpolations parsed.

See "Lexical rules" in the language reference. Every piece is read at its own offset, so interpolated expressions and
errors have their spans in the text.
"""

from __future__ import annotations

from typing import Protocol

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Diagnostic, Edit
from tfdsl.patterns import regex
from tfdsl.syntax import ast
from tfdsl.syntax.lexer import MAX_REPORTS
from tfdsl.text import Source, Span

_SPECIAL = regex(r"\\|\$\{")
_QUOTED = r'"(?:[^"\\\n]|\\[^\n])*+"'
_INTERPOLATION = regex(rf'\$\{{((?:[^{{}}"\n]|{_QUOTED}|\{{(?:[^{{}}"\n]|{_QUOTED})*+\}})*+)\}}')
_UNICODE = regex(r"\\u\{([0-9A-Fa-f]{1,6})\}")
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "$": "$"}
# The expansions of shells: ${x:-y}, ${x#y}, ${x/y/z}, ${x:1}, ${x[@]}, ${#x}, ${!x}, ${@}.
_SHELL = regex(r"[A-Za-z_]\w*+(?::?[-=+?]|[#%^,@/:]|\[[@*]\])|[#!]\w|[@*#?$!-]\Z")
# An expression of GitHub Actions, and of others that write templates for YAML.
_DOUBLED = regex(r"\$\{\{[ \t]*+([A-Za-z_][\w.-]*+)[ \t]*+\}\}")
_ESCAPES = r"the escapes are \n \t \r \" \\ \$ \u{…}"


class Reader(Protocol):
    """What strings need from the builder of the tree."""

    source: Source
    diagnostics: list[Diagnostic]

    def interpolated(self, start: int, end: int) -> ast.Expr:
        """The expression from ``start`` to ``end``."""
        ...


class _Pieces:
    """Literal text and expressions in order; adjacent literals are joined."""

    def __init__(self) -> None:
        self.parts: list[str | ast.Expr] = []
        self._literal: list[str] = []

    def text(self, text: str) -> None:
        self._literal.append(text)

    def expression(self, expression: ast.Expr) -> None:
        self._close()
        self.parts.append(expression)

    def finish(self) -> tuple[str | ast.Expr, ...]:
        self._close()
        return tuple(self.parts)

    def _close(self) -> None:
        text = "".join(self._literal)
        self._literal.clear()
        if text:
            self.parts.append(text)


def string(reader: Reader, span: Span, end: int) -> ast.Str:
    """The string ``"…"`` at ``span``, whose text ends at ``end``."""
    pieces = _Pieces()
    _decode(reader, pieces, span.start + 1, end)
    return ast.Str(pieces.finish(), span)


def text_block(reader: Reader, span: Span) -> ast.Str:
    '''The text block ``"""`` … ``"""`` at ``span``.'''
    pieces = _Pieces()
    for start, end, last in _lines(reader, span, '"""'):
        joined = _decode(reader, pieces, start, end)
        if not joined and not last:
            pieces.text("\n")
    return ast.Str(pieces.finish(), span, "text")


def raw_block(reader: Reader, span: Span) -> ast.Str:
    """The raw block ``'''`` … ``'''`` at ``span``."""
    text = reader.source.text
    lines = [text[start:end] for start, end, _ in _lines(reader, span, "'''")]
    value = "\n".join(lines)
    return ast.Str((value,) if value else (), span, "raw")


def _lines(reader: Reader, span: Span, mark: str) -> list[tuple[int, int, bool]]:
    """Start and end of each line's text without its indentation, and whether it is the line of the closing mark."""
    text = reader.source.text
    at = text.index("\n", span.start) + 1
    stop = span.end - len(mark)
    last = text.rfind("\n", 0, stop) + 1
    indent = _blank_prefix(text, last, stop)
    lines: list[tuple[int, int, bool]] = []
    short: list[int] = []
    while at < last:
        line_end = text.index("\n", at)
        end = line_end - 1 if text[line_end - 1] == "\r" and line_end > at else line_end
        if text.startswith(indent, at) and end - at >= len(indent):
            lines.append((at + len(indent), end, False))
        elif _blank_prefix(text, at, end) == text[at:end]:
            lines.append((end, end, False))
        else:
            short.append(at)
            lines.append((at + len(_blank_prefix(text, at, end)), end, False))
        at = line_end + 1
    lines.append((last + len(indent), stop, True))
    if short:
        reader.diagnostics.append(_under_indented(reader.source, short, indent, mark))
    return lines


def _blank_prefix(text: str, start: int, end: int) -> str:
    at = start
    while at < end and text[at] in " \t":
        at += 1
    return text[start:at]


def _under_indented(source: Source, lines: list[int], indent: str, mark: str) -> Diagnostic:
    """One report at the text of the first such line, with a fix for all lines that are indented too little."""
    text = source.text
    edits: list[Edit] = []
    for start in lines:
        blank = _blank_prefix(text, start, len(text))
        edits.append(Edit(Span(source, start, start + len(blank)), indent))
    at = edits[0].span.end
    end = text.index("\n", at)
    diagnostic = rules.UNDER_INDENTED_TEXT(Span(source, at, len(text[at:end].rstrip()) + at), mark=mark)
    return diagnostic.help(f"the indentation of the closing {mark} is removed from every line").fix(
        "indent it like the closing mark", *edits
    )


def _decode(reader: Reader, pieces: _Pieces, at: int, end: int) -> bool:
    """Add the text from ``at`` to ``end``; True when it ends in a backslash that removes the next line end."""
    text = reader.source.text
    while match := _SPECIAL.search(text, at, end):
        pieces.text(text[at : match.start()])
        at = match.start()
        if text[at] == "$":
            at = _interpolation(reader, pieces, at, end)
        elif at + 1 == end:
            return True
        else:
            at = _escape(reader, pieces, at, end)
    pieces.text(text[at:end])
    return False


def _interpolation(reader: Reader, pieces: _Pieces, at: int, end: int) -> int:
    """Add the expression of the ``${`` at ``at``; returns the offset after it."""
    source = reader.source
    match = _INTERPOLATION.match(source.text, at, end)
    if match is None:
        if len(reader.diagnostics) < MAX_REPORTS:
            unclosed = rules.UNCLOSED_INTERPOLATION(Span(source, at, at + 2))
            reader.diagnostics.append(unclosed.help("write \\${ for a literal ${"))
        pieces.text("${")
        return at + 2
    if not match[1].strip(" \t\r"):
        span = Span(source, at, match.end())
        reader.diagnostics.append(rules.EMPTY_INTERPOLATION(span).help("write \\${} for a literal ${}"))
        pieces.expression(ast.ErrorExpr(span))
    else:
        pieces.expression(reader.interpolated(*match.span(1)))
    return match.end()


def shell_expansion(source: Source, start: int, end: int) -> Diagnostic | None:
    """The diagnostic if the inside of a ``${…}`` is a shell expansion, or ``${{ … }}``, and not an expression."""
    if (doubled := _DOUBLED.match(source.text, start - 2, end + 1)) is not None:
        span = Span(source, start - 2, end + 1)
        diagnostic = rules.DOUBLED_BRACES(span)
        return diagnostic.help(f"write ${{{doubled[1]}}} for the expression, or \\${{{{ for literal text")
    if not _SHELL.match(source.text, start, end):
        return None
    from tfdsl.syntax.wording import shortened

    span = Span(source, start - 2, end + 1)
    diagnostic = rules.SHELL_EXPANSION(span, found=shortened(span.text)).help("write \\${ to pass ${ to the shell")
    return diagnostic.fix("write \\${", Edit(Span(source, span.start, span.start), "\\"))


def _escape(reader: Reader, pieces: _Pieces, at: int, end: int) -> int:
    """Add the character of the escape at ``at``; returns the offset after it."""
    source = reader.source
    text = source.text
    letter = text[at + 1]
    if letter in _SIMPLE:
        pieces.text(_SIMPLE[letter])
        return at + 2
    if letter == "u" and (match := _UNICODE.match(text, at, end)):
        code = int(match[1], 16)
        if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF:
            pieces.text(chr(code))
        else:
            span = Span(source, at, match.end())
            reader.diagnostics.append(
                rules.BAD_ESCAPE(span, what=match[0]).help("there is no character with this number")
            )
        return match.end()
    span = Span(source, at, at + 2)
    if len(reader.diagnostics) < MAX_REPORTS:
        reader.diagnostics.append(_bad_escape(span, letter))
    pieces.text(span.text)
    return at + 2


def _bad_escape(span: Span, letter: str) -> Diagnostic:
    diagnostic = rules.BAD_ESCAPE(span, what=f"\\{letter}")
    if letter == "u":
        return diagnostic.help("write the number of the character in braces, for example \\u{1F600}")
    escaped = diagnostic.help(_ESCAPES)
    return escaped.fix("write \\\\ for a backslash", Edit(Span(span.source, span.start, span.start + 1), "\\\\"))
