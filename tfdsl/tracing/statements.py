"""What is written on a line: the statements of a text, each with those around it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, cast

from tfdsl.record import Record
from tfdsl.syntax import ast
from tfdsl.text import Span

Node: TypeAlias = "ast.Declaration | ast.Item | ast.Copy | ast.Run"

_BLOCKS = (ast.Job, ast.Role, ast.Target, ast.Template, ast.Step, ast.Profile, ast.Cluster, ast.Build, ast.Matrix)


class Statement(Record):
    """A declaration or an item of a block. ``head``: all of it, or of a block what is before the brace.

    ``above``: the blocks around it, outermost first.
    """

    node: Node
    span: Span
    head: Span
    above: tuple[Node, ...] = ()

    @property
    def is_block(self) -> bool:
        """Whether other statements are in it."""
        return isinstance(self.node, _BLOCKS)


def statements(file: ast.File) -> Iterator[Statement]:
    """All statements of a text, each block before what is in it."""
    todo: list[tuple[Node, tuple[Node, ...]]] = [(node, ()) for node in reversed(file.declarations)]
    while todo:
        node, above = todo.pop()
        yield Statement(node, node.span, _head(node), above)
        todo.extend((child, (*above, node)) for child in reversed(children(node)))


def children(node: Node) -> tuple[Node, ...]:
    """The statements in a block."""
    if isinstance(node, ast.Job | ast.Role | ast.Target | ast.Template | ast.Step | ast.Build):
        return cast("tuple[Node, ...]", node.items)
    if isinstance(node, ast.Profile | ast.Cluster):
        return node.settings
    return node.axes if isinstance(node, ast.Matrix) else ()


def _head(node: Node) -> Span:
    span = node.span
    if not isinstance(node, _BLOCKS):
        return span
    if isinstance(node, ast.Cluster | ast.Build | ast.Matrix):
        return node.word
    condition = getattr(node, "condition", None)
    end = condition.span.end if isinstance(condition, ast.Condition) else node.name.span.end
    return Span(span.source, span.start, end)


def spoken(node: Node) -> str:
    """The words for a statement: ``let registry``, ``role worker``, ``image``."""
    if isinstance(node, ast.Assign):
        return node.key.text
    if isinstance(node, ast.Include):
        return f"include {node.path.span.text}"
    if isinstance(node, ast.Use):
        return f"use {node.name.text}"
    if isinstance(node, ast.Mount):
        return f"the mount at {node.path.span.text}"
    if isinstance(node, ast.Policy):
        return f"the policy on {node.event.span.text}"
    if isinstance(node, ast.Step):
        return f"{node.kind} {node.name.text}"
    word = type(node).__name__.lower()
    name: object = getattr(node, "name", None)
    if word.startswith("unset"):
        return "unset"
    if word in ("output", "patch", "edition", "cluster", "build", "matrix", "copy", "run"):
        return f"the {word}" if word in ("output", "patch", "edition") else word
    return f"{word} {name.text}" if isinstance(name, ast.Name) else word
