"""The combinations of a matrix: one job is made of each.

An axis is a list of values of one scalar type. The combinations are in the order in which nested loops would give them,
the last axis fastest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, name_rules, value_rules
from tfdsl.record import Record
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.operators import settle
from tfdsl.semantics.scope import Scope
from tfdsl.semantics.values import (
    CONTAINERS,
    POISON,
    Data,
    ListData,
    Poison,
    Reference,
    RunTimeText,
    Value,
    a_kind,
    kind_of,
    show,
    with_article,
)
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary.quantities import Undecided
from tfdsl.vocabulary.statements import INDEX

if TYPE_CHECKING:
    Report = Callable[[Diagnostic], None]

MOST_JOBS = 1000
"""The most jobs that the matrices of one file can make."""

MOST_COUNTED = 10**9
MOST_FACTORS = 8
"""What a message about too many jobs shows."""

MOST_SAMPLED = 100
"""The most jobs of one matrix that an editor checks at a keystroke."""


class Combination(Record):
    """One value of each axis. ``matrix``: the word that its block begins with; ``count``: how many combinations it has.

    ``sampled``: the first combination, or one of the first that differ from it in one axis alone.

    ``broken``: the matrix has an error, so that no value is known of an axis that it does not have.
    """

    index: int
    values: Mapping[str, Value]
    matrix: Span
    count: int = 1
    sampled: bool = True
    broken: bool = False

    def shown(self) -> str:
        """``lr = 1e-3, size = "small"``."""
        return ", ".join(f"{name} = {_written(value.data)}" for name, value in self.values.items())


def _written(data: Data) -> str | None:
    return f'"{data}"' if isinstance(data, str) else show(data)


def combinations(matrix: ast.Matrix, scope: Scope, room: int) -> Sequence[Combination]:
    """All combinations of ``matrix``, whose axes see the names of ``scope``; one, broken, if it has an error.

    ``room``: how many more jobs the matrices of the file can make.
    """
    axes = _axes(matrix, scope)
    broken = not axes or any(values is None for values in axes.values())
    lists = [values or (Value(POISON, matrix.word),) for values in axes.values()]
    count = math.prod(map(len, lists))
    if not broken and count > room:
        scope.report(_too_many(matrix, lists, count, room))
    if broken or count > room:
        first = {name: values[0] for name, values in zip(axes, lists, strict=True)}
        return [Combination(0, first, matrix.word, broken=broken)]
    found: list[Combination] = []
    samples = 0
    for index, values in enumerate(product(*lists)):
        further = sum(value is not axis[0] for value, axis in zip(values, lists, strict=True))
        sampled = further <= 1 and samples < MOST_SAMPLED
        samples += sampled
        found.append(Combination(index, dict(zip(axes, values, strict=True)), matrix.word, count, sampled))
    return found


def _too_many(matrix: ast.Matrix, lists: Iterable[Sequence[Value]], count: int, room: int) -> Diagnostic:
    lengths = [len(values) for values in lists]
    shown = f"{count:,}" if count <= MOST_COUNTED else f"more than {MOST_COUNTED:,}"
    if 1 < len(lengths) <= MOST_FACTORS and count <= MOST_COUNTED:
        shown = f"{' × '.join(map(str, lengths))} = {shown}"
    error = value_rules.TOO_MANY_JOBS(matrix.word, count=shown, most=f"{MOST_JOBS:,}")
    if room < MOST_JOBS:
        error = error.help(f"the matrices above make {MOST_JOBS - room:,} jobs already")
    return error


# --- axes ------------------------------------------------------------------------------------------------------


def _axes(matrix: ast.Matrix, scope: Scope) -> dict[str, tuple[Value, ...] | None]:
    """Axis → its values, ``None`` if they are wrong."""
    axes: dict[str, tuple[Value, ...] | None] = {}
    keys: dict[str, ast.Name] = {}
    for assign in matrix.axes:
        key = assign.key
        first = keys.setdefault(key.text, key)
        if first is not key:
            diagnostic = name_rules.DUPLICATE_KEY(key.span, name=key.text)
            scope.report(diagnostic.note(first.span, "first set here").marked("set again here"))
            axes[key.text] = None
            continue
        problem = _name_problem(key)
        if problem is not None:
            scope.report(value_rules.BAD_AXIS(key.span, problem=problem))
        values = _values(assign, scope)
        axes[key.text] = values if problem is None else None
    if not matrix.axes:
        problem = "a matrix needs at least one axis"
        scope.report(value_rules.BAD_AXIS(matrix.word, problem=problem).help("for example matrix { lr = [0.1, 1e-3] }"))
    return axes


def _name_problem(key: ast.Name) -> str | None:
    if key.text == INDEX:
        return "matrix.index counts the jobs; an axis needs another name"
    if key.quoted and not (key.text.isascii() and key.text.isidentifier()):
        return f'"{key.text}" cannot be the name of an axis: use letters, digits and _'
    return None


def _values(assign: ast.Assign, scope: Scope) -> tuple[Value, ...] | None:
    """The values of one axis, settled to one type."""
    name, value = assign.key.text, evaluate(assign.value, scope)
    data = value.data
    if isinstance(data, Poison):
        return None
    if not isinstance(data, ListData):
        error = name_rules.WRONG_TYPE(value.span, what=f"axis {name}", expected="a list", given=a_kind(data))
        if not isinstance(data, (*CONTAINERS, Reference, RunTimeText)):
            text = f"[{value.span.text}]"
            error = error.help(f"write {text}").replacing(f"write {text}", text)
        scope.report(error)
        return None
    if not data.items:
        scope.report(value_rules.BAD_AXIS(value.span, problem=f"axis {name} has no values"))
        return None
    return _of_one_type(name, data.items, scope)


def _of_one_type(name: str, items: tuple[Value, ...], scope: Scope) -> tuple[Value, ...] | None:
    decided = next((item.data for item in items if not isinstance(item.data, Undecided | Poison)), items[0].data)
    settled: list[Value] = []
    kinds: dict[str, None] = {}
    wrong = False
    for item in items:
        data = settle(item.data, decided)[0]
        if isinstance(data, Poison):
            wrong = True
            continue
        if isinstance(data, (*CONTAINERS, Reference, RunTimeText)):
            expected = "a string, number, bool, quantity or duration"
            scope.report(
                name_rules.WRONG_TYPE(item.span, what=f"a value of axis {name}", expected=expected, given=a_kind(data))
            )
            wrong = True
            continue
        kinds.setdefault(kind_of(data))
        if len(kinds) > 1 and kinds.keys() != {"int", "number"}:
            first = next(iter(kinds))
            what, expected = f"a value of axis {name}", f"{with_article(first)} like the first"
            scope.report(name_rules.WRONG_TYPE(item.span, what=what, expected=expected, given=a_kind(data)))
            return None
        settled.append(Value(data, item.span))
    return None if wrong else tuple(settled)
