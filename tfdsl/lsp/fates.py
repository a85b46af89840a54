"""What becomes of a piece of a job on each target: the rows of the support tables that decide about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.backend import Backend, Row, Unit
from tfdsl.compiling import pipeline
from tfdsl.compiling.pipeline import words_of
from tfdsl.record import Record, replace
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary import attributes

if TYPE_CHECKING:
    from tfdsl.ir.fields import Item
    from tfdsl.lsp.snapshot import Snapshot


class Fate(Record):
    """What one target does. ``target``: with its version; ``fate``: a word of the tables; ``to``: the target's field.

    ``text``: how it differs, or why it cannot be; ``when``: a condition that was not looked at.
    """

    target: str
    fate: str
    to: str
    text: str
    when: str = ""


def fates(snapshot: Snapshot, span: Span, keys: Sequence[str], job: ast.Job | None) -> list[Fate]:
    """What each target does with the item at ``span``; if no job compiles, what it does with ``keys`` in general."""
    units = units_of(snapshot, job) if job is not None else []
    found: list[Fate] = []
    for unit in units:
        backend = targets.find(unit.target)
        assert backend is not None
        found += _decided(backend, unit, span)
    return found or [fate for key in keys for fate in _in_general(key)]


def units_of(snapshot: Snapshot, job: ast.Job) -> list[Unit]:
    """``job``, of a matrix its first one, lowered for every target; empty when it has errors."""
    known = snapshot.units.get(job.name.text)
    if known is None:
        known = snapshot.units[job.name.text] = _units(snapshot, job)
    return known


def _units(snapshot: Snapshot, job: ast.Job) -> list[Unit]:
    program = snapshot.program
    choices = list(map(pipeline.Choice, targets.every()))
    checked = pipeline.check(replace(program, jobs=(job,)), replace(snapshot.request, extent="first"), choices)
    if pipeline.has_errors(program.diagnostics) or pipeline.has_errors(checked.diagnostics):
        return []
    by_name = {choice.backend.name: choice.backend for choice in choices}
    return [pipeline.unit_of(by_name[values.target], values) for values in checked.jobs if values.target is not None]


def _decided(backend: Backend, unit: Unit, span: Span) -> Iterable[Fate]:
    """One fate for each row that decides about something written inside ``span``."""
    from tfdsl.ir.fields import walk

    rows: dict[int, tuple[Row, Item]] = {}
    for item in walk(unit.job, unit.origins):
        at = unit.origins.written(item.path)
        if at is not None and at.source.path == span.source.path and span.start <= at.start and at.end <= span.end:
            row = backend.support.decide(unit, item)
            if row is not None:
                rows.setdefault(id(row), (row, item))
    name = f"{unit.target} {unit.shown_version}"
    return [Fate(name, row.fate, row.to, row.text.format_map(words_of(row, unit, item))) for row, item in rows.values()]


class _Open(dict[str, str]):
    """Leaves the fields of a message open."""

    def __missing__(self, key: str) -> str:
        return "…"


def _in_general(key: str) -> Iterable[Fate]:
    for backend in targets.every():
        for row in backend.support[key]:
            when = " ".join(part for part in (f"from {row.since}" if row.since else "", row.words) if part)
            yield Fate(backend.name, row.fate, row.to, row.text.format_map(_Open()), when)


def keys_of(node: object, *, in_role: bool, step: ast.Step | None = None) -> list[str]:
    """The keys of the tables that speak of a statement; ``step``: the one that it is in."""
    if isinstance(node, ast.Step):
        return [f"steps[{node.kind}]"]
    if step is not None:
        return [f"steps[{step.kind}].{node.key.text}"] if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.Assign):
        row = attributes.BY_NAME.get(node.key.text)
        if row is None:
            return []
        whole = row.where == "job" or (row.where == "each" and not in_role)
        return [f"job.{row.name}" if whole else f"roles[].{row.name}"]
    if isinstance(node, ast.Mount):
        return [f"mounts[{node.kind.text}]"]
    if isinstance(node, ast.Output):
        return ["outputs[]"]
    if isinstance(node, ast.Policy):
        event = node.event.name.text
        return [f"policies[{event}]", f"policies[{event}].{node.action.text}"]
    return []
