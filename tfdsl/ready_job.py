"""A job that is no text of the language: made in Python, or read from JSON.

It has no params, no profiles, no patches and no comments, and lint, which reads texts, is not asked about it. All else
is as for a text: the models have checked the rules of the language, the target judges, generates and checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfdsl import pipeline
from tfdsl.backend import Unit
from tfdsl.diagnostics import Diagnostic
from tfdsl.pipeline import Choice, Made, Outcome, Request
from tfdsl.record import Record, replace
from tfdsl.rules.values import job_name
from tfdsl.semantics import target_options
from tfdsl.semantics.derived import unknown_job
from tfdsl.semantics.params import Params
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.ir.fields import Origins
    from tfdsl.ir.model import Job


class ReadyJob(Record):
    """A job, and where in ``source`` each part of it is. Without a ``job`` the diagnostics say what is wrong."""

    source: Source
    job: Job | None
    origins: Origins | None
    diagnostics: tuple[Diagnostic, ...] = ()


def is_json(source: Source) -> bool:
    """Whether a text is JSON: no text of the language begins with ``{``."""
    return source.path.endswith(".json") or source.text.lstrip()[:1] == "{"


def read_json(source: Source) -> ReadyJob:
    """The job that ``source`` holds as JSON."""
    from tfdsl.ir.read_json import from_json

    found = from_json(source)
    return ReadyJob(source, found.job, found.origins, found.diagnostics)


def of_job(job: Job) -> ReadyJob:
    """A job made in Python; its parts are in its own JSON, called ``<job NAME>``.

    It is read from there: pydantic's ``model_copy`` and ``model_construct`` make parts that nothing has validated.
    """
    from tfdsl.ir.read_json import dump

    return read_json(Source(f"<job {job.name}>", dump(job)))


def named(ready: ReadyJob, request: Request, diagnostics: list[Diagnostic]) -> tuple[Job, Origins] | None:
    """The job if ``request`` asks for it, under the name that it gives; ``None`` with an error in ``diagnostics``."""
    diagnostics += ready.diagnostics
    nothing = pipeline.load(Source(ready.source.path, ""), lambda path: "a job as data reads no files")
    Params(nothing, request.profile, request.params, diagnostics.append, request.values)
    if ready.job is None or ready.origins is None or pipeline.has_errors(diagnostics):
        return None
    job, origins = ready.job, ready.origins
    if request.job is not None and request.job.text != job.name:
        diagnostics.append(unknown_job([job.name], request.job))
        return None
    if request.name is not None:
        wrong = job_name(request.name.text)
        if wrong is not None:
            diagnostics.append(wrong.at(request.name.place))
            return None
        return job.but(name=request.name.text), origins.with_name_at(request.name.place)
    return job, origins


def run(ready: ReadyJob, request: Request, choices: Sequence[Choice] = ()) -> Outcome:
    """Make the job for every target of ``choices``, as :func:`tfdsl.pipeline.run` does for a text."""
    asked = tuple(choice.backend for choice in choices)
    diagnostics: list[Diagnostic] = []
    found = named(ready, request, diagnostics)
    if found is None:
        return Outcome(asked, (), tuple(diagnostics))
    job, origins = found
    nothing = pipeline.load(Source(ready.source.path, ""), lambda path: "a job as data reads no files")
    scope = Params(nothing, None, (), diagnostics.append).scope
    made: list[Made] = []
    without_image = _without_image(job, origins)
    diagnostics += without_image if not choices else ()
    for choice in choices:
        before = len(diagnostics)
        chosen = target_options.choose(choice.backend, None, request.options, choice.version, scope)
        if choice.backend.requires_image(chosen.options):
            diagnostics += without_image
        if not pipeline.has_errors(diagnostics[before:]):
            version = choice.backend.find_version(chosen.version)
            assert version is not None  # no other is chosen
            unit = Unit(
                choice.backend.name,
                version.known,
                job,
                origins,
                chosen.options,
                chosen.spans,
                version.shown,
            )
            one = pipeline.make_unit(
                choice.backend, unit, diagnostics, labels=request.labels, private=_holds_secret(job)
            )
            made += [replace(one, source=ready.source)] if one is not None else []
    return Outcome(asked, tuple(made), tuple(pipeline.levelled(diagnostics, request.levels)))


def _without_image(job: Job, origins: Origins) -> list[Diagnostic]:
    from tfdsl.ir.read_json import without_image

    return without_image(job, origins)


def _holds_secret(job: Job) -> bool:
    from tfdsl.ir.secrets import holds_secret

    return holds_secret(job)
