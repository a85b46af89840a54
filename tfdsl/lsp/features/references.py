"""All places of a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.lsp.occurrences import occurrence_at, same
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot


def references(snapshot: Snapshot, offset: int, *, declaration: bool) -> list[Span]:
    """Where the name at ``offset`` is used in the workspace. ``declaration``: and where it is declared."""
    chosen = occurrence_at(snapshot, offset)
    if chosen is None:
        return []
    return [one.span for one in same(snapshot, chosen) if declaration or not one.declares]
