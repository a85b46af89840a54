"""New trees from old ones: nodes are never changed, what is kept keeps its places."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from tfdsl.manifest.nodes import Entry, Mapping, Node, Scalar, Sequence

if TYPE_CHECKING:
    from tfdsl.text import Span


def scalar(node: Node | None) -> str | int | float | bool | None:
    """The value of a scalar; ``None`` for everything else."""
    return node.value if isinstance(node, Scalar) else None


def items(node: Node | None) -> tuple[Node, ...]:
    """The items of a list; none of everything else."""
    return node.items if isinstance(node, Sequence) else ()


def child(node: Node | None, *keys: str) -> Node | None:
    """What is at ``keys`` below a map; ``None`` where there is nothing."""
    for key in keys:
        if not isinstance(node, Mapping):
            return None
        node = node.get(key)
    return node


def with_value(node: Mapping, key: str, value: Node) -> Mapping:
    """``node`` with ``value`` at ``key``: in its place, or as the last entry with the place of the value."""
    old = node.entries.get(key)
    span = old.key_span if old is not None else value.span
    return Mapping({**node.entries, key: Entry(key, span, value)}, node.span)


def without(node: Mapping, keys: Iterable[str]) -> Mapping:
    """``node`` without the entries ``keys``."""
    left_out = frozenset(keys)
    if left_out.isdisjoint(node.entries):
        return node
    return Mapping({key: entry for key, entry in node.entries.items() if key not in left_out}, node.span)


def renamed(node: Mapping, name: Callable[[str], str]) -> Mapping:
    """``node`` with each key as ``name`` has it; a key whose new name is taken already keeps its own."""
    entries: dict[str, Entry] = {}
    for key, entry in node.entries.items():
        new = name(key)
        if new != key and (new in node.entries or new in entries):
            new = key
        entries[new] = Entry(new, entry.key_span, entry.value)
    return Mapping(entries, node.span)


def changed(node: Node, path: tuple[str, ...], change: Callable[[Node], Node]) -> Node:
    """``node`` with ``change`` applied to what is at ``path``; itself where there is nothing."""
    if not path:
        return change(node)
    below = node.get(path[0]) if isinstance(node, Mapping) else None
    if not isinstance(node, Mapping) or below is None:
        return node
    new = changed(below, path[1:], change)
    return node if new is below else with_value(node, path[0], new)


def within(node: Mapping, path: tuple[str, ...], change: Callable[[Mapping], Mapping]) -> Mapping:
    """``node`` with ``change`` applied to the map at ``path``. A map that is left empty by it is left out."""
    if not path:
        return change(node)
    below = node.get(path[0])
    if not isinstance(below, Mapping):
        return node
    new = within(below, path[1:], change)
    if new is below:
        return node
    return with_value(node, path[0], new) if new.entries else without(node, path[:1])


def put(node: Node, path: tuple[str, ...], value: Node) -> Node:
    """``node`` with ``value`` at ``path``; maps on the way are made where there are none."""
    if not path:
        return value
    if not isinstance(node, Mapping):
        return node
    below = node.get(path[0])
    if not isinstance(below, Mapping):
        below = Mapping({}, value.span)
    return with_value(node, path[0], put(below, path[1:], value))


def each(node: Node, change: Callable[[Node], Node]) -> Node:
    """A list with ``change`` applied to each item; anything else as it is."""
    return Sequence(tuple(change(item) for item in node.items), node.span) if isinstance(node, Sequence) else node


def without_items(node: Mapping, key: str, dropped: Callable[[Node], bool]) -> Mapping:
    """``node`` without the items of the list at ``key`` that are ``dropped``; without the list where none is left."""
    listed = node.get(key)
    kept = tuple(item for item in items(listed) if not dropped(item))
    if listed is None or len(kept) == len(items(listed)):
        return node
    return with_value(node, key, Sequence(kept, listed.span)) if kept else without(node, (key,))


def text(value: str, span: Span) -> Scalar:
    """A text at the place of what it was made from."""
    return Scalar(value, span)
