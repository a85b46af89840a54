"""How a flow lives and ends: which of its jobs start when, and what comes of the whole.

:class:`FlowMachine` is driven by whoever runs jobs, and by :func:`play_flow` with jobs whose ends are predicted. It
knows neither clock nor jobs. The rules are those of docs/language.md, "Flows".
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tfdsl.lifecycle.scenario import Prediction
from tfdsl.record import Record, replace
from tfdsl.rules.flows import in_order, union
from tfdsl.vocabulary.statements import Overlap

if TYPE_CHECKING:
    from tfdsl.ir.flow import Flow, FlowRun

JobState: TypeAlias = Literal["waiting", "running", "succeeded", "failed", "aborted", "not run"]
"""Of a job of a flow. ``not run``: it will not run, because the jobs before it have not ended as it needs them to."""

FAILED: Final[tuple[str, ...]] = ("failed", "aborted")
"""The ends of a job with which a flow has failed, and with which the jobs after it ``failed`` start."""

OVERLAPS: Final[Mapping[Overlap, tuple[bool, bool]]] = {
    "skip": (True, False),
    "allow": (True, True),
    "replace": (False, True),
}
"""``overlap`` → whether a run that is not over goes on when another is due, and whether that one starts."""


def overlap_words(overlap: Overlap) -> str:
    """What a run does that is due while another runs."""
    goes_on, starts = OVERLAPS[overlap]
    if not starts:
        return "does not start"
    return "starts beside it" if goes_on else "ends that one and starts"


class FlowMachine:
    """One run of ``flow``. ``jobs``: what has become of each, in the order of the file."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.jobs: dict[str, JobState] = dict.fromkeys((run.job for run in flow.runs), "waiting")
        self._missing = {run.job: len(run.after) for run in flow.runs}
        self._after: dict[str, list[str]] = {run.job: [] for run in flow.runs}
        for run in flow.runs:
            for before in run.after:
                self._after[before].append(run.job)
        self._stopped = False

    def begin(self) -> list[str]:
        """The jobs that start at once."""
        return [self._start(job) for job, missing in self._missing.items() if not missing]

    def ended(self, job: str, outcome: str) -> list[str]:
        """The jobs that start because ``job`` has ended; ``outcome``: ``succeeded``, ``failed`` or ``aborted``."""
        self.jobs[job] = "failed" if outcome == "failed" else "aborted" if outcome == "aborted" else "succeeded"
        started: list[str] = []
        for other in self._after[job]:
            if self.jobs[other] != "waiting":
                continue
            if not is_met(self.flow.run_of(other).ending, outcome):
                self._leave_out(other)
                continue
            self._missing[other] -= 1
            if not self._missing[other]:
                started.append(self._start(other))
        return started

    def stop(self, unbegun: Iterable[str] = ()) -> list[str]:
        """The flow ends, because its deadline has passed or somebody ends it: nothing starts. Gives what still runs.

        ``unbegun``: jobs that were to start, and have not. If nothing is left to be stopped, it has ended by itself.
        """
        for job in (*unbegun, *(job for job, state in self.jobs.items() if state == "waiting")):
            self.jobs[job] = "not run"
            self._stopped = True
        self._stopped = self._stopped or bool(self.running)
        return self.running

    @property
    def running(self) -> list[str]:
        """The jobs that run."""
        return [job for job, state in self.jobs.items() if state == "running"]

    @property
    def outcome(self) -> str | None:
        """``succeeded`` or ``failed``; ``None`` while a job runs."""
        if self.running:
            return None
        return "failed" if self._stopped or any(state in FAILED for state in self.jobs.values()) else "succeeded"

    def _start(self, job: str) -> str:
        self.jobs[job] = "running"
        return job

    def _leave_out(self, job: str) -> None:
        """Neither ``job`` runs nor what comes after it."""
        left_out = [job]
        while left_out:
            one = left_out.pop()
            if self.jobs[one] == "waiting":
                self.jobs[one] = "not run"
                left_out += self._after[one]


def is_met(ending: str, outcome: str) -> bool:
    """Whether a job that has ended as ``outcome`` lets one run that comes after it with ``ending``."""
    return ending == "ended" or (outcome in FAILED) == (ending == "failed")


def without_needless(flow: Flow) -> Flow:
    """``flow`` where no job waits for one that another which it waits for has waited for: it lives in the same way.

    What runs after a success has seen it; so has all that waits for what has run.
    """
    bits = {run.job: 1 << at for at, run in enumerate(flow.runs)}
    succeeded: dict[str, int] = {}  # job → those that have succeeded when it runs
    runs: list[FlowRun] = []
    for job in in_order({run.job: run.after for run in flow.runs}):
        run = flow.run_of(job)
        known = union(succeeded[before] for before in run.after)
        after = tuple(before for before in run.after if not bits[before] & known)
        direct = union(bits[before] for before in after)
        succeeded[job] = known | (direct if run.ending == "succeeded" else 0)
        runs.append(run.but(after=after))
    runs.sort(key=lambda run: bits[run.job])
    return flow.but(runs=tuple(runs))


# --- jobs whose ends are predicted -----------------------------------------------------------------------------------


class FlowPrediction(Record):
    """What comes of a flow. ``outcome``: ``None`` when it does not end. ``jobs``: what becomes of each.

    ``others``: what may come of it as well, because a job may end in several ways.
    """

    outcome: str | None
    cause: str
    jobs: Mapping[str, JobState]
    others: tuple[FlowPrediction, ...] = ()

    @property
    def not_run(self) -> list[str]:
        """The jobs that do not run."""
        return [job for job, state in self.jobs.items() if state == "not run"]


def play_flow(flow: Flow, ends: Mapping[str, Prediction]) -> FlowPrediction:
    """What comes of ``flow`` when its jobs end as ``ends`` says, each as long after its start.

    A job that does not end keeps the flow from ending, unless that has a deadline.
    """
    first = _played(flow, ends)
    seen = {_seen(first): first}
    for job, end in ends.items():
        for other in end.others:
            one = _played(flow, {**ends, job: other})
            seen.setdefault(_seen(one), one)
    return replace(first, others=tuple(seen.values())[1:])


def _seen(prediction: FlowPrediction) -> object:
    return prediction.outcome, tuple(prediction.jobs.values())


def _played(flow: Flow, ends: Mapping[str, Prediction]) -> FlowPrediction:
    machine = FlowMachine(flow)
    deadline = flow.deadline.ms if flow.deadline is not None else None
    order = {job: at for at, job in enumerate(machine.jobs)}
    queue: list[tuple[int, int, str]] = []
    late = ""

    def add(now: int, jobs: Iterable[str]) -> None:
        for job in jobs:
            if ends[job].outcome is not None:
                heapq.heappush(queue, (now + ends[job].ms, order[job], job))

    add(0, machine.begin())
    while queue and (deadline is None or queue[0][0] <= deadline):
        now, _, job = heapq.heappop(queue)
        add(now, machine.ended(job, ends[job].outcome or ""))
    if deadline is not None and machine.running:
        late = machine.running[0]
        for job in machine.stop():
            machine.ended(job, "failed")
    return FlowPrediction(machine.outcome, " ".join(_cause(machine, ends, late)), machine.jobs)


def _cause(machine: FlowMachine, ends: Mapping[str, Prediction], late: str) -> Iterator[str]:
    if late:
        yield f"the deadline of the flow has passed, and {late} still runs"
        return
    if machine.outcome is None:
        job = machine.running[0]
        yield f"{job} does not end: {ends[job].cause}"
        return
    failed = next((job for job, state in machine.jobs.items() if state in FAILED), None)
    if failed is not None:
        yield f"{failed} has failed:" if machine.jobs[failed] == "failed" else f"{failed} was aborted:"
        yield ends[failed].cause
    else:
        yield "every job that ran has succeeded"
