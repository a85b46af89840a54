"""``tfdsl simulate``: how a job ends when something happens to it, by the language and on each target."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Final

from tfdsl import simulating
from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import FILE, TEXT_OR_JSON, Arguments, Command, Flag, right
from tfdsl.cli.report import OK, document, end_if, lines_for_people, report
from tfdsl.cli.streams import columns, err, out
from tfdsl.compiling.front_end import Input
from tfdsl.compiling.masking import Hidden, hide
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT
from tfdsl.diagnostics.render.text import hanging
from tfdsl.lifecycle.faults import parse
from tfdsl.lifecycle.flow import FlowPrediction, overlap_words
from tfdsl.lifecycle.scenario import Prediction
from tfdsl.semantics.request import Choice
from tfdsl.simulating import Faults, OnTarget, Played, PlayedFlow, SimulatedFlow, SimulatedJob, Simulation

ALL_TARGETS = Flag("--all-targets", "every target that the job compiles for")
INJECT = Flag("--inject", "something that happens: 'worker[1] exit 137 after 20s'", value="EVENT", many=True)

COMMAND = Command(
    "simulate",
    (FILE,),
    (
        chosen.TARGET,
        ALL_TARGETS,
        INJECT,
        *chosen.OF_JOBS,
        chosen.ALLOW_READ,
        TEXT_OR_JSON,
    ),
    (
        "tfdsl simulate mnist.tfjob -t volcano",
        "tfdsl simulate mnist.tfjob --inject 'worker[1] exit 137 after 20s'",
        "tfdsl simulate mnist.tfjob -t tfjob -t volcano@1.9 --inject 'worker evicted' --inject 'worker[0] exit 1'",
        "tfdsl simulate nightly.tfjob --flow nightly --inject 'train: worker[1] exit 1 always'",
    ),
    "An event is REPLICA WHAT [after TIME] [always]; in a flow JOB: is before it. REPLICA: worker (all of them),\n"
    "worker[1] or worker[0..3].\n"
    "WHAT: exit STATUS, oom, evicted, preempted, node lost, completed or pending; unknown alone is about the job.\n"
    "All events of a command line happen to one job. Without --inject the usual ones are played one by one.\n"
    "Without -t: the targets that the project sets (tfdsl.toml), else those that the job has blocks for, else every\n"
    "target that it compiles for.",
)


def run(arguments: Arguments) -> int:
    """Play what is injected, and print what comes of it."""
    picked = chosen.selection(arguments)
    errors: list[Diagnostic] = []
    everywhere = arguments.value(ALL_TARGETS.name)
    if everywhere is not None and picked.choices:
        errors.append(BAD_ARGUMENT(everywhere.span, what="--all-targets cannot be used with --target"))
    given = chosen.opened(arguments, picked, errors).given
    faults = injected(arguments, picked)
    picked = picked if everywhere is not None else chosen.in_project(picked, given)
    end_if(picked.errors, hidden=picked.hidden)
    if not picked.choices:
        end_if(chosen.unusable(arguments))
    return _show(arguments, picked, given, faults)


def injected(arguments: Arguments, picked: chosen.Selection) -> Faults | None:
    """What ``--inject`` says, ``None`` without it."""
    errors: list[Diagnostic] = []
    faults = right([parse(value.text, value.span) for value in arguments.values(INJECT.name)], errors)
    end_if(errors, hidden=picked.hidden)
    return tuple(faults) or None


def _show(arguments: Arguments, picked: chosen.Selection, given: Input, faults: Faults | None) -> int:

    from tfdsl.simulating import simulated

    choices = picked.choices or _every(arguments, given)
    simulation = simulated(given, picked.request, choices, faults, named=bool(picked.choices))
    if not simulation.jobs and not simulation.flows:
        return report(simulation.diagnostics, (), hidden=picked.hidden)
    if arguments.text(TEXT_OR_JSON.name) == "json":
        out(json(simulation, picked.hidden))
        return OK
    if simulation.refused:
        err(f"not shown, because the job does not compile for it: {', '.join(simulation.refused)}\n")
    if simulation.unknown:
        err(f"not shown, because tfdsl does not know how jobs end there: {', '.join(simulation.unknown)}\n")
    out(text(simulation, picked.hidden, one_by_one=faults is None))
    return OK


def _every(arguments: Arguments, given: Input) -> Sequence[Choice]:
    if arguments.on(ALL_TARGETS.name):
        return chosen.every_target()
    from tfdsl.tracing.forward import choices_for

    return choices_for(given)


_WIDEST: Final = 120
_MOST_NAMES: Final = 4
_MARK: Final = " *"
_LEGEND: Final = "* differs from the language"


def text(simulation: Simulation, hidden: Hidden, *, one_by_one: bool) -> str:
    """For people. ``one_by_one``: a line for each scenario, not a table. Jobs that end alike are shown once."""
    alike: dict[tuple[str, ...], list[SimulatedJob]] = {}
    for job in simulation.jobs:
        alike.setdefault(tuple(_overview(job) if one_by_one else _in_full(job)), []).append(job)
    lines: list[str] = []
    for shown, jobs in alike.items():
        what = "" if one_by_one else f": {jobs[0].scenarios[0].name}"
        lines += [""] if lines else []
        lines += [f"# {_names([job.name for job in jobs])}{what}", *_suspended(jobs[0]), *shown]
    for flow in simulation.flows:
        lines += [""] if lines else []
        lines += _flow(flow, one_by_one=one_by_one)
    return lines_for_people(lines, hidden)


def _names(names: list[str]) -> str:
    if len(names) > _MOST_NAMES:
        return f"{names[0]} to {names[-1]} ({len(names):,} jobs)"
    return ", ".join(names)


def _suspended(job: SimulatedJob) -> Iterator[str]:
    if job.suspended:
        yield "It is created suspended; this is what happens once it is resumed."


# --- one scenario ----------------------------------------------------------------------------------------------


def _in_full(job: SimulatedJob) -> Iterator[str]:
    for played in job.scenarios:
        rows = [("", "outcome", "restarts", "left", "because"), ("language", *_cells(played.language))]
        for target in played.targets:
            ends = (target.prediction, *target.prediction.others)
            rows += [
                (head, *_marked(prediction, target.expected))
                for head, prediction in zip(_heads(target), ends, strict=False)
            ]
        yield from simulating.table(rows, _room())
        yield from _unplayed(played)
        yield from _differences(played.targets)


def _cells(prediction: Prediction) -> tuple[str, str, str, str]:
    return simulating.ending(prediction), simulating.restarts(prediction), simulating.left(prediction), prediction.cause


def _marked(prediction: Prediction, expected: Prediction) -> tuple[str, str, str, str]:
    outcome, restarts, left, cause = _cells(prediction)
    differs = set(simulating.differences(prediction, expected))
    marks = [_MARK if aspect in differs else "" for aspect in simulating.ASPECTS]
    return outcome + marks[0], restarts + marks[1], left + marks[2], cause


def _heads(target: OnTarget) -> Iterator[str]:
    """The heads of the rows of a target: each but the first is another end that is possible."""
    yield _head(target)
    yield from repeat("or")


def _head(target: OnTarget) -> str:
    return f"{target.target} {target.version}"


def _unplayed(played: Played) -> Iterator[str]:
    sides = [played.language, *(target.prediction for target in played.targets)]
    yield from _did_not_happen(played.faults, played.targets, [side.unplayed for side in sides])


def _did_not_happen(
    faults: Faults, targets: Iterable[OnTarget], unplayed: Sequence[Collection[str]], why: Mapping[str, str] = {}
) -> Iterator[str]:
    """``unplayed``: by the language, and on each target. ``why``: by fault, if it is not about the replica."""
    sides = ["by the language", *(f"on {_head(target)}" for target in targets)]
    for fault in dict.fromkeys(faults):
        where = [side for side, texts in zip(sides, unplayed, strict=True) if fault.text in texts]
        if where:
            yield ""
            reason = why.get(fault.text, "the replica did not run then")
            if fault.what == "time limit":
                reason = "nothing limits its time, or it had ended"
            yield f"{fault.text} did not happen {', '.join(where)}: {reason}"


def _differences(targets: Iterable[OnTarget]) -> Iterator[str]:
    differing = [target for target in targets if target.differs]
    if not differing:
        return
    yield ""
    yield _LEGEND
    told: dict[str, None] = {}
    for ending in differing:
        told |= dict.fromkeys(f"  {ending.target}: {_message(message)}" for message in ending.messages)
    for line in told:
        yield from hanging(line, _room(), 4)


def _room() -> int | None:
    """The width of the terminal, if there is one."""
    return columns(sys.stdout)


def _message(message: Diagnostic) -> str:
    path, line = message.span.path_and_line
    return f"{message.rule.code} {message.rule.slug} ({path}:{line}): {message.message}"


# --- one scenario after the other ------------------------------------------------------------------------------


def _overview(job: SimulatedJob) -> Iterator[str]:
    columns = [["", *(played.name for played in job.scenarios)]]
    columns += [["language", *(_short(played.language) for played in job.scenarios)]]
    for at, ending in enumerate(job.scenarios[0].targets):
        columns.append([_head(ending), *(_short_marked(played.targets[at]) for played in job.scenarios)])
    for number, part in enumerate(_fitting(columns)):
        yield from [""] if number else []
        yield from simulating.table([*zip(*part, strict=True)], _room())
    targets = [target for played in job.scenarios for target in played.targets]
    yield from _differences(targets)
    if any(target.differs for target in targets):
        yield "  --inject shows one of them in full"


def _short(prediction: Prediction) -> str:
    number = simulating.total_restarts(prediction)
    again = "" if not number else f", {number:,} restart{'s' if number > 1 else ''}"
    return simulating.ending(prediction) + again


def _short_marked(target: OnTarget) -> str:
    ends = dict.fromkeys(map(_short, (target.prediction, *target.prediction.others)))
    return " or ".join(ends) + (_MARK if target.differs else "")


def _fitting(columns: list[list[str]]) -> Iterator[list[list[str]]]:
    """The columns of targets in as many tables as fit on a line, each beside the names and the language."""
    first, rest = columns[:2], columns[2:]
    while True:
        room = (_room() or _WIDEST) - sum(max(map(len, column)) + 2 for column in first)
        part: list[list[str]] = []
        while rest and (not part or room >= max(map(len, rest[0]))):
            part.append(rest.pop(0))
            room -= max(map(len, part[-1])) + 2
        yield [*first, *part]
        if not rest:
            return


# --- flows -----------------------------------------------------------------------------------------------------

_STATES: Final[Mapping[str, str]] = {
    "not run": "does not run",
    "waiting": "waits for ever",
    "running": "does not end",
}
_FLOW: Final = "the flow"


def _flow(simulated: SimulatedFlow, *, one_by_one: bool) -> Iterator[str]:
    flow, scenarios = simulated.flow, simulated.scenarios
    yield f"# flow {flow.name}" + ("" if one_by_one else f": {scenarios[0].name}")
    if flow.schedule is not None:
        yield f"A run that is due while another runs {overlap_words(flow.overlap)}."
    heads = ["", "language", *(f"{target} {version}" for target, version in simulated.targets)]
    if one_by_one:
        rows = [[played.name, *_flow_ends(played, in_full=False)] for played in scenarios]
    else:
        rows = [[run.job, *_job_ends(scenarios[0], run.job)] for run in flow.runs]
        rows.append([_FLOW, *_flow_ends(scenarios[0], in_full=True)])
    yield from simulating.table([heads, *rows], _room())
    if not one_by_one:
        yield from _because(scenarios[0], heads[1:])
        yield from _unplayed_in_flow(scenarios[0])
    yield from _differences(target for played in scenarios for target in _that_ran(played))


def _that_ran(played: PlayedFlow) -> Iterator[OnTarget]:
    for name, alone in played.jobs.items():
        for flow, target in zip(played.targets, alone.targets, strict=True):
            if flow.jobs[name] not in _STATES:
                yield target


def _flow_ends(played: PlayedFlow, *, in_full: bool) -> Iterator[str]:
    """What comes of a flow by the language and on each target; ``in_full``: without what the table of jobs shows."""

    def words(prediction: FlowPrediction) -> str:
        end = prediction.outcome or "does not end"
        number = 0 if in_full else len(prediction.not_run)
        return end + (f", {number:,} job{'s' if number > 1 else ''} not run" if number else "")

    yield words(played.language)
    for actual, expected in zip(played.targets, played.expected, strict=True):
        ends = dict.fromkeys(map(words, (actual, *actual.others)))
        same = all((end.outcome, end.jobs) == (expected.outcome, expected.jobs) for end in (actual, *actual.others))
        yield " or ".join(ends) + ("" if same else _MARK)


def _job_ends(played: PlayedFlow, job: str) -> Iterator[str]:
    alone = played.jobs[job]
    yield _job_end((played.language,), job, alone.language)
    for flow, target in zip(played.targets, alone.targets, strict=True):
        differs = target.differs and flow.jobs[job] not in _STATES
        yield _job_end((flow, *flow.others), job, target.prediction) + (_MARK if differs else "")


def _job_end(flows: Sequence[FlowPrediction], job: str, alone: Prediction) -> str:
    """How a job ends in a flow, each way once. ``alone``: how it does when it runs."""
    words: list[str] = []
    for state in dict.fromkeys(flow.jobs[job] for flow in flows):
        ends = [_short(end) for end in (alone, *alone.others) if end.outcome == state]
        words += ends or [_STATES.get(state, state)]
    return " or ".join(dict.fromkeys(words))


def _because(played: PlayedFlow, heads: Sequence[str]) -> Iterator[str]:
    """What has ended the flow, where that is alike in one line."""
    causes: dict[str, list[str]] = {}
    for head, prediction in zip(heads, (played.language, *played.targets), strict=True):
        causes.setdefault(prediction.cause, []).append(head)
    yield ""
    for cause, where in causes.items():
        yield from hanging(f"{', '.join(where)}: {cause}" if len(causes) > 1 else cause, _room(), 4)


def _unplayed_in_flow(played: PlayedFlow) -> Iterator[str]:
    targets = next(iter(played.jobs.values())).targets
    why: dict[str, str] = {}
    unplayed: list[set[str]] = []
    for at, flow in enumerate((played.language, *played.targets)):
        unplayed.append(set())
        for fault in played.faults:
            alone = played.jobs[fault.job]
            end = alone.targets[at - 1].prediction if at else alone.language
            began = flow.jobs[fault.job] not in ("not run", "waiting")
            if not began:
                why[fault.text] = f"{fault.job} did not run"
            if not began or fault.text in end.unplayed:
                unplayed[-1].add(fault.text)
    yield from _did_not_happen(played.faults, targets, unplayed, why)


# --- JSON ------------------------------------------------------------------------------------------------------


def json(simulation: Simulation, hidden: Hidden) -> str:
    """The predictions as JSON, for programs."""
    jobs = [
        {
            "job": job.name,
            "suspended": job.suspended,
            "scenarios": [_scenario(played, hidden) for played in job.scenarios],
        }
        for job in simulation.jobs
    ]
    flows = [_flow_data(flow, hidden) for flow in simulation.flows]
    return document(1, {"jobs": jobs, "flows": flows, "refused": simulation.refused, "unknown": simulation.unknown})


def _flow_data(simulated: SimulatedFlow, hidden: Hidden) -> dict[str, object]:
    def ending(prediction: FlowPrediction) -> dict[str, object]:
        return {"outcome": prediction.outcome, "cause": hide(prediction.cause, hidden), "jobs": prediction.jobs}

    scenarios = [
        {
            "inject": [fault.text for fault in played.faults],
            "language": ending(played.language),
            "targets": [
                {
                    "target": target,
                    "target_version": version,
                    **ending(played.targets[at]),
                    "or": [ending(other) for other in played.targets[at].others],
                }
                for at, (target, version) in enumerate(simulated.targets)
            ],
            "jobs": [{"job": name, **_scenario(alone, hidden)} for name, alone in played.jobs.items()],
        }
        for played in simulated.scenarios
    ]
    return {"flow": simulated.flow.name, "scenarios": scenarios}


def _scenario(played: Played, hidden: Hidden) -> dict[str, object]:
    return {
        "inject": [fault.text for fault in played.faults],
        "language": _prediction(played.language, hidden),
        "targets": [
            {
                "target": target.target,
                "target_version": target.version,
                **_prediction(target.prediction, hidden),
                "or": [_prediction(other, hidden) for other in target.prediction.others],
                "differs": target.differs,
                "messages": [_message_data(message, hidden) for message in target.messages],
            }
            for target in played.targets
        ],
    }


def _prediction(prediction: Prediction, hidden: Hidden) -> dict[str, object]:
    again = {
        str(replica.task): {"replaced": max(replica.starts - 1, 0), "in_place": replica.restarts}
        for replica in prediction.replicas
        if replica.starts > 1 or replica.restarts
    }
    return {
        "outcome": prediction.outcome,
        "cause": hide(prediction.cause, hidden),
        "retries": prediction.retries,
        "restarts": again,
        "left": prediction.left(),
        "story": [hide(line, hidden) for line in prediction.story],
        "did_not_happen": prediction.unplayed,
    }


def _message_data(message: Diagnostic, hidden: Hidden) -> dict[str, object]:
    path, line = message.span.path_and_line
    return {
        "code": message.rule.code,
        "slug": message.rule.slug,
        "message": hide(message.message, hidden),
        "path": path,
        "line": line,
    }
