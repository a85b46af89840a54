"""What the settings of a param demand of its value (language reference, "File": param)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import name_rules, value_rules
from tfdsl.semantics import operators
from tfdsl.semantics.conform import conform
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.pattern import PatternError, compile_pattern
from tfdsl.semantics.suggest import closest, listing, offering, words_of
from tfdsl.semantics.values import POISON, ListData, Poison, Value, kind_of, show
from tfdsl.vocabulary.statements import PARAM_SETTINGS
from tfdsl.vocabulary.types import STRING, ListType, Type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.semantics.scope import Scope
    from tfdsl.syntax import ast

_ORDERED = ("int", "number", "quantity", "duration")
_NAMES = tuple(row.name for row in PARAM_SETTINGS)
_ALIASES = words_of(PARAM_SETTINGS)


def bounded(param: ast.Param, value: Value, to: Type | None, scope: Scope) -> Value:
    """``value``, or poison when it is not within the settings of ``param``; the settings are checked themselves."""
    for setting in _legal(param, scope):
        if not _holds(param, setting, value, to, scope):
            value = Value(POISON, value.span)
    return value


# What other languages call the value that follows the type.
DEFAULT = "default"


def _legal(param: ast.Param, scope: Scope) -> Iterator[ast.Assign]:
    seen: dict[str, ast.Name] = {}
    for setting in param.settings:
        key = setting.key
        first = seen.setdefault(key.text, key)
        if first is not key:
            found = name_rules.DUPLICATE_KEY(key.span, name=key.text).marked("set again here")
            scope.report(found.note(first.span, "first set here"))
        elif _fits(key, param.type.name.text, scope):
            yield setting


def _fits(key: ast.Name, kind: str, scope: Scope) -> bool:
    if key.text not in _NAMES:
        near = closest(key.text, _NAMES, _ALIASES)
        found = name_rules.UNKNOWN_SETTING(key.span, where="a param", name=key.text)
        if key.text == DEFAULT:
            scope.report(found.help("the default follows the type: param workers: int = 4"))
        elif near is not None:
            scope.report(offering(found, near, _NAMES, _ALIASES))
        else:
            scope.report(found.help(f"it has {listing(_NAMES)}"))
        return False
    if (key.text in ("min", "max") and kind not in _ORDERED) or (key.text == "pattern" and kind != "string"):
        scope.report(name_rules.SETTING_HERE(key.span, name=key.text, type=kind))
        return False
    return True


def _holds(param: ast.Param, setting: ast.Assign, value: Value, to: Type | None, scope: Scope) -> bool:
    """Whether ``value`` keeps within ``setting``; the setting itself is checked whatever the value is."""
    key, name = setting.key.text, param.name.text
    limit = evaluate(setting.value, scope)
    what = f"{key} of param {name}"
    if key in ("description", "pattern"):
        limit = conform(limit, STRING, what, scope.report)
        return key == "description" or _matches(name, limit, value, scope)
    if to is None:
        return True
    limit = conform(limit, ListType(to) if key == "one_of" else to, what, scope.report)
    if isinstance(limit.data, Poison) or isinstance(value.data, Poison):
        return True
    if key == "one_of":
        choices = limit.data.items if isinstance(limit.data, ListData) else ()
        if not choices:
            scope.report(value_rules.OUT_OF_RANGE(limit.span, what=what, expected="a list with a value", given="[]"))
            return True
        if any(isinstance(choice.data, Poison) for choice in choices):
            return True
        if any(operators.binary("==", value.data, choice.data, value.span) is True for choice in choices):
            return True
        expected = listing(_shown(choice) for choice in choices)
    else:
        op = ">=" if key == "min" else "<="
        if operators.binary(op, value.data, limit.data, value.span) is not False:
            return True
        expected = f"at {'least' if key == 'min' else 'most'} {_shown(limit)}"
    found = value_rules.PARAM_RANGE(value.span, name=name, expected=expected, given=_shown(value))
    scope.report(found.note(setting.span, "set here"))
    return False


def _matches(name: str, pattern: Value, value: Value, scope: Scope) -> bool:
    if not isinstance(pattern.data, str):
        return True
    try:
        compiled = compile_pattern(pattern.data)
    except PatternError as problem:
        scope.report(value_rules.BAD_PATTERN(pattern.span, reason=problem))
        return True
    if isinstance(value.data, str) and not compiled.fits(value.data):
        found = value_rules.PATTERN(value.span, given=f'"{value.data}"', pattern=pattern.data, what=f"param {name}")
        scope.report(found.note(pattern.span, "set here"))
        return False
    return True


def _shown(value: Value) -> str:
    if isinstance(value.data, str):
        return f'"{value.data}"'
    return show(value.data) or f"a {kind_of(value.data)}"
