"""The jobs that the blocks of a file make: one each, or one of each combination of a matrix.

Their names are evaluated here, and ``--job`` and ``--name`` are applied, before anything is derived from a name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from tfdsl.diagnostics import Diagnostic, Report, name_rules, repeated, value_rules
from tfdsl.diagnostics.suggest import closest, enumeration, listing
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.rules import values
from tfdsl.semantics.conditions import Conditions
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.operators import settle
from tfdsl.semantics.project import Program
from tfdsl.semantics.scope import Combination, Scope, references
from tfdsl.semantics.values import (
    CONTAINERS,
    POISON,
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
from tfdsl.text import Argument, Span
from tfdsl.vocabulary.names import LONGEST_LABEL
from tfdsl.vocabulary.quantities import Undecided
from tfdsl.vocabulary.statements import INDEX

if TYPE_CHECKING:
    from tfdsl.semantics.params import Params


# --- matrices: combinations in the order in which nested loops would give them, the last axis fastest ------------


MOST_JOBS = 1000
"""The most jobs that the matrices of one file can make."""

MOST_COUNTED = 10**9
MOST_FACTORS = 8
"""What a message about too many jobs shows."""

MOST_SAMPLED = 100
"""The most jobs of one matrix that an editor checks at a keystroke."""


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
    for index, chosen in enumerate(product(*lists)):
        further = sum(value is not axis[0] for value, axis in zip(chosen, lists, strict=True))
        sampled = further <= 1 and samples < MOST_SAMPLED
        samples += sampled
        found.append(Combination(index, dict(zip(axes, chosen, strict=True)), matrix.word, count, sampled))
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
            scope.report(repeated(name_rules.DUPLICATE_KEY(key.span, name=key.text), first.span, "set"))
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


# --- jobs and their names ----------------------------------------------------------------------------------------


_IN_LABELS = regex(r"[-a-z0-9]*")


class Derived(Record):
    """One job that the block ``node`` makes.

    ``named_at``: what is wrong with the name is reported there. ``known``: the name could be evaluated; otherwise it is
    the text between the quotes. ``given``: the name is that of ``--name``. ``chosen``: ``--job`` does not leave it out.
    ``absent``: the condition of its block is false. ``without_run``: why ``flow.run`` has no value in
    it, and what to do; empty if it has one.
    """

    node: ast.Job
    name: str
    named_at: Span
    known: bool = True
    combination: Combination | None = None
    given: bool = False
    chosen: bool = True
    absent: bool = False
    without_run: tuple[str, ...] = "is in no flow", "write run for it in a flow"

    @property
    def sampled(self) -> bool:
        """Whether an editor checks it: see :class:`~tfdsl.semantics.derived.Combination`."""
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
            name = f"{job.name}{combination.suffix}" if numbered else job.name
            yield replace(job, name=name, known=job.known and not combination.broken, combination=combination)

    def _combinations(self, node: ast.Job, scope: Scope) -> Sequence[Combination] | None:

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
        return node.condition is not None and not Conditions(scope).holds(node.condition, None)

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
        return repeated(error, other.node.name.span)
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


def chosen(
    jobs: Sequence[Derived], job: Argument | None, name: Argument | None, report: Report, flows: Iterable[ast.Flow] = ()
) -> list[Derived]:
    """``jobs`` with a mark on those that ``--job`` leaves, and with the name that ``--name`` gives.

    ``flows``: those of the file, one of which ``--job`` may name.
    """
    left = list(jobs)
    if job is not None:
        left = [one for one in jobs if one.known and one.name == job.text] or [
            one for one in jobs if one.node.name.text == job.text
        ]
        if not left:
            is_flow = any(flow.name.text == job.text for flow in flows)
            report(unknown_job([one.name for one in jobs], job, is_flow=is_flow))
    there = [one for one in left if not one.absent] or left
    if name is not None and len(there) > 1:
        report(several_jobs([one.name for one in there], name))
    keep = set(map(id, left))
    marked = [one if id(one) in keep else replace(one, chosen=False) for one in jobs]
    if name is None or len(there) != 1:
        return marked
    renamed = replace(there[0], name=name.text, named_at=name.span, known=True, given=True)
    return [renamed if one is there[0] else one for one in marked]


def unknown_job(known: Sequence[str], argument: Argument, *, is_flow: bool = False) -> Diagnostic:
    """The error that there is no job ``argument``. ``is_flow``: there is a flow of that name."""
    if is_flow:
        error = name_rules.UNKNOWN_JOB(argument.span, name=argument.text)
        return error.help(f"{argument.text} is a flow: write --flow {argument.text}")
    near = closest(argument.text, known)
    others = f"{'the job is' if len(known) == 1 else 'there are'} {listing(known)}" if known else ""
    advice = f"did you mean {near}?" if near else others
    error = name_rules.UNKNOWN_JOB(argument.span, name=argument.text)
    return error.help(advice) if advice else error


def several_jobs(names: Sequence[str], argument: Argument) -> Diagnostic:
    """That one name is asked for several jobs."""
    error = name_rules.NAME_FOR_SEVERAL(argument.span, name=argument.text, count=f"{len(names):,}")
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
        suffix = combination.suffix
        if values.label_problem(job.name[: -len(suffix)]) is None:  # too long only with what is appended
            error = replace(error, helps=()).help(_shorter(suffix))
    elif job.named_at != node.name.span:
        offer = "matrix.index"
        error = replace(error, helps=()).help(f"write ${{{offer}}} instead").replacing(f"write {offer}", offer)
        if values.job_name(job.name.replace(".", "-")) is None:
            without = f'${{replace("${{{job.named_at.text}}}", ".", "-")}}'
            error = error.help(f"write {without}, which stays when other values come and go")
    report(error)


def _shorter(suffix: str) -> str:
    room = LONGEST_LABEL - len(suffix)
    return f"the matrix appends {suffix}: shorten the name to at most {room} characters"


# --- messages about the jobs of a matrix: each is reported once, with the first job if not all cause it ----------


_Place: TypeAlias = "tuple[str, str, int, int]"


class Reports:
    """Takes messages about jobs; those about the jobs of a matrix wait for :meth:`end`."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._messages: dict[int, dict[_Place, _Message]] = {}
        self._asked: dict[int, set[int]] = {}

    def about(self, job: Derived) -> Report:
        """Takes messages about ``job``."""
        combination = job.combination
        if combination is None:
            return self.report
        messages = self._messages.setdefault(id(job.node), {})
        self._asked.setdefault(id(job.node), set()).add(combination.index)

        def take(diagnostic: Diagnostic) -> None:
            span = diagnostic.span
            place = diagnostic.rule.code, span.source.path, span.start, span.end
            known = messages.setdefault(place, _Message(diagnostic, job, combination, set(), set()))
            known.caused.add(combination.index)
            if known.diagnostic.message == diagnostic.message:
                known.same.add(combination.index)

        return take

    def end(self) -> None:
        """Pass on what has waited, in the order in which it came."""
        for matrix, messages in self._messages.items():
            for message in messages.values():
                self.report(message.shown(len(self._asked[matrix])))
        self._messages = {}


class _Message(Record):
    """The first message of a rule at a place, what it is about, and which combinations cause it, and in these words."""

    diagnostic: Diagnostic
    job: Derived
    combination: Combination
    caused: set[int]
    same: set[int]

    def shown(self, asked: int) -> Diagnostic:
        """The message; with its job, if not all of the ``asked`` jobs cause it and it does not name one itself."""
        diagnostic, first = self.diagnostic, self.combination
        of_all = len(self.caused) == asked
        if of_all and (len(self.same) == asked or self.job.name in diagnostic.message):
            return diagnostic
        return diagnostic.note(first.matrix, f"job {self.job.name}, where {first.shown()}")


# --- jobs whose own condition is false ---------------------------------------------------------------------------


def check_any_left(jobs: Sequence[Derived], report: Report) -> None:
    """Report it if all ``jobs``, which are those that are asked for, are absent."""
    if jobs and all(job.absent for job in jobs):
        report(_none_left(jobs))


def _none_left(jobs: Sequence[Derived]) -> Diagnostic:
    nodes: dict[int, ast.Job] = {}
    for job in jobs:
        nodes.setdefault(id(job.node), job.node)
    named = [(node, node.condition) for node in nodes.values() if node.condition is not None]
    (first, condition), *others = named
    what = f"job {first.name.text} is" if not others else "all jobs are"
    texts = enumeration(f"{each.value.span.text} of {node.name.text}" for node, each in named)
    shown = condition.value.span.text
    alone = "its condition is false" if shown == "false" else f"{shown} is false"
    conditions = alone if not others else f"{texts} are false"
    diagnostic = name_rules.ABSENT_JOBS(condition.value.span, what=what, conditions=conditions)
    for _, other in others:
        diagnostic = diagnostic.note(other.value.span, "this condition is false, too")
    return diagnostic.help("choose other params with --profile or --set")
