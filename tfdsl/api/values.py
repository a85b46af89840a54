"""Values of a Python program, for params and options."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import SupportsIndex, TypeAlias, Union, cast

from tfdsl.text import Source
from tfdsl.vocabulary.quantities import Duration, Quantity

Value: TypeAlias = Union[bool, int, float, Decimal, str, Quantity, Duration, "Sequence[Value]", "Mapping[str, Value]"]
"""What a param or an option can be given as. A ``str`` for a quantity or a duration is read as one."""

_ESCAPES = {code: f"\\u{{{code:x}}}" for code in (*range(32), 127)} | {ord("\\"): "\\\\", ord('"'): '\\"'}


def source_of(where: str, name: str, value: Value) -> Source:
    """``value`` as a literal of the language, called ``params["workers"]`` in messages."""
    place = f'{where}["{name}"]'
    return Source(place, _literal(value, place))


def named_texts(name: str, value: Value) -> Iterator[tuple[str, str]]:
    """Every text in ``value``, under ``name``; what is in a map under its key as well."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            for inner, text in named_texts(key, item):
                yield from ((name, text), (inner, text))
    elif isinstance(value, Sequence):
        for item in value:
            yield from named_texts(name, item)


def _literal(value: object, place: str) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Quantity | Duration):
        return str(value)
    if isinstance(value, float | Decimal):
        return _number(value, place)
    if isinstance(value, SupportsIndex):  # int, and whole numbers of numpy
        return str(value.__index__())
    if isinstance(value, Mapping):
        items = cast("Mapping[str, object]", value).items()
        entries = (f"{_quoted(key)} = {_literal(item, place)}" for key, item in items)
        return f"{{ {', '.join(entries)} }}"
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return f"[{', '.join(_literal(item, place) for item in cast('Sequence[object]', value))}]"
    raise TypeError(f"{place} must be a str, number, bool, quantity, duration, list or dict, not {_kind(value)}")


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__


def _number(value: float | Decimal, place: str) -> str:
    if not math.isfinite(value):
        raise ValueError(f"{place} must be a finite number, not {value}")
    return format(value if isinstance(value, Decimal) else Decimal(repr(float(value))), "f")


def _quoted(text: str) -> str:
    escaped = text.translate(_ESCAPES).replace("${", "\\${")
    return f'"{escaped}"'
