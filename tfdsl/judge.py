"""What a target says of a job: what its support table changes or refuses, and what its own checks find."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.diagnostics import Diagnostic, shortened
from tfdsl.record import replace
from tfdsl.support import Row, spoken

if TYPE_CHECKING:
    from tfdsl.backend import Backend, Unit
    from tfdsl.ir.fields import Item
    from tfdsl.text import Span


def verdict(backend: Backend, unit: Unit) -> list[Diagnostic]:
    """Everything that the target says of the job, marked as the target's, whose name begins each message."""
    diagnostics = [*judge(backend, unit), *backend.load().check(unit)]
    return [replace(one, target=backend.name, message=f"{backend.name}: {one.message}") for one in diagnostics]


def judge(backend: Backend, unit: Unit) -> list[Diagnostic]:
    """What the support table says of everything that the job sets.

    One diagnostic per row and place, however many roles inherit the value.

    Raises:
        LookupError: the table has a hole, so that something would be lost without a word.
    """
    from tfdsl.ir.fields import walk

    diagnostics: dict[tuple[str, Span], Diagnostic] = {}
    items = list(walk(unit.job, unit.origins))
    others = _Others(backend, unit, items)
    for item in items:
        row = backend.support.decide(unit, item)
        if row is None:
            if not backend.support[item.key]:
                raise LookupError(f"the support table of {backend.name} has no row for {item.key}")
            continue  # a part of something that is refused as a whole
        diagnostic = _report(backend, unit, item, row)
        if diagnostic is None or (diagnostic.rule.code, diagnostic.span) in diagnostics:
            continue
        if row.fate == "refused" and not names_other(row.instead, backend.name):
            diagnostic = diagnostic.help(others.advice(item))
        diagnostics[diagnostic.rule.code, diagnostic.span] = diagnostic
    return list(diagnostics.values())


def _report(backend: Backend, unit: Unit, item: Item, row: Row) -> Diagnostic | None:
    span = unit.origins.written(item.path)
    if row.rule is None or (row.default == "silent" if span is None else row.fate == "translated"):
        return None
    values = words_of(row, unit, item)
    message = row.rule.message.format_map({key: shortened(value) for key, value in values.items()})
    level = "info" if span is None else row.rule.level
    diagnostic = Diagnostic(row.rule, level, message, span or unit.origins.span(item.path))
    if row.instead:
        diagnostic = diagnostic.help(row.instead.format_map(values))
    return replace(diagnostic, approximation=row.fate == "approximated" and span is not None)


def words_of(row: Row, unit: Unit, item: Item) -> dict[str, str]:
    """What the fields in the texts of ``row`` stand for, for one item."""
    values = {"value": item.shown, "role": item.role, "job": unit.job.name, "key": spoken(item.key)}
    return values if row.fill is None else values | dict(row.fill(unit, item))


def names_other(advice: str, target: str) -> bool:
    """Whether ``advice`` names a target other than ``target``, or says that there is none."""
    named = re.findall(r"\w+", " ".join(re.findall(r"(?:compile to|target) ([^;(]*)", advice.lower())))
    return "no target can" in advice or any(name in named for name in targets.names() if name != target)


class _Others:
    """What the other built-in targets would make of things that ``backend`` refuses, at their defaults."""

    def __init__(self, backend: Backend, unit: Unit, items: Sequence[Item]) -> None:
        self._backend = backend
        self._unit = unit
        self._items = items
        self._units: list[tuple[Backend, Unit]] = []
        self._by_node: dict[int, list[Item]] = {}

    def advice(self, item: Item) -> str:
        """Which other targets take ``item``, as a line of help."""
        from tfdsl.diagnostics.suggest import listing

        if not self._units:
            self._prepare()
        able = [other.name for other, there in self._units if self._takes(other, there, item)]
        return f"compile to {listing(able)}, which can" if able else "no target can"

    def _prepare(self) -> None:
        for other in targets.built_in():
            if other is not self._backend:
                options = {option.name: option.default for option in other.options}
                there = replace(self._unit, target=other.name, version=other.default_version, options=options)
                self._units.append((other, replace(there, option_spans={}, named="")))
        for one in self._items:
            self._by_node.setdefault(id(one.node), []).append(one)

    def _takes(self, other: Backend, there: Unit, item: Item) -> bool:
        """Whether nothing is refused of ``item``, nor of the mount, output, step or policy that it belongs to."""
        whole = item.key.startswith(("mounts", "outputs", "steps", "policies"))
        parts = self._by_node[id(item.node)] if whole else [item]
        rows = [other.support.decide(there, part) for part in parts]
        return all(row is not None and row.fate != "refused" for row in rows)
