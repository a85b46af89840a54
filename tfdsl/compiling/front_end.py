"""What every front end does in the same way.

It reads a text, or what is JSON, finds a target by its name, takes the settings of the project, and compiles.

A :class:`Ready` is no text of the language: it was made in Python, or read from JSON. It has no params, no profiles,
no patches and no comments, and lint, which reads texts, is not asked about it. All else is as for a text: the models
have checked the rules of the language, the target judges, generates and checks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from tfdsl import targets
from tfdsl.backend import Backend, Unit
from tfdsl.compiling import pipeline
from tfdsl.compiling.masking import Hidden, hidden_texts
from tfdsl.compiling.pipeline import Made, MadeFlow, Outcome
from tfdsl.diagnostics import Diagnostic, Report
from tfdsl.diagnostics.name_rules import FLOW_RUN_HERE, UNKNOWN_FLOW
from tfdsl.record import Record, replace
from tfdsl.rules.values import job_name
from tfdsl.semantics import target_options
from tfdsl.semantics.derived import several_jobs, unknown_job
from tfdsl.semantics.flows import unknown_flow
from tfdsl.semantics.known_names import target_called
from tfdsl.semantics.params import Params
from tfdsl.semantics.project import Program
from tfdsl.semantics.request import Choice, Request
from tfdsl.semantics.target_options import unknown_version
from tfdsl.settings import Settings
from tfdsl.settings.finding import settings_for
from tfdsl.syntax import ast
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from tfdsl.ir.fields import Origins
    from tfdsl.ir.flow import Flow, WholeFlow
    from tfdsl.ir.model import Job
    from tfdsl.semantics.project import Reader


class Ready(Record):
    """A job, or a flow with its jobs, and where in ``source`` each part is; no job if ``diagnostics`` has errors."""

    source: Source
    jobs: tuple[tuple[Job, Origins], ...] = ()
    flow: tuple[Flow, Origins] | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


Input: TypeAlias = Program | Ready
"""What a command, an editor or a Python program gives to be compiled."""


def choice_of(text: str, place: Span) -> Choice | Diagnostic:
    """The target that ``volcano`` or ``volcano@1.9`` names, or why there is none. ``place``: where ``text`` is."""
    name, at, version = text.partition("@")
    backend = target_of(name, part(place, text, 0, len(name)))
    if not at and not isinstance(backend, Backend):
        other = re.fullmatch(r"([a-z]+)[-:= ]v?([0-9].*)", text)
        if other is not None and targets.find(other[1]) is not None:
            return replace(backend, helps=(f"write {other[1]}@{other[2]}",))
    if not isinstance(backend, Backend) or not at:
        return Choice(backend) if isinstance(backend, Backend) else backend
    found = backend.find_version(version)
    if found is None:
        return unknown_version(part(place, text, len(name) + 1, len(text)), backend.name, version, backend.versions)
    return Choice(backend, found.shown)


def target_of(name: str, place: Span) -> Backend | Diagnostic:
    """The target called ``name``, or that there is none."""
    target = target_called(name, place)
    # A fix would edit a text, and the place may be a command line.
    return replace(target, fixes=()) if isinstance(target, Diagnostic) else target


def part(place: Span, text: str, start: int, end: int) -> Span:
    """The part of ``text`` from ``start`` to ``end``; the whole place where the text is not written as it is."""
    return Span(place.source, place.start + start, place.start + end) if place.text == text else place


def read(source: Source, reader: Reader) -> Input:
    """The program that ``source`` is the main text of, or what it holds as JSON."""
    return read_json(source) if is_json(source) else pipeline.load(source, reader)


def run(given: Input, request: Request, choices: Sequence[Choice] = ()) -> Outcome:
    """Check ``given``, and make its jobs for every target of ``choices``."""
    if isinstance(given, Ready):
        return run_ready(given, request, choices)
    return pipeline.run(given, request, choices)


def compiled(given: Input, request: Request, choices: Sequence[Choice], *, strict: bool = False) -> Outcome:
    """The same as :func:`run`, as the user sees it: diagnostics settled, and nothing made when one is an error."""
    outcome = run(given, request, choices)
    diagnostics = settled([outcome], [given], strict=strict, paths=[path_of(given)])
    if pipeline.has_errors(diagnostics):
        return replace(outcome, made=(), flows=(), diagnostics=tuple(diagnostics))
    return replace(outcome, diagnostics=tuple(diagnostics))


def settled(
    outcomes: Iterable[Outcome], inputs: Iterable[Input], *, strict: bool, paths: Iterable[str]
) -> list[Diagnostic]:
    """What is to be said about ``outcomes`` (:func:`tfdsl.compiling.pipeline.settle`); only texts have waivers."""
    programs = [one for one in inputs if isinstance(one, Program)]
    return pipeline.settle(outcomes, programs, strict=strict, paths=paths)


def profiles_of(given: Input) -> tuple[str, ...]:
    """The names of its profiles."""
    return () if isinstance(given, Ready) else tuple(given.profiles)


def has_jobs(given: Input) -> bool:
    """Whether there is a job in it; a text without one is for others to include."""
    return isinstance(given, Ready) or bool(given.jobs)


def target_blocks(given: Input) -> list[ast.Target]:
    """The blocks for targets of its jobs."""
    jobs = () if isinstance(given, Ready) else given.jobs
    return [item for job in jobs for item in job.items if isinstance(item, ast.Target)]


def path_of(given: Input) -> str:
    """The name that messages show for what was read."""
    return source_of(given).path


def hidden_with(given: Input, hidden: Hidden) -> Hidden:
    """``hidden``, and the secrets of the files that ``env_file()`` has read for ``given`` so far."""
    secrets: set[str] = set() if isinstance(given, Ready) else given.hidden
    return Hidden((*hidden.values, *hidden_texts(secrets).values), hidden.paths) if secrets else hidden


def source_of(given: Input) -> Source:
    """The main text of what was read."""
    return given.source if isinstance(given, Ready) else given.files[0].source


# --- jobs that are no text ---------------------------------------------------------------------------------------


def is_json(source: Source) -> bool:
    """Whether a text is JSON: no text of the language begins with ``{``."""
    return source.path.endswith(".json") or source.text.lstrip()[:1] == "{"


def read_json(source: Source) -> Ready:
    """The job or the flow that ``source`` holds as JSON."""
    from tfdsl.compiling.read_json import from_json

    return from_json(source)


def of_node(node: Job | WholeFlow) -> Ready:
    """A job or a flow made in Python; its parts are in its own JSON, called ``<job NAME>`` or ``<flow NAME>``.

    It is read from there: pydantic's ``model_copy`` and ``model_construct`` make parts that nothing has validated.
    """
    from tfdsl.compiling.read_json import dump

    kind = node.block.partition(" ")[0]
    return read_json(Source(f"<{kind} {node.name}>", dump(node)))


class Asked(Record):
    """What is asked for of one that is ready: its jobs, those of the flow too, and the flow, if it is asked for."""

    jobs: tuple[tuple[Job, Origins], ...]
    flow: tuple[Flow, Origins] | None = None

    @property
    def alone(self) -> list[tuple[Job, Origins]]:
        """The jobs that are in no flow that is asked for."""
        runs = () if self.flow is None else self.flow[0].runs
        in_flow = {run.job for run in runs}
        return [pair for pair in self.jobs if pair[0].name not in in_flow]


def asked_for(ready: Ready, request: Request, diagnostics: list[Diagnostic]) -> Asked:
    """What ``request`` asks for, a job under the name that it gives; nothing with an error in ``diagnostics``."""
    diagnostics += ready.diagnostics
    nothing = pipeline.load(Source(ready.source.path, ""), lambda path: "a job as data reads no files")
    Params(nothing, request.profile, request.params, diagnostics.append, request.values)
    if not ready.jobs or pipeline.has_errors(diagnostics):
        return Asked(())
    asked = _chosen(ready, request, diagnostics.append)
    from tfdsl.ir.flow import names_run

    flow = ready.flow and ready.flow[0]
    for job, origins in asked.alone:
        if names_run(job):
            its = flow if flow is not None and any(run.job == job.name for run in flow.runs) else None
            error = FLOW_RUN_HERE(
                origins.job, job=job.name, why="is in no flow" if its is None else "is compiled without its flow"
            )
            diagnostics.append(error if its is None else error.help(f"write --flow {its.name}"))
    if request.name is not None and asked.jobs:
        (job, origins), *more = asked.jobs
        wrong = job_name(request.name.text)
        if more:
            diagnostics.append(several_jobs([job.name for job, _ in asked.jobs], request.name))
        elif wrong is not None:
            diagnostics.append(wrong.at(request.name.span))
        else:
            asked = Asked(((job.but(name=request.name.text), origins.with_name_at(request.name.span)),))
    return Asked(()) if pipeline.has_errors(diagnostics) else asked


def _chosen(ready: Ready, request: Request, report: Report) -> Asked:
    """What ``request`` names; without a name the flow, and all jobs."""
    names = [job.name for job, _ in ready.jobs]
    flow = () if ready.flow is None else (ready.flow[0].name,)
    if request.flow is not None and request.flow.text not in flow:
        if flow:
            report(unknown_flow(request.flow, flow, is_job=request.flow.text in names))
        else:
            error = UNKNOWN_FLOW(request.flow.span, name=request.flow.text)
            report(error.help("a job as JSON is in no flow: leave out --flow"))
        return Asked(())
    if request.job is not None and request.job.text not in names:
        report(unknown_job(names, request.job, is_flow=request.job.text in flow))
    if request.job is not None or request.name is not None:
        wanted = request.job
        return Asked(tuple(pair for pair in ready.jobs if wanted is None or pair[0].name == wanted.text))
    asked = Asked(ready.jobs, ready.flow)
    if request.flow is None:
        return asked
    beside = {job.name for job, _ in asked.alone}
    return Asked(tuple(pair for pair in ready.jobs if pair[0].name not in beside), ready.flow)


def run_ready(ready: Ready, request: Request, choices: Sequence[Choice] = ()) -> Outcome:
    """Make the jobs and the flow for every target of ``choices``, as :func:`tfdsl.compiling.pipeline.run` does."""
    targets = tuple(choice.backend for choice in choices)
    diagnostics: list[Diagnostic] = []
    asked = asked_for(ready, request, diagnostics)
    if not asked.jobs:
        return Outcome(targets, (), tuple(diagnostics))
    nothing = pipeline.load(Source(ready.source.path, ""), lambda path: "a job as data reads no files")
    scope = Params(nothing, None, (), diagnostics.append).scope
    made: list[Made] = []
    flows: list[MadeFlow] = []
    without_image = [one for job, origins in asked.jobs for one in _without_image(job, origins)]
    diagnostics += without_image if not choices else ()
    for backend, choice in zip(targets, choices, strict=True):
        before = len(diagnostics)
        chosen = target_options.choose(backend, None, request.options, choice.version, scope)
        if backend.requires_image(chosen.options):
            diagnostics += without_image
        if pipeline.has_errors(diagnostics[before:]):
            continue
        version = backend.find_version(chosen.version)
        assert version is not None  # no other is chosen
        parts: dict[str, pipeline.Part] = {}
        for job, origins in asked.jobs:
            unit = Unit(backend.name, version.known, job, origins, chosen.options, chosen.spans, version.shown)
            parts[job.name] = pipeline.Part(unit, diagnostics.append, _holds_secret(job))
        for job, _ in asked.alone:
            part = parts.pop(job.name)
            one = pipeline.make_unit(backend, part.unit, diagnostics, labels=request.labels, private=part.private)
            made += [replace(one, source=ready.source)] if one is not None else []
        if asked.flow is not None:
            flow = pipeline.make_flow_unit(backend, *asked.flow, parts, diagnostics.append, request.labels)
            flows += [replace(flow, source=ready.source)] if flow is not None else []
    told = tuple(pipeline.levelled(diagnostics, request.levels))
    return Outcome(targets, tuple(made), told, flows=tuple(flows))


def _without_image(job: Job, origins: Origins) -> list[Diagnostic]:
    from tfdsl.compiling.read_json import without_image

    return without_image(job, origins)


def _holds_secret(job: Job) -> bool:
    from tfdsl.ir.secrets import holds_secret

    return holds_secret(job)


# --- projects ----------------------------------------------------------------------------------------------------


class Project(Record):
    """What the project of a text sets. ``problems``: what is wrong with its settings.

    ``choices``: the targets of a command that names none.
    """

    settings: Settings
    choices: tuple[Choice, ...]
    problems: tuple[Diagnostic, ...]

    @property
    def asked(self) -> tuple[object, ...]:
        """What decides which messages can be told of a text: the targets, and whether they are strict."""
        return (self.settings.strict, *((choice.backend.name, choice.version) for choice in self.choices))

    def labelled(self, request: Request) -> Request:
        """``request`` with what decides the output, whatever is said about it."""
        return replace(request, labels=self.settings.labels) if self.settings.labels else request

    def request(self, request: Request) -> Request:
        """``request`` with what counts for every compilation in the project."""
        settings = self.settings
        return replace(request, levels=settings.levels, gpus_per_node=settings.gpus_per_node, labels=settings.labels)


def project_of(origin: str | None, named: Sequence[Choice] = (), allowed: Sequence[str] = ()) -> Project:
    """The project of the file ``origin``; for a text that is in no file (``None``), that of the current folder.

    ``named``: targets that are named beside it, and replace those of the project. ``allowed``: folders outside of the
    root that its settings may be in.
    """
    return project_with(settings_for(origin, allowed=allowed), named)


def project_with(settings: Settings, named: Sequence[Choice] = ()) -> Project:
    """The project that has ``settings``."""
    choices, wrong = (named, []) if named else _choices(settings)
    return Project(settings, tuple(choices), (*settings.problems, *wrong))


def _choices(settings: Settings) -> tuple[Iterable[Choice], list[Diagnostic]]:
    """The targets of a project, each once, and what is wrong with those that cannot be."""
    read = [choice_of(target.text, target.span) for target in settings.targets]
    wrong = [result for result in read if isinstance(result, Diagnostic)]
    return once(result for result in read if isinstance(result, Choice)), wrong


def once(choices: Iterable[Choice]) -> Iterable[Choice]:
    """Each target in each version once, under the first of its spellings."""
    by_version: dict[tuple[str, object], Choice] = {}
    for choice in choices:
        version = None if choice.version is None else choice.backend.find_version(choice.version)
        by_version.setdefault((choice.backend.name, version and version.exact), choice)
    return by_version.values()
