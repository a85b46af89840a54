"""What ``tfdsl simulate`` prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from tfdsl import simulating
from tfdsl.compiling.masking import Hidden, hide
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.render.columns import line_of
from tfdsl.diagnostics.render.json import dumped

if TYPE_CHECKING:
    from tfdsl.lifecycle.scenario import Prediction
    from tfdsl.simulating import OnTarget, Played, SimulatedJob, Simulation

_VERSION: Final = 1
"""Of the JSON form."""
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
    return "".join(f"{line_of(hide(line, hidden))}\n" for line in lines)


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
        rows += [(_head(one), *_marked(one)) for one in played.targets]
        yield from simulating.table(rows)
        yield from _unplayed(played)
        yield from _differences(played.targets)


def _cells(prediction: Prediction) -> tuple[str, str, str, str]:
    return simulating.ending(prediction), simulating.restarts(prediction), simulating.left(prediction), prediction.cause


def _marked(one: OnTarget) -> tuple[str, str, str, str]:
    outcome, restarts, left, cause = _cells(one.prediction)
    marks = [_MARK if aspect in one.differs else "" for aspect in ("outcome", "restarts", "left")]
    return outcome + marks[0], restarts + marks[1], left + marks[2], cause


def _head(one: OnTarget) -> str:
    return f"{one.target} {one.version}"


def _unplayed(played: Played) -> Iterator[str]:
    sides = [("by the language", played.language), *((f"on {_head(one)}", one.prediction) for one in played.targets)]
    for fault in dict.fromkeys(fault.text for fault in played.faults):
        where = [side for side, prediction in sides if fault in prediction.unplayed]
        if where:
            yield ""
            yield f"{fault} did not happen {', '.join(where)}: the replica did not run then"


def _differences(targets: Iterable[OnTarget]) -> Iterator[str]:
    differing = [one for one in targets if one.differs]
    if not differing:
        return
    yield ""
    yield _LEGEND
    told: dict[str, None] = {}
    for one in differing:
        told |= dict.fromkeys(f"  {one.target}: {_message(message)}" for message in one.messages)
    yield from told


def _message(message: Diagnostic) -> str:
    path, line = _place(message)
    return f"{message.rule.code} {message.rule.slug} ({path}:{line}): {message.message}"


def _place(message: Diagnostic) -> tuple[str, int]:
    source = message.span.source
    return source.path, source.position(message.span.start)[0]


# --- one scenario after the other ------------------------------------------------------------------------------


def _overview(job: SimulatedJob) -> Iterator[str]:
    columns = [["", *(played.name for played in job.scenarios)]]
    columns += [["language", *(_short(played.language) for played in job.scenarios)]]
    for at, one in enumerate(job.scenarios[0].targets):
        cells = [_short_marked(played.targets[at]) for played in job.scenarios]
        columns.append([_head(one), *cells])
    for number, part in enumerate(_fitting(columns)):
        yield from [""] if number else []
        yield from simulating.table([*zip(*part, strict=True)])
    targets = [one for played in job.scenarios for one in played.targets]
    yield from _differences(targets)
    if any(one.differs for one in targets):
        yield "  --inject shows one of them in full"


def _short(prediction: Prediction) -> str:
    number = simulating.total_restarts(prediction)
    again = "" if not number else f", {number:,} restart{'s' if number > 1 else ''}"
    return simulating.ending(prediction) + again


def _short_marked(one: OnTarget) -> str:
    return _short(one.prediction) + (_MARK if one.differs else "")


def _fitting(columns: list[list[str]]) -> Iterator[list[list[str]]]:
    """The columns of targets in as many tables as fit on a line, each beside the names and the language."""
    first, rest = columns[:2], columns[2:]
    while True:
        room = _WIDEST - sum(max(map(len, column)) + 2 for column in first)
        part: list[list[str]] = []
        while rest and (not part or room >= max(map(len, rest[0]))):
            part.append(rest.pop(0))
            room -= max(map(len, part[-1])) + 2
        yield [*first, *part]
        if not rest:
            return


# --- JSON ------------------------------------------------------------------------------------------------------


def json(simulation: Simulation, hidden: Hidden) -> str:
    """For programs."""
    jobs = [
        {
            "job": job.name,
            "suspended": job.suspended,
            "scenarios": [_scenario(played, hidden) for played in job.scenarios],
        }
        for job in simulation.jobs
    ]
    data = {"version": _VERSION, "jobs": jobs, "refused": simulation.refused, "unknown": simulation.unknown}
    return dumped(data)


def _scenario(played: Played, hidden: Hidden) -> dict[str, object]:
    return {
        "inject": [fault.text for fault in played.faults],
        "language": _prediction(played.language, hidden),
        "targets": [
            {
                "target": one.target,
                "target_version": one.version,
                **_prediction(one.prediction, hidden),
                "differs": one.differs,
                "messages": [_message_data(message, hidden) for message in one.messages],
            }
            for one in played.targets
        ],
    }


def _prediction(prediction: Prediction, hidden: Hidden) -> dict[str, object]:
    again = {
        str(one.task): {"replaced": max(one.starts - 1, 0), "in_place": one.restarts}
        for one in prediction.replicas
        if one.starts > 1 or one.restarts
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
    path, line = _place(message)
    return {
        "code": message.rule.code,
        "slug": message.rule.slug,
        "message": hide(message.message, hidden),
        "path": path,
        "line": line,
    }
