"""Growing a selection: from the word to the statement, the block, the declaration, the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.lsp.tree import path_at, span_of
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot


def selection(snapshot: Snapshot, offset: int) -> list[Span]:
    """The ranges around ``offset``, innermost first, each within the next."""
    found = [Span(snapshot.source, 0, len(snapshot.source.text))]
    for node in path_at(snapshot.file, offset):
        span = span_of(node)
        if found[-1].start <= span.start and span.end <= found[-1].end and span != found[-1]:
            found.append(span)
    return found[::-1]
