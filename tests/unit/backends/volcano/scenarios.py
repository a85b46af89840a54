"""What becomes of a job on Volcano, played from its manifest; and the scenarios that were seen on real controllers.

The player knows the policies (:mod:`reaction`), the counts, and what a release does with a pod that is being deleted.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from tests.unit.backends.volcano.reaction import on_deletion, reaction, task_of
from tfdsl.record import Record

FILE = Path(__file__).parents[3] / "data" / "volcano" / "scenarios.toml"
HEAD = "1.15"
ENDS = {"TerminateJob": "Terminated", "AbortJob": "Aborted", "CompleteJob": "Completed"}
RESTARTS = ("RestartPod", "RestartTask", "RestartJob")
MANY = 20


class Seen(Record):
    """How a job ended: its phase, its retryCount, and how often each pod's container was started."""

    phase: str
    retries: int
    starts: dict[str, int]


def scenarios() -> list[dict[str, Any]]:
    """All of them, as written down."""
    return list(tomllib.loads(FILE.read_text("utf-8"))["scenario"])


def play(job: dict[str, Any], events: list[str], *, fails_deleted: bool) -> Seen:
    """The end of ``job`` after ``events``; what no event is about runs to its end."""
    player = _Player(job, fails_deleted=fails_deleted)
    phase = next((end for event in events if (end := player.event(event)) is not None), None)
    return Seen(phase or player.end(), player.retries, dict(player.starts))


class _Player:
    """A job that runs: what was counted, and which pods have failed for good."""

    def __init__(self, job: dict[str, Any], *, fails_deleted: bool) -> None:
        self.job = job
        self.fails_deleted = fails_deleted
        self.retries = 0
        self.failed: set[str] = set()
        self.in_place: Counter[str] = Counter()
        pods = [f"{task['name']}-{at}" for task in job["spec"]["tasks"] for at in range(task["replicas"])]
        self.starts = Counter(pods)

    def event(self, text: str) -> str | None:
        """The phase in which the job ends with this event, or ``None``."""
        if text == "unplaced":
            self.starts.clear()
            return "Pending"
        pod, what, *more = text.split()
        status = int(more[0]) if more and more[0].isdigit() else 0
        for _ in range(MANY if more[-1:] == ["always"] else 1):
            act = {"exits": self._exits, "deleted": self._deleted, "deadline": self._deadline}[what]
            ended = act(pod, status)
            if ended is not None:
                return ended
        return None

    def end(self) -> str:
        """What happens when all that still runs ends with 0."""
        for _ in range(MANY):
            broken = {_task(pod) for pod in self.failed}
            whole = [task["name"] for task in self.job["spec"]["tasks"] if task["name"] not in broken]
            action = next((found for name in whole if (found := reaction(self.job, name, "TaskCompleted"))), None)
            if action is None:
                return "Failed" if self.failed else "Running"
            ended = self._act(action, "")
            if ended is not None:
                return ended
        return "Running"

    def _exits(self, pod: str, status: int) -> str | None:
        task = task_of(self.job, _task(pod))
        if task["template"]["spec"]["restartPolicy"] == "Never":
            return self._failed(pod, status)
        self.starts[pod] += 1
        self.in_place[task["name"]] += 1
        if self.in_place[task["name"]] >= task.get("maxRetry", 3):
            action = reaction(self.job, task["name"], "TaskFailed")
            return self._act(action, pod) if action is not None else None
        return None

    def _deadline(self, pod: str, _: int) -> str | None:
        return self._failed(pod, 0)

    def _failed(self, pod: str, status: int) -> str | None:
        action = reaction(self.job, _task(pod), "PodFailed", status)
        if action in (None, "ResumeJob"):
            self.failed.add(pod)
            return None
        assert action is not None
        return self._act(action, pod)

    def _deleted(self, pod: str, status: int) -> str | None:
        """A pod is deleted: its end comes first where the release looks at it, then that it is gone."""
        action = on_deletion(self.job, _task(pod), status, fails_deleted=self.fails_deleted)
        if action is None:
            self.starts[pod] += 1  # without a policy it is made anew, uncounted
            return None
        return self._act(action, pod)

    def _act(self, action: str, pod: str) -> str | None:
        if action in ENDS:
            return ENDS[action]
        assert action in RESTARTS, action
        self.retries += 1
        if self.retries >= self.job["spec"].get("maxRetry", 3):
            return "Failed"
        whole = {"RestartPod": lambda p: p == pod, "RestartTask": lambda p: _task(p) == _task(pod)}
        again = [p for p in self.starts if whole.get(action, lambda _: True)(p)]
        self.starts.update(again)
        self.failed.difference_update(again)
        for name in {_task(p) for p in again}:
            self.in_place[name] = 0
        return None


def _task(pod: str) -> str:
    return pod[: pod.rfind("-")]
