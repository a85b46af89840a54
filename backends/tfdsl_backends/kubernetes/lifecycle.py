"""How plain Jobs live and end: each is a part of the job that ends by itself, whatever becomes of the others.

What one Job does about a failed pod is :mod:`tfdsl_backends.podspec.job_controller`. When it ends, nothing is
removed but its pods that still run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tfdsl.backend import Document, Unit
from tfdsl.lifecycle.behaviour import DEADLINE_PASSED, Behaviour, Decision, Outcome, State, Task
from tfdsl.manifest.nodes import tree, view
from tfdsl.record import Record
from tfdsl.vocabulary.quantities import Duration
from tfdsl_backends.kubernetes.tfconfig import jobs
from tfdsl_backends.podspec.job_controller import ControlledJob, PodByPod, controlled, note_restart, restarts_in_pods

_FAILED: Final = "failed pods of "
_IN_PLACE: Final = "restarts in all pods of "
_DONE: Final = "completed before its pod was deleted: "


def behaviour(unit: Unit, documents: Sequence[Document]) -> Behaviour:
    """How the job of ``unit`` lives; its Jobs are the first of ``documents``."""
    parts: dict[str, _Part] = {}
    for pods, document in zip(jobs(unit), documents, strict=False):
        role, index = pods.role, pods.index
        tasks = tuple(Task(role.name, number) for number in (range(role.replicas) if index is None else (index,)))
        spec = view(tree(document.data, unit.origins.span))["spec"]
        parts[role.name if index is None else str(tasks[0])] = _Part(tasks, controlled(spec))
    return Jobs(unit, parts)


class _Part(Record):
    """One Job and its replicas."""

    tasks: tuple[Task, ...]
    job: ControlledJob

    def is_complete(self, state: State) -> bool:
        """Whether enough of its replicas have succeeded."""
        role = self.tasks[0].role
        if len(self.tasks) == 1:
            succeeded = int(_has_succeeded(self.tasks[0], state))
        else:
            succeeded = state.number(role, "succeeded") + state.counts.get(f"{_DONE}{role}", 0)
        return self.job.is_complete(succeeded, lambda at: _has_succeeded(self.tasks[at], state), len(self.tasks))


class Jobs(PodByPod):
    """The Job controller, and the Jobs of one job."""

    def __init__(self, unit: Unit, parts: Mapping[str, _Part]) -> None:
        super().__init__(unit.job)
        self._parts = parts
        self._names = {task: name for name, part in parts.items() for task in part.tasks}

    def parts(self) -> Iterable[str]:
        """The Jobs: of a role, or of one replica on its host."""
        return self._parts

    def part_of(self, task: Task) -> str:
        """The Job of ``task``; TensorBoard is in none."""
        return self._names.get(task, "")

    # --- what happens to a pod ---

    def on_exit(self, task: Task, status: int, state: State) -> Decision:
        """The kubelet starts it again in place, or its pod has failed."""
        if task.is_board:
            return super().on_exit(task, status, state)
        return self.on_prepare_exit(task, "", status, state)

    def on_prepare_exit(self, task: Task, step: str, status: int, state: State) -> Decision:
        """The same; rules may be about the status of one container."""
        what = f"{f'step {step} of ' if step else ''}{task} exited {status}"
        if self._job(task).in_place:
            return Decision("restart container", what, counted=False)
        return self._failed(task, what, status, state, disrupted=False, step=step)

    def on_sidecar_exit(self, task: Task, state: State) -> Decision | None:
        """Its restart is one of the pod's containers, which count where they restart in place."""
        if task.is_board or not self._job(task).in_place:
            return None
        self._note(Decision("restart container", ""), task, state)
        return self.on_restarted(task, state)

    def on_success(self, task: Task, state: State) -> Decision | None:
        """Its Job may be complete."""
        return super().on_success(task, state) or self._completion(task, state)

    def on_loss(self, task: Task, status: int, state: State) -> Decision:
        """Its pod has failed, and says that it was disrupted."""
        if task.is_board:
            return super().on_loss(task, status, state)
        return self._failed(task, f"{task} was lost", status, state, disrupted=True)

    def on_preemption(self, task: Task, status: int, state: State) -> Decision:
        """The same; but where the pod is looked at when its command has ended, it may have succeeded."""
        if task.is_board or status:
            return self.on_loss(task, status, state)
        name = self.part_of(task)
        part = self._parts[name]
        others = state.number(task.role, "running") if len(part.tasks) > 1 else 0  # its own pod is gone
        if not part.job.sees_the_end(state.counts.get(f"{_FAILED}{name}", 0), others):
            return self.on_loss(task, status, state)
        state.count(f"{_DONE}{task}")
        state.count(f"{_DONE}{task.role}")
        return self._completion(task, state) or Decision("ignore", f"{task} completed while its pod was deleted")

    def _failed(self, task: Task, what: str, status: int, state: State, *, disrupted: bool, step: str = "") -> Decision:
        part, job = self.part_of(task), self._job(task)
        action = job.on_failed_pod(status, step, disrupted=disrupted)
        if action == "FailJob":
            return Decision("fail job", what, part=part)
        if action == "Count" and state.count(f"{_FAILED}{part}") > job.limit:
            return Decision("fail job", what, part=part)
        return Decision("restart pod", what, counted=False)

    def _job(self, task: Task) -> ControlledJob:
        return self._parts[self._names[task]].job

    def on_split(self) -> Decision:
        """Jobs are no gang."""
        return Decision("ignore", "some pods wait")

    # --- restarts ---

    def restarted_by(self, decision: Decision, task: Task, state: State) -> Iterable[Task]:
        """The replica alone; a new pod has not restarted yet."""
        self._note(decision, task, state)
        return [task]

    def _note(self, decision: Decision, task: Task, state: State) -> None:
        note_restart(decision, task, state)
        if decision.action == "restart container":
            state.count(f"{_IN_PLACE}{self.part_of(task)}")

    def on_restarted(self, task: Task, state: State) -> Decision | None:
        """The restarts in all pods of the Job that run now, against ``backoffLimit``."""
        name = self.part_of(task)
        if not name:
            return None
        part = self._parts[name]
        if state.counts.get(f"{_IN_PLACE}{name}", 0) < part.job.limit:
            return None  # even with those in pods that are gone there were too few
        if restarts_in_pods(part.tasks, state) < max(part.job.limit, 1):
            return None
        return Decision("fail job", f"{task} failed, and its container has started again too often", part=name)

    # --- the end ---

    def on_completion(self, state: State) -> Decision | None:
        """Nothing: :meth:`on_success` has the pod whose end completes a Job."""
        return None

    def _completion(self, task: Task, state: State) -> Decision | None:
        name = self.part_of(task)
        if not name or name in state.parts or not self._parts[name].is_complete(state):
            return None
        return Decision("complete job", f"{name} completed", part=name)

    def stopped_with_part(self, part: str, state: State) -> Iterable[tuple[Task, bool]]:
        """The replicas of the Job that run."""
        return [(task, True) for task in self._parts[part].tasks if state.replicas[task].alive]

    def deadline(self) -> Duration | None:
        """``activeDeadlineSeconds``, which a patch may have changed for some of the Jobs: the first that passes."""
        return _duration(self._first_deadline())

    def on_job_deadline(self, state: State) -> Iterable[Decision]:
        """Every Job that still runs ends."""
        first = self._first_deadline()
        for name, part in self._parts.items():
            if name not in state.parts and first == part.job.deadline:
                yield Decision("fail job", DEADLINE_PASSED, part=name)

    def _first_deadline(self) -> int | None:
        seconds = [part.job.deadline for part in self._parts.values() if part.job.deadline is not None]
        return min(seconds, default=None)

    def stopped_at_the_end(self, outcome: Outcome, state: State) -> Iterable[tuple[Task, bool]]:
        """Each Job has stopped its own; TensorBoard runs on."""
        return ()

    def removed_after(self, outcome: Outcome) -> Duration | None:
        """``ttlSecondsAfterFinished``, which all Jobs of a job share."""
        return _duration(next((part.job.ttl for part in self._parts.values()), None))


def _has_succeeded(task: Task, state: State) -> bool:
    return state.replicas[task].phase == "succeeded" or f"{_DONE}{task}" in state.counts


def _duration(seconds: int | None) -> Duration | None:
    return None if seconds is None else Duration(f"{seconds}s")
