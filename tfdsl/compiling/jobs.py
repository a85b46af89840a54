"""The jobs of an input: as no target has changed them, by name with their values, and with all that a file takes.

:func:`plain_flows` gives them in the language's own terms, without target block and version. :func:`matrix_jobs` lists
them without resolving one. :func:`file_info` says what a file takes and makes (``tfdsl info``): there a param without a
value is not an error, because this is where people look for what they have to set. Nor is a mistake inside of a job:
what depends on it is left open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias, Union

from tfdsl import targets
from tfdsl.compiling import front_end, pipeline
from tfdsl.compiling.front_end import Input, Ready, has_jobs, path_of, settled
from tfdsl.compiling.pipeline import Outcome, has_errors
from tfdsl.diagnostics import Diagnostic, Report, name_rules
from tfdsl.diagnostics.name_rules import NO_JOB
from tfdsl.record import Record
from tfdsl.semantics import resolved
from tfdsl.semantics.conform import conform
from tfdsl.semantics.derived import Derived, check_name, chosen, derive
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.params import Params
from tfdsl.semantics.project import Program
from tfdsl.semantics.request import Request
from tfdsl.semantics.scope import references
from tfdsl.semantics.values import CONTAINERS, Data, ListData, Poison, show
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary.types import STRING, ListType, Type, describe

if TYPE_CHECKING:
    from tfdsl.ir.fields import Origins
    from tfdsl.ir.flow import Flow
    from tfdsl.ir.model import Job


class PlainJob(Record):
    """One job, and where its parts are written."""

    job: Job
    origins: Origins


class PlainFlow(Record):
    """One flow, where its parts are written, and its jobs by their own names, which they keep."""

    flow: Flow
    origins: Origins
    jobs: Mapping[str, PlainJob]


class PlainFlows(Record):
    """The flows in file order, none when one of ``diagnostics`` is an error. ``beside``: the jobs that are in none."""

    flows: tuple[PlainFlow, ...]
    diagnostics: tuple[Diagnostic, ...]
    beside: tuple[PlainJob, ...] = ()


def plain_flows(given: Input, request: Request) -> PlainFlows:
    """The flows that ``request`` asks for, each with its jobs, and what the rules of the language and of lint say."""
    jobs, flows, diagnostics = _plain(given, request)
    by_name = {job.job.name: job for job in jobs}
    made = [PlainFlow(flow, origins, {run.job: by_name[run.job] for run in flow.runs}) for flow, origins in flows]
    in_flows = {name for flow in made for name in flow.jobs}
    beside = tuple(plain_job for name, plain_job in by_name.items() if name not in in_flows)
    return PlainFlows(tuple(made), diagnostics, beside)


_Flows: TypeAlias = "list[tuple[Flow, Origins]]"


def _plain(given: Input, request: Request) -> tuple[list[PlainJob], _Flows, tuple[Diagnostic, ...]]:
    """Jobs and flows, none when there is an error."""
    problems: list[Diagnostic] = []
    jobs: list[PlainJob] = []
    flows: _Flows = []
    if isinstance(given, Ready):
        asked = front_end.asked_for(given, request, problems)
        jobs += [PlainJob(*pair) for pair in asked.jobs]
        flows += [asked.flow] if asked.flow is not None else []
        outcome = Outcome((), (), tuple(problems))
    else:
        jobs, flows, outcome = _plain_of_program(given, request)
    diagnostics = tuple(settled([outcome], [given], strict=False, paths=[path_of(given)]))
    return ([], [], diagnostics) if pipeline.has_errors(diagnostics) else (jobs, flows, diagnostics)


def _plain_of_program(program: Program, request: Request) -> tuple[list[PlainJob], _Flows, Outcome]:
    checked = pipeline.check(program, request)
    outcome = pipeline.finish(program, request, (), checked)
    diagnostics = list(outcome.diagnostics)
    if not has_jobs(program) and not program.syntax_errors:
        diagnostics.append(_no_job(program))
    if pipeline.has_errors(diagnostics):
        return [], [], Outcome((), (), tuple(diagnostics), outcome.conditions)
    from tfdsl.compiling.lower import flow, lower

    chosen = [values for values in checked.jobs if values.derived.chosen]
    return [PlainJob(*lower(values)) for values in chosen], list(map(flow, checked.flows)), outcome


def _no_job(program: Program) -> Diagnostic:
    error = NO_JOB(Span(program.files[0].source, 0, 0))
    return error.help("write job NAME { … }; a file without a job can be included, but not compiled")


def _named(program: Program, params: Params, request: Request, report: Report) -> list[Derived]:
    """The jobs of a program that ``request`` asks for and whose conditions are true."""
    derived = chosen(derive(program, params, report), request.job, request.name, report, program.flows)
    named = [job for job in derived if job.chosen and not job.absent]
    for job in named:
        check_name(job, report)
    return named


def _errors(given: Input, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    done = settled([Outcome((), (), tuple(diagnostics))], [given], strict=False, paths=[path_of(given)])
    return tuple(diagnostic for diagnostic in done if diagnostic.level == "error")


# --- by name ----------------------------------------------------------------------------------------------------


PlainValue: TypeAlias = str | int | float | bool


class AxisValue(Record):
    """What a job has of one axis: as it is written, and as data; a quantity or a duration is a text."""

    text: str
    data: PlainValue


class MatrixJob(Record):
    """A job. ``block``: the name of its block, as written; ``index``: ``matrix.index``, ``None`` without a matrix."""

    name: str
    block: str
    index: int | None
    values: Mapping[str, AxisValue]


class MatrixJobs(Record):
    """The jobs in file order, none when one of ``diagnostics`` is an error."""

    jobs: tuple[MatrixJob, ...]
    diagnostics: tuple[Diagnostic, ...]


def matrix_jobs(given: Input, request: Request) -> MatrixJobs:
    """The jobs that ``request`` asks for; one whose condition is false is left out."""
    diagnostics: list[Diagnostic] = []
    if isinstance(given, Ready):
        asked = front_end.asked_for(given, request, diagnostics)
        jobs = [MatrixJob(job.name, job.name, None, {}) for job, _ in asked.jobs]
    else:
        jobs = _matrix_of_program(given, request, diagnostics)
    errors = _errors(given, diagnostics)
    return MatrixJobs((), errors) if errors else MatrixJobs(tuple(jobs), ())


def _matrix_of_program(program: Program, request: Request, diagnostics: list[Diagnostic]) -> list[MatrixJob]:
    diagnostics += program.diagnostics
    if not program.readable or has_errors(diagnostics):
        return []
    params = Params(program, request.profile, request.params, diagnostics.append, request.values)
    jobs = [_matrix_job(derived) for derived in _named(program, params, request, diagnostics.append)]
    if not has_jobs(program):
        diagnostics.append(_no_job(program))
    return jobs


def _matrix_job(derived: Derived) -> MatrixJob:
    combination = derived.combination
    if combination is None:
        return MatrixJob(derived.name, derived.node.name.text, None, {})
    values = {
        name: AxisValue(show(value.data) or "", _plain_value(value.data)) for name, value in combination.values.items()
    }
    return MatrixJob(derived.name, derived.node.name.text, combination.index, values)


def _plain_value(data: Data) -> PlainValue:
    if isinstance(data, str | bool | int):
        return data
    return float(data) if isinstance(data, Decimal) else show(data) or ""


# --- what a file takes and makes --------------------------------------------------------------------------------


Plain: TypeAlias = Union[str, int, float, bool, "list[Plain]", "dict[str, Plain]", None]
"""A value as JSON has it; a quantity or a duration is a text, and what is not known is ``None``."""

MOST_PROFILES = 100
"""Profiles whose values are worked out from the params that they set; of further ones such values are not known."""


class ParamInfo(Record):
    """A param. ``type``: as it is written. ``default``: without profile, ``value``: with what the request gives.

    ``required``: it has no default. ``low``, ``high``, ``one_of``, ``pattern``: what a value must fulfil, ``None``
    where nothing is asked.
    """

    name: str
    type: str
    required: bool
    default: Plain
    value: Plain
    description: str
    low: Plain
    high: Plain
    one_of: list[Plain] | None
    pattern: str | None
    place: Span


class ProfileInfo(Record):
    """A profile, and what it sets."""

    name: str
    values: dict[str, Plain]
    place: Span


class JobInfo(Record):
    """A job. ``name``: ``None`` where it is not known; ``block``: the name of its block, as written.

    ``index``: ``matrix.index``, ``None`` without a matrix. ``roles``: how many replicas each has, without those of its
    target blocks; ``None`` where that is not known. ``targets``: those that it has blocks for.
    """

    name: str | None
    block: str
    index: int | None
    roles: dict[str, int | None]
    targets: tuple[str, ...]
    place: Span


class RunInfo(Record):
    """A job of a flow that is there, and what it comes after: with which end of these."""

    job: str
    after: tuple[str, ...]
    ending: str


class FlowInfo(Record):
    """A flow. ``schedule``: ``None`` if it has none."""

    name: str
    schedule: str | None
    runs: tuple[RunInfo, ...]
    place: Span


class FileInfo(Record):
    """What there is in a file and in those that it includes."""

    path: str
    includes: tuple[str, ...]
    params: tuple[ParamInfo, ...]
    profiles: tuple[ProfileInfo, ...]
    jobs: tuple[JobInfo, ...]
    flows: tuple[FlowInfo, ...] = ()


def file_info(given: Input, request: Request) -> tuple[FileInfo | None, tuple[Diagnostic, ...]]:
    """What ``given`` takes and makes; ``None`` with the errors when it cannot be read that far."""
    diagnostics: list[Diagnostic] = []
    info = (
        _of_ready(given, request, diagnostics) if isinstance(given, Ready) else _of_program(given, request, diagnostics)
    )
    errors = _errors(given, diagnostics)
    return (None, errors) if errors else (info, ())


def _of_ready(given: Ready, request: Request, diagnostics: list[Diagnostic]) -> FileInfo:
    asked = front_end.asked_for(given, request, diagnostics)
    jobs = [
        JobInfo(job.name, job.name, None, {role.name: role.replicas for role in job.roles}, (), origins.job)
        for job, origins in asked.jobs
    ]
    flows = (_flow(asked.flow[0], asked.flow[1].job),) if asked.flow is not None else ()
    return FileInfo(path_of(given), (), (), (), tuple(jobs), flows)


def _of_program(program: Program, request: Request, diagnostics: list[Diagnostic]) -> FileInfo | None:
    diagnostics += program.diagnostics
    if not program.readable or pipeline.has_errors(diagnostics):
        return None

    def report(diagnostic: Diagnostic) -> None:
        if diagnostic.rule is not name_rules.MISSING_PARAM:
            diagnostics.append(diagnostic)

    params = Params(program, request.profile, request.params, report, request.values)
    plain = Params(program, None, (), _unheard)
    there = _named(program, params, request, report)
    checked = pipeline.check(program, request)
    return FileInfo(
        path_of(program),
        tuple(file.source.path for file in program.files[1:]),
        params_of(program, plain, params),
        tuple(profiles_of(program, plain)),
        tuple(_jobs(there, checked.jobs)),
        tuple(_flow(flow, flow.name_span) for flow in checked.flows),
    )


def _unheard(diagnostic: Diagnostic) -> None:
    """What is wrong has been reported, or is not asked for."""


# --- params ----------------------------------------------------------------------------------------------------


def params_of(program: Program, plain: Params, params: Params) -> tuple[ParamInfo, ...]:
    """All params; ``plain``: their values without a profile, ``params``: with what the request gives."""
    return tuple(_param(param, plain, params) for param in program.params.values())


def _param(param: ast.Param, plain: Params, params: Params) -> ParamInfo:
    name = param.name.text
    to = plain.types[name]
    settings = {setting.key.text: setting.value for setting in param.settings}

    def bound(key: str, kind: Type | None) -> Plain:
        return _typed(settings[key], kind, plain) if key in settings and kind is not None else None

    one_of = bound("one_of", None if to is None else ListType(to))
    description, pattern = bound("description", STRING), bound("pattern", STRING)
    return ParamInfo(
        name,
        param.type.span.text if to is None else describe(to),
        param.default is None,
        _known(plain, name) if param.default is not None else None,
        _known(params, name),
        description if isinstance(description, str) else "",
        bound("min", to),
        bound("max", to),
        one_of if isinstance(one_of, list) else None,
        pattern if isinstance(pattern, str) else None,
        param.name.span,
    )


def _known(params: Params, name: str) -> Plain:
    value = params.lookup(name)
    return None if value is None else as_plain(value.data)


def _typed(expression: ast.Expr, to: Type, params: Params) -> Plain:
    """The value of an expression, as the type that it stands for."""
    return as_plain(conform(evaluate(expression, params.scope), to, "", _unheard).data)


def as_plain(data: Data) -> Plain:
    """``data`` as JSON has it."""
    if isinstance(data, str | bool | int):
        return data
    if isinstance(data, Decimal):
        return float(data)
    if isinstance(data, CONTAINERS):
        if isinstance(data, ListData):
            return [as_plain(item.data) for item in data.items]
        return {key: as_plain(entry.value.data) for key, entry in data.entries.items()}
    return None if isinstance(data, Poison) else show(data)


# --- profiles --------------------------------------------------------------------------------------------------


def profiles_of(program: Program, plain: Params) -> Iterator[ProfileInfo]:
    """All profiles; ``plain``: the values of params without any."""
    worked_out = 0
    for name, parts in program.profiles.items():
        settings = {setting.key.text: setting.value for part in parts for setting in part.settings}
        params: Params | None = plain
        if references(tuple(settings.values()), plain.names()):  # its values may depend on what it sets
            worked_out += 1
            params = Params(program, name, (), _unheard) if worked_out <= MOST_PROFILES else None
        values = {key: _setting(key, value, params) for key, value in settings.items()}
        yield ProfileInfo(name, values, parts[0].name.span)


def _setting(key: str, value: ast.Expr, params: Params | None) -> Plain:
    """What a profile sets a param to; ``params``: with what it sets, or ``None`` when that is too much work."""
    to = None if params is None else params.types.get(key)
    return None if params is None or to is None else _typed(value, to, params)


# --- jobs ------------------------------------------------------------------------------------------------------


def _jobs(derived: Iterable[Derived], checked: Iterable[resolved.Job]) -> Iterator[JobInfo]:
    known = {_key(job.derived): job for job in checked}
    for one in derived:
        job = known.get(_key(one))
        roles = () if job is None else job.roles
        yield JobInfo(
            one.name if one.known else None,
            one.node.name.text,
            _index(one),
            {role.name: role.replicas if role.counted else None for role in roles},
            tuple(dict.fromkeys(_targets(one.node))),
            one.node.name.span,
        )


def _flow(flow: resolved.Flow | Flow, place: Span) -> FlowInfo:
    runs = (RunInfo(run.job, run.after, run.ending) for run in flow.runs)
    return FlowInfo(flow.name, flow.schedule, tuple(runs), place)


def _index(derived: Derived) -> int | None:
    return None if derived.combination is None or derived.combination.broken else derived.combination.index


def _key(derived: Derived) -> tuple[int, int | None]:
    return derived.node.span.start, _index(derived)


def _targets(node: ast.Job) -> Iterator[str]:
    for item in node.items:
        if isinstance(item, ast.Target):
            backend = targets.find(item.name.text)
            yield item.name.text if backend is None else backend.name
