"""Version and options of a target, from the command line and the target block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tfdsl.backend import Backend
from tfdsl.diagnostics import Diagnostic, name_rules
from tfdsl.diagnostics.suggest import closest, enumeration
from tfdsl.record import Record
from tfdsl.semantics import params
from tfdsl.semantics.conform import conform
from tfdsl.semantics.evaluate import evaluate_as
from tfdsl.semantics.request import GivenOption
from tfdsl.semantics.scope import Scope
from tfdsl.semantics.values import ListData, MapData, Poison, Value
from tfdsl.text import Span
from tfdsl.vocabulary import attributes, versions
from tfdsl.vocabulary.types import STRING, DurationType, Option, OptionValue

if TYPE_CHECKING:
    from tfdsl.semantics.blocks import TargetBlock


class Chosen(Record):
    """What was chosen for a target. ``version``: as written, without a ``v``; ``spans``: also of it."""

    version: str
    options: Mapping[str, OptionValue]
    spans: Mapping[str, Span]


def choose(
    target: Backend, block: TargetBlock | None, given: tuple[GivenOption, ...], version: str | None, scope: Scope
) -> Chosen:
    """Version and options: ``-t X@V`` overrides ``-O``, that the target block, and that the defaults."""
    values: dict[str, Value] = {}
    table = {option.name: option for option in target.options}
    for layer in block.layers if block is not None else ():
        for name, assign in layer.options.items():
            values[name] = evaluate_as(assign.value, table[name].type if name in table else None, scope)
    for given_option in given:
        if given_option.target == target.name:
            value = _given(given_option, target, table, scope)
            if value is not None:
                values[given_option.key] = value
    written = values.pop("version", None)
    chosen_version = _version(written, target, scope) if version is None else version
    options: dict[str, OptionValue] = {}
    spans = {"version": written.span} if written is not None else {}
    for name, option in table.items():
        options[name] = option.default
        if name in values:
            typed = conform(values[name], option.type, f"option {name}", scope.report)
            if not isinstance(typed.data, Poison):
                options[name] = _plain(typed)
                spans |= {name: typed.span, **_part_spans(name, typed)}
    return Chosen(chosen_version, options, spans)


def _given(given_option: GivenOption, target: Backend, table: Mapping[str, Option], scope: Scope) -> Value | None:
    option = table.get(given_option.key)
    if option is None and given_option.key != "version":
        diagnostic = name_rules.UNKNOWN_OPTION(
            params.whole(given_option.source), where=f"target {target.name}", name=given_option.key
        )
        scope.report(diagnostic.help(_instead(given_option, target, (*table, "version"))))
        return None
    parsed = params.expressions(given_option.source, given_option.form, None if option is None else option.type, scope)
    return params.value_of(parsed, given_option.source, given_option.form, scope)


def _instead(given_option: GivenOption, target: Backend, names: tuple[str, ...]) -> str:
    """What to do about a name that is not an option of ``target``."""
    other = next((option.name for option in target.options if given_option.key in option.akin), None)
    attribute = attributes.BY_NAME.get(given_option.key) if other is None else None
    if attribute is not None:
        text = given_option.source.text
        seconds = isinstance(attribute.type, DurationType) and text.isdecimal()
        example = f"{text}s" if seconds else attribute.example
        return f"{given_option.key} is an attribute: write target {target.name} {{ {given_option.key} = {example} }}"
    near = other or closest(given_option.key, names)
    return f"did you mean {near}?" if near else f"it has {enumeration(names)}"


def _version(written: Value | None, target: Backend, scope: Scope) -> str:
    if written is None:
        return target.default_version
    value = conform(written, STRING, "version", scope.report)
    if not isinstance(value.data, str):
        return target.default_version
    version = versions.find(value.data, target.versions)
    if version is None:
        scope.report(unknown_version(value.span, target.name, value.data, target.versions))
        return target.default_version
    return version.shown


def unknown_version(span: Span, target: str, version: str, known: Sequence[str]) -> Diagnostic:
    """The diagnostic for the text at ``span``, which is not a known version of ``target``."""
    diagnostic = name_rules.UNKNOWN_VERSION(span, target=target, version=version or "(none)")
    return diagnostic.help(versions.why_unknown(version, known))


def _part_spans(name: str, value: Value) -> dict[str, Span]:
    """``name[0]`` … for the members of a list; ``name[key]``, and ``name[key].key`` of its key, for those of a map."""
    spans: dict[str, Span] = {}
    if isinstance(value.data, ListData):
        spans |= {f"{name}[{at}]": item.span for at, item in enumerate(value.data.items)}
    elif isinstance(value.data, MapData):
        for key, entry in value.data.entries.items():
            part = f"{name}[{key}]"
            spans |= {part: entry.value.span, f"{part}.key": entry.key_span, **_part_spans(part, entry.value)}
    return spans


def _plain(value: Value) -> OptionValue:
    if isinstance(value.data, ListData):
        return tuple(str(item.data) for item in value.data.items)
    if isinstance(value.data, MapData):
        entries = value.data.entries.items()
        return {key: _plain(entry.value) for key, entry in entries if not isinstance(entry.value.data, Poison)}
    if isinstance(value.data, str | int | bool):
        return value.data
    return str(value.data)
