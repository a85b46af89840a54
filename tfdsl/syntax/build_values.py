"""The builders of values, and what those of all rules share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Diagnostic
from tfdsl.syntax import ast, strings
from tfdsl.syntax.lexer import STRING, Lexed
from tfdsl.text import Source, Span

# The greatest depth of an expression, counting operators, brackets and interpolations. Later stages walk it
# recursively; ``a + b + c …`` is as deep as it is long.
MAX_DEPTH = 128

# Reads the expression between two offsets, inside this many interpolations.
ParsePart: TypeAlias = "Callable[[Source, int, int, int], tuple[ast.Expr, list[Diagnostic], int]]"


class ValueBuilder:
    """Builds the nodes of one text and collects what is wrong with its literals.

    ``repaired`` says that tokens were inserted, or words read as nothing; nodes whose name is such a token are left
    out.
    """

    def __init__(self, lexed: Lexed, parse_part: ParsePart, level: int) -> None:
        self.lexed = lexed
        self.source = lexed.source
        self.declarations: tuple[ast.Declaration, ...] = ()
        self.expression: ast.Expr | None = None
        self.values: tuple[ast.Assign, ...] = ()
        self.repaired = bool(lexed.meant)
        self._parse_part = parse_part
        self._level = level
        self.diagnostics: list[Diagnostic] = []
        self._depths: dict[int, int] = {}
        self._kept: list[ast.Expr] = []

    @property
    def inside(self) -> bool:
        """Whether the text is inside a string."""
        return self._level > 0

    def _token(self, token: int) -> Span:
        lexed = self.lexed
        return Span(self.source, lexed.starts[token], lexed.ends[token])

    def _name(self, token: int) -> ast.Name:
        return ast.Name(self._word(token).strip('"'), self._token(token))

    def _word(self, token: int) -> str:
        """The text of a token, or what it is read as."""
        text = self.lexed.text(token)
        return self.lexed.meant.get(self.lexed.starts[token], text)

    def key_(self, _: Span, key: int) -> ast.Name:
        return self._key(key)

    def _key(self, token: int) -> ast.Name:
        span = self._token(token)
        if self.lexed.types[token] != STRING:
            return ast.Name(self._word(token), span)
        value = self._plain(span)
        for part in value.parts:
            if not isinstance(part, str):
                self.diagnostics.append(rules.INTERPOLATED_NAME(part.span))
                return ast.Name("", span)
        return ast.Name("".join(part for part in value.parts if isinstance(part, str)), span, quoted=True)

    def _measured(self, node: ast.Expr, *parts: ast.Expr) -> ast.Expr:
        """Record how deep ``node`` is, by its identity; one that is too deep is reported and becomes an error node."""
        depths = self._depths
        depth = 1 + max((depths.get(id(part), 0) for part in parts), default=0)
        if depth > MAX_DEPTH:
            if depth == MAX_DEPTH + 1:
                self.diagnostics.append(rules.EXPRESSION_TOO_DEEP(node.span, limit=MAX_DEPTH).help("split it with let"))
            node = ast.ErrorExpr(node.span)
        self._kept.append(node)
        depths[id(node)] = depth
        return node

    def depth(self, node: ast.Expr) -> int:
        """How many levels are below ``node``."""
        return self._depths.get(id(node), 0)

    def binary(self, op: str, span: Span, left: ast.Expr, right: ast.Expr) -> ast.Expr:
        """``left op right``."""
        return self._measured(ast.Binary(op, left, right, span), left, right)

    def choice_(self, span: Span, condition: ast.Expr, yes: ast.Expr, no: ast.Expr) -> ast.Expr:
        return self._measured(ast.Choice(condition, yes, no, span), condition, yes, no)

    def not_(self, span: Span, operand: ast.Expr) -> ast.Expr:
        return self._measured(ast.Unary("!", operand, span), operand)

    def negate_(self, span: Span, operand: ast.Expr) -> ast.Expr:
        return self._measured(ast.Unary("-", operand, span), operand)

    def member_(self, span: Span, base: ast.Expr, name: int) -> ast.Expr:
        member = self._name(name)
        return self._measured(ast.Member(base, member, span), base) if member.text else ast.ErrorExpr(span)

    def index_(self, span: Span, base: ast.Expr, index: ast.Expr) -> ast.Expr:
        return self._measured(ast.Index(base, index, span), base, index)

    def group_(self, _: Span, inner: ast.Expr) -> ast.Expr:
        return inner

    def list_(self, span: Span, *items: ast.Expr) -> ast.Expr:
        return self._measured(ast.ListExpr(items, span), *items)

    def map_(self, span: Span, entries: tuple[ast.Assign, ...]) -> ast.Expr:
        return self._measured(ast.MapExpr(entries, span), *[entry.value for entry in entries])

    def call_(self, span: Span, name: int, *arguments: ast.Expr) -> ast.Expr:
        return self._measured(ast.Call(self._name(name), arguments, span), *arguments)

    def _plain(self, span: Span) -> ast.Str:
        end = span.end if span.start in self.lexed.unclosed else span.end - 1
        body = self.source.text[span.start + 1 : end]
        if "\\" not in body and "${" not in body:
            return ast.Str((body,) if body else (), span)
        return strings.string(self, span, end)

    def string_(self, span: Span, _: int) -> ast.Expr:
        return self._interpolating(self._plain(span))

    def text_(self, span: Span, _: int) -> ast.Expr:
        return self._interpolating(strings.text_block(self, span))

    def _interpolating(self, value: ast.Str) -> ast.Expr:
        expressions = [part for part in value.parts if not isinstance(part, str)]
        return self._measured(value, *expressions) if expressions else value

    def raw_(self, span: Span, _: int) -> ast.Str:
        return strings.raw_block(self, span)

    def interpolated(self, start: int, end: int) -> ast.Expr:
        """The expression of a ``${…}``, read at its own place."""
        expression, diagnostics, depth = self._parse_part(self.source, start, end, self._level + 1)
        self.diagnostics.extend(diagnostics)
        self._depths[id(expression)] = depth
        self._kept.append(expression)
        return expression

    def number_(self, span: Span, token: int) -> ast.Number:
        return ast.Number(self.lexed.text(token), span)

    def unit_(self, span: Span, token: int) -> ast.Unit:
        return ast.Unit(self.lexed.text(token), span)

    def true_(self, span: Span) -> ast.Bool:
        return ast.Bool(True, span)

    def false_(self, span: Span) -> ast.Bool:
        return ast.Bool(False, span)

    def reference_(self, span: Span, token: int) -> ast.Ref | ast.ErrorExpr:
        return ast.Ref(name, span) if (name := self._word(token)) else ast.ErrorExpr(span)

    def error_(self, span: Span, _: int) -> ast.ErrorExpr:
        return ast.ErrorExpr(span)
