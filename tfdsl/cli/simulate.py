"""``tfdsl simulate``: how a job ends when something happens to it, by the language and on each target."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
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
from tfdsl.lifecycle.scenario import Prediction
from tfdsl.semantics.request import Choice
from tfdsl.simulating import Faults, OnTarget, Played, SimulatedJob, Simulation

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
    ),
    "An event is REPLICA WHAT [after TIME] [always]. REPLICA: worker (all of them), worker[1] or worker[0..3].\n"
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
    if not simulation.jobs:
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
            rows += [(head, *_marked(one, target.expected)) for head, one in zip(_heads(target), ends, strict=False)]
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


def _heads(one: OnTarget) -> Iterator[str]:
    """The heads of the rows of a target: each but the first is another end that is possible."""
    yield _head(one)
    yield from repeat("or")


def _head(one: OnTarget) -> str:
    return f"{one.target} {one.version}"


def _unplayed(played: Played) -> Iterator[str]:
    sides = [
        ("by the language", played.language),
        *((f"on {_head(target)}", target.prediction) for target in played.targets),
    ]
    for fault in dict.fromkeys(fault.text for fault in played.faults):
        where = [side for side, prediction in sides if fault in prediction.unplayed]
        if where:
            yield ""
            why = "the replica did not run then"
            if fault.startswith("time limit"):
                why = "nothing limits its time, or it had ended"
            yield f"{fault} did not happen {', '.join(where)}: {why}"


def _differences(targets: Iterable[OnTarget]) -> Iterator[str]:
    differing = [target for target in targets if target.differs]
    if not differing:
        return
    yield ""
    yield _LEGEND
    told: dict[str, None] = {}
    for one in differing:
        told |= dict.fromkeys(f"  {one.target}: {_message(message)}" for message in one.messages)
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
    for at, one in enumerate(job.scenarios[0].targets):
        columns.append([_head(one), *(_short_marked(played.targets[at]) for played in job.scenarios)])
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


def _short_marked(one: OnTarget) -> str:
    ends = dict.fromkeys(map(_short, (one.prediction, *one.prediction.others)))
    return " or ".join(ends) + (_MARK if one.differs else "")


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
    return document(1, {"jobs": jobs, "refused": simulation.refused, "unknown": simulation.unknown})


def _scenario(played: Played, hidden: Hidden) -> dict[str, object]:
    return {
        "inject": [fault.text for fault in played.faults],
        "language": _prediction(played.language, hidden),
        "targets": [
            {
                "target": target.target,
                "target_version": target.version,
                **_prediction(target.prediction, hidden),
                "or": [_prediction(one, hidden) for one in target.prediction.others],
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
