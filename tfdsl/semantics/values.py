"""What expressions evaluate to: data with the span it came from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeGuard, Union

from tfdsl.record import Record
from tfdsl.vocabulary.quantities import Duration, Quantity, Undecided

if TYPE_CHECKING:
    from decimal import Decimal

    from tfdsl.semantics.scientific import Scientific
    from tfdsl.text import Span


class RunTime(Record):
    """A part of a text that is known only when a replica runs: its index, an environment variable, the submitter.

    ``flow.run`` is known when a flow runs.
    """

    kind: Literal["task.index", "env", "job.user", "flow.run"]
    name: str = ""


class RunTimeText(Record):
    """A text with at least one :class:`RunTime` part."""

    parts: tuple[str | RunTime, ...]


class Reference(Record):
    """``secret(name, key)`` or ``configmap(name, key)``; all keys of ``secret(name)`` have ``key`` ``None``."""

    kind: Literal["secret", "configmap"]
    name: Value
    key: Value | None = None


class PodField(Record):
    """The value of ``pod_field(path)``."""

    path: Value


class Poison(Record):
    """A wrong value that has been reported; whatever is computed from it is poison, too."""


POISON = Poison()

Data: TypeAlias = Union[
    str,
    int,
    bool,
    "Decimal",
    Quantity,
    Duration,
    Undecided,
    RunTimeText,
    Reference,
    PodField,
    Poison,
    "ListData",
    "MapData",
]


class Value(Record):
    """Data and the text it was read from."""

    data: Data
    span: Span


class Entry(Record):
    """One entry of a map."""

    key: str
    key_span: Span
    value: Value


class ListData(Record):
    """A list; each element has its own span. ``weight``, ``depth``: see :func:`measure`."""

    items: tuple[Value, ...]
    weight: int = 0
    depth: int = 1


class MapData(Record):
    """A map in source order. ``weight``, ``depth``: see :func:`measure`."""

    entries: dict[str, Entry]
    weight: int = 0
    depth: int = 1


ELEMENT = 20
"""The weight of an element in addition to its text."""


def measure(values: Iterable[Value]) -> tuple[int, int]:
    """Weight and depth of a list or map of ``values``, as if nothing in it were shared.

    The weight counts the elements at all levels and their texts; ``let b = [a, a]`` doubles it.
    """
    weight, depth = 0, 0
    for value in values:
        data = value.data
        weight += ELEMENT
        if isinstance(data, str):
            weight += len(data)
        elif isinstance(data, ListData | MapData):
            weight += data.weight
            depth = max(depth, data.depth)
        elif isinstance(data, RunTimeText):
            weight += sum(len(part) for part in data.parts if isinstance(part, str))
    return weight, depth + 1


def list_data(items: tuple[Value, ...]) -> ListData:
    """A list of ``items``."""
    return ListData(items, *measure(items))


def map_data(entries: dict[str, Entry]) -> MapData:
    """A map of ``entries``."""
    return MapData(entries, *measure(entry.value for entry in entries.values()))


def kind_of(data: Data) -> str:
    """The type of ``data`` in the words of the language."""
    if isinstance(data, bool):
        return "bool"
    for cls, name in _KINDS:
        if isinstance(data, cls):
            return name
    return "number"


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (int, "int"),
    ((str, RunTimeText), "string"),
    (Quantity, "quantity"),
    (Duration, "duration"),
    (Undecided, "quantity or duration"),
    (ListData, "list"),
    (MapData, "map"),
    (Reference, "secret() or configmap()"),
    (PodField, "pod_field()"),
    (Poison, "unknown"),
)


def a_kind(data: Data) -> str:
    """:func:`kind_of` with its article."""
    return with_article(kind_of(data))


def with_article(kind: str) -> str:
    """The name of a kind with its article."""
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _is_decimal(data: object) -> TypeGuard[Decimal]:
    return type(data).__name__ in ("Decimal", "Scientific")  # without importing decimal


def _is_scientific(data: object) -> TypeGuard[Scientific]:
    return type(data).__name__ == "Scientific"


def is_number(data: object) -> TypeGuard[int | Decimal]:
    """An int or a decimal (no bool)."""
    return type(data) is int or _is_decimal(data)


def show(data: Data) -> str | None:
    """``data`` as part of a text, or ``None`` when it cannot be (lists, maps, references).

    A literal stays as written; a computed number has no exponent.
    """
    if isinstance(data, str):
        return data
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, _NOT_IN_TEXT):
        return None
    if _is_scientific(data):
        return data.text
    return format(data, "f") if _is_decimal(data) else str(data)


CONTAINERS = (ListData, MapData)
_NOT_IN_TEXT = (*CONTAINERS, Reference, PodField, RunTimeText, Poison)


def joined(*parts: str | RunTime | RunTimeText) -> str | RunTimeText:
    """One text from parts, with neighbouring literals merged."""
    flat: list[str | RunTime] = []
    for part in parts:
        for piece in part.parts if isinstance(part, RunTimeText) else (part,):
            if isinstance(piece, str) and flat and isinstance(flat[-1], str):
                flat[-1] += piece
            elif piece != "":
                flat.append(piece)
    if all(isinstance(piece, str) for piece in flat):
        return "".join(piece for piece in flat if isinstance(piece, str))
    return RunTimeText(tuple(flat))
