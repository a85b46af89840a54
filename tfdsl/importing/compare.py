"""What differs between two documents in their normal form, by path.

The steps of a path are keys and, in lists whose items are known by a name, :class:`Named`; other lists differ as a
whole, because an index says nothing once another item comes before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Many
from typing import Final, TypeAlias

from tfdsl.manifest.nodes import Mapping, Node, Scalar, Sequence
from tfdsl.record import Record

_NAMES: Final = ("name", "mountPath", "containerPort", "key")
"""By what items of lists are known, as patches select them; the first that all items have, each another, counts."""


_UNORDERED: Final = (("ports",), ("volumes",), ("volumeMounts",))
"""Keys of lists whose order means nothing; a normal form has sorted them."""


class Named(Record):
    """The item of a list whose ``key`` is ``value``."""

    key: str
    value: str


Step: TypeAlias = str | Named


class Difference(Record):
    """What is at ``path`` in one document and not in the other.

    ``wanted``: there in the first, which is what is wanted; ``got``: there in the second.
    """

    path: tuple[Step, ...]
    wanted: Node | None
    got: Node | None


class Pair(Record):
    """Two documents that are about the same object; one of them may be missing."""

    name: str
    wanted: Node | None
    got: Node | None


def pairs(wanted: Many[Node], got: Many[Node]) -> list[Pair]:
    """The documents by kind and name, those of ``wanted`` first; the main ones are about the same job in any case."""
    first, second = _by_name(wanted), _by_name(got)
    if first and second:
        main = next(iter(second))
        first = {main: wanted[0], **{name: one for name, one in first.items() if one is not wanted[0]}}
    return [Pair(name, first.get(name), second.get(name)) for name in {**first, **second}]


def differences(wanted: Node, got: Node) -> Iterator[Difference]:
    """Every place at which two documents differ."""
    yield from _differ(wanted, got, ())


def same(one: Node | None, other: Node | None) -> bool:
    """Whether two trees hold the same, wherever they come from; ``1`` and ``"1"`` are not the same."""
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        return one.value == other.value and isinstance(one.value, bool | str) == isinstance(other.value, bool | str)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        if one.entries.keys() != other.entries.keys():
            return False
        return all(same(entry.value, other.entries[key].value) for key, entry in one.entries.items())
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        return len(one.items) == len(other.items) and all(map(same, one.items, other.items))
    return one is None and other is None


def _by_name(documents: Iterable[Node]) -> dict[str, Node]:
    named: dict[str, Node] = {}
    for number, document in enumerate(documents):
        named.setdefault(name_of(document, number), document)
    return named


def name_of(document: Node, number: int) -> str:
    """``KIND/NAME``; of what has none its number."""
    kind = _text(document, "kind")
    metadata = document.get("metadata") if isinstance(document, Mapping) else None
    name = _text(metadata, "name")
    return f"{kind}/{name}" if kind and name else str(number)


def _text(node: Node | None, key: str) -> str:
    value = node.get(key) if isinstance(node, Mapping) else None
    return str(value.value) if isinstance(value, Scalar) and value.value is not None else ""


def _differ(wanted: Node, got: Node, path: tuple[Step, ...]) -> Iterator[Difference]:
    if isinstance(wanted, Mapping) and isinstance(got, Mapping):
        for key in {**wanted.entries, **got.entries}:
            yield from _member(wanted.get(key), got.get(key), (*path, key))
    elif isinstance(wanted, Sequence) and isinstance(got, Sequence):
        yield from _differ_lists(wanted, got, path)
    elif not same(wanted, got):
        yield Difference(path, wanted, got)


def _member(wanted: Node | None, got: Node | None, path: tuple[Step, ...]) -> Iterator[Difference]:
    if wanted is not None and got is not None:
        yield from _differ(wanted, got, path)
    elif wanted is not None or got is not None:
        yield Difference(path, wanted, got)


def _differ_lists(wanted: Sequence, got: Sequence, path: tuple[Step, ...]) -> Iterator[Difference]:
    if same(wanted, got):
        return
    for key in _NAMES:
        first, second = named_items(wanted, key), named_items(got, key)
        if first is not None and second is not None:
            if _may_be_patched(list(first), list(second), ordered=path[-1:] not in _UNORDERED):
                for value in {**second, **first}:
                    yield from _member(first.get(value), second.get(value), (*path, Named(key, value)))
                return
            break
    yield Difference(path, wanted, got)


def named_items(node: Sequence, key: str) -> dict[str, Node] | None:
    """The items by the value of ``key``; ``None`` where one has none, or two have the same."""
    items: dict[str, Node] = {}
    for item in node.items:
        value = item.get(key) if isinstance(item, Mapping) else None
        if not isinstance(value, Scalar) or value.value is None or isinstance(value.value, float):
            return None
        text = ("true" if value.value else "false") if isinstance(value.value, bool) else str(value.value)
        if text in items:
            return None
        items[text] = item
    return items


def _may_be_patched(wanted: list[str], got: list[str], *, ordered: bool) -> bool:
    """Whether appending and removing items gives the order of ``wanted``; else the whole list has to be written."""
    if not ordered:
        return not set(wanted).isdisjoint(got)
    before, after = set(got), set(wanted)
    kept = [name for name in got if name in after]
    added = [name for name in wanted if name not in before]
    return wanted == [*kept, *added] and bool(kept)
