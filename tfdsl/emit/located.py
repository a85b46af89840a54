"""Document data whose values remember where they come from.

A backend builds a document from plain dicts and lists; wherever a value is taken from the job, it is wrapped as a
:class:`Located` with the value's path in the IR. The writers unwrap it and note the path for the source map.

**Absence is decided once, here and in the writers:** a ``None`` (also inside a ``Located``) is left out, as a key of
a map or an item of a list. There is no null in the output. An empty map or list is written, as ``{}`` or ``[]``;
who wants it left out says :func:`unless_empty`. :func:`at` gives ``None`` for what the job does not set: ``None``, an
empty text, tuple or map. ``False`` and ``0`` are values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias, Union, cast

from tfdsl.record import Record
from tfdsl.vocabulary.quantities import Duration, Quantity


class Block(str):
    """A text that asks for the block style (``|``) even when it is one line; the data is the same."""

    __slots__ = ()


class Lines(Block):
    """A text in the block style with an IR path (or ``None``) of its own for each of its lines."""

    paths: tuple[str | None, ...]

    def __new__(cls, text: str, paths: Sequence[str | None]) -> Lines:
        """``text`` with the ``paths`` of its lines."""
        made = super().__new__(cls, text)
        made.paths = tuple(paths)
        return made


class Located(NamedTuple):
    """``value``, and the IR path it comes from. The innermost path wins for an output line."""

    value: Data
    path: str


Data: TypeAlias = Union[
    bool, int, float, str, Quantity, Duration, Located, "Sequence[Data]", "Mapping[str, Data]", None
]
"""What a document is made of. Quantities and durations are written as their text, always as a string."""

Plain: TypeAlias = Union[bool, int, float, str, "list[Plain]", "dict[str, Plain]"]
"""Data without places and absent values."""


class Node(Protocol):
    """Any node of the IR."""

    @property
    def path(self) -> str:
        """The node's own path; the job itself has the empty one."""
        ...


def at(node: Node, name: str) -> Located | None:
    """Field ``name`` of an IR node with its path, or ``None`` when the job does not set it.

    Entries of a tuple or map get paths of their own, ``args[1]`` and ``env[HOME]``. The field must hold data, not
    further nodes; run-time texts have to be lowered by the backend first.
    """
    value: Data = getattr(node, name)
    path = child(node.path, name)
    if isinstance(value, tuple) and value:
        entries = cast("tuple[Data, ...]", value)
        return Located([Located(item, entry(path, index)) for index, item in enumerate(entries)], path)
    if isinstance(value, Mapping) and value:
        return Located({key: Located(item, entry(path, key)) for key, item in value.items()}, path)
    if value is None or value == "" or value == () or value == {}:
        return None
    return Located(value, path)


def placed_like(old: Data, new: Data) -> Data:
    """``new`` with the place of ``old``, which it stands for, if that has one."""
    return Located(new, old.path) if isinstance(old, Located) else new


def child(path: str, name: str) -> str:
    """The path of field or key ``name`` below ``path``."""
    return f"{path}.{name}" if path else name


def entry(path: str, key: str | int) -> str:
    """The path of an entry of the map, or an element of the list, at ``path``."""
    return f"{path}[{key}]"


def located(value: Data, path: str) -> Located | None:
    """``value`` as coming from ``path``; ``None`` stays ``None`` so that ``located(...) or default`` works."""
    return None if value is None else Located(value, path)


def changed(data: Data, change: Callable[[str], str], place: Callable[[str], str] = str) -> Data:
    """``data`` with every text changed, and with other paths."""
    if isinstance(data, Located):
        return Located(changed(data.value, change, place), place(data.path))
    if isinstance(data, str):
        return change(data)
    if isinstance(data, Mapping):
        return {key: changed(value, change, place) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [changed(value, change, place) for value in data]
    return data


def unwrap(data: Data) -> Data:
    """The value itself, without the places around it (those inside stay)."""
    while isinstance(data, Located):
        data = data.value
    return data


def unless_empty(data: Data) -> Data:
    """``data``, or ``None`` when it is a map, list or text in which nothing is present."""
    value = unwrap(data)
    if isinstance(value, Mapping):
        return data if any(unwrap(item) is not None for item in value.values()) else None
    if isinstance(value, str):
        return data if value else None
    if isinstance(value, Sequence):
        return data if any(unwrap(item) is not None for item in value) else None
    return data


def plain(data: Data) -> Plain | None:
    """The same as plain Python values, absent ones left out; ``None`` only when ``data`` itself is absent."""
    data = unwrap(data)
    if data is None or isinstance(data, bool | int | float):
        return data
    if isinstance(data, str):
        return str(data)
    if isinstance(data, Quantity | Duration):
        return data.text
    if isinstance(data, Mapping):
        return {key: item for key, value in data.items() if (item := plain(value)) is not None}
    return [item for value in data if (item := plain(value)) is not None]


# --- written ---
#
# What every writer gives: a text and, for each of its lines, where it comes from.


class Written(Record):
    r"""A text that ends in ``\n`` (or is empty), with one IR path (or ``None``) per line, for the source map."""

    text: str
    lines: tuple[str | None, ...]


# --- numbers ---
#
# Numbers as every reader of every format takes them for the same number.


def without_exponent(value: float) -> str:
    """A finite float without exponent: some readers of YAML take ``1e-4`` for a text."""
    digits = repr(value)
    if "e" not in digits:
        return digits
    from decimal import Decimal  # costs a millisecond, paid only for very large and very small numbers

    written = format(Decimal(digits), "f")
    return written if "." in written else f"{written}.0"
