"""Numbers, quantities and durations as written in the source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, name_rules, value_rules
from tfdsl.semantics import operators
from tfdsl.semantics.values import Data
from tfdsl.vocabulary.quantities import parse_unit

if TYPE_CHECKING:
    from tfdsl.semantics.scope import Scope
    from tfdsl.syntax import ast

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"  # the module string compiles a pattern at import


def number(expr: ast.Number, scope: Scope, depth: int) -> Data | Diagnostic:
    """The value of a number without a unit."""
    if len(expr.text) > 40:
        return value_rules.TOO_LARGE(expr.span, reason="a number can have at most 40 digits")
    if "e" in expr.text.lower():
        return _scientific(expr)
    if "." in expr.text:
        from decimal import Decimal

        return Decimal(expr.text)
    if expr.text[0] == "0" and len(expr.text) > 1:
        diagnostic = value_rules.LEADING_ZERO(expr.span, text=expr.text).help(f"write {int(expr.text)} for the number")
        return diagnostic.help(f'write "{expr.text}" for a text').replacing("quote it", f'"{expr.text}"')
    return operators.bounded(int(expr.text), expr.span)


def _scientific(expr: ast.Number) -> Data | Diagnostic:
    from decimal import InvalidOperation

    from tfdsl.semantics.scientific import MOST_DIGITS, Scientific, fits

    try:
        number = Scientific(expr.text)
    except InvalidOperation:  # an exponent that is too large for decimal
        number = None
    if number is None or not fits(number):
        reason = f"a number can have at most {MOST_DIGITS} digits before and after the decimal point"
        return value_rules.TOO_LARGE(expr.span, reason=reason)
    return number


def unit(expr: ast.Unit, scope: Scope, depth: int) -> Data | Diagnostic:
    """The value of a number with a unit."""
    if len(expr.text) > 80:
        return value_rules.TOO_LARGE(expr.span, reason="a quantity can have at most 80 characters")
    value = parse_unit(expr.text)
    if value is not None:
        return operators.bounded(value, expr.span)
    diagnostic = name_rules.BAD_UNIT(expr.span, text=expr.text)
    nearest = _nearest_unit(expr.text)
    if nearest is not None:
        return diagnostic.help(f"write {nearest}").replacing(f"write {nearest}", nearest, safe=_is_one_unit(expr.text))
    return diagnostic.help("units are m k M G T P E Ki Mi Gi Ti Pi Ei, and ms s m h d for time (largest first)")


def _nearest_unit(text: str) -> str | None:
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
    unit = text[len(number) :]
    if not number or number[-1] not in "0123456789":
        return None
    table = {
        "gb": "G", "mb": "M", "kb": "k", "tb": "T", "gib": "Gi", "mib": "Mi", "kib": "Ki", "tib": "Ti", "gi": "Gi",
        "mi": "Mi", "ki": "Ki", "ti": "Ti", "g": "G", "k": "k", "t": "T", "min": "m", "mins": "m", "minutes": "m",
        "minute": "m", "sec": "s", "secs": "s", "seconds": "s", "hour": "h", "hours": "h", "hr": "h", "hrs": "h",
        "day": "d", "days": "d",
    }  # fmt: skip
    nearest = table.get(unit.lower())
    return None if nearest in (None, unit) else f"{number}{nearest}"


def _is_one_unit(text: str) -> bool:
    """Whether the unit of ``text`` means the same in every tool: ``16g`` and ``16gb`` are 16Gi for some of them."""
    unit = text[len(text.rstrip(LETTERS)) :]
    return unit.lower() not in ("g", "k", "m", "t") and not (len(unit) == 2 and unit.endswith("b"))
