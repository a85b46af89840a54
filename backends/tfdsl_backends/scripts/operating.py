"""A flow that is a script: ``flow.sh`` submits it, and says what has become of each job.

It knows the runs that were begun in the folder in which it is called, also those that the cluster has forgotten.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

from tfdsl.backend.cluster import (
    Answer,
    Call,
    End,
    Live,
    LogOptions,
    Phase,
    Place,
    Replica,
    ReplicaPhase,
    Row,
    Run,
    Sign,
    reasons,
)
from tfdsl.backend.flow import FlowUnit
from tfdsl.record import Record
from tfdsl.rules.flows import name_in

STAMP: Final = r"\d{8}-\d{6}-[0-9a-f]{8}"
"""The name of a run, which begins with its time."""
_RUN: Final = re.compile(rf"^[a-z0-9-]+: (?:submitted )?the run (?P<run>{STAMP})$", re.MULTILINE)
_EARLIER: Final = re.compile(rf"^[a-z0-9-]+: earlier: (?P<run>{STAMP}) (?P<end>succeeded|failed|open)$", re.MULTILINE)
_JOB: Final = re.compile(
    r"^  (?P<job>[a-z0-9-]+) +(?P<end>succeeded|failed|open|did not run|is not in this run)"
    r"(?: \((?P<id>[0-9]{1,12})\))?(?:: (?P<why>.*))?$",
    re.MULTILINE,
)
_GONE: Final = re.compile(r"^[a-z0-9-]+: (?P<words>flow\.sh has ended before .*)$", re.MULTILINE)
"""What ``flow.sh --status`` says of a run, its jobs and those before."""

_READS: Final = 'bash -s -- "$@" || [ $? -ne 1 ]'
_PHASES: Final[dict[str, ReplicaPhase]] = {
    "succeeded": "succeeded",
    "failed": "failed",
    "did not run": "not run",
    "is not in this run": "absent",
}
ROWS: Final = (
    Row("flow-job", ("flow",), "failed", "", "{who} has failed: {said}"),
    Row(
        "flow-script-gone", ("flow",), "gone", "", "{said}",
        "tfdsl cancel ends what runs; flow.sh --from JOB goes on from a job",
    ),
)  # fmt: skip


class Told(Record):
    """What ``flow.sh --status`` says of a job: ``end`` in its words, ``id`` the cluster's number of it."""

    job: str
    end: str
    id: str
    why: str

    def replica(self, phase: ReplicaPhase, name: str, number: str = "") -> Replica:
        """The job as a replica of its flow."""
        why = "this run was submitted without it" if phase == "absent" else ""
        return Replica(self.job, -1, phase, name, id=number or self.id, end=End(why=why) if why else None)


class ScriptFlows(ABC):
    """What is the same of all flows that are scripts, of a ``cluster`` module."""

    ID: tuple[str, re.Pattern[str]] = "a run such as 20260131-020000-0a1b2c3d", re.compile(STAMP)
    TARGET: str
    rows: Sequence[Row] = ROWS

    @abstractmethod
    def text(self, flow: FlowUnit) -> str:
        """The text of ``flow.sh``."""

    @abstractmethod
    def unfinished(self, place: Place, told: Told, answers: Sequence[Answer], *, gone: bool) -> Replica:
        """A job that is not over. ``gone``: nothing that has not begun will."""

    def script(self, flow: FlowUnit, about: str, *words: str) -> Call:
        """``flow.sh`` as a question; its statuses but 1 are answers."""
        return Call(("bash", "-c", _READS, "flow.sh", *words), about, stdin=self.text(flow))

    def reads(self, place: Place) -> list[Call]:
        """``flow.sh --status``, which also knows the runs that the cluster has forgotten."""
        assert place.flow is not None
        run = ("--run", place.id) if place.id else ()
        return [self.script(place.flow, "the flow", "--status", *run)]

    def more(self, place: Place, answers: Sequence[Answer]) -> list[Call]:
        """Nothing else."""
        return []

    def live(self, place: Place, answers: Sequence[Answer]) -> Live | None:
        """The run that ``flow.sh`` has told of."""
        said = answers[0].out
        run = _RUN.search(said)
        if run is None:
            return None
        gone = _GONE.search(said)
        told = [Told(*match.groups("")) for match in _JOB.finditer(said)]
        jobs = [self._job(place, one, answers, gone=gone is not None) for one in told]
        phases = {job.phase for job in jobs}
        failed = gone is not None or not phases.isdisjoint(("failed", "aborted"))
        phase: Phase = "failed" if failed else "succeeded"
        if open_ := phases - {"failed", "aborted", "succeeded", "not run", "absent"}:
            phase = "waiting" if phases <= {"waiting", "absent"} and open_ else "running"
        signs = [Sign("flow", "gone", gone["words"], f"flow/{run['run']}")] if gone is not None else []
        signs += [
            Sign("flow", "failed", one.why, job.name, job)
            for one, job in zip(told, jobs, strict=True)
            if one.why and job.phase in ("failed", "aborted")
        ]
        since = _time(run["run"]) if open_ else ""
        earlier = tuple(
            Run(match["run"], "running" if match["end"] == "open" else match["end"], _time(match["run"]))  # type: ignore[arg-type]
            for match in _EARLIER.finditer(said)
        )
        return Live(
            self.TARGET, place.name, "", run["run"], phase, since, replicas=tuple(jobs),
            reasons=reasons(self.rows, signs), submission=run["run"], earlier=earlier,
        )  # fmt: skip

    def _job(self, place: Place, told: Told, answers: Sequence[Answer], *, gone: bool) -> Replica:
        if told.end == "open":
            return self.unfinished(place, told, answers, gone=gone)
        phase = _PHASES[told.end]
        name = name_in(place.name, told.job) if phase in ("succeeded", "failed") else ""
        return self.ended(place, told.replica(phase, name), answers)

    def ended(self, place: Place, job: Replica, answers: Sequence[Answer]) -> Replica:
        """A job that is over, with what the cluster knows of it."""
        return job

    def log(self, place: Place, live: Live, replica: Replica, container: str, options: LogOptions) -> str | None:
        """Each job has its own logs."""
        return None

    def lists(self, place: Place) -> list[Call]:
        """A cluster does not list flows."""
        return []

    def listed(self, place: Place, answers: Sequence[Answer]) -> list[Live]:
        """None."""
        return []

    def resumes(self, place: Place, live: Live, answers: Sequence[Answer]) -> str:
        """No job of a flow is held."""
        return "a flow goes on by itself"


def called(place: Place, folder: str, script: str, *words: str) -> tuple[str, ...]:
    """The command line of a script that submits; the options are for the program that it calls."""
    path = f"{folder}/{place.name}/{script}" if folder else script
    return ("bash", path, *words, *(("--", *place.options) if place.options else ()))


def run_in(said: str) -> str:
    """The run that ``flow.sh`` says it has begun, as a part of the cluster; empty if it has begun none."""
    match = _RUN.search(said)
    return f"flow/{match['run']}" if match else ""


def _time(stamp: str) -> str:
    day, time = stamp[:8], stamp[9:15]
    return f"{day[:4]}-{day[4:6]}-{day[6:]}T{time[:2]}:{time[2:4]}:{time[4:]}Z"
