"""What a manifest consists of: values with their places.

Import, diff and the normal forms of the targets all work on these trees, those of what was read and those of what was
compiled, so that every difference has two places. Nodes are never changed: a normal form makes new ones from old spans.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.emit.located import Plain
    from tfdsl.text import Span


class Scalar(Record):
    """A single value as the API server reads it; ``None`` is null."""

    value: str | int | float | bool | None
    span: Span


class Entry(Record):
    """A key of a map, with its value."""

    key: str
    key_span: Span
    value: Node


class Mapping(Record):
    """A map: its entries by key, in the order written.

    ``span``: from the first key to the last value, of a map in braces with these.
    """

    entries: dict[str, Entry]
    span: Span

    def get(self, key: str) -> Node | None:
        """The value of ``key``; ``None`` where there is no such key."""
        entry = self.entries.get(key)
        return entry.value if entry is not None else None


class Sequence(Record):
    """A list. ``span``: from the first dash to the last item, of a list in brackets with these."""

    items: tuple[Node, ...]
    span: Span


Node: TypeAlias = Scalar | Mapping | Sequence
Step: TypeAlias = str | int
"""A step down a tree: a key of a map or an index of a list."""


def plain(node: Node) -> Plain | None:
    """The value without places; nulls in maps and lists are left out, as the API server drops them."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Mapping):
        return {key: value for key, one in node.entries.items() if (value := plain(one.value)) is not None}
    return [value for one in node.items if (value := plain(one)) is not None]


def walk(node: Node, path: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], Node]]:
    """Every node with its path, ``node`` itself first."""
    yield path, node
    if isinstance(node, Mapping):
        for key, entry in node.entries.items():
            yield from walk(entry.value, (*path, key))
    elif isinstance(node, Sequence):
        for number, item in enumerate(node.items):
            yield from walk(item, (*path, number))


def mapping(entries: dict[str, Node], span: Span) -> Mapping:
    """A map of ``entries``; the key of each has the place of its value."""
    return Mapping({key: Entry(key, value.span, value) for key, value in entries.items()}, span)
