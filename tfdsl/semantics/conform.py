"""Whether a value is of the type that its place asks for, and the value read as that type.

What comes back has the data of the type: ``10m`` has become a quantity or a duration, a cpu count a quantity. A wrong
value is reported at itself (for lists and maps at the element), with the literal that was probably meant.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tfdsl.diagnostics import name_rules, value_rules
from tfdsl.semantics import operators
from tfdsl.semantics.suggest import closest, listing
from tfdsl.semantics.values import (
    POISON,
    Data,
    Entry,
    ListData,
    MapData,
    Poison,
    Reference,
    RunTime,
    RunTimeText,
    Value,
    kind_of,
)
from tfdsl.vocabulary.quantities import Duration, Quantity, Undecided, parse_unit
from tfdsl.vocabulary.types import (
    BoolType,
    DurationType,
    IntType,
    ListType,
    MapType,
    NumberType,
    QuantityType,
    ReferenceType,
    StringType,
    Type,
    UnionType,
    describe,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tfdsl.diagnostics import Diagnostic

    Report = Callable[[Diagnostic], None]

SMALLEST_MEMORY = 1 << 20
"""Less memory than this for a process is taken for a slip of the unit (bytes)."""


def conform(value: Value, to: Type, what: str, report: Report) -> Value:
    """``value`` as type ``to``; poison, with a report, when it is none. ``what`` names the place in messages."""
    data = value.data
    if isinstance(data, Poison):
        return value
    result = _CONFORM[type(to)](value, to, what, report)
    return value if result is data else Value(result, value.span)


def _mismatch(value: Value, to: Type, what: str, report: Report) -> Poison:
    diagnostic = name_rules.WRONG_TYPE(value.span, what=what, expected=describe(to), given=_given(value.data))
    literal = offered(value.data, to)
    if literal is not None:
        diagnostic = diagnostic.help(f"write {literal}").replacing(f"write {literal}", literal)
    report(diagnostic)
    return POISON


def _given(data: Data) -> str:
    kind = kind_of(data)
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def offered(data: Data, to: Type) -> str | None:
    """The literal of type ``to`` that was probably meant, e.g. ``16Gi`` for ``"16Gi"``."""
    if isinstance(data, str):
        return _from_text(data, to)
    if isinstance(to, StringType) and not to.one_of and isinstance(data, int | Quantity | Duration | Undecided):
        return f'"{"true" if data is True else "false" if data is False else data}"'
    if isinstance(to, BoolType) and data in (0, 1):
        return "true" if data else "false"
    return None


def _from_text(text: str, to: Type) -> str | None:
    stripped = text.strip()
    if isinstance(to, IntType | NumberType) and re.fullmatch(r"\d+", stripped):
        return stripped
    if isinstance(to, QuantityType | DurationType):
        unit = parse_unit(stripped) if re.fullmatch(r"\d+(\.\d+)?[A-Za-z][A-Za-z0-9.]*", stripped) else None
        return stripped if unit is not None or (stripped.isdigit() and isinstance(to, QuantityType)) else None
    words = {"true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false"}
    if isinstance(to, BoolType):
        return words.get(stripped.lower())
    if isinstance(to, ListType) and isinstance(to.of, StringType):
        return f"[{_quoted(text)}]"
    return None


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("${", "\\${") + '"'


def _int(value: Value, to: IntType, what: str, report: Report) -> Data:
    data = value.data
    if isinstance(data, bool) or not isinstance(data, int):
        return _mismatch(value, IntType(), what, report)
    low, high = to.at_least, to.at_most
    if (low is not None and data < low) or (high is not None and data > high):
        report(value_rules.OUT_OF_RANGE(value.span, what=what, expected=_bounds(low, high), given=data))
        return POISON
    return data


def _bounds(low: int | None, high: int | None) -> str:
    if low is not None and high is not None:
        return f"from {low} to {high}"
    return f"at least {low}" if low is not None else f"at most {high}"


def _number(value: Value, to: NumberType, what: str, report: Report) -> Data:
    if kind_of(value.data) in ("int", "number"):
        return value.data
    return _mismatch(value, to, what, report)


def _string(value: Value, to: StringType, what: str, report: Report) -> Data:
    data = value.data
    if isinstance(data, RunTimeText):
        return _run_time(value, data, to, what, report)
    if not isinstance(data, str):
        return _mismatch(value, to, what, report)
    if "\0" in data:
        report(value_rules.NUL(value.span, what=what))
        return POISON
    if not data and not to.empty:
        report(value_rules.EMPTY(value.span, what=what))
        return POISON
    if to.one_of and data not in to.one_of:
        diagnostic = value_rules.NOT_ONE_OF(value.span, what=what, expected=_words(to.one_of), given=f'"{data}"')
        near = closest(data, to.one_of)
        report(
            diagnostic.help(f'did you mean "{near}"?').replacing(f'write "{near}"', f'"{near}"') if near else diagnostic
        )
        return POISON
    if to.pattern is not None and re.fullmatch(to.pattern, data) is None:
        report(value_rules.PATTERN(value.span, what=what, given=f'"{data}"', pattern=to.pattern))
        return POISON
    return data


def _words(words: tuple[str, ...]) -> str:
    return listing(f'"{word}"' for word in words)


def _run_time(value: Value, data: RunTimeText, to: StringType, what: str, report: Report) -> Data:
    if to.run_time:
        return data
    part = next(part for part in data.parts if isinstance(part, RunTime))
    name = f"env.{part.name}" if part.kind == "env" else part.kind
    report(name_rules.RUN_TIME_HERE(value.span, name=name).help(f"{what} is fixed when the job is compiled"))
    return POISON


def _bool(value: Value, to: BoolType, what: str, report: Report) -> Data:
    return value.data if isinstance(value.data, bool) else _mismatch(value, to, what, report)


def _quantity(value: Value, to: QuantityType, what: str, report: Report) -> Data:
    data = value.data
    if to.of == "memory":
        return _memory(value, what, report)
    if isinstance(data, Undecided):
        data = data.quantity
    elif kind_of(data) in ("int", "number"):
        data = _plain_quantity(value)
    if not isinstance(data, Quantity):
        return _mismatch(value, to, what, report)
    if data.milli < 0 or (to.of == "cpu" and data.milli == 0):
        report(value_rules.OUT_OF_RANGE(value.span, what=what, expected="more than 0", given=data.text))
        return POISON
    return data


def _plain_quantity(value: Value) -> Data:
    scaled = operators.binary("*", value.data, 1000, value.span)
    return Quantity(scaled, str(value.data)) if isinstance(scaled, int) else value.data


def _memory(value: Value, what: str, report: Report) -> Data:
    data = value.data
    span = value.span
    if isinstance(data, Undecided):
        literal = f"{data.count}Mi"
        reason = "m means thousandths of a byte (or minutes)"
        report(_offer(value_rules.MEMORY_UNIT(span, given=data.text, reason=reason), literal))
        return POISON
    if isinstance(data, int) and not isinstance(data, bool):
        literal = f"{data}Gi" if data < 4096 else f"{data}Mi" if data < SMALLEST_MEMORY else f"{data >> 20}Mi"
        report(_offer(value_rules.MEMORY_UNIT(span, given=data, reason="it has no unit"), literal))
        return POISON
    if not isinstance(data, Quantity):
        return _mismatch(value, QuantityType("memory"), what, report)
    if data.milli <= 0:
        report(value_rules.OUT_OF_RANGE(span, what=what, expected="more than 0", given=data.text))
        return POISON
    return data


def _offer(diagnostic: Diagnostic, literal: str) -> Diagnostic:
    return diagnostic.help(f"write {literal}").replacing(f"write {literal}", literal)


def _duration(value: Value, to: DurationType, what: str, report: Report) -> Data:
    data = value.data
    if isinstance(data, Undecided):
        data = data.duration
    if not isinstance(data, Duration):
        if isinstance(data, int) and not isinstance(data, bool):
            diagnostic = name_rules.WRONG_TYPE(value.span, what=what, expected="duration", given="an int")
            report(_offer(diagnostic, f"{data}s"))
            return POISON
        return _mismatch(value, to, what, report)
    if data.ms <= 0:
        report(value_rules.OUT_OF_RANGE(value.span, what=what, expected="more than 0", given=data.text))
        return POISON
    return data


def _list(value: Value, to: ListType, what: str, report: Report) -> Data:
    if not isinstance(value.data, ListData):
        return _mismatch(value, to, what, report)
    return ListData(tuple(conform(item, to.of, f"an element of {what}", report) for item in value.data.items))


def _map(value: Value, to: MapType, what: str, report: Report) -> Data:
    if not isinstance(value.data, MapData):
        return _mismatch(value, to, what, report)
    entries: dict[str, Entry] = {}
    for key, entry in value.data.entries.items():
        if (to.keys is not None and re.fullmatch(to.keys, key) is None) or not key or "\0" in key:
            report(value_rules.BAD_KEY(entry.key_span, name=f'"{key}"', what=what))
            continue
        entries[key] = Entry(key, entry.key_span, conform(entry.value, to.of, f"{what}.{key}", report))
    return MapData(entries)


def _union(value: Value, to: UnionType, what: str, report: Report) -> Data:
    found: list[Diagnostic] = []
    for member in to.of:
        found = []
        result = conform(value, member, what, found.append)
        if not found:
            return result.data
        if found[0].rule is not name_rules.WRONG_TYPE or found[0].span != value.span:
            break  # the right kind of value, with something wrong in it
    else:
        return _mismatch(value, to, what, report)
    for diagnostic in found:
        report(diagnostic)
    return POISON


def _reference(value: Value, to: ReferenceType, what: str, report: Report) -> Data:
    return value.data if isinstance(value.data, Reference) else _mismatch(value, to, what, report)


_CONFORM: dict[type, Callable[..., Data]] = {
    IntType: _int,
    NumberType: _number,
    StringType: _string,
    BoolType: _bool,
    QuantityType: _quantity,
    DurationType: _duration,
    ListType: _list,
    MapType: _map,
    UnionType: _union,
    ReferenceType: _reference,
}
