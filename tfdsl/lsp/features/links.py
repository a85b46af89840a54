"""Includes as links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.lsp.features.definition import included
from tfdsl.record import Record
from tfdsl.syntax import ast
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot


class Link(Record):
    """A piece of text that leads to the file at ``path``."""

    span: Span
    path: str


def links(snapshot: Snapshot) -> list[Link]:
    """The includes of a text that name a file, whether it is there or not."""
    found: list[Link] = []
    for node in snapshot.file.declarations:
        path = included(snapshot, node) if isinstance(node, ast.Include) else None
        if isinstance(node, ast.Include) and path is not None:
            span = node.path.span
            found.append(Link(Span(span.source, span.start + 1, span.end - 1), path))
    return found
