"""The kinds of names, for colours that a grammar cannot give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.lsp.tree import Node, walk
from tfdsl.record import Record
from tfdsl.syntax import ast
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot
    from tfdsl.semantics.project import Program


class Token(Record):
    """A name of one line; ``type`` and ``modifiers`` in the words of the protocol."""

    span: Span
    type: str
    modifiers: tuple[str, ...] = ()


def semantic_tokens(snapshot: Snapshot) -> list[Token]:
    """The names of a text in its order."""
    program = snapshot.program
    found = {
        token.span.start: token
        for one in snapshot.file.declarations
        for node, _ in walk(one)
        for token in _tokens(node, program)
        if token.span.end > token.span.start and "\n" not in token.span.text
    }
    ordered: list[Token] = []
    for start in sorted(found):
        if not ordered or ordered[-1].span.end <= start:
            ordered.append(found[start])
    return ordered


_NAMES: dict[type[Record], tuple[str, str, tuple[str, ...]]] = {
    ast.Param: ("name", "parameter", ("declaration",)),
    ast.Let: ("name", "variable", ("declaration", "readonly")),
    ast.Template: ("name", "struct", ("declaration",)),
    ast.Use: ("name", "struct", ()),
    ast.Job: ("name", "class", ("declaration",)),
    ast.Role: ("name", "class", ("declaration",)),
    ast.Step: ("name", "class", ("declaration",)),
    ast.UnsetStep: ("name", "class", ()),
    ast.UnsetAttribute: ("name", "property", ()),
    ast.Subject: ("role", "class", ()),
    ast.Target: ("name", "namespace", ()),
    ast.Profile: ("name", "namespace", ()),
    ast.TypeRef: ("name", "type", ()),
    ast.Mount: ("kind", "type", ()),
    ast.Event: ("name", "event", ()),
    ast.Policy: ("action", "enumMember", ()),
    ast.Output: ("when", "enumMember", ()),
    ast.Assign: ("key", "property", ()),
    ast.Call: ("name", "function", ()),
    ast.Member: ("name", "property", ()),
}
"""Which field of a node is a name, and what it is."""


def _tokens(node: Node, program: Program) -> Iterator[Token]:
    if isinstance(node, ast.Ref):
        if node.name in program.params:
            yield Token(node.span, "parameter")
        elif node.name in program.lets:
            yield Token(node.span, "variable", ("readonly",))
    elif type(node) in _NAMES:
        field, kind, modifiers = _NAMES[type(node)]
        name: object = getattr(node, field)
        if isinstance(name, ast.Name) and getattr(node, "pattern", None) is None:
            yield Token(name.span, kind, modifiers)
