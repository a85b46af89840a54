"""Checking a text that changes: of the jobs only those are done again that a change can have touched.

What a job gives depends on its own text, on the lets and templates that it names (and those that they name), on the
other declarations beside the jobs, and on what is asked for. While all of that stays, what was told about it is told
again, moved to where the job stands now. The result is that of :func:`tfdsl.pipeline.run` on the whole program; a test
holds it against that.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from tfdsl import pipeline
from tfdsl.record import Record, replace
from tfdsl.semantics.check import Checked
from tfdsl.syntax import _tables as tables
from tfdsl.syntax import ast
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tfdsl.diagnostics.diagnostic import Diagnostic, Fix
    from tfdsl.pipeline import Choice, Outcome, Request
    from tfdsl.semantics.project import Program

Key: TypeAlias = tuple[object, ...]
Place: TypeAlias = tuple[str, str, int, int]
"""What makes two messages one: the rule and the span."""
_WORD = re.compile(tables.NAME_PATTERN)
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
        beside = Beside(program, request, choices)
        told_beside = frozenset(map(_place, base.diagnostics))
        parts = [self._check(job, beside, told_beside) for job in program.jobs]
        told = _once([*base.diagnostics, *(one for part in parts for one in part.told.checked)])
        found = [*program.diagnostics, *told]
        if not pipeline.has_errors(found):
            used = base.used.union(*(part.told.used for part in parts))
            whole = replace(program, diagnostics=())
            finished = pipeline.finish(whole, request, (), Checked((), (), used)).diagnostics
            found += finished
            told_beside = frozenset(map(_place, finished))
            parts = [_finish(part, beside, told_beside) for part in parts]
            found += [one for part in parts for one in part.told.finished or ()]
        self._told[program.syntax_errors] = {part.key: part.told for part in parts[:MOST_KEPT] if part.key}
        return pipeline.Outcome(targets, (), tuple(found))

    def _check(self, job: ast.Job, beside: Beside, told: frozenset[Place]) -> Part:
        """``told``: what is said beside the jobs, which every job alone says too."""
        program = beside.program
        names, key = beside.key(job)
        layout = _layout(job, program)
        known = self._told.get(program.syntax_errors, {}).get(key) if key else None
        moved = None if known is None else _moved(known, layout)
        if moved is not None:
            return Part(job, key, moved, None)
        checked = pipeline.check(replace(program, jobs=(job,)), beside.request, beside.choices)
        own = _without(checked.diagnostics, told)
        return Part(job, key, Told(layout, own, checked.used & names if key else checked.used, None), checked)


def _finish(part: Part, beside: Beside, told: frozenset[Place]) -> Part:
    """Ask about one job what is asked when there is no error."""
    if part.told.finished is not None:
        return part
    program, request, choices = beside.program, beside.request, beside.choices
    alone = replace(program, jobs=(part.job,), diagnostics=())
    values = part.values or pipeline.check(alone, request, choices)
    everything = frozenset((*program.params, *program.lets, *(f"template {name}" for name in program.templates)))
    rest = replace(values, diagnostics=(), used=everything)  # what is unused has been told for the whole program
    finished = pipeline.finish(alone, request, choices, rest).diagnostics
    return Part(part.job, part.key, replace(part.told, finished=_without(finished, told)), None)


def _place(one: Diagnostic) -> Place:
    return one.rule.code, one.span.source.path, one.span.start, one.span.end


def _without(found: Iterable[Diagnostic], told: frozenset[Place]) -> tuple[Diagnostic, ...]:
    return tuple(one for one in found if _place(one) not in told)


def _once(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """As a whole check does: of one rule at one place the first only."""
    once: dict[Place, Diagnostic] = {}
    for one in found:
        once.setdefault(_place(one), one)
    return list(once.values())


class Beside:
    """All but the jobs that their results depend on, looked at once for all of them."""

    def __init__(self, program: Program, request: Request, choices: Sequence[Choice]) -> None:
        self.program = program
        self.request = request
        self.choices = choices
        self._named: dict[str, list[tuple[str, frozenset[str]]]] = {}
        others: list[str] = []
        for one in program.files[0].declarations:
            text = one.span.text
            if isinstance(one, ast.Let | ast.Template):
                self._named.setdefault(one.name.text, []).append((text, _words(text)))
            elif not isinstance(one, ast.Job):
                others.append(text)
        self._words = frozenset[str]().union(*map(_words, others))
        self._reads = any(map(_reads, (*others, *(text for found in self._named.values() for text, _ in found))))
        self._asked = (
            *(program.syntax_errors, tuple(others), tuple(self._named), request.profile),
            tuple((file.source.path, file.source.text) for file in program.files[1:]),
            tuple((one.name, one.source.text) for one in request.params),
            tuple(request.levels.items()),
            tuple((choice.backend.name, choice.version) for choice in choices),
        )

    def key(self, job: ast.Job) -> tuple[frozenset[str], Key]:
        """The names that ``job`` can lead to, and all that its results depend on: empty when that cannot be told."""
        span, text = job.span, job.span.text
        program = self.program
        broken = program.syntax_errors and any(_touches(one.span, span) for one in program.diagnostics)
        if self._reads or broken or _reads(text):
            return frozenset(), ()
        words, texts = self._reached(self._words | _words(text))
        return words.union(f"template {word}" for word in words), (text, *texts, *self._asked)

    def _reached(self, words: frozenset[str]) -> tuple[frozenset[str], list[str]]:
        """What can be named from ``words`` on, and the texts of the lets and templates among that, in file order."""
        seen, todo = set(words), list(words)
        while todo:
            for _, more in self._named.get(todo.pop(), ()):
                todo += more - seen
                seen |= more
        return frozenset(seen), [text for name, found in self._named.items() if name in seen for text, _ in found]


@lru_cache(maxsize=2 * MOST_KEPT)
def _words(text: str) -> frozenset[str]:
    """All that may be a name in a text."""
    return frozenset(_WORD.findall(text))


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
