"""The types that params are declared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, name_rules
from tfdsl.diagnostics.suggest import alias_table, closest, enumeration, offering
from tfdsl.vocabulary.statements import PARAM_TYPES
from tfdsl.vocabulary.types import BOOL, COUNT, DURATION, INT, NUMBER, STRING, ListType, MapType, Type

if TYPE_CHECKING:
    from tfdsl.syntax import ast

DEEPEST_TYPE = 8
"""The most levels of ``list<…>`` and ``map<…>`` in one type."""

_SIMPLE: dict[str, Type] = {
    "int": INT,
    "number": NUMBER,
    "string": STRING,
    "bool": BOOL,
    "quantity": COUNT,
    "duration": DURATION,
}
_ALIASES = alias_table(
    [
        ("string", ("str", "text")),
        ("int", ("integer",)),
        ("number", ("float", "double")),
        ("bool", ("boolean",)),
        ("list", ("array",)),
        ("map", ("object", "dict")),
        ("quantity", ("memory",)),
        ("duration", ("time",)),
    ],
    [("string", ("path", "secureString")), ("list", ("set", "tuple")), ("quantity", ("size", "bytes"))],
)
"""What other languages call the types."""


def read_type(ref: ast.TypeRef, report: Callable[[Diagnostic], None]) -> Type | None:
    """The type that ``ref`` names; ``None``, with a report, when it does not exist."""
    around: list[ast.TypeRef] = []
    inner: ast.TypeRef | None = ref
    while inner is not None and inner.name.text in ("list", "map"):
        around.append(inner)
        inner = inner.of
    if len(around) > DEEPEST_TYPE:
        problem = f"can be nested at most {DEEPEST_TYPE} deep"
        report(name_rules.TYPE_ARGUMENT(around[DEEPEST_TYPE].name.span, name="a type", problem=problem))
        return None
    if inner is None:
        last = around[-1]
        problem = f"needs a type: {last.name.text}<string>"
        report(name_rules.TYPE_ARGUMENT(last.span, name=last.name.text, problem=problem))
        return None
    result = _simple(inner, report)
    for outer in reversed(around):
        result = None if result is None else ListType(result) if outer.name.text == "list" else MapType(result)
    return result


def _simple(ref: ast.TypeRef, report: Callable[[Diagnostic], None]) -> Type | None:
    name = ref.name.text
    if not name:
        return None  # it is missing, which has been reported
    if name not in _SIMPLE:
        diagnostic = name_rules.UNKNOWN_TYPE(ref.name.span, name=name)
        near = closest(name, PARAM_TYPES, _ALIASES)
        if near is not None:
            report(offering(diagnostic, near, PARAM_TYPES, _ALIASES))
        else:
            report(diagnostic.help(f"types are {enumeration(PARAM_TYPES)}"))
        return None
    if ref.of is not None:
        report(name_rules.TYPE_ARGUMENT(ref.span, name=name, problem="cannot have a type in < >"))
        return None
    return _SIMPLE[name]
