"""From a text to its tree: first a plain parse and, only if that fails, one that recovers from errors."""

from __future__ import annotations

from typing import cast

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Diagnostic
from tfdsl.gc_pause import without_gc
from tfdsl.record import Record
from tfdsl.syntax import _tables as tables, ast, strings
from tfdsl.syntax.build import BUILDERS, Builder
from tfdsl.syntax.driver import Machine
from tfdsl.syntax.lexer import Lexed, Token, comment_places, lex, tokenize
from tfdsl.text import Source, Span


class Parsed(Record):
    """A parsed text: its tree, and its diagnostics in the order of the text."""

    file: ast.File
    diagnostics: tuple[Diagnostic, ...]

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens, including comments and line ends; computed at each call."""
        return tokenize(self.file.source)


# How deep interpolations can be nested.
MAX_INTERPOLATIONS = 4


@without_gc
def parse(source: Source) -> Parsed:
    """Read a whole text. Returns a tree for any text and never raises; ``diagnostics`` says what could not be read."""
    lexed, builder, whole = plain(source)
    if not whole or lexed.diagnostics:
        from tfdsl.syntax.parts import read

        return read(source)
    return Parsed(ast.File(source, builder.declarations, comments_of(lexed)), in_order(builder.diagnostics))


def plain(source: Source) -> tuple[Lexed, Builder, bool]:
    """Read a text without recovery; returns whether all of it could be read."""
    lexed = lex(source)
    builder = Builder(lexed, _parse_part, 0)
    builder.diagnostics.extend(lexed.diagnostics)
    last = len(lexed.types) - 1
    whole = last == 0 or Machine(lexed, tables.START_FILE, builder, BUILDERS).run(last)
    return lexed, builder, whole


def recovered(source: Source, errors: int = 0) -> tuple[Builder, int]:
    """Read a text with recovery. ``errors`` were found before it; also returns how many there are after it."""
    from tfdsl.syntax.recovery import recover

    lexed = lex(source)
    builder = Builder(lexed, _parse_part, 0)
    errors = recover(lexed, tables.START_FILE, builder, errors)
    builder.diagnostics.extend(lexed.diagnostics)
    return builder, errors


def comments_of(lexed: Lexed) -> tuple[ast.Comment, ...]:
    """The comments of a text."""
    source = lexed.source
    return tuple(ast.Comment(source.text[start:end], Span(source, start, end)) for start, end in comment_places(lexed))


def parse_expression(source: Source, start: int = 0, end: int | None = None) -> tuple[ast.Expr, tuple[Diagnostic, ...]]:
    """Read a text, or the part from ``start`` to ``end``, that is one expression, as ``--set`` takes it."""
    expression, diagnostics, _ = _parse_part(source, start, len(source.text) if end is None else end, 0)
    return expression, in_order(diagnostics)


def parse_values(source: Source) -> tuple[tuple[ast.Assign, ...], tuple[Diagnostic, ...]]:
    """Read a whole text of ``NAME = EXPR`` entries, as ``--params`` takes it."""
    lexed = lex(source)
    builder = Builder(lexed, _parse_part, 0)
    last = len(lexed.types) - 1
    if last and not Machine(lexed, tables.START_VALUES, builder, BUILDERS).run(last):
        from tfdsl.syntax.recovery import recover

        lexed = lex(source)
        builder = Builder(lexed, _parse_part, 0)
        recover(lexed, tables.START_VALUES, builder)
    builder.diagnostics.extend(lexed.diagnostics)
    return builder.values, in_order(builder.diagnostics)


def _parse_part(source: Source, start: int, end: int, level: int) -> tuple[ast.Expr, list[Diagnostic], int]:
    """The expression from ``start`` to ``end``, inside ``level`` interpolations, and how deep it is."""
    if level > MAX_INTERPOLATIONS:
        span = Span(source, start, end)
        return ast.ErrorExpr(span), [rules.NESTING_TOO_DEEP(span, limit=MAX_INTERPOLATIONS)], 0
    builder = _expression(lex(source, start, end, inside=level > 0), level)
    if builder.diagnostics and level and (shell := strings.shell_expansion(source, start, end)) is not None:
        return ast.ErrorExpr(shell.span), [shell], 0
    unreadable = builder.expression is None or (level and builder.diagnostics)
    expression = ast.ErrorExpr(Span(source, start, end)) if unreadable else cast("ast.Expr", builder.expression)
    return expression, builder.diagnostics, builder.depth(expression)


def _expression(lexed: Lexed, level: int) -> Builder:
    """Parse an expression, with recovery if necessary; the builder has the result and all diagnostics."""
    builder = Builder(lexed, _parse_part, level)
    builder.diagnostics.extend(lexed.diagnostics)
    if not Machine(lexed, tables.START_EXPRESSION, builder, BUILDERS).run(len(lexed.types) - 1):
        from tfdsl.syntax.recovery import recover

        builder = Builder(lexed, _parse_part, level)
        recover(lexed, tables.START_EXPRESSION, builder)
        builder.diagnostics.extend(lexed.diagnostics)
    return builder


def in_order(diagnostics: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """``diagnostics`` in the order of the text."""
    return tuple(sorted(diagnostics, key=lambda each: each.span[1:]))
