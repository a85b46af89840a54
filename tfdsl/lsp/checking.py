"""Checking a text that changes: of the jobs only those are done again that a change can have touched.

What a job gives depends on its own text, on the lets and templates that it names (and those that they name), on the
other declarations beside the jobs, and on what is asked for. While all of that stays, its diagnostics stay, moved to
where the job is now. The result is that of :func:`tfdsl.compiling.pipeline.run` on the whole program; a test compares
the two. Of a matrix, only the first job and one for each further value of an axis are checked.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Generator, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from tfdsl.compiling import pipeline
from tfdsl.compiling.pipeline import Choice, Outcome, Request
from tfdsl.diagnostics.diagnostic import Diagnostic, Fix, Label
from tfdsl.diagnostics.name_rules import ABSENT_JOBS
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.semantics.check import Checked, independent
from tfdsl.semantics.project import Program
from tfdsl.syntax import _tables as tables
from tfdsl.syntax import ast
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from tfdsl.semantics.unset_check import Miss

Key: TypeAlias = tuple[object, ...]
Place: TypeAlias = tuple[str, str, int, int]
"""What makes two messages one: the rule and the span."""
_WORD = regex(tables.NAME_PATTERN)
_READS = regex(r"\b(?:env_)?file\s*\(")

MOST_KEPT = 500
"""Jobs of one text whose results are remembered."""


class Layout(Record):
    """Where one job is in a text, and where the declarations that are not jobs begin and end."""

    source: Source
    job: Span
    starts: tuple[int, ...]
    ends: tuple[int, ...]


class Result(Record):
    """The diagnostics of one job: of the language's rules, and (``None``: not asked for yet) of all that comes after.

    ``used``: the names beside the jobs that it uses. ``unset``: what it has for each ``unset``, which may be in a
    template that other jobs use, too; ``not_unset``: what it has not. ``conditions``: whether each condition held.
    """

    layout: Layout
    checked: tuple[Diagnostic, ...]
    used: frozenset[str]
    finished: tuple[Diagnostic, ...] | None
    unset: tuple[Span, ...] = ()
    not_unset: tuple[Miss, ...] = ()
    conditions: tuple[tuple[Span, bool], ...] = ()


class _Job:
    """One job on its way through a check. ``key``: what its result depends on; ``values``: if it was checked now."""

    __slots__ = ("key", "node", "result", "values")

    def __init__(self, node: ast.Job, key: Key, result: Result, values: Checked | None) -> None:
        self.node = node
        self.key = key
        self.result = result
        self.values = values


class Checker:
    """Remembers the results of its jobs, from one check to the next."""

    def __init__(self) -> None:
        self._results: dict[Key, Result] = {}

    def copy(self) -> Checker:
        """Another one that knows the same."""
        made = Checker()
        made._results.update(self._results)
        return made

    def run(self, program: Program, request: Request, choices: Sequence[Choice]) -> Generator[None, None, Outcome]:
        """The diagnostics of ``program``; nothing is made. One step is the work for one job."""
        targets = tuple(choice.backend for choice in choices)
        if not program.readable:
            return pipeline.Outcome(targets, (), tuple(pipeline.levelled(program.diagnostics, request.levels)))
        # What follows from syntax errors is left out at the end: by itself, a job does not depend on them.
        whole = replace(program, diagnostics=())
        base = pipeline.check(whole, replace(request, extent="names"))
        beside = _Beside(program, replace(request, extent="sample"), choices, base.diagnostics)
        jobs: list[_Job] = []
        for node in program.jobs:
            job = self._known(node, beside)
            if job is None:
                job = self._checked(node, beside)
                yield
            jobs.append(job)
        found = _once([*base.diagnostics, *(each for job in jobs for each in job.result.checked)])
        found += _unsets(jobs)
        if program.syntax_errors:
            found = independent(found, program)
        found = [*program.diagnostics, *found]
        if not pipeline.has_errors(found):
            used = base.used.union(*(job.result.used for job in jobs))
            finished = pipeline.finish(whole, request, (), Checked((), (), used)).diagnostics
            beside.reported = frozenset(map(_place, finished))
            found += finished
            for job in jobs:
                if job.result.finished is None:
                    self._finish(job, beside)
                    yield
                found += job.result.finished or ()
        self._results = {job.key: job.result for job in jobs[:MOST_KEPT] if job.key}
        conditions: dict[Span, bool] = {}
        for place, held in (each for job in jobs for each in job.result.conditions):
            conditions[place] = conditions.get(place, False) or held
        levelled = pipeline.levelled(found, request.levels)
        return pipeline.Outcome(targets, (), tuple(levelled), conditions)

    def _known(self, node: ast.Job, beside: _Beside) -> _Job | None:
        key = beside.key(node)
        result = self._results.get(key) if key else None
        moved = _moved(result, beside.layout(node)) if result is not None else None
        return None if moved is None else _Job(node, key, moved, None)

    def _checked(self, node: ast.Job, beside: _Beside) -> _Job:
        """What the language's rules say of one job."""
        key = beside.key(node)
        values = pipeline.check(beside.alone(node), beside.request, beside.choices)
        used = values.used & beside.names(node) if key else values.used
        own = _without(values.diagnostics, beside.reported)  # what is wrong beside the jobs, each of them reports again
        own = tuple([one for one in own if one.rule is not ABSENT_JOBS])  # which is about all jobs together
        result = Result(beside.layout(node), own, used, None, conditions=tuple(values.conditions.items()))
        if values.unsets is not None:
            own = _without(own, frozenset(map(_place, values.unsets.left())))
            unset, missed = tuple(values.unsets.took.values()), tuple(values.unsets.missed.values())
            result = replace(result, checked=own, unset=unset, not_unset=missed)
        return self._keep(_Job(node, key, result, values))

    def _finish(self, job: _Job, beside: _Beside) -> None:
        """What is asked about one job when there is no error."""
        alone = beside.alone(job.node)
        values = job.values or pipeline.check(alone, beside.request, beside.choices)
        # What is unused has been reported for the whole program.
        rest = replace(values, diagnostics=(), used=beside.all_names)
        finished = pipeline.finish(alone, beside.request, beside.choices, rest).diagnostics
        job.result = replace(job.result, finished=_without(finished, beside.reported))
        job.values = None
        self._keep(job)

    def _keep(self, job: _Job) -> _Job:
        """Remember a result at once: the check may end before its last job."""
        if job.key and (len(self._results) < 2 * MOST_KEPT or job.key in self._results):
            self._results[job.key] = job.result
        return job


def _unsets(jobs: Iterable[_Job]) -> list[Diagnostic]:
    """What no job has for an ``unset``."""
    results = [job.result for job in jobs if job.result.unset or job.result.not_unset]
    if not results:
        return []
    from tfdsl.semantics.unset_check import Unsets

    unsets = Unsets()
    for result in results:
        unsets.add(result.unset, result.not_unset)
    return list(unsets.left())


def _place(one: Diagnostic) -> Place:
    return one.rule.code, one.span.source.path, one.span.start, one.span.end


def _without(found: Iterable[Diagnostic], reported: frozenset[Place]) -> tuple[Diagnostic, ...]:
    return tuple(one for one in found if _place(one) not in reported)


def _once(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """As a whole check does: of one rule at one place the first only."""
    once: dict[Place, Diagnostic] = {}
    for one in found:
        once.setdefault(_place(one), one)
    return list(once.values())


class _Beside:
    """All that results depend on but the jobs themselves, looked at once for all of them.

    ``reported``: what has been reported beside the jobs.
    """

    def __init__(
        self, program: Program, request: Request, choices: Sequence[Choice], reported: Iterable[Diagnostic]
    ) -> None:
        self.program = program
        self.request = request
        self.choices = choices
        self.reported = frozenset(map(_place, reported))
        self.all_names = frozenset(
            (*program.params, *program.lets, *(f"template {name}" for name in program.templates))
        )
        self._wrong = [one.span for one in program.diagnostics] if program.syntax_errors else []
        self._named: dict[str, list[str]] = {}
        self._reached: dict[frozenset[str], tuple[str, ...]] = {}
        others: list[str] = []
        main = program.files[0]
        spans = [one.span for one in main.declarations if not isinstance(one, ast.Job)]
        self._source = main.source
        self._starts = tuple(span.start for span in spans)
        self._ends = tuple(span.end for span in spans)
        for one in main.declarations:
            if isinstance(one, ast.Let | ast.Template):
                self._named.setdefault(one.name.text, []).append(one.span.text)
            elif not isinstance(one, ast.Job):
                others.append(one.span.text)
        self._names = frozenset(self._named)
        self._words = frozenset[str]().union(*map(_words, others))
        self._reads = any(map(_reads, others))
        self._asked = (
            *(tuple(others), tuple(self._named), request.profile),
            tuple((file.source.path, file.source.text) for file in program.files[1:]),
            tuple((one.name, one.source.text) for one in request.params),
            (tuple(request.levels.items()), request.gpus_per_node, tuple(request.labels.items())),
            tuple((choice.backend.name, choice.version) for choice in choices),
        )

    def alone(self, job: ast.Job) -> Program:
        """The program with one job, as if it could be read whole."""
        return replace(self.program, jobs=(job,), diagnostics=())

    def layout(self, job: ast.Job) -> Layout:
        """Where ``job`` and all beside the jobs is."""
        return Layout(self._source, job.span, self._starts, self._ends)

    def key(self, job: ast.Job) -> Key:
        """All that the result of ``job`` depends on; empty when that is not known."""
        span = job.span
        text = span.text
        if self._reads or _reads(text) or any(_touches(one, span) for one in self._wrong):
            return ()
        texts = self._texts(text)
        return () if any(map(_reads, texts)) else (text, texts, self._asked)

    def names(self, job: ast.Job) -> frozenset[str]:
        """The names that ``job`` can lead to."""
        text = job.span.text
        words = self._words.union(_words(text), *map(_words, self._texts(text)))
        return words.union(f"template {word}" for word in words)

    def _texts(self, text: str) -> tuple[str, ...]:
        """The texts of the lets and templates that the names in ``text`` lead to, in the order of the file."""
        first = (self._words | _words(text)) & self._names
        known = self._reached.get(first)
        if known is None:
            known = self._reached[first] = self._follow(first)
        return known

    def _follow(self, names: frozenset[str]) -> tuple[str, ...]:
        seen, waiting = set(names), list(names)
        while waiting:
            for text in self._named[waiting.pop()]:
                new = (_words(text) & self._names) - seen
                waiting += new
                seen |= new
        return tuple(text for name, texts in self._named.items() if name in seen for text in texts)


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


class _Move:
    """Moves diagnostics from one layout to another."""

    def __init__(self, old: Layout, new: Layout) -> None:
        self.old = old
        self.new = new
        self.possible = True
        self._by = new.job.start - old.job.start

    def span(self, span: Span) -> Span:
        source, start, end = span
        old, new = self.old, self.new
        if old.job.start <= start <= old.job.end and source is old.source:
            return Span(new.source, start + self._by, end + self._by)
        if source.path != new.source.path:
            return span
        at = bisect_right(old.starts, start) - 1
        if at < 0 or start > old.ends[at]:
            self.possible = False
            return span
        by = new.starts[at] - old.starts[at]
        return Span(new.source, start + by, end + by)

    def diagnostic(self, one: Diagnostic) -> Diagnostic:
        return Diagnostic(
            one.rule,
            one.level,
            one.message,
            self.span(one.span),
            tuple([Label(self.span(label.span), label.message) for label in one.labels]),
            one.helps,
            tuple([self.fix(fix) for fix in one.fixes]),
            one.target,
            one.approximation,
            one.mark,
        )

    def fix(self, fix: Fix) -> Fix:
        return replace(fix, edits=tuple(replace(edit, span=self.span(edit.span)) for edit in fix.edits))


def _moved(result: Result, layout: Layout) -> Result | None:
    """``result`` where its job is now; ``None`` when a place cannot be followed."""
    if len(result.layout.starts) != len(layout.starts):
        return None
    move = _Move(result.layout, layout)
    checked = tuple([move.diagnostic(one) for one in result.checked])
    finished = None if result.finished is None else tuple([move.diagnostic(one) for one in result.finished])
    unset = tuple([move.span(span) for span in result.unset])
    not_unset = tuple([(move.span(span), move.diagnostic(one)) for span, one in result.not_unset])
    conditions = tuple([(move.span(span), held) for span, held in result.conditions])
    return Result(layout, checked, result.used, finished, unset, not_unset, conditions) if move.possible else None
