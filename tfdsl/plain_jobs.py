"""The jobs of an input in the language's own terms, before a target has a say: without its block, without a version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import pipeline, ready_job
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.name_rules import NO_JOB
from tfdsl.front_end import Input, has_jobs, path_of, settled
from tfdsl.pipeline import Outcome, Request
from tfdsl.ready_job import ReadyJob
from tfdsl.record import Record
from tfdsl.semantics.project import Program
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.ir.fields import Origins
    from tfdsl.ir.model import Job


class PlainJob(Record):
    """One job, and where its parts are written."""

    job: Job
    origins: Origins


class PlainJobs(Record):
    """The jobs in file order, none when one of ``diagnostics`` is an error."""

    jobs: tuple[PlainJob, ...]
    diagnostics: tuple[Diagnostic, ...]


def plain_jobs(given: Input, request: Request) -> PlainJobs:
    """The jobs that ``request`` asks for, and what the rules of the language and of lint say."""
    found: list[Diagnostic] = []
    jobs: list[PlainJob] = []
    if isinstance(given, ReadyJob):
        one = ready_job.named(given, request, found)
        jobs += [PlainJob(*one)] if one is not None else []
        outcome = Outcome((), (), tuple(found))
    else:
        jobs, outcome = _of_program(given, request)
    diagnostics = settled([outcome], [given], strict=False, paths=[path_of(given)])
    return PlainJobs(() if pipeline.has_errors(diagnostics) else tuple(jobs), tuple(diagnostics))


def _of_program(program: Program, request: Request) -> tuple[list[PlainJob], Outcome]:
    checked = pipeline.check(program, request)
    outcome = pipeline.finish(program, request, (), checked)
    diagnostics = list(outcome.diagnostics)
    if not has_jobs(program) and not program.syntax_errors:
        place = Span(program.files[0].source, 0, 0)
        error = NO_JOB(place)
        diagnostics.append(error.help("write job NAME { … }; a file without a job can be included, but not compiled"))
    if pipeline.has_errors(diagnostics):
        return [], Outcome((), (), tuple(diagnostics), outcome.conditions)
    from tfdsl.ir.lower import lower

    chosen = [values for values in checked.jobs if values.derived.chosen]
    return [PlainJob(*lower(values)) for values in chosen], outcome
