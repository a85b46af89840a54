"""The types of the language: of params, attributes, and options of mounts and targets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from tfdsl.record import Record


class IntType(Record):
    """A whole number within bounds (inclusive; ``None``: no bound). ``devices``: it counts devices."""

    at_least: int | None = None
    at_most: int | None = None
    devices: bool = False


class NumberType(Record):
    """A whole or decimal number."""


class StringType(Record):
    """Text. ``run_time``: it can contain ``${task.index}`` and ``${env.NAME}``.

    ``pattern`` matches the whole text, and ``form`` says so in words.
    ``called``: what a word of a long ``one_of`` is; ``prefix``: what other tools write before those words. ``names``:
    the kind of the object that it names.
    """

    one_of: tuple[str, ...] = ()
    pattern: str | None = None
    form: str = ""
    run_time: bool = False
    empty: bool = True
    called: str = ""
    prefix: str = ""
    names: str = ""


class BoolType(Record):
    """``true`` or ``false``."""


class QuantityType(Record):
    """An amount: ``memory`` is bytes with a unit, ``cpu`` a number or thousandths, ``count`` a number or any unit."""

    of: Literal["memory", "cpu", "count"] = "count"


class DurationType(Record):
    """A length of time; ``positive``: more than 0."""

    positive: bool = False


class ListType(Record):
    """A list of one type."""

    of: Type


class MapType(Record):
    """A map from text to one type; ``keys`` is a pattern for the whole key, ``roles``: the keys are names of roles."""

    of: Type
    keys: str | None = None
    roles: bool = False


class UnionType(Record):
    """One of several types, tried in order. ``as_text``: the IR has numbers and bools as their texts."""

    of: tuple[Type, ...]
    as_text: bool = False


class ReferenceType(Record):
    """A value that the cluster knows: ``secret(name, key)``, ``configmap(name, key)`` or ``pod_field(path)``."""


class KeysType(Record):
    """All keys of ``secret(name)`` or ``configmap(name)``."""


Type: TypeAlias = (
    IntType
    | NumberType
    | StringType
    | BoolType
    | QuantityType
    | DurationType
    | ListType
    | MapType
    | UnionType
    | ReferenceType
    | KeysType
)

INT = IntType()
NUMBER = NumberType()
STRING = StringType()
WORD = StringType(empty=False)
RUN_TIME_STRING = StringType(run_time=True)
RUN_TIME_WORD = StringType(run_time=True, empty=False)
BOOL = BoolType()
MEMORY = QuantityType("memory")
CPU = QuantityType("cpu")
COUNT = QuantityType("count")
DURATION = DurationType()
TIME_LIMIT = DurationType(positive=True)
STRINGS = ListType(STRING)
STRING_MAP = MapType(STRING)


def one_of(*words: str) -> StringType:
    """A string from a fixed set."""
    return StringType(one_of=words)


def literals(alias: object) -> StringType:
    """A string from the words of a ``Literal``."""
    return StringType(one_of=get_args(alias))


def choices(kind: Type) -> tuple[str, ...]:
    """The words that a value can be, without quotes; none for a type whose values nobody can list."""
    match kind:
        case BoolType():
            return ("true", "false")
        case StringType():
            return kind.one_of
        case UnionType():
            return tuple(dict.fromkeys(word for type_ in kind.of for word in choices(type_)))
        case _:
            return ()


def a_value(kind: Type) -> str:
    """The type in a message: ``an int``, ``a quantity such as 16Gi``, ``a list<string>``."""
    match kind:
        case UnionType():
            *first, last = ("a bool" if isinstance(type_, BoolType) else a_value(type_) for type_ in kind.of)
            return f"{', '.join(first)} or {last}"
        case QuantityType():
            return {
                "memory": "a quantity such as 16Gi",
                "cpu": "a number or thousandths, such as 4 or 500m",
                "count": "a number or a quantity such as 4Gi",
            }[kind.of]
        case IntType():
            return "an int"
        case BoolType():
            return "true or false"
        case DurationType():
            return "a duration such as 30m"
        case StringType() if kind.called:
            return f"a {kind.called}"
        case StringType() if kind.one_of:
            return describe(kind)
        case ReferenceType() | KeysType():
            return describe(kind)
        case _:
            return f"a {describe(kind)}"


def describe(kind: Type) -> str:
    """The type in the words of the reference: ``int ≥ 0``, ``list<string>``, ``"a" or "b"``."""
    match kind:
        case IntType():
            low, high = kind.at_least, kind.at_most
            if low is not None and high is not None:
                return f"int {low}–{high}"
            return "int" if low is None else f"int ≥ {low}"
        case StringType() if kind.one_of and not kind.called:
            return " or ".join(f'"{word}"' for word in kind.one_of)
        case StringType():
            return "string"
        case NumberType():
            return "number"
        case BoolType():
            return "bool"
        case QuantityType():
            return "quantity"
        case DurationType():
            return "duration"
        case ListType():
            return f"list<{describe(kind.of)}>"
        case MapType():
            return f"map<{describe(kind.of)}>"
        case UnionType():
            return " or ".join(describe(member) for member in kind.of)
        case ReferenceType():
            return "secret(), configmap() or pod_field()"
        case KeysType():
            return "secret(name) or configmap(name)"


OptionValue: TypeAlias = "str | int | bool | tuple[str, ...] | Mapping[str, OptionValue] | None"
"""An option's value; ``None`` where none is set and the backend decides."""


class Option(Record):
    """One option of a target.

    ``default`` ``None``: the backend decides. ``akin``: words of other tools for something similar.
    """

    name: str
    type: Type
    doc: str
    default: OptionValue = None
    akin: tuple[str, ...] = ()
