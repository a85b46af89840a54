"""The order of sets: for a comparison with another document, what both have comes first, in the order of the other.

In a normal form sets are sorted. Where one document has an item more than the other, it then is somewhere in between,
as if the whole list were another; at the end it is an item that was added.
"""

from __future__ import annotations

from typing import Final

from tfdsl.manifest.edits import scalar, with_value
from tfdsl.manifest.nodes import Entry, Mapping, Node, Sequence
from tfdsl_backends.podspec.normal.env import ordered
from tfdsl_backends.podspec.normal.walk import Dialect, identity

_NAMES: Final = ("name", "mountPath", "containerPort", "key")
"""What tells items of one list apart; the first that does."""


def like(own: Node, written: Node, kind: str, words: Dialect) -> Node:
    """``own`` of ``kind`` with its sets in the order of ``written``; both are normal forms."""
    kind = kind.removeprefix("*")
    if isinstance(own, Mapping) and isinstance(written, Mapping):
        fields, sets = words.types.get(kind, {}), words.sets.get(kind, {})
        entries: dict[str, Entry] = {}
        for key, entry in own.entries.items():
            other, below = written.get(key), kind[2:] if kind.startswith("{}") else fields.get(key, "a")
            value = like(entry.value, other, below, words) if other is not None else entry.value
            if key in sets and isinstance(value, Sequence) and isinstance(other, Sequence):
                value = _shared_first(value, other)
            entries[key] = Entry(key, entry.key_span, value)
        new = Mapping(entries, own.span)
        return _with_env(new, written) if kind == "Container" else new
    if kind.startswith("[]") and isinstance(own, Sequence) and isinstance(written, Sequence):
        mine, theirs = _names(own, written)
        others = dict(zip(theirs, written.items, strict=True))
        pairs = ((item, others.get(name)) for name, item in zip(mine, own.items, strict=True))
        return Sequence(
            tuple(item if other is None else like(item, other, kind[2:], words) for item, other in pairs), own.span
        )
    return own


def _shared_first(own: Sequence, written: Sequence) -> Sequence:
    """``own`` with the items of ``written`` first and in its order."""
    mine, theirs = _names(own, written)
    place = {name: number for number, name in enumerate(theirs)}
    numbers = sorted(range(len(mine)), key=lambda number: (place.get(mine[number], len(place)), number))
    return Sequence(tuple(own.items[number] for number in numbers), own.span)


def _with_env(container: Mapping, written: Mapping) -> Mapping:
    """``container`` with its variables in the order of ``written``, if each value sees the same ones before it."""
    own, other = container.get("env"), written.get("env")
    if not isinstance(own, Sequence) or not isinstance(other, Sequence):
        return container
    new = with_value(container, "env", _shared_first(own, other))
    return new if identity(ordered(new)) == identity(ordered(container)) else container


def _names(own: Sequence, written: Sequence) -> tuple[list[str], list[str]]:
    """What the items of two lists are known by: the first of the names that tells them apart, else all they say."""
    for key in _NAMES:
        mine, theirs = ([_name(item, key) for item in node.items] for node in (own, written))
        if None not in (*mine, *theirs) and len(set(mine)) == len(mine) and len(set(theirs)) == len(theirs):
            return [str(name) for name in mine], [str(name) for name in theirs]
    return [identity(item) for item in own.items], [identity(item) for item in written.items]


def _name(item: Node, key: str) -> str | None:
    value = item.get(key) if isinstance(item, Mapping) else None
    return None if value is None or scalar(value) is None else str(scalar(value))
