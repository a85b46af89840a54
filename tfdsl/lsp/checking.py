"""Checking a text that changes: of the jobs only those are done again that a change can have touched.

What a job gives depends on its own text, on the declarations beside the jobs, and on what is asked for. While all of
that stays, what was told about it is told again, moved to where the job stands now. The result is that of
:func:`tfdsl.pipeline.run` on the whole program; a test holds it against that.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, TypeAlias

from tfdsl import pipeline
from tfdsl.record import Record, replace
from tfdsl.semantics.check import Checked
from tfdsl.syntax import ast
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tfdsl.diagnostics.diagnostic import Diagnostic, Fix
    from tfdsl.pipeline import Choice, Outcome, Request
    from tfdsl.semantics.project import Program

Key: TypeAlias = tuple[object, ...]
_READS = re.compile(r"\bfile\s*\(")

MOST_KEPT = 500
"""Jobs of one text whose results are remembered."""


class Layout(Record):
    """Where the declarations beside the jobs, and one job, stand in a text."""

    source: Source
    starts: tuple[int, ...]
    ends: tuple[int, ...]


class Told(Record):
    """What was told about one job: by the language's rules, and (``None``: not asked yet) by all that comes after."""

    layout: Layout
    checked: tuple[Diagnostic, ...]
    used: frozenset[str]
    finished: tuple[Diagnostic, ...] | None


class Part(Record):
    """One job on its way through a check. ``key``: what its results depend on. ``values``: if it was checked now."""

    job: ast.Job
    key: Key
    told: Told
    values: Checked | None


class Checker:
    """Remembers the results of one text from one check to the next.

    Those of the text without and with syntax errors are kept apart: while somebody types, one follows the other.
    """

    def __init__(self) -> None:
        self._told: dict[bool, dict[Key, Told]] = {}

    def run(self, program: Program, request: Request, choices: Sequence[Choice]) -> Outcome:
        """What there is to say about ``program``; nothing is made."""
        targets = tuple(choice.backend for choice in choices)
        if not program.readable:
            return pipeline.Outcome(targets, (), program.diagnostics)
        base = pipeline.check(replace(program, jobs=()), request)
        parts = [self._check(job, program, request, choices) for job in program.jobs]
        told = _once([*base.diagnostics, *(one for part in parts for one in part.told.checked)])
        found = [*program.diagnostics, *told]
        if not pipeline.has_errors(found):
            used = base.used.union(*(part.told.used for part in parts))
            whole = replace(program, diagnostics=())
            found += pipeline.finish(whole, request, (), Checked((), (), used)).diagnostics
            parts = [_finish(part, program, request, choices) for part in parts]
            found += [one for part in parts for one in part.told.finished or ()]
        self._told[program.syntax_errors] = {part.key: part.told for part in parts[:MOST_KEPT] if part.key}
        return pipeline.Outcome(targets, (), tuple(found))

    def _check(self, job: ast.Job, program: Program, request: Request, choices: Sequence[Choice]) -> Part:
        key = _key(job, program, request, choices)
        layout = _layout(job, program)
        known = self._told.get(program.syntax_errors, {}).get(key) if key else None
        moved = None if known is None else _moved(known, layout)
        if moved is not None:
            return Part(job, key, moved, None)
        checked = pipeline.check(replace(program, jobs=(job,)), request, choices)
        return Part(job, key, Told(layout, checked.diagnostics, checked.used, None), checked)


def _finish(part: Part, program: Program, request: Request, choices: Sequence[Choice]) -> Part:
    """Ask about one job what is asked when there is no error."""
    if part.told.finished is not None:
        return part
    alone = replace(program, jobs=(part.job,), diagnostics=())
    values = part.values or pipeline.check(alone, request, choices)
    everything = frozenset((*program.params, *program.lets, *(f"template {name}" for name in program.templates)))
    rest = replace(values, diagnostics=(), used=everything)  # what is unused has been told for the whole program
    finished = pipeline.finish(alone, request, choices, rest).diagnostics
    return Part(part.job, part.key, replace(part.told, finished=finished), None)


def _once(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """As a whole check does: of one rule at one place the first only."""
    once: dict[tuple[str, str, int, int], Diagnostic] = {}
    for one in found:
        once.setdefault((one.rule.code, one.span.source.path, one.span.start, one.span.end), one)
    return list(once.values())


def _key(job: ast.Job, program: Program, request: Request, choices: Sequence[Choice]) -> Key:
    """All that the results of ``job`` depend on; empty when that cannot be told."""
    span = job.span
    text = span.text
    errors = program.syntax_errors
    if _reads(text) or (errors and any(_touches(one.span, span) for one in program.diagnostics)):
        return ()
    main = program.files[0]
    beside = tuple(one.span.text for one in main.declarations if not isinstance(one, ast.Job))
    if any(map(_reads, beside)):
        return ()
    included = tuple((file.source.path, file.source.text) for file in program.files[1:])
    asked = (
        request.profile,
        tuple((one.name, one.source.text) for one in request.params),
        tuple(request.levels.items()),
    )
    targets = tuple((choice.backend.name, choice.version) for choice in choices)
    return (text, errors, beside, included, asked, targets)


def _reads(text: str) -> bool:
    """Whether a text may read a file."""
    return "file" in text and _READS.search(text) is not None


def _touches(one: Span, other: Span) -> bool:
    return one.source.path == other.source.path and one.start <= other.end and other.start <= one.end


# --- moving ----------------------------------------------------------------------------------------------------


def _layout(job: ast.Job, program: Program) -> Layout:
    main = program.files[0]
    spans = [one.span for one in main.declarations if one is job or not isinstance(one, ast.Job)]
    # The job comes first and again in its place: by that, two layouts tell whether it stands among the same ones.
    return Layout(
        main.source, (job.span.start, *(one.start for one in spans)), (job.span.end, *(one.end for one in spans))
    )


class _Mover:
    """Moves spans from one layout to another."""

    def __init__(self, old: Layout, new: Layout) -> None:
        self.old = old
        self.new = new
        self.possible = True

    def span(self, span: Span) -> Span:
        if span.source.path != self.new.source.path:
            return span
        at = bisect_right(self.old.starts, span.start, lo=1) - 1
        if at < 1 or span.start > self.old.ends[at]:
            self.possible = False
            return span
        start = span.start - self.old.starts[at] + self.new.starts[at]
        return Span(self.new.source, start, start + span.end - span.start)

    def diagnostic(self, found: Diagnostic) -> Diagnostic:
        labels = tuple(replace(label, span=self.span(label.span)) for label in found.labels)
        return replace(found, span=self.span(found.span), labels=labels, fixes=tuple(map(self.fix, found.fixes)))

    def fix(self, fix: Fix) -> Fix:
        return replace(fix, edits=tuple(replace(edit, span=self.span(edit.span)) for edit in fix.edits))


def _moved(told: Told, layout: Layout) -> Told | None:
    """``told`` where its job stands now; ``None`` when a place cannot be followed."""
    old = told.layout
    if len(old.starts) != len(layout.starts) or old.starts.index(old.starts[0], 1) != layout.starts.index(
        layout.starts[0], 1
    ):
        return None
    mover = _Mover(old, layout)
    checked = tuple(map(mover.diagnostic, told.checked))
    finished = None if told.finished is None else tuple(map(mover.diagnostic, told.finished))
    return Told(layout, checked, told.used, finished) if mover.possible else None
