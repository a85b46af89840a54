"""Where a line leads, pictures of jobs, what differs between two, and how they end."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Unpack

from tfdsl import diagnostics
from tfdsl.api.calls import (
    Call,
    Compiling,
    ReadingJob,
    Value,
    argument,
    asked_of,
    call_of,
    options_of,
    outcome,
    params_of,
    secrets_in,
    taking,
    target_of,
)
from tfdsl.api.compiling import Source, loaded_of
from tfdsl.api.diagnostics import Diagnostic, UsageError, compile_error, public, usage_error
from tfdsl.comparing.comparison import Result, changes, compared, targets_for
from tfdsl.comparing.sides import Side, open_side, path_of
from tfdsl.compiling import front_end, pipeline
from tfdsl.compiling.front_end import Input, Ready
from tfdsl.compiling.jobs import matrix_jobs
from tfdsl.compiling.masking import Hidden, hide, masked
from tfdsl.compiling.pipeline import Outcome
from tfdsl.drawing import graphs
from tfdsl.drawing.picture import Direction
from tfdsl.lifecycle.faults import Injected, parse
from tfdsl.lifecycle.flow import FlowPrediction
from tfdsl.lifecycle.scenario import Prediction
from tfdsl.manifest.nodes import plain
from tfdsl.record import replace
from tfdsl.semantics.request import Choice, Request
from tfdsl.simulating import OnTarget, Played, Simulation, simulated
from tfdsl.text import Argument
from tfdsl.tracing import files
from tfdsl.tracing.forward import Forward, Question, line_span
from tfdsl.tracing.trace import line_count


@dataclass(frozen=True, slots=True)
class MadeLine:
    """A line of the output. ``file``: the file that ``tfdsl compile -o FOLDER`` writes it to.

    ``how``: ``made`` by the line that was asked about, ``through`` the line ``by`` (path and line) that uses what is
    written there, or ``decided``: without it the line would be different.
    """

    file: str
    line: int
    text: str
    how: Literal["made", "through", "decided"]
    by: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Where:
    """What a line made. ``reason``: why it made nothing, as the rest of a sentence about the line."""

    lines: tuple[MadeLine, ...]
    reason: str | None = None


@taking(Compiling)
def where(
    source: Source,
    line: int,
    target: str,
    *,
    file: str | os.PathLike[str] | None = None,
    **given: Unpack[Compiling],
) -> Where:
    """The lines of the output for ``target`` that a line of a text made; ``tfdsl where`` asks the same.

    ``line``: counted from 1, of the source, or of ``file``, which it includes. The other arguments are those of
    :func:`compile`.

    Raises:
        CompileError: The job has errors, or the target refuses something.
        UsageError: There is no such target, version or line.
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
    """
    choice = target_of(target)
    loaded = loaded_of(source, given)
    call = call_of(choice, given)
    done = outcome(loaded, call)
    if pipeline.has_errors(done.diagnostics):
        raise compile_error(f"cannot compile {loaded.path} for {target}", done.diagnostics)
    program = loaded.given
    main = program.source if isinstance(program, Ready) else program.files[0].source
    text = main if file is None else files.in_program(file, program)
    if text is None or not 0 < line <= line_count(text):
        raise UsageError(f"{loaded.path} has no line {line}" if file is None else f"{file} has no line {line} in it")
    asked = asked_of(loaded, call)

    def compiled(other: Input, choice: Choice) -> Outcome:
        return front_end.compiled(other, asked.request, [choice])

    question = Question(program, line_span(text, line), asked.request)
    answer = Forward(question, files.Destination().files, compiled).answer(choice, done)
    lines = tuple(
        MadeLine(
            output_line.place.path,
            output_line.place.line,
            hide(output_line.place.text or "", asked.hidden),
            group.how,
            (group.by.path, group.by.line) if group.by is not None else None,
        )
        for group in answer.lines
        for output_line in group.lines
    )
    return Where(lines, answer.reason)


class Graph:
    """The picture of one job, or of a flow; :func:`graph` draws it. In a notebook it is shown."""

    __module__ = "tfdsl"

    def __init__(self, made: graphs.Graph, hidden: Hidden) -> None:
        shown = made.picture
        self._picture = graphs.with_texts(shown, lambda text: hide(text, hidden)) if hidden.values else shown
        self._origins = made.origins

    def __repr__(self) -> str:
        return f"<tfdsl.Graph {self._picture.title}>"

    @property
    def job(self) -> str:
        """The name of the job; empty for a flow."""
        return self._picture.name if self._picture.what == "job" else ""

    @property
    def flow(self) -> str | None:
        """The name of the flow; ``None`` for a job."""
        return self._picture.name if self._picture.what == "flow" else None

    @property
    def like(self) -> tuple[str, ...]:
        """The names of other jobs that differ from this one in nothing but their names, as those of a matrix do."""
        return self._picture.like

    @property
    def target(self) -> str | None:
        """The target with its version; ``None`` for the job as it is written."""
        return self._picture.target or None

    def svg(self, direction: Direction = "down") -> str:
        """An SVG document without scripts, for light and dark pages."""
        return graphs.drawn([self._picture], "svg", direction=direction)

    def mermaid(self, direction: Direction = "down") -> str:
        """A flowchart for Mermaid."""
        return graphs.drawn([self._picture], "mermaid", direction=direction)

    def dot(self, direction: Direction = "down") -> str:
        """A graph for graphviz."""
        return graphs.drawn([self._picture], "dot", direction=direction)

    def data(self) -> graphs.GraphData:
        """The boxes and the links, each with the file and the line of its statement."""
        return graphs.as_data(self._picture, self._origins)

    def _repr_svg_(self) -> str:
        return self.svg()


@taking(Compiling)
def graph(
    source: Source | None = None,
    target: str | None = None,
    **given: Unpack[Compiling],
) -> tuple[Graph, ...]:
    """Draw the jobs of a file, a text or a program, or a job made in Python; ``tfdsl graph`` draws the same.

    A flow is one picture, without one for each of its jobs.

    The arguments are those of :func:`compile`. Without a target the jobs are drawn as they are written, with one also
    what there is on the cluster for them.

    Raises:
        CompileError: The job has errors, or the target refuses something.
        UsageError: There is no such target or version.
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
    """
    choice = None if target is None else target_of(target)
    call = call_of(choice, given)
    loaded = loaded_of(source, given)
    asked = asked_of(loaded, call)
    drawn = graphs.graphs(asked.given, asked.request, asked.choices)
    if graphs.has_errors(drawn):
        raise compile_error(f"cannot draw {loaded.path}", asked.shown(drawn.diagnostics))
    return tuple(Graph(graph, asked.hidden) for graph in drawn.graphs)


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference of two jobs.

    ``object``: whose, ``TFJob/mnist`` or a file; ``path``: where in it, as patches write paths; ``words``: the same in
    words of the language, where they are known. ``a``, ``b``: the values, ``None`` where a side has none;
    ``a_place``, ``b_place``: the path and line that each is from. A job that only one side has is a difference without
    ``object`` and ``path``, whose value is its name.
    """

    job: str
    target: str
    object: str
    path: str
    words: str | None
    a: Any
    b: Any
    a_place: tuple[str, int] | None = None
    b_place: tuple[str, int] | None = None


def diff(
    a: Source,
    b: Source,
    target: str | None = None,
    *,
    profile: str | None = None,
    params: Mapping[str, Value] | None = None,
    options: Mapping[str, Value] | None = None,
    job: str | None = None,
) -> tuple[Difference, ...]:
    """What differs between two jobs in the normal form of their target; empty when they are the same.

    A side is what :func:`compile` takes, a manifest (YAML or JSON), or ``FILE@REVISION`` of git. Without ``target``:
    that of a manifest, else those of the project, else those that ``a``, else ``b`` has blocks for. The other arguments
    are those of :func:`compile`, for both sides; params of a :class:`Program` do not count.

    Raises:
        CompileError: A side cannot be read or has errors, or they are for different targets.
        UsageError: There is no such target or version, or none is named.
    """
    problems: list[diagnostics.Diagnostic] = []
    hidden = secrets_in({**(params or {}), **(options or {})})
    choices = [target_of(target)] if target is not None else []
    given = options_of(choices[0].backend.name, options or {}) if choices else ()
    sides = _side("a", a, problems), _side("b", b, problems)
    results: list[Result] | None = None
    if sides[0] is not None and sides[1] is not None:
        first, second = sides[0], sides[1]
        choices = targets_for(first, second, choices, argument("b", path_of(second)), problems.append)
        if not choices and not problems:
            raise UsageError("diff() needs a target: neither side names one")
        asked = None if job is None else Argument(job, argument("job", job))
        request = Request(profile, params_of(params or {}), given, asked)
        results = compared((first, second), choices, request, problems.append) if choices else None
    if results is None or pipeline.has_errors(problems):
        raise compile_error("cannot compare", masked(problems, hidden))
    return tuple(difference for result in results for difference in _differences(result))


def _side(name: str, source: Source, problems: list[diagnostics.Diagnostic]) -> Side | None:
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        return open_side(path, argument(name, path), (), problems.append)
    return loaded_of(source, {}).given


def _differences(result: Result) -> Iterator[Difference]:
    name = result.first or result.second or ""
    if result.compared is None:
        yield Difference(name, result.target, "", "", None, result.first, result.second)
        return
    for change in changes(result.compared):
        yield Difference(
            name,
            result.target,
            change.object,
            change.path,
            change.words,
            plain(change.first) if change.first is not None else None,
            plain(change.second) if change.second is not None else None,
            change.first.span.path_and_line if change.first is not None else None,
            change.second.span.path_and_line if change.second is not None else None,
        )


@dataclass(frozen=True, slots=True)
class Ending:
    """How a job ends.

    ``outcome``: ``succeeded``, ``failed``, ``aborted``, or ``None`` when it does not end. ``replaced``, ``in_place``:
    how often each replica (``worker[1]``) started again, in a new pod or where it was. ``left``: what is left of the
    replicas, by phase. ``unplayed``: what was injected and could not happen.
    """

    outcome: str | None
    cause: str
    retries: int
    replaced: dict[str, int]
    in_place: dict[str, int]
    left: dict[str, str]
    story: tuple[str, ...]
    unplayed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TargetEnding:
    """How a job ends on a target.

    ``differs``: in what this is not the language's meaning (``outcome``, ``restarts``, ``left``); ``diagnostics``: the
    messages that tell it. ``others``: other ends that are possible, by the order of a controller's messages.
    """

    target: str
    version: str
    ending: Ending
    differs: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    others: tuple[Ending, ...] = ()


@dataclass(frozen=True, slots=True)
class Scenario:
    """What becomes of ``job`` when ``inject`` happens: by the language, and on each target."""

    job: str
    inject: tuple[str, ...]
    language: Ending
    targets: tuple[TargetEnding, ...]


@dataclass(frozen=True, slots=True)
class FlowEnding:
    """How a flow ends.

    ``target``, ``version``: ``None`` for the language. ``outcome``: ``succeeded``, ``failed``, or ``None`` when it does
    not end. ``jobs``: what becomes of each: how it ends, ``not run``, or ``running`` or ``waiting`` for ever.
    """

    target: str | None
    version: str | None
    outcome: str | None
    cause: str
    jobs: dict[str, str]
    others: tuple[FlowEnding, ...] = ()


@dataclass(frozen=True, slots=True)
class FlowScenario:
    """What becomes of ``flow`` when ``inject`` happens. ``jobs``: what each of its jobs does when it runs."""

    flow: str
    inject: tuple[str, ...]
    language: FlowEnding
    targets: tuple[FlowEnding, ...]
    jobs: tuple[Scenario, ...]


@dataclass(frozen=True, slots=True)
class MatrixJob:
    """A job of a file. ``block``: the name of its block, as written. ``index``: ``None`` without a matrix."""

    name: str
    block: str
    index: int | None
    values: dict[str, str | int | float | bool]


@taking(Compiling)
def simulate(
    source: Source | None = None,
    targets: str | Iterable[str] = (),
    inject: str | Iterable[str] | None = None,
    **given: Unpack[Compiling],
) -> tuple[Scenario, ...]:
    """Predict how a job ends when something happens to it; ``tfdsl simulate`` shows the same.

    ``targets``: one, several or none, as ``-t`` takes them; the language's own meaning is always there. ``inject``:
    what happens, as ``--inject`` takes it, all of it to one job; without it the usual faults are played one by one.
    ``options``: for one target alone. The other arguments are those of :func:`compile`.

    Raises:
        CompileError: The job has errors, a target refuses something, or there is no such replica.
        UsageError: There is no such target or version, or ``inject`` has another form.
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
    """
    done, hidden = _simulated(source, targets, inject, given, None)
    return tuple(_scenario(job.name, played, hidden) for job in done.jobs for played in job.scenarios)


@taking(Compiling)
def simulate_flow(
    source: Source | None = None,
    flow: str | None = None,
    targets: str | Iterable[str] = (),
    inject: str | Iterable[str] | None = None,
    **given: Unpack[Compiling],
) -> tuple[FlowScenario, ...]:
    """Predict how a flow ends when something happens to its jobs; ``tfdsl simulate --flow`` shows the same.

    ``flow``: its name; without it every flow of the file is played. In ``inject`` the job is before what happens to it:
    ``train: worker[1] exit 1``. All else is as for :func:`simulate`.

    Raises:
        CompileError: The file has errors, a target refuses something, or there is no such flow, job or replica.
        UsageError: There is no such target or version, or ``inject`` has another form.
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
    """
    done, hidden = _simulated(source, targets, inject, given, flow)

    def ending(prediction: FlowPrediction, target: str | None = None, version: str | None = None) -> FlowEnding:
        others = tuple(ending(other, target, version) for other in prediction.others)
        jobs = {name: str(state) for name, state in prediction.jobs.items()}
        return FlowEnding(target, version, prediction.outcome, hide(prediction.cause, hidden), jobs, others)

    return tuple(
        FlowScenario(
            simulated_flow.flow.name,
            tuple(fault.text for fault in played.faults),
            ending(played.language),
            tuple(ending(end, *on) for end, on in zip(played.targets, simulated_flow.targets, strict=True)),
            tuple(_scenario(name, alone, hidden) for name, alone in played.jobs.items()),
        )
        for simulated_flow in done.flows
        for played in simulated_flow.scenarios
    )


def _simulated(
    source: Source | None,
    targets: str | Iterable[str],
    inject: str | Iterable[str] | None,
    given: Compiling,
    flow: str | None,
) -> tuple[Simulation, Hidden]:
    choices = [target_of(target) for target in ((targets,) if isinstance(targets, str) else targets)]
    if given.get("options") and len(choices) != 1:
        raise TypeError("options= belongs to one target")
    faults = None if inject is None else _faults((inject,) if isinstance(inject, str) else tuple(inject))
    loaded = loaded_of(source, given)
    asked = asked_of(loaded, call_of(choices[0] if choices else None, given))
    request = asked.request
    if flow is not None:
        request = replace(request, flow=Argument(flow, argument("flow", flow)))
    done = simulated(asked.given, request, choices, faults, named=True)
    if not done.jobs and not done.flows:
        raise compile_error(f"cannot simulate {loaded.path}", asked.shown(done.diagnostics))
    return done, asked.hidden


def _scenario(job: str, played: Played, hidden: Hidden) -> Scenario:
    return Scenario(
        job,
        tuple(fault.text for fault in played.faults),
        _ending(played.language, hidden),
        tuple(_on_target(target, hidden) for target in played.targets),
    )


def _faults(texts: Sequence[str]) -> tuple[Injected, ...] | None:
    faults: list[Injected] = []
    for text in texts:
        fault = parse(text, argument("inject", text))
        if not isinstance(fault, Injected):
            raise usage_error(fault)
        faults.append(fault)
    return tuple(faults)


def _on_target(target: OnTarget, hidden: Hidden) -> TargetEnding:
    others = tuple(_ending(other, hidden) for other in target.prediction.others)
    end = _ending(target.prediction, hidden)
    return TargetEnding(target.target, target.version, end, target.differs, public(target.messages), others)


def _ending(prediction: Prediction, hidden: Hidden) -> Ending:
    return Ending(
        prediction.outcome,
        hide(prediction.cause, hidden),
        prediction.retries,
        {str(replica.task): replica.starts - 1 for replica in prediction.replicas if replica.starts > 1},
        {str(replica.task): replica.restarts for replica in prediction.replicas if replica.restarts},
        prediction.left(),
        prediction.story,
        prediction.unplayed,
    )


@taking(ReadingJob)
def matrix(
    source: Source | None = None,
    **given: Unpack[ReadingJob],
) -> tuple[MatrixJob, ...]:
    """The jobs of a file, with the values of their matrix; nothing is compiled. Quantities and durations are texts.

    The arguments are those of :func:`compile`.

    Raises:
        CompileError: The text has errors in what names its jobs, or no such job.
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
    """
    loaded = loaded_of(source, given, ReadingJob)
    asked = asked_of(loaded, Call(job=given.get("job")))
    listed = matrix_jobs(asked.given, asked.request)
    if listed.diagnostics:
        raise compile_error(f"cannot list the jobs of {loaded.path}", asked.shown(listed.diagnostics))
    return tuple(
        MatrixJob(job.name, job.block, job.index, {name: value.data for name, value in job.values.items()})
        for job in listed.jobs
    )
