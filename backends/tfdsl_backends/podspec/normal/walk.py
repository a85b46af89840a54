"""The walk that makes a normal form: types say what is empty, tables what is a default or a set, rules the rest.

``types.json`` (written by ``backends/bake_api_types.py`` from the Go source of Kubernetes' API) maps a type to its
fields, and a field to its kind. A kind is

========  ==========================================================================
``s``     text; ``i`` int, ``n`` number, ``b`` bool, ``x`` int or text
``q``     quantity
``a``     anything
``T``     an object of type ``T``
``[]k``   a list of ``k``
``{}k``   a map from any text to ``k``
``*k``    a pointer to ``k``: an empty text, 0, false or ``{}`` is a value of its own
========  ==========================================================================

A field that is no pointer is empty or absent alike: the server decodes it into a Go value that cannot tell. ``["k",
value]``: the API declares ``value`` as the default.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping as Map
from functools import cache
from typing import Final, TypeAlias

from tfdsl.emit.located import Plain
from tfdsl.manifest.nodes import Entry, Mapping, Node, Scalar, Sequence, plain
from tfdsl.record import Record
from tfdsl_backends.podspec.quantities import canonical

Fields: TypeAlias = "Map[str, str]"
Types: TypeAlias = "Map[str, Fields]"


@cache
def kubernetes_types() -> Types:
    """Type → field → kind, of Kubernetes' own API."""
    return {name: {key: kind(field) for key, field in fields.items()} for name, fields in _read().items()}


@cache
def declared_defaults() -> Map[str, Map[str, Plain]]:
    """Type → field → the default that the API declares."""
    found: dict[str, dict[str, Plain]] = {}
    for name, fields in _read().items():
        declared = {key: field[1] for key, field in fields.items() if isinstance(field, list)}
        if declared:
            found[name] = declared
    return found


def kind(field: str | list[Plain]) -> str:
    """The kind of a field as the file has it."""
    return field if isinstance(field, str) else str(field[0])


@cache
def _read() -> Map[str, Map[str, str | list[Plain]]]:
    import json
    from pathlib import Path

    read: dict[str, dict[str, str | list[Plain]]] = json.loads(
        Path(__file__).with_name("types.json").read_text(encoding="utf-8")
    )
    return read


Change: TypeAlias = Callable[[Mapping], Mapping]
Defaults: TypeAlias = "Map[str, Map[str, Plain]]"
Sets: TypeAlias = "Map[str, Map[str, tuple[str, ...]]]"

_ZERO: Final[Map[str, tuple[Plain, ...]]] = {"s": ("",), "i": (0,), "n": (0,), "b": (False,), "x": ("", 0)}


class Rule(Record):
    """What holds between several fields of a type. ``says`` and ``source`` are its row in the documentation."""

    type: str
    change: Change
    says: str
    source: str


class Dialect(Record):
    """Everything by which documents get their normal form.

    ``defaults``: type → field → what its absence means. ``sets``: type → field → the keys by which its items are
    sorted, none for plain values. ``rules``: of a type in their order, applied when its fields have their normal form.
    """

    types: Types
    defaults: Defaults
    sets: Sets
    rules: tuple[Rule, ...]

    def of(self, kind: str) -> list[Change]:
        """The changes of type ``kind``."""
        return [rule.change for rule in self.rules if rule.type == kind]


def joined(*tables: Map[str, Map[str, object]]) -> dict[str, dict[str, object]]:
    """Tables by type and field as one; a later one wins."""
    result: dict[str, dict[str, object]] = {}
    for table in tables:
        for name, fields in table.items():
            result.setdefault(name, {}).update(fields)
    return result


def normal(node: Node, kind: str, dialect: Dialect) -> Node:
    """The normal form of ``node``, which is of ``kind``; what does not fit the kind is kept as it is, without nulls."""
    return Walk(dialect).node(node, kind)


class Walk:
    """One walk: what ``dialect`` says of a type is looked up once."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.changes: dict[str, list[Change]] = {}

    def node(self, node: Node, kind: str) -> Node:
        """The normal form of one value; it is not null."""
        kind = kind.removeprefix("*")
        if kind.startswith("[]") and isinstance(node, Sequence):
            return Sequence(tuple(self.node(item, kind[2:]) for item in node.items if not is_null(item)), node.span)
        if kind.startswith("{}") and isinstance(node, Mapping):
            return self._map(node, kind[2:])
        if kind in self.dialect.types and isinstance(node, Mapping):
            return self._object(node, kind)
        return amount(node) if kind == "q" and isinstance(node, Scalar) else without_nulls(node)

    def _map(self, node: Mapping, kind: str) -> Mapping:
        def made(value: Node) -> Node:
            return resource(value) if kind == "q" else self.node(value, kind)

        entries = {
            key: Entry(key, entry.key_span, made(entry.value))
            for key, entry in sorted(node.entries.items())
            if not is_null(entry.value)
        }
        return Mapping(entries, node.span)

    def _object(self, node: Mapping, kind: str) -> Mapping:
        fields = self.dialect.types[kind]
        entries: dict[str, Entry] = {}
        for key, entry in node.entries.items():
            if not is_null(entry.value):
                entries[key] = Entry(key, entry.key_span, self.node(entry.value, fields.get(key, "a")))
        new = Mapping(entries, node.span)
        if kind not in self.changes:
            self.changes[kind] = self.dialect.of(kind)
        for change in self.changes[kind]:
            new = change(new)
        return self._settled(new, kind)

    def _settled(self, node: Mapping, kind: str) -> Mapping:
        """Without what means nothing, and with its sets in order."""
        fields = self.dialect.types[kind]
        defaults, sets = self.dialect.defaults.get(kind, {}), self.dialect.sets.get(kind, {})
        entries: dict[str, Entry] = {}
        for key, entry in node.entries.items():
            value = entry.value
            if is_empty(value, fields.get(key, "a")) or (key in defaults and same(value, defaults[key])):
                continue
            if key in sets and isinstance(value, Sequence):
                entry = Entry(key, entry.key_span, in_order(value, sets[key]))
            entries[key] = entry
        return Mapping(entries, node.span)


def is_null(node: Node) -> bool:
    """Whether it is null."""
    return isinstance(node, Scalar) and node.value is None


def is_empty(node: Node, kind: str) -> bool:
    """Whether a server takes a value of ``kind`` as if it were not there."""
    if kind.startswith("*") or kind in ("a", "q"):
        return False
    if isinstance(node, Mapping):
        return not node.entries and not kind.startswith("[]")
    if isinstance(node, Sequence):
        return not node.items and kind.startswith("[]")
    return any(same(node, zero) for zero in _ZERO.get(kind, ()))


def same(node: Node, value: Plain) -> bool:
    """Whether ``node`` is ``value``, of the same type: 1 is not true."""
    own = plain(node)
    return own == value and isinstance(own, bool) == isinstance(value, bool)


def resource(node: Node) -> Node:
    """An amount of a resource, which the server rounds up."""
    return amount(node, rounded=True) if isinstance(node, Scalar) else without_nulls(node)


def amount(node: Scalar, *, rounded: bool = False) -> Scalar:
    """A quantity in its one spelling; another text stays as it is."""
    text = canonical(node.value, rounded=rounded)
    return node if text is None else Scalar(text, node.span)


def without_nulls(node: Node) -> Node:
    """``node`` without nulls in its maps and lists."""
    if isinstance(node, Mapping):
        kept = {
            key: Entry(key, entry.key_span, without_nulls(entry.value))
            for key, entry in node.entries.items()
            if not is_null(entry.value)
        }
        return Mapping(kept, node.span)
    if isinstance(node, Sequence):
        return Sequence(tuple(without_nulls(item) for item in node.items if not is_null(item)), node.span)
    return node


def in_order(node: Sequence, keys: tuple[str, ...]) -> Sequence:
    """A list that is a set: sorted by ``keys``, each item once."""
    items: dict[str, Node] = {}
    for item in node.items:
        items.setdefault(identity(item), item)
    return Sequence(tuple(sorted(items.values(), key=lambda item: _rank(item, keys))), node.span)


def _rank(node: Node, keys: tuple[str, ...]) -> tuple[tuple[tuple[int, float, str], ...], str]:
    """Where an item belongs: by its keys, then by all that it says."""
    order = tuple(_order(node.get(key)) for key in keys) if isinstance(node, Mapping) else (_order(node),)
    return order, identity(node)


def _order(node: Node | None) -> tuple[int, float, str]:
    """Absent first, numbers by size, then texts."""
    if node is None:
        return (0, 0, "")
    if isinstance(node, Scalar) and isinstance(node.value, (int, float)) and abs(node.value) < 2**53:
        return (1, node.value, "")
    return (2, 0, node.value if isinstance(node, Scalar) and isinstance(node.value, str) else identity(node))


def identity(node: Node) -> str:
    """A text that is the same for equal values only."""
    if isinstance(node, Mapping):
        parts = (f"{json.dumps(key)}:{identity(entry.value)}" for key, entry in sorted(node.entries.items()))
        return f"{{{','.join(parts)}}}"
    if isinstance(node, Sequence):
        return f"[{','.join(map(identity, node.items))}]"
    if isinstance(node.value, int) and not isinstance(node.value, bool):
        return hex(node.value)  # Python refuses to write ints of thousands of digits in decimal
    return json.dumps(node.value)
