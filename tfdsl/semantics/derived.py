"""The jobs that the blocks of a file make: one each, or one of each combination of a matrix.

Their names are evaluated here, and ``--job`` and ``--name`` are applied, before anything is derived from a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, name_rules
from tfdsl.diagnostics.suggest import closest, listing
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.rules import values
from tfdsl.semantics.dependencies import references
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.scope import Scope
from tfdsl.semantics.values import Poison, show
from tfdsl.syntax import ast
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.semantics.matrix import Combination
    from tfdsl.semantics.params import Params
    from tfdsl.semantics.project import Program

    Report = Callable[[Diagnostic], None]

_IN_LABELS = regex(r"[-a-z0-9]*")


class Asked(Record):
    """The text of ``--job`` or ``--name``, and where it was written."""

    text: str
    place: Span


class Derived(Record):
    """One job that the block ``node`` makes.

    ``named_at``: what is wrong with the name is reported there. ``known``: the name could be evaluated; otherwise it is
    the text between the quotes. ``given``: the name is that of ``--name``. ``chosen``: ``--job`` does not leave it out.
    ``absent``: the condition of its block is false.
    """

    node: ast.Job
    name: str
    named_at: Span
    known: bool = True
    combination: Combination | None = None
    given: bool = False
    chosen: bool = True
    absent: bool = False

    @property
    def sampled(self) -> bool:
        """Whether an editor checks it: see :class:`~tfdsl.semantics.matrix.Combination`."""
        return self.combination is None or self.combination.sampled


def derive(program: Program, params: Params, report: Report) -> list[Derived]:
    """All jobs of ``program``, in file order; an error for each that has the name of another one."""
    if not any(node.pattern or node.condition or node.matrix for node in program.jobs):
        return [Derived(node, node.name.text, node.name.span) for node in program.jobs]
    namer = _Namer(params, report)
    jobs = [job for node in program.jobs for job in namer.jobs(node)]
    _check_unique((job for job in jobs if not job.absent), report)
    return jobs


class _Namer:
    """Names the jobs of one file. ``made``: how many its matrices have made so far."""

    def __init__(self, params: Params, report: Report) -> None:
        self.params = params
        self.report = report
        self.made = 0

    def jobs(self, node: ast.Job) -> Iterator[Derived]:
        """The jobs of one block."""
        scope = Scope(self.params, self.report, owner=node)
        combinations = self._combinations(node, scope)
        if combinations is None:
            yield self._job(node, scope)
            return
        numbered = not _names_matrix(node)
        for combination in combinations:
            job = self._job(node, replace(scope, matrix=combination))
            name = f"{job.name}-{combination.index}" if numbered else job.name
            known = job.known and not combination.broken
            yield replace(job, name=name, known=known, combination=combination)

    def _combinations(self, node: ast.Job, scope: Scope) -> Sequence[Combination] | None:
        from tfdsl.semantics.matrix import MOST_JOBS, combinations

        matrix = node.matrix
        if matrix is None:
            return None
        found = combinations(matrix, replace(scope, report=self._about_axes), MOST_JOBS - self.made)
        self.made += len(found)
        return found

    def _job(self, node: ast.Job, scope: Scope) -> Derived:
        """The job of ``node`` with its name as it is written, evaluated in ``scope``."""
        text, known, place = node.name.text, True, node.name.span
        if node.pattern is not None:
            data = evaluate(node.pattern, replace(scope, report=self._about_names)).data
            known = isinstance(data, str)
            text = data if isinstance(data, str) else text
            wrong = known and values.label_problem(text) is not None
            place = _operand(node.pattern, scope) if wrong else place
        return Derived(node, text, place, known, absent=self._is_absent(node, scope))

    def _is_absent(self, node: ast.Job, scope: Scope) -> bool:
        if node.condition is None:
            return False
        from tfdsl.semantics.conditions import Conditions

        return not Conditions(scope, self.params.program.profiles).holds(node.condition, None)

    def _about_axes(self, diagnostic: Diagnostic) -> None:
        if diagnostic.rule in (name_rules.NOT_IN_JOB, name_rules.NO_MATRIX):
            diagnostic = replace(diagnostic, helps=("an axis can use params and lets",))
        self.report(diagnostic)

    def _about_names(self, diagnostic: Diagnostic) -> None:
        if diagnostic.rule is name_rules.NOT_IN_JOB:
            diagnostic = diagnostic.help("the name of a job can use params, lets and matrix values")
        self.report(diagnostic)


def _check_unique(jobs: Iterable[Derived], report: Report) -> None:
    """Report each job that has the name of an earlier one."""
    first: dict[str, Derived] = {}
    for job in jobs:
        other = first.setdefault(job.name, job) if job.known else job
        if other is not job:
            report(_same_name(job, other))


def _same_name(job: Derived, other: Derived) -> Diagnostic:
    error = name_rules.DUPLICATE_JOB(job.node.name.span, name=job.name)
    if job.node is not other.node or job.combination is None or other.combination is None:
        return error.note(other.node.name.span, "first here").marked("again here")
    both = f"for {other.combination.shown()} and for {job.combination.shown()}"
    return error.note(job.combination.matrix, both).help("add ${matrix.index} to the name")


def _names_matrix(node: ast.Job) -> bool:
    """Whether the name itself says which combination it is for."""
    return node.pattern is not None and bool(references((node.pattern,), ("matrix",)))


def _operand(pattern: ast.Str, scope: Scope) -> Span:
    """The interpolated expression that makes a name wrong, if it is one alone; else the whole name."""
    wrong: list[Span] = []
    for part in pattern.parts:
        if isinstance(part, str):
            fits = _IN_LABELS.fullmatch(part) is not None
            wrong += [] if fits else [pattern.span]
            continue
        data = evaluate(part, scope).data
        text = None if isinstance(data, Poison) else show(data)
        wrong += [] if text is None or _IN_LABELS.fullmatch(text) else [part.span]
    return wrong[0] if len(wrong) == 1 else pattern.span


# --- what is asked for -----------------------------------------------------------------------------------------


def chosen(jobs: Sequence[Derived], job: Asked | None, name: Asked | None, report: Report) -> list[Derived]:
    """``jobs`` with a mark on those that ``--job`` leaves, and with the name that ``--name`` gives."""
    left = list(jobs)
    if job is not None:
        left = [one for one in jobs if one.known and one.name == job.text] or [
            one for one in jobs if one.node.name.text == job.text
        ]
        if not left:
            report(unknown_job([one.name for one in jobs], job))
    there = [one for one in left if not one.absent] or left
    if name is not None and len(there) > 1:
        report(several_jobs([one.name for one in there], name))
    keep = set(map(id, left))
    marked = [one if id(one) in keep else replace(one, chosen=False) for one in jobs]
    if name is None or len(there) != 1:
        return marked
    return [_renamed(one, name) if one is there[0] else one for one in marked]


def _renamed(job: Derived, name: Asked) -> Derived:
    return replace(job, name=name.text, named_at=name.place, known=True, given=True)


def unknown_job(known: Sequence[str], asked: Asked) -> Diagnostic:
    """That there is no job ``asked``."""
    near = closest(asked.text, known)
    others = f"{'the job is' if len(known) == 1 else 'there are'} {listing(known)}" if known else ""
    advice = f"did you mean {near}?" if near else others
    error = name_rules.UNKNOWN_JOB(asked.place, name=asked.text)
    return error.help(advice) if advice else error


def several_jobs(names: Sequence[str], asked: Asked) -> Diagnostic:
    """That one name is asked for several jobs."""
    error = name_rules.NAME_FOR_SEVERAL(asked.place, name=asked.text, count=f"{len(names):,}")
    return error.help(f"choose one of them with --job: {listing(names)}")


# --- the form of a name ----------------------------------------------------------------------------------------


def check_name(job: Derived, report: Report) -> None:
    """Report a name that is not a DNS label."""
    if not job.known:
        return
    broken = values.job_name(job.name)
    if broken is None:
        return
    node, combination = job.node, job.combination
    if combination is None or job.given:
        report(broken.at(job.named_at))
        return
    error = broken.at(job.named_at)
    if not _names_matrix(node):
        written = job.name[: -len(f"-{combination.index}")]
        if values.label_problem(written) is None:  # too long only with what is appended
            error = replace(error, helps=()).help(_shorter(f"-{combination.count - 1}"))
    elif job.named_at != node.name.span:
        offer = "matrix.index"
        error = replace(error, helps=()).help(f"write ${{{offer}}} instead").replacing(f"write {offer}", offer)
    report(error)


def _shorter(suffix: str) -> str:
    room = values.LONGEST_LABEL - len(suffix)
    return f"the matrix appends up to {suffix}: shorten the name to at most {room} characters"
