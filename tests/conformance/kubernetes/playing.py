"""Scenarios that are played on the real controllers: faults happen to the pods, and what comes of it is observed.

A fault happens when nothing changes any more after the one before; those that are injected at the same time happen at
once. Times count only where the job has a deadline.
"""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import cycle, groupby
from typing import TYPE_CHECKING, Any

from tests.conformance.kubernetes.api import Api
from tests.conformance.kubernetes.compiling import accepted
from tests.conformance.kubernetes.control_plane import make_namespace
from tests.conformance.kubernetes.created import Created, unused_name
from tests.conformance.kubernetes.processes import PATIENCE, Processes
from tests.conformance.kubernetes.stand_in_kubelet import task_of
from tests.lifecycle.recorded import Observation, Scenario, injected, text_of
from tfdsl.record import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from tests.conformance.kubernetes.compiling import Compiled
    from tests.conformance.kubernetes.stand_in_kubelet import Pod
    from tests.conformance.kubernetes.work import Work
    from tfdsl.lifecycle.faults import Injected

QUIET, LOOKS = 2.0, 10
"""Seconds and looks without a change after which the controller is taken to have done all it wants."""

AT_ONCE = 8
"""Scenarios that run at the same time: most of the time they wait."""

PHASES = {"Succeeded": "succeeded", "Failed": "failed", "Running": "running", "Pending": "pending"}


class Played(Created):
    """A job to whose pods things happen. Tasks are written ``worker[1]``."""

    def __init__(self, api: Api, made: Compiled) -> None:
        super().__init__(api, made)
        self._job = made.units[0].job
        self._tasks = [f"{role.name}[{n}]" for role in self._job.roles for n in range(role.replicas)]
        self._in_place: Counter[str] = Counter()
        self._seen: dict[str, list[str]] = {}
        self._began = time.monotonic()

    def play(self, faults: Sequence[str], *, finish: bool) -> Observation:
        """Let ``faults`` happen, and then the commands that still run end well if they are to ``finish``."""
        events = injected(faults)
        waiting = (event for event in events if event.what == "pending")
        self.kubelet.held = {str(task) for event in waiting for task in event.tasks(self._job)}
        self.settle()
        self._began = time.monotonic()
        later = sorted((event for event in events if event.what != "pending"), key=_when)
        for after, group in groupby(later, key=_when):
            if self.outcome() != "running":
                break
            self._wait(after)
            for event in group:
                for task in event.tasks(self._job):
                    self._happen(event, str(task))
            self.settle()
        if finish:
            self._finish()
        elif self._job.deadline is not None:
            self._wait(self._job.deadline.ms + 2000)
            self.settle()
        return self.observed()

    def _wait(self, after: int) -> None:
        while self._job.deadline is not None and time.monotonic() < self._began + after / 1000:
            self.kubelet.step()
            time.sleep(0.1)

    def _happen(self, event: Injected, task: str) -> None:
        pod = self.pods().get(task)
        if pod is None or pod["status"]["phase"] != "Running" or "deletionTimestamp" in pod["metadata"]:
            return
        name = pod["metadata"]["name"]
        if event.what == "evicted":
            self.kubelet.evict(name, event.status)
        elif event.what == "preempted":
            self.kubelet.preempt(name, event.status)
        elif self.kubelet.exit(name, event.status):
            self._in_place[task] += 1

    def _finish(self) -> None:
        while self.outcome() == "running":
            pods = self.pods()
            running = [task for task in self._tasks if task in pods and pods[task]["status"]["phase"] == "Running"]
            ends = [task for task in running if not task.startswith(("ps[", "tensorboard["))]
            if not ends:
                return
            self.kubelet.exit(pods[ends[0]]["metadata"]["name"], 0)
            self.settle()

    def settle(self) -> None:
        """Let the stand-in kubelet work until nothing changes any more."""
        end = time.monotonic() + 90 * PATIENCE
        before: object = None
        looks, since = 0, time.monotonic()
        while looks < LOOKS or time.monotonic() < since + QUIET:
            assert time.monotonic() < end, f"no rest: {self.kubelet.phases()}"
            self.kubelet.step()
            pods, phases = self.pods(), self.kubelet.phases()
            now = ({task: pod["metadata"]["uid"] for task, pod in pods.items()}, phases, self.outcome())
            if now != before or "Deleting" in phases.values() or self.unfinished(pods):
                before, looks, since = now, 0, time.monotonic()
            looks += 1
            time.sleep(0.2)

    def pods(self) -> dict[str, Pod]:
        """Task → its newest pod, if that is still there."""
        newest: dict[str, Pod] = {}
        for pod in sorted(self.kubelet.pods(), key=_age):
            task = task_of(pod)
            seen = self._seen.setdefault(task, [])
            if pod["metadata"]["uid"] not in seen:
                seen.append(pod["metadata"]["uid"])
            newest[task] = pod
        return {task: pod for task, pod in newest.items() if pod["metadata"]["uid"] == self._seen[task][-1]}

    def observed(self) -> Observation:
        """What has become of the job."""
        left = {task: PHASES[pod["status"]["phase"]] for task, pod in self.pods().items()}
        restarts = {task: len(seen) - 1 + self._in_place[task] for task, seen in self._seen.items()}
        return Observation(self.outcome(), {t: n for t, n in restarts.items() if n}, left, None, self.parts())

    def outcome(self) -> str:
        """``running``, ``succeeded`` or ``failed``."""
        raise NotImplementedError

    def parts(self) -> dict[str, str] | None:
        """The Jobs and their outcomes, of a job that is several."""
        return None

    def unfinished(self, pods: dict[str, Pod]) -> bool:
        """Whether the controller has pods to make beside ``pods``, for which it may wait."""
        return False


class PlayedTFJob(Played):
    """A TFJob under the operator."""

    def outcome(self) -> str:
        ends = sorted({"Succeeded", "Failed"} & set(self.conditions("TFJob")))
        return " and ".join(ends).lower() or "running"

    def unfinished(self, pods: dict[str, Pod]) -> bool:
        return self.outcome() == "running" and len(pods) < len(self._tasks)


class PlayedJobs(Played):
    """Plain Jobs under the Job controller."""

    def outcome(self) -> str:
        ends = set(map(_end, self._jobs().values()))
        return "running" if "running" in ends else "failed" if "failed" in ends else "succeeded"

    def parts(self) -> dict[str, str]:
        return {part: _end(job) for part, job in self._jobs().items()}

    def unfinished(self, pods: dict[str, Pod]) -> bool:
        jobs = self._jobs()
        alive = Counter(
            task if task in jobs else task.partition("[")[0]
            for task, pod in pods.items()
            if pod["status"]["phase"] in ("Running", "Pending")
        )
        return any(
            _end(job) == "running" and alive[part] < job["spec"]["parallelism"] - job["status"].get("succeeded", 0)
            for part, job in jobs.items()
        )

    def _jobs(self) -> dict[str, dict[str, Any]]:
        jobs: dict[str, dict[str, Any]] = {}
        place = self._api.place("batch/v1", "Job", self._made.documents[0].namespace)
        there = {job["metadata"]["name"]: job for job in self._api.items(place, f"tfdsl/job={self.name}")}
        for manifest in self._made.documents:
            if manifest.kind == "Job":
                job = there[manifest.name]
                role, indexed = job["metadata"]["labels"]["tfdsl/role"], job["spec"].get("completionMode") == "Indexed"
                jobs[role if indexed else f"{role}[{manifest.name.rpartition('-')[2]}]"] = job
        return jobs


def _when(event: Injected) -> int:
    return event.after_ms or 0


def _end(job: dict[str, Any]) -> str:
    conditions = {one["type"] for one in job["status"].get("conditions", ()) if one["status"] == "True"}
    return "succeeded" if "Complete" in conditions else "failed" if "Failed" in conditions else "running"


def _age(pod: Pod) -> tuple[str, bool]:
    """Older pods first; of two made in one second, the one that has ended."""
    return pod["metadata"]["creationTimestamp"], pod["status"]["phase"] in ("Running", "Pending")


class Runs:
    """Scenarios on their way."""

    def __init__(self, runs: dict[str, Future[Observation]]) -> None:
        self._runs = runs

    def of(self, scenario: Scenario) -> Observation:
        """What came of it, as far as it is recorded what comes of it."""
        seen, recorded = self._runs[scenario.name].result(), scenario.seen
        if recorded is None:
            return seen
        return replace(
            seen,
            restarts=seen.restarts if recorded.restarts is not None else None,
            left=seen.left if recorded.left is not None else None,
            parts=seen.parts if recorded.parts is not None else None,
        )


def play_together(work: Work, request: pytest.FixtureRequest, kind: type[Played]) -> Runs:
    """Start all scenarios that the selected tests of the module are about."""
    # A look at the pods of a namespace gets all of them, so each has few scenarios.
    namespaces = [f"{kind.__name__.lower()}-{number}" for number in range(AT_ONCE)]
    for namespace in namespaces:
        make_namespace(Api(work), Processes(work), namespace)
    pool = ThreadPoolExecutor(AT_ONCE)
    request.addfinalizer(lambda: pool.shutdown(cancel_futures=True))
    selected = [
        item.callspec.params["scenario"]
        for item in request.session.items
        if getattr(item, "module", None) is request.module and "scenario" in getattr(item, "fixturenames", ())
    ]
    places = zip(selected, cycle(namespaces), strict=False)
    return Runs({scenario.name: pool.submit(_played, work, scenario, kind, where) for scenario, where in places})


def _played(work: Work, scenario: Scenario, kind: type[Played], namespace: str) -> Observation:
    source = text_of(f'namespace = "{namespace}"\n{scenario.job}', unused_name("life"))
    made = accepted(source, scenario.target, scenario.version)
    with kind(Api(work), made) as job:
        return job.play(scenario.inject, finish=scenario.finish)
