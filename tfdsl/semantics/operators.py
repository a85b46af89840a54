"""The operators of expressions, on data that is already evaluated.

Arithmetic is exact: integers, decimals, quantities and durations; a division whose result is not a whole number is an
error. The other operand decides what ``10m`` is. Results are bounded, so that no chain of lets can exhaust memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, name_rules, value_rules
from tfdsl.semantics.values import (
    CONTAINERS,
    POISON,
    Data,
    ListData,
    MapData,
    Poison,
    RunTimeText,
    is_number,
    joined,
    kind_of,
    map_data,
    show,
)
from tfdsl.text import Span
from tfdsl.vocabulary.quantities import Duration, Quantity, Undecided, duration, quantity

if TYPE_CHECKING:
    from decimal import Decimal

LARGEST_NUMBER = 2**63 - 1
LONGEST_TEXT = 1 << 20
LONGEST_LIST = 100_000
HEAVIEST = 20 * LONGEST_LIST
"""The greatest weight of a list or map: :func:`~tfdsl.semantics.values.measure`."""
DEEPEST_VALUE = 40
_LONG_TEXT = "a text can have at most 1 MiB"

_ORDER = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1)}


_AMOUNTS = (Quantity, Duration, Undecided)


def settle(left: Data, right: Data) -> tuple[Data, Data]:
    """Both operands, with ``10m`` read as the other operand's kind."""
    return _settled(left, right), _settled(right, left)


def _settled(data: Data, other: Data) -> Data:
    if isinstance(data, Undecided):
        if isinstance(other, Duration):
            return data.duration
        if isinstance(other, Quantity):
            return data.quantity
    return data


def text_too_long(span: Span) -> Diagnostic:
    """The diagnostic for a text that is too long."""
    return value_rules.TOO_LARGE(span, reason=_LONG_TEXT)


def exhausted(span: Span) -> Diagnostic:
    """The diagnostic for a program that needs too much work."""
    return value_rules.TOO_LARGE(span, reason="the expressions of this file need more work than any job should")


def bounded(data: Data, span: Span) -> Data | Diagnostic:
    """``data``, or a diagnostic when it is too large."""
    reason = None
    if isinstance(data, str):
        reason = _LONG_TEXT if len(data) > LONGEST_TEXT else None
    elif isinstance(data, int):
        reason = "an int can have at most 63 bits" if abs(data) > LARGEST_NUMBER else None
    elif isinstance(data, Quantity):
        reason = "a quantity can have at most 63 bits" if abs(data.milli) > LARGEST_NUMBER * 1000 else None
    elif isinstance(data, Duration):
        reason = "a duration can have at most 63 bits of milliseconds" if abs(data.ms) > LARGEST_NUMBER else None
    elif isinstance(data, CONTAINERS):
        reason = _container_problem(data)
    elif isinstance(data, RunTimeText):
        length = sum(len(part) for part in data.parts if isinstance(part, str))
        reason = _LONG_TEXT if length > LONGEST_TEXT else None
    return data if reason is None else value_rules.TOO_LARGE(span, reason=reason)


def _container_problem(data: ListData | MapData) -> str | None:
    if data.weight > HEAVIEST:
        return f"a list or map can have at most {LONGEST_LIST:,} elements, fewer if they are long"
    return f"lists and maps can be nested at most {DEEPEST_VALUE} deep" if data.depth > DEEPEST_VALUE else None


def binary(op: str, left: Data, right: Data, span: Span) -> Data | Diagnostic:
    """``left op right`` for all operators except ``&&`` and ``||``."""
    if isinstance(left, Poison) or isinstance(right, Poison):
        return POISON
    left, right = settle(left, right)
    if op in ("==", "!="):
        if _holds_poison(left) or _holds_poison(right):
            return POISON
        result = _equal(left, right)
        given: Data | Diagnostic | None = None if result is None else result == (op == "==")
    elif op in _ORDER:
        order = _compare(left, right)
        given = None if order is None else order in _ORDER[op]
    else:
        given = _arithmetic(op, left, right, span)
    if given is None:
        return name_rules.OPERAND_TYPES(span, op=op, left=kind_of(left), right=kind_of(right))
    return given if isinstance(given, bool | Diagnostic) else bounded(given, span)


def _holds_poison(data: Data) -> bool:
    if isinstance(data, ListData):
        return any(_holds_poison(item.data) for item in data.items)
    if isinstance(data, MapData):
        return any(_holds_poison(entry.value.data) for entry in data.entries.values())
    return isinstance(data, Poison)


def _equal(left: Data, right: Data) -> bool | None:
    """Whether the two are equal; ``None`` when their types differ."""
    if isinstance(left, ListData) and isinstance(right, ListData):
        if len(left.items) != len(right.items):
            return False
        pairs = [_equal(*settle(a.data, b.data)) for a, b in zip(left.items, right.items, strict=True)]
        return None if None in pairs else all(pairs)
    if isinstance(left, MapData) and isinstance(right, MapData):
        if left.entries.keys() != right.entries.keys():
            return False
        pairs = [_equal(*settle(e.value.data, right.entries[k].value.data)) for k, e in left.entries.items()]
        return None if None in pairs else all(pairs)
    if isinstance(left, bool) and isinstance(right, bool):
        return left == right
    order = _compare(left, right)
    return None if order is None else order == 0


def _compare(left: Data, right: Data) -> int | None:
    """-1, 0 or 1; ``None`` when the two have no order."""
    a: object
    b: object
    if (is_number(left) and is_number(right)) or (isinstance(left, str) and isinstance(right, str)):
        a, b = left, right
    elif type(left) is type(right) and isinstance(left, _AMOUNTS) and isinstance(right, _AMOUNTS):
        a, b = _units(left), _units(right)
    else:
        return None
    return (a > b) - (a < b)  # type: ignore[operator]  # both are of one ordered kind  # pyright: ignore


def _arithmetic(op: str, left: Data, right: Data, span: Span) -> Data | Diagnostic | None:
    if op == "+":
        if isinstance(left, str | RunTimeText) and isinstance(right, str | RunTimeText):
            return joined(left, right)
        if isinstance(left, ListData) and isinstance(right, ListData):
            if left.weight + right.weight > HEAVIEST:
                return ListData((), left.weight + right.weight)  # too large, which bounded() reports
            return ListData(left.items + right.items, left.weight + right.weight, max(left.depth, right.depth))
        if isinstance(left, MapData) and isinstance(right, MapData):
            return map_data(left.entries | right.entries)
    if is_number(left) and is_number(right):
        return _numbers(op, left, right, span)
    if op == "*" and is_number(left):
        left, right = right, left
    return _amounts(op, left, right, span) if isinstance(left, _AMOUNTS) else None


def _numbers(op: str, left: int | Decimal, right: int | Decimal, span: Span) -> Data | Diagnostic:
    if isinstance(left, int) and isinstance(right, int):
        return _integers(op, left, right, span)
    from decimal import Decimal  # loaded only by programs that have such numbers

    if op in "/%" and right == 0:
        return value_rules.DIVISION_BY_ZERO(span)
    return _decimals(op, Decimal(left), Decimal(right), span)


def _integers(op: str, left: int, right: int, span: Span) -> Data | Diagnostic:
    if op == "+":
        return left + right
    if op == "-":
        return left - right
    if op == "*":
        return left * right
    if right == 0:
        return value_rules.DIVISION_BY_ZERO(span)
    if op == "%":
        return left % right
    quotient, rest = divmod(left, right)
    return value_rules.DIVISION(span, left=left, op="/", right=right) if rest else quotient


def _decimals(op: str, left: Decimal, right: Decimal, span: Span) -> Data | Diagnostic:
    from decimal import Context, Inexact, InvalidOperation, Overflow

    from tfdsl.semantics.scientific import fits

    context = Context(prec=60, traps=[Inexact, InvalidOperation, Overflow])
    work = {"+": context.add, "-": context.subtract, "*": context.multiply, "/": context.divide, "%": context.remainder}
    try:
        result = work[op](left, right)
    except (Inexact, InvalidOperation, Overflow):
        if op == "/":
            return value_rules.DIVISION(span, left=show(left), op=op, right=show(right))
        return value_rules.TOO_LARGE(span, reason="a number can have at most 60 digits")
    result = result.normalize()
    if not fits(result):
        return value_rules.TOO_LARGE(span, reason="a number can have at most 60 digits")
    whole = result == result.to_integral_value() and abs(result) <= LARGEST_NUMBER
    return int(result) if whole else result


def _amounts(op: str, left: Quantity | Duration | Undecided, right: Data, span: Span) -> Data | Diagnostic | None:
    a = _units(left)
    result: Data | Diagnostic | None = None
    if is_number(right) and op in "*/":
        result = _numbers(op, a, right, span)
    elif type(left) is type(right) and isinstance(right, _AMOUNTS):
        b = _units(right)
        if op in "/%":
            result = _numbers(op, a, b, span)
        elif op in "+-":
            result = a + b if op == "+" else a - b
        if op == "/" and isinstance(result, int):
            return result
    if isinstance(result, int):
        return _with_units(left, result)
    if is_number(result) or (isinstance(result, Diagnostic) and result.rule is value_rules.DIVISION):
        return value_rules.DIVISION(span, left=left, op=op, right=show(right))
    return result


def _units(data: Quantity | Duration | Undecided) -> int:
    if isinstance(data, Quantity):
        return data.milli
    return data.ms if isinstance(data, Duration) else data.count


def _with_units(like: Quantity | Duration | Undecided, amount: int) -> Data:
    if isinstance(like, Quantity):
        return quantity(amount)
    return duration(amount) if isinstance(like, Duration) else Undecided(amount, f"{amount}m")
