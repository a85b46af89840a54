"""The bounds of params (language reference, "File": param)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tfdsl.diagnostics import Diagnostic, name_rules, value_rules
from tfdsl.diagnostics.suggest import MOST_LISTED, closest, enumeration, listing, offering, words_of
from tfdsl.record import Record
from tfdsl.semantics import operators
from tfdsl.semantics.conform import conform
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.pattern import PatternError, compile_pattern
from tfdsl.semantics.scope import Scope
from tfdsl.semantics.values import POISON, ListData, Poison, Value, kind_of, show
from tfdsl.syntax import ast
from tfdsl.vocabulary.statements import PARAM_SETTINGS
from tfdsl.vocabulary.types import STRING, ListType, Type

_ORDERED = ("int", "number", "quantity", "duration")
_NAMES = tuple(row.name for row in PARAM_SETTINGS)
_ALIASES = words_of(PARAM_SETTINGS)

DEFAULT = "default"
"""What other languages call the value after the type."""


class Bounds:
    """The settings of one param, read once however many values it gets (from profiles, for example)."""

    def __init__(self, param: ast.Param, to: Type | None, scope: Scope) -> None:
        self._name = param.name.text
        self._scope = scope
        self._limits = [_limit(param, setting, to, scope) for setting in _legal(param, scope)]
        nothing = _contradiction(param, self._limits)
        if nothing is not None:  # otherwise every value would be reported again
            scope.report(nothing)
            self._limits = []

    def keep(self, value: Value) -> Value:
        """``value``, or poison when it is not within the bounds."""
        kept = value
        for limit in self._limits:
            if limit is not None and not _holds(self._name, limit, kept, self._scope):
                kept = Value(POISON, value.span)
        return kept


class _Limit(Record):
    """The bound of one setting. ``texts``: the strings of ``one_of``, for lookup."""

    setting: ast.Assign
    value: Value
    texts: frozenset[str] = frozenset()


def _legal(param: ast.Param, scope: Scope) -> Iterator[ast.Assign]:
    seen: dict[str, ast.Name] = {}
    for setting in param.settings:
        key = setting.key
        first = seen.setdefault(key.text, key)
        if first is not key:
            diagnostic = name_rules.DUPLICATE_KEY(key.span, name=key.text).marked("set again here")
            scope.report(diagnostic.note(first.span, "first set here"))
        elif _fits(key, param.type.name.text, scope):
            yield setting


def _fits(key: ast.Name, kind: str, scope: Scope) -> bool:
    if key.text not in _NAMES:
        near = closest(key.text, _NAMES, _ALIASES)
        diagnostic = name_rules.UNKNOWN_SETTING(key.span, where="a param", name=key.text)
        if key.text == DEFAULT:
            scope.report(diagnostic.help("write the default after the type: param workers: int = 4"))
        elif near is not None:
            scope.report(offering(diagnostic, near, _NAMES, _ALIASES))
        else:
            scope.report(diagnostic.help(f"it has {enumeration(_NAMES)}"))
        return False
    if (key.text in ("min", "max") and kind not in _ORDERED) or (key.text == "pattern" and kind != "string"):
        scope.report(name_rules.SETTING_HERE(key.span, name=key.text, type=kind))
        return False
    return True


def _limit(param: ast.Param, setting: ast.Assign, to: Type | None, scope: Scope) -> _Limit | None:
    """The bound of ``setting``; ``None`` when it has none, or is wrong and reported."""
    key, name = setting.key.text, param.name.text
    what = f"{key} of param {name}"
    value = evaluate(setting.value, scope)
    if key in ("description", "pattern"):
        value = conform(value, STRING, what, scope.report)
        return _Limit(setting, value) if key == "pattern" and isinstance(value.data, str) else None
    if to is None:
        return None
    value = conform(value, ListType(to) if key == "one_of" else to, what, scope.report)
    if isinstance(value.data, Poison):
        return None
    if key != "one_of":
        return _Limit(setting, value)
    choices = value.data.items if isinstance(value.data, ListData) else ()
    if not choices:
        scope.report(value_rules.OUT_OF_RANGE(value.span, what=what, expected="a list with a value", given="[]"))
    if not choices or any(isinstance(choice.data, Poison) for choice in choices):
        return None
    return _Limit(setting, value, frozenset(choice.data for choice in choices if isinstance(choice.data, str)))


def _contradiction(param: ast.Param, limits: Iterable[_Limit | None]) -> Diagnostic | None:
    """The diagnostic if ``min``, ``max`` and ``one_of`` together allow no value."""
    at = {limit.setting.key.text: limit for limit in limits if limit is not None}
    low, high, choices = at.get("min"), at.get("max"), at.get("one_of")
    if low is not None and high is not None and _is(low.value, ">", high.value):
        reason = f"min {_shown(low.value)} is more than max {_shown(high.value)}"
        between = [low, high]
    elif choices is not None and _none_within(choices.value, low, high):
        between = [limit for limit in (low, high, choices) if limit is not None]
        reason = f"no value of one_of fits {' and '.join(limit.setting.key.text for limit in between[:-1])}"
    else:
        return None
    diagnostic = value_rules.PARAM_WITHOUT_VALUES(param.name.span, name=param.name.text, reason=reason)
    for limit in between:
        diagnostic = diagnostic.note(limit.setting.span, "set here")
    return diagnostic


def _none_within(choices: Value, low: _Limit | None, high: _Limit | None) -> bool:
    """Whether each of the ``choices`` is below ``low`` or above ``high``."""
    return isinstance(choices.data, ListData) and all(
        (low is not None and _is(item, "<", low.value)) or (high is not None and _is(item, ">", high.value))
        for item in choices.data.items
    )


def _is(left: Value, op: str, right: Value) -> bool:
    return operators.binary(op, left.data, right.data, left.span) is True


def _holds(name: str, limit: _Limit, value: Value, scope: Scope) -> bool:
    """Whether ``value`` of the param ``name`` is within ``limit``; reported if not."""
    key = limit.setting.key.text
    if key == "pattern":
        return _matches(name, limit.value, value, scope)
    if isinstance(value.data, Poison):
        return True
    if key == "one_of":
        choices = limit.value.data.items if isinstance(limit.value.data, ListData) else ()
        if isinstance(value.data, str):
            is_one = value.data in limit.texts
        else:
            is_one = any(operators.binary("==", value.data, choice.data, value.span) is True for choice in choices)
        if is_one:
            return True
        many = len(choices) > MOST_LISTED
        expected = f"one of {len(choices):,} values" if many else listing(_shown(choice) for choice in choices)
    else:
        op = ">=" if key == "min" else "<="
        if operators.binary(op, value.data, limit.value.data, value.span) is not False:
            return True
        expected = f"at {'least' if key == 'min' else 'most'} {_shown(limit.value)}"
    diagnostic = value_rules.PARAM_RANGE(value.span, name=name, expected=expected, given=_shown(value))
    scope.report(diagnostic.note(limit.setting.span, "set here"))
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
        diagnostic = value_rules.PATTERN(
            value.span, given=f'"{value.data}"', form=f"match {pattern.data}", what=f"param {name}"
        )
        scope.report(diagnostic.note(pattern.span, "set here"))
        return False
    return True


def _shown(value: Value) -> str:
    if isinstance(value.data, str):
        return f'"{value.data}"'
    return show(value.data) or f"a {kind_of(value.data)}"
