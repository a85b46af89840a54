"""The outline of a text, and finding declarations in the workspace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from tfdsl.gc_pause import without_gc
from tfdsl.lsp.declared import Declared, matching
from tfdsl.lsp.tree import Node, span_of
from tfdsl.record import Record
from tfdsl.syntax import ast
from tfdsl.text import Span

Kind: TypeAlias = Literal["include", "param", "let", "template", "profile", "job", "role", "target", "mount", "output",
                          "policy", "block", "attribute"]  # fmt: skip
MOST = 500
"""Symbols that one search gives."""


class Symbol(Record):
    """A declaration or a statement. ``span``: all of it; ``name_span``: what is selected."""

    name: str
    kind: Kind
    detail: str
    span: Span
    name_span: Span
    children: tuple[Symbol, ...] = ()


def outline(file: ast.File) -> list[Symbol]:
    """The symbols of a text in its order."""
    return list(_symbols(file.declarations))


@without_gc
def search(declared: Iterable[Iterable[Declared]], query: str) -> list[Symbol]:
    """The declarations and roles of files whose name holds the letters of ``query`` in their order."""
    found: list[Symbol] = []
    for one in (one for of_file in declared for one in matching(of_file, query)):
        found.append(Symbol(one.name, one.kind, "", one.span, one.name_span))
        if len(found) == MOST:
            break
    return found


def _symbols(nodes: Iterable[Node]) -> Iterator[Symbol]:
    for node in nodes:
        symbol = _symbol(node)
        if symbol is not None:
            yield symbol


def _symbol(node: Node) -> Symbol | None:
    match node:
        case ast.Include():
            return Symbol(node.path.span.text, "include", "", node.span, node.path.span)
        case ast.Param():
            return Symbol(node.name.text, "param", node.type.span.text, node.span, node.name.span)
        case ast.Let():
            return Symbol(node.name.text, "let", _short(node.value), node.span, node.name.span)
        case ast.Profile():
            return Symbol(node.name.text, "profile", "", node.span, node.name.span)
        case ast.Template() | ast.Job() | ast.Role() | ast.Target():
            kind = _BLOCKS[type(node).__name__]
            return Symbol(node.name.text or "…", kind, "", node.span, node.name.span, tuple(_symbols(node.items)))
        case ast.Step():
            name = f"{node.kind} {node.name.text or '…'}"
            return Symbol(name, "block", "", node.span, node.name.span, tuple(_symbols(node.items)))
        case ast.Mount():
            return Symbol(f"mount {_short(node.path)}", "mount", node.kind.text, node.span, node.path.span)
        case ast.Output():
            return Symbol(f"output {_short(node.source)}", "output", "", node.span, node.source.span)
        case ast.Policy():
            name = " ".join(node.span.text.partition("=>")[0].split())
            return Symbol(name, "policy", node.action.text, node.span, node.event.span)
        case ast.Cluster() | ast.Build() | ast.Matrix():
            return Symbol(node.word.text, "block", "", node.span, node.word)
        case ast.Assign():
            return Symbol(node.key.text or "…", "attribute", _short(node.value), node.span, node.key.span)
        case _:
            return None


_BLOCKS: dict[str, Kind] = {"Template": "template", "Job": "job", "Role": "role", "Target": "target"}


def _short(node: Node) -> str:
    text = " ".join(span_of(node).text.split())
    return text if len(text) <= 40 else f"{text[:39]}…"
