"""What may be written at a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.lsp.cursor import BLOCKS, Cursor, cursor_at
from tfdsl.lsp.features.completion.item import Completions, Item
from tfdsl.lsp.features.completion.statements import beginnings, continuations
from tfdsl.lsp.features.completion.values import in_interpolation, in_text, role_keys, values
from tfdsl.text import Span
from tfdsl.vocabulary.attributes import TOLERATION

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot

__all__ = ["TRIGGERS", "Completions", "Item", "complete"]

TRIGGERS = (".", "{", '"', "=", ">", " ")
"""Characters after which an editor asks by itself."""


def complete(snapshot: Snapshot, offset: int) -> Completions:
    """The completions at ``offset``, best first."""
    cursor = cursor_at(snapshot, offset)
    items = _items(snapshot, cursor)
    once = {item.label: item for item in reversed(items)}
    ordered = sorted(once.values(), key=lambda item: (item.rank, item.label))
    return Completions(Span(snapshot.source, cursor.start, offset), tuple(ordered))


def _items(snapshot: Snapshot, cursor: Cursor) -> list[Item]:
    if cursor.where == "comment":
        return []
    if cursor.where == "string":
        return in_text(snapshot, cursor)
    if cursor.where == "interpolation":
        return in_interpolation(snapshot, cursor)
    frame = cursor.frame
    if frame.kind == "map":
        return _in_map(snapshot, cursor)
    if frame.kind not in BLOCKS:
        return values(snapshot, cursor)
    if not cursor.before:
        return beginnings(snapshot, cursor)
    found = continuations(snapshot, cursor)
    return values(snapshot, cursor) if found is None else found


def _in_map(snapshot: Snapshot, cursor: Cursor) -> list[Item]:
    """A key of tolerations or of an option about roles, or the value of an entry."""
    if any(word.type == "EQUAL" for word in cursor.before):
        return values(snapshot, cursor)
    if cursor.before:
        return []
    if cursor.statement and cursor.statement[0].text == "tolerations":
        used = {words[0].text for words in cursor.frame.statements[:-1] if words}
        return [Item(key, "attribute", "", "", f"{key} = ", rank=1) for key in TOLERATION if key not in used]
    return role_keys(cursor)
