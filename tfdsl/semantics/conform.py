"""Whether a value has the type that its place requires, and the value converted to that type.

The result has the data of the type: ``10m`` has become a quantity or a duration, a cpu count a quantity. A wrong value
is reported at its own place (for lists and maps at the element), with the literal that was probably meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tfdsl.diagnostics import Report, name_rules, value_rules
from tfdsl.diagnostics.suggest import closest, enumeration
from tfdsl.patterns import regex
from tfdsl.rules import values
from tfdsl.rules.broken import Broken
from tfdsl.rules.values import clean, literal, map_key
from tfdsl.semantics import operators
from tfdsl.semantics.known_names import known_role
from tfdsl.semantics.values import (
    POISON,
    Data,
    Entry,
    ListData,
    MapData,
    PodField,
    Poison,
    Reference,
    RunTime,
    RunTimeText,
    Value,
    a_kind,
    is_number,
    kind_of,
    show,
)
from tfdsl.vocabulary import attributes, foreign
from tfdsl.vocabulary.quantities import Duration, Quantity, Undecided, nearest_unit, parse_unit
from tfdsl.vocabulary.types import (
    BoolType,
    DurationType,
    IntType,
    KeysType,
    ListType,
    MapType,
    NumberType,
    QuantityType,
    ReferenceType,
    StringType,
    Type,
    UnionType,
    a_value,
)

LONGEST_OFFER = 200
"""The most characters of a text that a fix rewrites as another literal."""

MOST_WRONG = 100
"""The most wrong elements of one list that are reported."""

_WHOLE = regex("0|[1-9][0-9]{0,17}")
_SCIENTIFIC = regex(r"(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?(?:[eE][+-]?[0-9]{1,2})?")
_NAME = regex(r"(?!true$|false$)[A-Za-z_]\w{0,62}(?:\.[A-Za-z_]\w{0,62})*")
_ANY_QUOTES = "\"'“”„‟‘’‚«»"
_ALONE = regex(r'"\$\{([^{}"]+)\}([A-Za-z]*)"')
_WITH_UNIT = regex(r"[0-9]{1,18}(\.[0-9]{1,18})?[A-Za-z][A-Za-z0-9.]*")


def conform(value: Value, to: Type, what: str, report: Report) -> Value:
    """``value`` as type ``to``; poison, with a report, if it is not one. ``what`` names the place in messages."""
    data = value.data
    if isinstance(data, Poison):
        return value
    result = _CONFORM[type(to)](value, to, what, report)
    return value if result is data else Value(result, value.span)


def _mismatch(value: Value, to: Type, what: str, report: Report) -> Poison:
    diagnostic = name_rules.WRONG_TYPE(value.span, what=what, expected=a_value(to), given=a_kind(value.data))
    literal = offered(value.data, to)
    if literal is not None and "${" in value.span.text and isinstance(value.data, str):
        # The literal has what the expression is now, but the value should follow it.
        alone = _ALONE.fullmatch(value.span.text)
        text = f"[{value.span.text}]" if isinstance(to, ListType) else _times(*alone.groups()) if alone else ""
        diagnostic = diagnostic.help(f"write {text}").replacing(f"write {text}", text) if text else diagnostic
    elif literal is not None and literal.startswith('"') and _NAME.fullmatch(value.span.text):
        # The literal has what the name is now, but the text should follow it.
        text = f'"${{{value.span.text}}}"'
        diagnostic = diagnostic.help(f"write {text}").replacing(f"write {text}", text, safe=True)
    elif literal is not None:
        diagnostic = diagnostic.help(f"write {literal}")
        written = value.span.text
        if isinstance(value.data, str) and written.strip(_ANY_QUOTES) == value.data:
            written = _quoted(value.data)  # whatever quotes it has
        if written == (_quoted(value.data) if isinstance(value.data, str) else show(value.data)):
            diagnostic = diagnostic.replacing(f"write {literal}", literal, safe=_is_only_reading(value.data, to))
    elif (instead := _foreign_form(value.data, to, what)) is not None:
        diagnostic = diagnostic.help(instead)
    report(diagnostic)
    return POISON


def _times(expression: str, unit: str) -> str:
    """``n * 1Gi`` for the text ``"${n}Gi"``."""
    if not unit:
        return expression
    one = nearest_unit(f"1{unit}") or f"1{unit}"
    return f"{expression} * {one}" if _NAME.fullmatch(expression) else f"({expression}) * {one}"


def _foreign_form(data: Data, to: Type, what: str) -> str | None:
    """What to write for a value in the form that Kubernetes or another tool has for it."""
    if isinstance(data, PodField):
        return 'write it in env, and use the variable: env = { A = pod_field("metadata.name") }, args = ["${env.A}"]'
    if isinstance(data, Reference):
        return (
            f'write it in env, and use the variable: env = {{ A = {data.kind}("name", "key") }}, args = ["${{env.A}}"]'
        )
    if isinstance(data, MapData):
        words = (what.rpartition(".")[2], *data.entries)
        return next((foreign.VALUES[word] for word in words if word in foreign.VALUES), None)
    if isinstance(to, MapType) and isinstance(data, ListData):
        return 'write a map: { A = "x", B = "y" }'
    return None


def offered(data: Data, to: Type) -> str | None:
    """The literal of type ``to`` that was probably meant, e.g. ``16Gi`` for ``"16Gi"``."""
    if isinstance(data, str) and not isinstance(to, UnionType):
        return _from_text(data, to)
    if isinstance(to, StringType) and not to.one_of and isinstance(data, bool | Quantity | Duration | Undecided):
        return f'"{show(data)}"'
    if isinstance(to, StringType) and not to.one_of and is_number(data):
        return f'"{show(data)}"'
    if isinstance(to, BoolType) and data in (0, 1):
        return "true" if data else "false"
    if isinstance(to, IntType) and is_number(data) and data == int(data) and abs(int(data)) <= operators.LARGEST_NUMBER:
        return str(int(data))
    if isinstance(to, ListType) and isinstance(to.of, KeysType) and isinstance(data, Reference) and data.key is None:
        return f"[{data.kind}({_quoted(str(data.name.data))})]"
    if isinstance(to, UnionType):
        return next((literal for member in to.of if (literal := offered(data, member)) is not None), None)
    return None


def _is_only_reading(data: Data, to: Type) -> bool:
    """Whether a wrong value can be read as type ``to`` in only one way; a text with spaces may be several words."""
    if isinstance(to, QuantityType | DurationType) and isinstance(data, str):
        return data.strip() == offered(data, to)
    return not (isinstance(data, str) and isinstance(to, ListType) and re.search(r"[\s,;]", data))


def _from_text(text: str, to: Type) -> str | None:
    stripped = text.strip()
    if len(text) > LONGEST_OFFER:
        return None
    if isinstance(to, NumberType) and _SCIENTIFIC.fullmatch(stripped):
        return stripped
    if isinstance(to, IntType | NumberType) and _WHOLE.fullmatch(stripped):
        return stripped
    if isinstance(to, QuantityType | DurationType):
        unit = parse_unit(stripped) if _WITH_UNIT.fullmatch(stripped) else None
        near = nearest_unit(stripped) if unit is None else None
        if near is not None and parse_unit(near) is not None:
            return near
        return stripped if unit is not None or (isinstance(to, QuantityType) and _WHOLE.fullmatch(stripped)) else None
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
    if to.devices and (isinstance(data, Quantity | Undecided) or (is_number(data) and data != int(data))):
        diagnostic = value_rules.GPU_FRACTION(value.span, given=show(data))
        report(diagnostic.help("ask for a share of a device by its memory, for example gpu_memory = 8Gi"))
        return POISON
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
    return value.data if is_number(value.data) else _mismatch(value, to, what, report)


def _string(value: Value, to: StringType, what: str, report: Report) -> Data:
    data = value.data
    if isinstance(data, RunTimeText):
        return _run_time(value, data, to, what, report)
    if not isinstance(data, str):
        return _mismatch(value, to, what, report)
    unfit = clean(data, what)
    if unfit is not None:
        report(unfit.at(value.span))
        return POISON
    if not data and not to.empty:
        report(value_rules.EMPTY(value.span, what=what))
        return POISON
    if to.one_of:
        return _holds(values.one_of(data, to, what), data, value, report)
    if to.pattern is not None and re.fullmatch(to.pattern, data) is None:
        report(value_rules.PATTERN(value.span, what=what, given=f'"{data}"', form=f"be {to.form}"))
        return POISON
    return data


def _run_time(value: Value, data: RunTimeText, to: StringType, what: str, report: Report) -> Data:
    if to.run_time:
        return _holds(clean(literal(data), what), data, value, report)
    part = next(part for part in data.parts if isinstance(part, RunTime))
    name = f"env.{part.name}" if part.kind == "env" else part.kind
    diagnostic = name_rules.RUN_TIME_HERE(value.span, name=name).help(f"{what} is fixed when the job is compiled")
    report(diagnostic.help(f"{name} can be in {enumeration(attributes.WITH_RUN_TIME)}"))
    return POISON


def _bool(value: Value, to: BoolType, what: str, report: Report) -> Data:
    return value.data if isinstance(value.data, bool) else _mismatch(value, to, what, report)


def _amount(value: Value, to: QuantityType | DurationType, what: str, report: Report) -> Data:
    data = value.data
    if not isinstance(data, Quantity | Duration | Undecided) and not is_number(data):
        return _mismatch(value, to, what, report)
    result = values.amount(data, to, what)
    return _holds(result, data, value, report) if isinstance(result, Broken) else result


def _holds(broken: Broken | None, data: Data, value: Value, report: Report) -> Data:
    if broken is None:
        return data
    report(broken.at(value.span))
    return POISON


def _list(value: Value, to: ListType, what: str, report: Report) -> Data:
    if not isinstance(value.data, ListData):
        return _mismatch(value, to, what, report)
    data = value.data
    place = f"an element of {what}"
    items: list[Value] = []
    wrong = 0
    for item in data.items:
        items.append(conform(item, to.of, place, report))
        wrong += items[-1].data is POISON
        if wrong > MOST_WRONG:
            return POISON
    return ListData(tuple(items), data.weight, data.depth)


def _map(value: Value, to: MapType, what: str, report: Report) -> Data:
    if not isinstance(value.data, MapData):
        return _mismatch(value, to, what, report)
    entries: dict[str, Entry] = {}
    for key, entry in value.data.entries.items():
        broken = map_key(key, what, to.keys)
        if broken is not None:
            report(broken.at(entry.key_span))
            continue
        if to.roles and not known_role(key, entry.key_span, report):
            continue
        entries[key] = Entry(key, entry.key_span, conform(entry.value, to.of, f"{what}.{key}", report))
    return MapData(entries, value.data.weight, value.data.depth)


def _union(value: Value, to: UnionType, what: str, report: Report) -> Data:
    takers = _TAKERS.get(kind_of(value.data), ())
    for member in to.of:
        if isinstance(member, takers) and not _is_other_text(value.data, member):
            return conform(value, member, what, report).data
    return _mismatch(value, to, what, report)


def _is_other_text(data: Data, member: Type) -> bool:
    """Whether ``data`` is a text that is not even nearly a word of ``member``: ``"16Gi"`` is a quantity in quotes."""
    words = member.one_of if isinstance(member, StringType) else ()
    return bool(words) and isinstance(data, str) and closest(data, words) is None


_TAKERS: dict[str, tuple[type, ...]] = {
    "int": (IntType, NumberType, QuantityType),
    "number": (NumberType, QuantityType),
    "quantity": (QuantityType,),
    "quantity or duration": (QuantityType,),
    "string": (StringType,),
    "bool": (BoolType,),
    "list": (ListType,),
    "map": (MapType,),
    "secret() or configmap()": (ReferenceType,),
    "pod_field()": (ReferenceType,),
}
"""Kind of a value → the members of a union that it can be read as."""


def _reference(value: Value, to: ReferenceType, what: str, report: Report) -> Data:
    data = value.data
    if isinstance(data, PodField) or (isinstance(data, Reference) and data.key is not None):
        return data
    if not isinstance(data, Reference):
        return _mismatch(value, to, what, report)
    diagnostic = name_rules.ARGUMENT_COUNT(value.span, name=data.kind, expected="2 arguments in env", given="1")
    name = _quoted(str(data.name.data))
    diagnostic = diagnostic.help(f"write {data.kind}({name}, KEY) for one of its keys")
    report(diagnostic.help(f"write env_from = [{data.kind}({name})] for all of its keys"))
    return POISON


def _keys(value: Value, to: KeysType, what: str, report: Report) -> Data:
    data = value.data
    if isinstance(data, Reference) and data.key is None:
        return data
    if not isinstance(data, Reference):
        diagnostic = name_rules.WRONG_TYPE(value.span, what=what, expected=a_value(to), given=a_kind(data))
        report(diagnostic.help('for example [configmap("settings"), secret("keys")]'))
        return POISON
    diagnostic = name_rules.ARGUMENT_COUNT(value.span, name=data.kind, expected="1 argument in env_from", given="2")
    diagnostic = diagnostic.help(f"write {data.kind}({_quoted(str(data.name.data))}) for all of its keys")
    report(diagnostic.help("write one key in env"))
    return POISON


_CONFORM: dict[type, Callable[..., Data]] = {
    IntType: _int,
    NumberType: _number,
    StringType: _string,
    BoolType: _bool,
    QuantityType: _amount,
    DurationType: _amount,
    ListType: _list,
    MapType: _map,
    UnionType: _union,
    ReferenceType: _reference,
    KeysType: _keys,
}
