"""The other places of a name in the same text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.lsp.occurrences import IN_JOBS, Occurrence, occurrence_at, occurrences, related_owners

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot


def highlight(snapshot: Snapshot, offset: int) -> list[Occurrence]:
    """The places of the name at ``offset`` in its text."""
    chosen = occurrence_at(snapshot, offset)
    if chosen is None:
        return []
    owners = related_owners(snapshot.program, chosen.owner) if chosen.space in IN_JOBS else {""}
    return [
        one
        for one in occurrences(snapshot.file)
        if (one.space, one.name) == (chosen.space, chosen.name) and one.owner in owners
    ]
