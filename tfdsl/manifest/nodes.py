"""Documents as trees whose every value has its place, and new trees from old ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping as AbstractMapping
from typing import Literal, TypeAlias, TypeVar

from tfdsl.emit.located import Data, Located, Plain
from tfdsl.record import Record
from tfdsl.text import Source, Span
from tfdsl.vocabulary.quantities import Duration, Quantity


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
    return [value for item in node.items if (value := plain(item)) is not None]


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


# --- documents ---
#
# The documents of what was read, each with where it stood.


class Comment(Record):
    """A comment of a YAML text. ``text``: what follows ``#`` and a blank; ``alone``: nothing else is on its line."""

    text: str
    span: Span
    alone: bool


class Document(Record):
    """One document: a YAML document, a JSON or XML file, or a text (a command line).

    ``node`` is the tree (of XML see :mod:`tfdsl.manifest.xml`; of a text one scalar). ``within``: what it was found in,
    from the outside in, for a document of a ``List`` or inside a string of another one. ``comments``: those of the
    whole text that it was read from, in order.
    """

    source: Source
    node: Node
    format: Literal["yaml", "json", "xml", "text"] = "yaml"
    within: tuple[str, ...] = ()
    comments: tuple[Comment, ...] = ()


# --- edits ---
#
# New trees from old ones: nodes are never changed, what is kept keeps its places.


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


def with_scalars(node: Node, change: Callable[[tuple[Step, ...], Scalar], Scalar], path: tuple[Step, ...] = ()) -> Node:
    """``node`` with ``change`` applied to each of its scalars, which gets its path."""
    if isinstance(node, Scalar):
        return change(path, node)
    if isinstance(node, Sequence):
        items = (with_scalars(item, change, (*path, number)) for number, item in enumerate(node.items))
        return Sequence(tuple(items), node.span)
    entries = {
        key: Entry(key, entry.key_span, with_scalars(entry.value, change, (*path, key)))
        for key, entry in node.entries.items()
    }
    return Mapping(entries, node.span)


def each(node: Node, change: Callable[[Mapping], Node]) -> Node:
    """A list with ``change`` applied to each of its maps; anything else as it is."""
    if not isinstance(node, Sequence):
        return node
    return Sequence(tuple(change(item) if isinstance(item, Mapping) else item for item in node.items), node.span)


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


# --- view ---
#
# Looking into a manifest without asking at each step whether something is there and of the right type.

T = TypeVar("T", str, int, bool)


class View(Record):
    """A place in a manifest where there may be nothing.

    ``path``: the steps from the document's root. ``span``: of the value; where there is none, of what would hold it.
    A value of another type than the one asked for reads as absent; who wants to complain asks :attr:`present`.
    """

    node: Node | None
    path: tuple[Step, ...]
    span: Span

    def __getitem__(self, step: Step) -> View:
        """What is at ``step``; a view of nothing where there is no such key or index."""
        node = self.node
        below: Node | None = None
        if isinstance(node, Mapping) and isinstance(step, str):
            below = node.get(step)
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            below = node.items[step]
        return View(below, (*self.path, step), below.span if below is not None else self.span)

    @property
    def present(self) -> bool:
        """Whether there is a value other than null."""
        return self.node is not None and not (isinstance(self.node, Scalar) and self.node.value is None)

    @property
    def text(self) -> str | None:
        """The text here; ``None`` if there is something else, or nothing."""
        return self._scalar(str)

    @property
    def number(self) -> int | None:
        """The whole number here; a bool does not count."""
        value = self._scalar(int)
        return None if isinstance(value, bool) else value

    @property
    def flag(self) -> bool | None:
        """The bool here; ``None`` if there is something else, or nothing."""
        return self._scalar(bool)

    @property
    def words(self) -> str | None:
        """The text of any scalar here, as a quantity or the value of a variable can be written: 1, 0.5, 500m."""
        if not isinstance(self.node, Scalar) or self.node.value is None or isinstance(self.node.value, bool):
            return None
        return str(self.node.value)

    def items(self) -> Iterator[View]:
        """The items of the list here, without nulls."""
        if isinstance(self.node, Sequence):
            for number in range(len(self.node.items)):
                item = self[number]
                if item.present:
                    yield item

    def entries(self) -> Iterator[tuple[str, View]]:
        """The keys of the map here with their values, without nulls."""
        if isinstance(self.node, Mapping):
            for key in self.node.entries:
                value = self[key]
                if value.present:
                    yield key, value

    def key(self, name: str) -> Span:
        """The place of the key ``name`` of the map here; of the map, or what would hold it, where there is none."""
        entry = self.node.entries.get(name) if isinstance(self.node, Mapping) else None
        return entry.key_span if entry is not None else self.span

    def _scalar(self, kind: type[T]) -> T | None:
        value = self.node.value if isinstance(self.node, Scalar) else None
        return value if isinstance(value, kind) else None


def view(node: Node) -> View:
    """The root of a document."""
    return View(node, (), node.span)


# --- data ---
#
# A compiled document as a tree: each value with a place, that of what made it in the job's text.


def tree(data: Data, span_of: Callable[[str], Span]) -> Node:
    """``data``; what comes from no place in the source has that of what holds it, at last of the job's name.

    ``span_of``: the place of an IR path.
    """
    node = _node(data, span_of(""), span_of)
    return node if node is not None else Mapping({}, span_of(""))


def _node(data: Data, span: Span, span_of: Callable[[str], Span]) -> Node | None:
    while isinstance(data, Located):
        span = span_of(data.path)
        data = data.value
    if data is None:
        return None
    if isinstance(data, Quantity | Duration):
        return Scalar(data.text, span)
    if isinstance(data, str):
        return Scalar(str(data), span)
    if isinstance(data, bool | int | float):
        return Scalar(data, span)
    if isinstance(data, AbstractMapping):
        below = {key: node for key, value in data.items() if (node := _node(value, span, span_of)) is not None}
        return Mapping({key: Entry(key, node.span, node) for key, node in below.items()}, span)
    return Sequence(tuple(node for value in data if (node := _node(value, span, span_of)) is not None), span)
