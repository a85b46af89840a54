"""Walking the syntax tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias, cast

from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.syntax import ast
    from tfdsl.text import Span

Node: TypeAlias = Record
"""Any node of :mod:`tfdsl.syntax.ast` that has a ``span``."""


def span_of(node: Node) -> Span:
    """The place of a node."""
    return cast("Span", getattr(node, "span"))  # noqa: B009  (a field that all nodes have)


def children(node: Node) -> Iterator[Node]:
    """The nodes in a node, in the order of its fields."""
    evaluated = getattr(node, "pattern", None) is not None  # the name of a job: its text is no name to follow
    for field in type(node).__fields__:
        if evaluated and field == "name":
            continue
        value: object = getattr(node, field)
        if isinstance(value, Record):
            yield value
        elif isinstance(value, tuple) and field not in ("span", "word", "readonly", "pod", "unchecked"):
            for member in cast("tuple[object, ...]", value):
                if isinstance(member, Record):
                    yield member


def declarations(file: ast.File) -> tuple[Node, ...]:
    """The declarations of a file."""
    return file.declarations


def path_at(file: ast.File, offset: int) -> list[Node]:
    """The nodes around ``offset``, outermost first; the end of a node counts as inside it."""
    path: list[Node] = []
    level: tuple[Node, ...] = declarations(file)
    while True:
        inner = [node for node in level if span_of(node).start <= offset <= span_of(node).end]
        if not inner:
            return path
        # Where one node ends and the next begins at once, the one that begins counts.
        chosen = max(inner, key=lambda node: span_of(node).start)
        path.append(chosen)
        level = tuple(children(chosen))


def walk(node: Node, ancestors: tuple[Node, ...] = ()) -> Iterator[tuple[Node, tuple[Node, ...]]]:
    """A node and all nodes in it, each with the nodes around it, outermost first."""
    todo: list[tuple[Node, tuple[Node, ...]]] = [(node, ancestors)]
    while todo:
        one, above = todo.pop()
        yield one, above
        inner = (*above, one)
        todo.extend((child, inner) for child in reversed(list(children(one))))
