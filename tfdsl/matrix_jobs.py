"""The jobs that a file makes, by name, with the values of their axes; no job is resolved for it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TypeAlias

from tfdsl import ready_job
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.name_rules import NO_JOB
from tfdsl.front_end import Input, has_jobs, path_of, settled
from tfdsl.pipeline import Outcome, Request, has_errors
from tfdsl.ready_job import ReadyJob
from tfdsl.record import Record
from tfdsl.semantics.derived import Derived, check_name, chosen, derive
from tfdsl.semantics.params import Params
from tfdsl.semantics.project import Program
from tfdsl.semantics.values import Data, show
from tfdsl.text import Span

Plain: TypeAlias = str | int | float | bool


class AxisValue(Record):
    """What a job has of one axis: as it is written, and as data; a quantity or a duration is a text."""

    text: str
    data: Plain


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
    found: list[Diagnostic] = []
    if isinstance(given, ReadyJob):
        ready = ready_job.named(given, request, found)
        jobs = [MatrixJob(ready[0].name, ready[0].name, None, {})] if ready is not None else []
    else:
        jobs = _of_program(given, request, found)
    diagnostics = tuple(settled([Outcome((), (), tuple(found))], [given], strict=False, paths=[path_of(given)]))
    errors = tuple(one for one in diagnostics if one.level == "error")
    return MatrixJobs((), errors) if errors else MatrixJobs(tuple(jobs), ())


def _of_program(program: Program, request: Request, found: list[Diagnostic]) -> list[MatrixJob]:
    found += program.diagnostics
    if not program.readable or has_errors(found):
        return []
    params = Params(program, request.profile, request.params, found.append, request.values)
    derived = chosen(derive(program, params, found.append), request.job, request.name, found.append)
    if not has_jobs(program):
        place = Span(program.files[0].source, 0, 0)
        found.append(NO_JOB(place).help("write job NAME { … }; a file without a job can be included, but not compiled"))
    there = [one for one in derived if one.chosen and not one.absent]
    for one in there:
        check_name(one, found.append)
    return [_job(one) for one in there]


def _job(derived: Derived) -> MatrixJob:
    combination = derived.combination
    if combination is None:
        return MatrixJob(derived.name, derived.node.name.text, None, {})
    values = {name: AxisValue(show(value.data) or "", _plain(value.data)) for name, value in combination.values.items()}
    return MatrixJob(derived.name, derived.node.name.text, combination.index, values)


def _plain(data: Data) -> Plain:
    if isinstance(data, str | bool | int):
        return data
    return float(data) if isinstance(data, Decimal) else show(data) or ""
