"""Values with a syntax error that nobody can read for sure: they are left out, so nothing more is said about them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeVar, cast

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Diagnostic
from tfdsl.record import Record, replace
from tfdsl.syntax import ast
from tfdsl.text import Span


class Node(Protocol):
    """A node of the tree."""

    @property
    def span(self) -> Span:
        """Where it is."""
        ...


N = TypeVar("N", bound=Node)

_VAGUE = {
    rules.UNEXPECTED,
    rules.MISSING_SEPARATOR,
    rules.SINGLE_EQUALS,
    rules.CHAINED_COMPARISON,
    rules.UNEXPECTED_CHARACTER,
    rules.UNCLOSED_STRING,
}
_VALUES = (
    ast.Str, ast.Number, ast.Unit, ast.Bool, ast.Ref, ast.ListExpr, ast.MapExpr, ast.Unary, ast.Binary, ast.Choice,
    ast.Index, ast.Member, ast.Call,
)  # fmt: skip
_WITH_TEXT: dict[type, str] = {ast.Patch: "path"}
"""Statements with a field that is always a string."""
_STATEMENTS = (ast.Assign, ast.Let, ast.Param, ast.Mount, ast.Output, ast.Policy, ast.Copy, ast.Run, ast.Patch)


def doubtful(diagnostics: Iterable[Diagnostic]) -> list[int]:
    """The places of those errors that leave open what was meant."""
    return [diagnostic.span.start for diagnostic in diagnostics if diagnostic.rule in _VAGUE]


def leave_out(nodes: tuple[N, ...], places: Iterable[int]) -> tuple[N, ...]:
    """``nodes`` of a text: the values of a statement with one of ``places`` in it are error nodes."""
    places = sorted(places)
    return _nodes(nodes, places, len(nodes[0].span.source.text)) if places and nodes else nodes


def _nodes(nodes: tuple[N, ...], places: Sequence[int], end: int) -> tuple[N, ...]:
    """``nodes``, which are neighbours; what is behind one on its line belongs to it."""
    changed: list[N] = []
    for at, node in enumerate(nodes):
        span: Span = node.span
        line_end = span.source.text.find("\n", span.end)
        stop = min(nodes[at + 1].span.start if at + 1 < len(nodes) else end, line_end if line_end >= 0 else end)
        here = places[bisect_right(places, span.start) : bisect_left(places, max(stop, span.end))]
        changed.append(_node(node, here, stop) if here else node)
    return tuple(changed)


def _node(node: N, places: Sequence[int], end: int) -> N:
    new: dict[str, object] = {}
    left = set(places)
    fields = cast("type[Record]", type(node)).__fields__
    for field in fields:
        value: object = getattr(node, field)
        inner = value.entries if isinstance(value, ast.MapExpr) else value
        nodes = cast("tuple[Node, ...]", inner) if isinstance(inner, tuple) else ()
        if not nodes or not all(isinstance(one, Record) for one in nodes):  # the parts of a string are texts, too
            continue
        done = _nodes(nodes, places, end)
        for item in nodes:
            left.difference_update(places[bisect_right(places, item.span.start) : bisect_right(places, item.span.end)])
        new[field] = replace(value, entries=done) if isinstance(value, ast.MapExpr) else done
    if left and isinstance(node, _STATEMENTS):
        values = {field: getattr(node, field) for field in fields}
        values.pop(_WITH_TEXT.get(type(node), ""), None)
        new |= {field: ast.ErrorExpr(value.span) for field, value in values.items() if isinstance(value, _VALUES)}
    return cast("N", replace(cast("Any", node), **new)) if new else node
