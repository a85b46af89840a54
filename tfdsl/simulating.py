"""Predict how a job ends when something happens to it: in the language's own meaning, and on each target.

The machine and the faults are those of :mod:`tfdsl.lifecycle`; here are the scenarios that are played without being
asked for, the comparison of a target with the language, and the words and the JSON of the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tfdsl.backend import Backend
from tfdsl.compiling import front_end, pipeline
from tfdsl.compiling.flows import readable
from tfdsl.compiling.front_end import Input, Ready
from tfdsl.compiling.jobs import PlainFlow, plain_flows
from tfdsl.compiling.pipeline import Made, MadeFlow, verdict
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.render.text import fold
from tfdsl.lifecycle.behaviour import Behaviour, Task
from tfdsl.lifecycle.faults import Injected, missing, of_job, parse
from tfdsl.lifecycle.flow import FlowPrediction, play_flow, without_needless
from tfdsl.lifecycle.scenario import Left, Prediction, can_happen, play
from tfdsl.record import Record, replace
from tfdsl.semantics.request import Choice, Request
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.tracing.statements import statements

if TYPE_CHECKING:
    from tfdsl.ir.flow import Flow
    from tfdsl.ir.model import Job, Policy, Role


Aspect: TypeAlias = Literal["outcome", "restarts", "left"]
ASPECTS: Final[tuple[Aspect, ...]] = ("outcome", "restarts", "left")
Faults: TypeAlias = "tuple[Injected, ...]"

_EVENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "exit": ("failed", "exit", "restarted"),
    "oom": ("failed", "exit", "evicted", "restarted"),
    "evicted": ("evicted", "failed", "restarted"),
    "preempted": ("evicted", "failed", "restarted"),
    "node lost": ("evicted", "failed", "restarted"),
    "time limit": ("evicted", "failed", "restarted"),
    "completed": (),
    "pending": ("pending",),
    "unknown": ("unknown",),
}
"""Fault → the events of the policies that it is about."""


class OnTarget(Record):
    """What becomes of the job on one target.

    ``expected``: what the language says of the job as the block of the target makes it; ``differs``: in what the
    prediction, or another of its ends, is not that; ``messages``: those that tell it.
    """

    target: str
    version: str
    prediction: Prediction
    expected: Prediction
    differs: tuple[Aspect, ...]
    messages: tuple[Diagnostic, ...]


class Played(Record):
    """One scenario: ``faults`` happen, or nothing."""

    faults: Faults
    language: Prediction
    targets: tuple[OnTarget, ...]

    @property
    def name(self) -> str:
        """The faults as they are written."""
        return _named(self.faults)


def _named(faults: Faults) -> str:
    return ", ".join(fault.text for fault in faults) or "nothing fails"


class SimulatedJob(Record):
    """The scenarios of one job. ``suspended``: it is created without being started."""

    name: str
    suspended: bool
    scenarios: tuple[Played, ...]


class PlayedFlow(Record):
    """One scenario of a flow. ``jobs``: what each of its jobs does when it runs, with the same targets.

    ``targets``: what comes of the flow on each of them; ``expected``: what the language says of it there.
    """

    faults: Faults
    language: FlowPrediction
    jobs: Mapping[str, Played]
    targets: tuple[FlowPrediction, ...]
    expected: tuple[FlowPrediction, ...]

    @property
    def name(self) -> str:
        """The faults as they are written."""
        return _named(self.faults)


class SimulatedFlow(Record):
    """The scenarios of a flow. ``targets``: the target and the version of each prediction."""

    flow: Flow
    targets: tuple[tuple[str, str], ...]
    scenarios: tuple[PlayedFlow, ...]


class Simulation(Record):
    """``refused``: targets for which the job does not compile; ``unknown``: those without a behaviour."""

    jobs: tuple[SimulatedJob, ...]
    diagnostics: tuple[Diagnostic, ...]
    refused: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    flows: tuple[SimulatedFlow, ...] = ()


def simulated(
    given: Input,
    request: Request,
    choices: Sequence[Choice],
    faults: Faults | None,
    *,
    named: bool,
) -> Simulation:
    """Play ``faults`` together, or, for ``None``, the usual ones one by one.

    ``named``: the targets are asked for by name, so what one of them refuses is an error. Faults that name a job
    happen in the flows that have it, others to the jobs that are in no flow.
    """
    plain = plain_flows(given, request)
    flows = plain.flows
    if pipeline.has_errors(plain.diagnostics) and not _has_target_block(given):
        return Simulation((), plain.diagnostics)  # no target mends what is wrong without one
    able = [choice for choice in choices if choice.backend.lifecycle]
    unknown = tuple(choice.backend.name for choice in choices if not choice.backend.lifecycle)
    made: list[tuple[Backend, Made]] = []
    made_flows: list[tuple[Backend, MadeFlow]] = []
    refused: list[str] = []
    errors: list[Diagnostic] = []
    for choice in able:
        outcome = front_end.compiled(given, request, [choice])
        if pipeline.has_errors(outcome.diagnostics):
            refused.append(choice.backend.name)
            errors += [diagnostic for diagnostic in outcome.diagnostics if diagnostic.level == "error"]
        made += [(choice.backend, output) for output in outcome.made]
        made_flows += [(choice.backend, flow) for flow in outcome.flows]
    if refused and named:
        return Simulation((), tuple(errors))
    jobs = {job.job.name: job.job for job in plain.beside}
    for _, output in made:
        jobs.setdefault(output.unit.job.name, output.unit.job)
    if not jobs and not flows:
        return Simulation((), plain.diagnostics)
    alone, together = _meant([*jobs.values()], flows, faults or ())
    wrong = list(_missing(alone, together, faults or ()))
    if wrong:
        return Simulation((), tuple(wrong))
    done = [
        _job(job, [_Target(backend, output) for backend, output in made if output.unit.job.name == job.name], faults)
        for job in alone
    ]
    played = [
        _flow(flow, [made_flow for made_flow in made_flows if made_flow[1].unit.name == flow.flow.name], faults)
        for flow in together
    ]
    return Simulation(
        tuple(done), (), tuple(dict.fromkeys(refused)), tuple(dict.fromkeys(unknown)), flows=tuple(played)
    )


def _meant(
    jobs: Sequence[Job], flows: Sequence[PlainFlow], faults: Sequence[Injected]
) -> tuple[Sequence[Job], Sequence[PlainFlow]]:
    """The jobs and the flows to which ``faults`` happen: with no fault all of them."""
    named = {fault.job for fault in faults if fault.job}
    if named and flows:
        those = [flow for flow in flows if named <= set(flow.jobs)]
        return (), those or flows[:1]
    return (jobs, flows) if not faults else (jobs, () if jobs else flows)


def _missing(jobs: Sequence[Job], flows: Sequence[PlainFlow], faults: Faults) -> Iterator[Diagnostic]:
    for fault in faults:
        wrong = [missing(fault, jobs)] if jobs else []
        wrong += [missing(fault, [job.job for job in flow.jobs.values()], flow=flow.flow.name) for flow in flows]
        yield from (error for error in wrong if error is not None)


def _has_target_block(given: Input) -> bool:
    """Whether a target may see other jobs than the language."""
    if isinstance(given, Ready):
        return True
    return any(isinstance(statement.node, ast.Target) for file in given.files for statement in statements(file))


def _job(job: Job, targets: Sequence[_Target], faults: Faults | None) -> SimulatedJob:
    scenarios: Iterable[Faults] = (
        [faults] if faults is not None else [(), *((usual_fault,) for usual_fault in usual_faults(job))]
    )
    return SimulatedJob(job.name, job.suspend, tuple(_played(job, targets, scenario) for scenario in scenarios))


def _played(job: Job, targets: Sequence[_Target], faults: Faults) -> Played:
    language = play(Behaviour(job), faults)
    return Played(faults, language, tuple(target.played(faults, job, language) for target in targets))


def _flow(plain: PlainFlow, made: Sequence[tuple[Backend, MadeFlow]], faults: Faults | None) -> SimulatedFlow:
    flow, jobs = plain.flow, {name: plain_job.job for name, plain_job in plain.jobs.items()}
    on = {
        name: [_Target(backend, made_flow.jobs[at], made_flow.unit.mark) for backend, made_flow in made]
        for at, name in enumerate(jobs)
    }
    only = next(iter(jobs)) if len(jobs) == 1 else ""
    usual = (_fails(job) for job in jobs.values())
    scenarios: Iterable[Faults] = (
        [tuple(replace(fault, job=fault.job or only) for fault in faults)]
        if faults is not None
        else [(), *((fault,) for fault in usual)]
    )
    fine = {name: _played(job, on[name], ()) for name, job in jobs.items()}
    played: list[PlayedFlow] = []
    lean = without_needless(flow)
    for scenario in scenarios:
        ends = dict(fine)
        for name in dict.fromkeys(fault.job for fault in scenario):
            ends[name] = _played(jobs[name], on[name], of_job(scenario, name))
        played.append(_flow_played(lean, scenario, ends))
    targets = tuple((made_flow.unit.target, made_flow.unit.shown_version) for _, made_flow in made)
    return SimulatedFlow(flow, targets, tuple(played))


def _fails(job: Job) -> Injected:
    """The fault by which ``job`` fails, unless its policies keep it from that."""
    role = next(role for role in job.roles if not role.is_board)
    return _fault(f"{job.name}: {role.name}[0] exit 1 always")


def _flow_played(flow: Flow, faults: Faults, jobs: Mapping[str, Played]) -> PlayedFlow:
    language = play_flow(flow, {name: played.language for name, played in jobs.items()})
    on = [{name: played.targets[at] for name, played in jobs.items()} for at, _ in enumerate(_targets(jobs))]
    targets = (play_flow(flow, {name: target.prediction for name, target in ends.items()}) for ends in on)
    expected = (play_flow(flow, {name: target.expected for name, target in ends.items()}) for ends in on)
    return PlayedFlow(faults, language, jobs, tuple(targets), tuple(expected))


def _targets(jobs: Mapping[str, Played]) -> Sequence[OnTarget]:
    return next(iter(jobs.values())).targets


class _Target:
    """One target that a job is compiled for. ``mark``: that of a flow's run in the job's name."""

    def __init__(self, backend: Backend, made: Made, mark: str = "") -> None:
        unit = made.unit
        behaviour = backend.behaviour(unit, made.documents)
        assert behaviour is not None  # only those are asked that have one
        self.unit = unit
        self.behaviour = behaviour
        self.language = Behaviour(unit.job)
        keys = {row.rule.code: row.key for row in backend.support.rows if row.rule is not None}
        prefix = f"{backend.name}: "
        self.messages = [
            (keys.get(diagnostic.rule.code, ""), replace(diagnostic, message=diagnostic.message.removeprefix(prefix)))
            for diagnostic in (readable(diagnostic, mark) for diagnostic in verdict(backend, unit))
        ]

    def played(self, faults: Faults, job: Job, language: Prediction) -> OnTarget:
        """One scenario. ``job``: without the block of the target, with what the language says of it."""
        prediction = play(self.behaviour, faults)
        possible = tuple(fault for fault in faults if can_happen(fault, self.behaviour))
        alike = possible == faults and _decide_alike(job, self.unit.job)
        expected = language if alike else play(self.language, possible)
        ends = (prediction, *prediction.others)
        differing = {aspect for end in ends for aspect in differences(end, expected)}
        differs: tuple[Aspect, ...] = tuple(aspect for aspect in ASPECTS if aspect in differing)
        messages = tuple(self._telling(faults, differs)) if differs else ()
        return OnTarget(self.unit.target, self.unit.shown_version, prediction, expected, differs, messages)

    def _telling(self, faults: Faults, differs: Sequence[Aspect]) -> Iterator[Diagnostic]:
        """The messages about what decides these faults; if there are none, all messages about policies."""
        near = [diagnostic for key, diagnostic in self.messages if _is_about(key, faults, differs)]
        at = [(policy, diagnostic) for _, diagnostic in self.messages for policy in self._policies_at(diagnostic.span)]
        asked = [diagnostic for policy, diagnostic in at if _may_decide(policy, faults)]
        yield from {
            (diagnostic.rule.code, diagnostic.span): diagnostic
            for diagnostic in (near + asked) or [diagnostic for _, diagnostic in at]
        }.values()

    def _policies_at(self, place: Span) -> Iterator[Policy]:
        """The policies that a message is about; those of checks have no row in the table that would say it."""
        for at, policy in enumerate(self.unit.job.policies):
            span = self.unit.origins.written(f"policies[{at}]")
            if span is not None and span.source is place.source and span.start <= place.start and place.end <= span.end:
                yield policy


def _may_decide(policy: Policy, faults: Faults) -> bool:
    """Whether ``policy`` can be the one that decides one of ``faults``."""
    return any(
        policy.event in _EVENTS[fault.what] and (policy.event != "exit" or fault.status in policy.codes)
        for fault in faults
    )


def _decide_alike(job: Job, other: Job) -> bool:
    """Whether everything is the same that the life of two jobs depends on."""
    if job is other:
        return True
    mine, theirs = (
        (each.policies, each.retries, each.deadline, each.ttl, each.cleanup, [_shape(role) for role in each.roles])
        for each in (job, other)
    )
    return mine == theirs


def _shape(role: Role) -> tuple[object, ...]:
    return role.name, role.replicas, role.after, role.server


def differences(prediction: Prediction, expected: Prediction) -> Iterator[Aspect]:
    """In what ``prediction`` is not what is expected."""
    if prediction.outcome != expected.outcome:
        yield "outcome"
    if _restarts(prediction) != _restarts(expected):
        yield "restarts"
    if prediction.left() != expected.left():
        yield "left"


def _restarts(prediction: Prediction) -> list[tuple[int, int]]:
    """What started again; TensorBoard does not count, because it trains nothing."""
    return [(replica.starts, replica.restarts) for replica in prediction.replicas if not replica.task.is_board]


def _is_about(key: str, faults: Faults, differs: Sequence[Aspect]) -> bool:
    """Whether the row of ``key`` is about what decides these faults, or about what is left."""
    if key == "job.cleanup":
        return "left" in differs
    if key in ("job.retries", "job.deadline"):
        return "outcome" in differs or "restarts" in differs
    if key.startswith("steps["):
        return any(fault.step for fault in faults)
    if not key.startswith("policies["):
        return False
    events = {event for fault in faults for event in _EVENTS[fault.what]} | {"completed"}
    return key.removeprefix("policies[").partition("]")[0] in events and ("outcome" in differs or "restarts" in differs)


_OF_ROLE: Final = ("exit 1", "oom", "evicted", "exit 1 always")
_KNOWN: Final = (1, 137)


def usual_faults(job: Job) -> Iterator[Injected]:
    """One after the other, each a scenario of its own."""
    for role in job.roles:
        if not role.is_board:
            replica = f"{role.name}[{min(1, role.replicas - 1)}]"
            own = list(_own(job, role))
            for event in (*(f" {action}" for action in (*_OF_ROLE, *own)), *_of_steps(role, own)):
                yield _fault(f"{replica}{event}")
    if any(policy.event == "unknown" for policy in job.policies):
        yield _fault("unknown")


def _own(job: Job, role: Role) -> Iterator[str]:
    """What the policies of a role are about besides."""
    mine = [policy for policy in job.policies if policy.role in (None, role.name)]
    statuses = [policy.codes[0] for policy in mine if policy.event == "exit" and policy.codes[0] not in _KNOWN]
    yield from (f"exit {status}" for status in dict.fromkeys(statuses))
    if any(policy.event == "pending" for policy in mine):
        yield "pending"


def _of_steps(role: Role, events: Sequence[str]) -> Iterator[str]:
    """The same of its prepare steps: one that fails, with the statuses that policies are about."""
    exits = ["exit 1", *(event for event in events if event.startswith("exit "))]
    steps = (step.name for step in role.steps if step.kind == "prepare")
    yield from (f"/{step} {event}" for step in steps for event in exits)


def _fault(text: str) -> Injected:
    fault = parse(text)
    assert isinstance(fault, Injected)
    return fault


_MOST: Final = 4
"""The most groups of replicas that a cell names."""


def ending(prediction: Prediction) -> str:
    """How the job ends, in words: ``succeeded``."""
    return prediction.outcome or "does not end"


def total_restarts(prediction: Prediction) -> int:
    """How many times a replica started again."""
    return sum(max(replica.starts - 1, 0) + replica.restarts for replica in prediction.replicas)


def restarts(prediction: Prediction) -> str:
    """``worker[0..3] replaced, ps[0] twice in place``."""
    return _grouped((replica.task, _again(replica)) for replica in prediction.replicas)


def left(prediction: Prediction) -> str:
    """``worker[0..3] succeeded, ps[0] running``."""
    phases = prediction.left()
    return _grouped((replica.task, phases.get(str(replica.task), "")) for replica in prediction.replicas)


def _again(left: Left) -> str:
    ways = ((max(left.starts - 1, 0), "replaced"), (left.restarts, "restarted in place"))
    return " and ".join(f"{way}{_times(number)}" for number, way in ways if number)


def _times(number: int) -> str:
    return "" if number == 1 else f" {number}x"


def _grouped(said: Iterable[tuple[Task, str]]) -> str:
    """Each word with the replicas that it is said of, those that follow each other as a range."""
    found: list[str] = []
    for (_, word), group in groupby(said, key=lambda pair: (pair[0].role, pair[1])):
        if word:
            found.append(f"{_range([task for task, _ in group])} {word}")
    if len(found) > _MOST:
        found[_MOST - 1 :] = [f"and {len(found) - _MOST + 1} more groups"]
    return ", ".join(found) or "-"


def _range(tasks: Sequence[Task]) -> str:
    first, last = tasks[0], tasks[-1]
    return str(first) if len(tasks) == 1 else f"{first.role}[{first.index}..{last.index}]"


def table(rows: Sequence[Sequence[str]], room: int | None = None) -> Iterator[str]:
    """Aligned columns. ``room``: the width of the terminal, if there is one: cells are folded between words to fit."""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    least = [max(len(word) for cell in column for word in cell.split(" ")) for column in columns]
    while room is not None and sum(widths) + 2 * (len(widths) - 1) > room:
        widest = max(range(len(widths)), key=lambda at: (widths[at] > least[at], widths[at]))
        if widths[widest] <= least[widest]:
            break
        widths[widest] -= 1
    for row in rows:
        folded = [fold(cell, width, width) for cell, width in zip(row, widths, strict=True)]
        for parts in zip_longest(*folded, fillvalue=""):
            yield "  ".join(part.ljust(width) for part, width in zip(parts, widths, strict=True)).rstrip()
