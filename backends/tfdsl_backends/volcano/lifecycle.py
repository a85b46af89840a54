"""How a job lives and ends on Volcano: what its job controller makes of the manifest (pkg/controllers/job).

Which policy decides on what is worked out in :mod:`.controller_policies`; here is what the actions do, what is counted,
and when a job is complete without a policy. A deleted pod may run once more for a second before the job ends or starts
again (seen in 2 of 64 runs), which is not predicted. A delayed action is mostly lost (seen in 14 of 18 runs): it
replaces the pods, but the job goes on and nothing counts it, so that is what is predicted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tfdsl.backend import Document, Unit
from tfdsl.ir.model import Role
from tfdsl.lifecycle.behaviour import TERMINATED, Behaviour, Counting, Decision, Outcome, State, Task
from tfdsl.manifest.nodes import View, tree, view
from tfdsl.record import Record
from tfdsl.vocabulary.quantities import Duration, duration
from tfdsl.vocabulary.statements import RESTARTS
from tfdsl_backends.volcano import controller
from tfdsl_backends.volcano.controller import Minimums, Reaction, Reactions, minimums, of_task
from tfdsl_backends.volcano.features import Features, features
from tfdsl_backends.volcano.names import task_name
from tfdsl_backends.volcano.policies import ACTIONS

_OURS: Final = {**{theirs: ours for ours, theirs in ACTIONS.items()}, "RestartPartition": "restart role"}
"""Volcano's action → ours; any other does nothing to a job that runs."""


def behaviour(unit: Unit, documents: Sequence[Document]) -> Behaviour:
    """How the job of ``unit`` lives; its manifest is the first of ``documents``."""
    return Controller(unit, view(tree(documents[0].data, unit.origins.span))["spec"])


class _Pods(Record):
    """What the manifest says of the pods of a role.

    ``max_retry``: the number of restarts in place at which TaskFailed fires; ``minimum``: as others wait for it;
    ``waits_for``: the roles of its ``dependsOn``, of which ``any_of_them`` is enough.
    """

    reactions: Reactions
    in_place: bool
    max_retry: int
    minimum: int
    deadline: Duration | None
    waits_for: tuple[str, ...]
    any_of_them: bool


class Controller(Behaviour):
    """Volcano's job controller, and one job."""

    limits_time = False

    def __init__(self, unit: Unit, spec: View) -> None:
        super().__init__(unit.job)
        self._can: Features = features(unit)
        self._max_retry = spec["maxRetry"].number or controller.MAX_RETRY
        self._min_success = spec["minSuccess"].number
        self._minimums: Minimums = minimums(spec)
        self._ttl = spec["ttlSecondsAfterFinished"].number
        decided = controller.decided(_tasks(spec), controller.reactions(spec["policies"]))
        self._about_job = decided.job
        self._pods: Mapping[str, _Pods] = _pods(unit, spec, decided.tasks)

    # --- which policy decides ---

    def on_exit(self, task: Task, status: int, state: State) -> Decision:
        """The kubelet starts it again in place, or PodFailed fires."""
        if self._pods[task.role].in_place:
            return Decision("restart container", f"{task} exited {status}", counted=False)
        return _decision(self._failed(task, status), f"{task} exited {status}")

    def on_prepare_exit(self, task: Task, step: str, status: int, state: State) -> Decision:
        """The same, but that the status of a step is not read: Volcano looks at the containers of the command."""
        if self._pods[task.role].in_place:
            return self.on_exit(task, status, state)
        return _decision(self._failed(task, None), f"step {step} of {task} exited {status}")

    def on_sidecar_exit(self, task: Task, state: State) -> Decision | None:
        """Its restart is one of the pod's containers."""
        state.count(_in_place(task.role))
        state.count(_of_sidecars(task))
        return self.on_restarted(task, state)

    def on_success(self, task: Task, state: State) -> Decision | None:
        """A pod that is always restarted never succeeds; TaskCompleted fires when all of the task have."""
        if task.is_board and self._pods[task.role].in_place:
            return Decision("restart container", f"{task} exited 0", counted=False)
        if self._min_success is not None and state.total("succeeded") >= self._min_success:
            return Decision("complete job", f"{self._min_success} replicas have succeeded")
        reaction = self._all_succeeded(task, state)
        return _decision(reaction, f"{task.role} completed") if _acts(reaction) else None

    def on_completion(self, state: State) -> Decision | None:
        """Nothing: :meth:`on_success` has the pod whose end completes a task."""
        return None

    def on_loss(self, task: Task, status: int, state: State) -> Decision:
        """The kubelet ends the pod, which fails and stays.

        It says so before the container has ended or after it, and Volcano reads the status at once, or never (seen in 6
        of 23 runs).
        """
        read = None if state.chance("the status of an evicted pod is not read") else status
        return _decision(self._failed(task, read), f"{task} was evicted and exited {status}")

    def on_preemption(self, task: Task, status: int, state: State) -> Decision:
        """The pod is deleted: how it ends counts first where the release sees that, then that it is gone."""
        if self._can.fails_deleted:
            reaction = self._failed(task, status) if status else self._all_succeeded(task, state)
            if _acts(reaction):
                return _decision(reaction, f"{task} was deleted and exited {status}")
        evicted = self._pods[task.role].reactions.get("PodEvicted")
        if _acts(evicted):
            return _decision(evicted, f"{task} was deleted")
        return Decision("restart pod", f"{task} was deleted, and no policy is about it", counted=False)

    def on_pending(self, task: Task) -> Decision | None:
        """PodPending, which always has a timeout."""
        reaction = self._pods[task.role].reactions.get("PodPending")
        return _decision(reaction, f"{task} has not started in time") if _acts(reaction) else None

    def on_split(self) -> Decision:
        """Unknown, which is about the whole job."""
        return _decision(self._about_job.get("Unknown"), "part of the gang cannot be placed")

    def on_restarted(self, task: Task, state: State) -> Decision | None:
        """TaskFailed: the restarts of the pods that run are counted, from 0 in each new pod."""
        pods = self._pods[task.role]
        reaction = pods.reactions.get("TaskFailed")
        if not _acts(reaction) or state.counts.get(_in_place(task.role), 0) < pods.max_retry:
            return None  # even with those of pods that are gone there were too few
        restarts = sum(
            replica.restarts + state.counts.get(_of_sidecars(other), 0) - state.counts.get(_before(other), 0)
            for other, replica in state.of(task.role)
            if replica.alive
        )
        reached = restarts >= pods.max_retry if self._can.reaches_count else restarts > pods.max_retry
        if not reached:
            return None
        return _decision(reaction, f"the containers of {task.role} were restarted {restarts} times")

    def _failed(self, task: Task, status: int | None) -> Reaction | None:
        """What follows when the pod fails: a status that is known before PodFailed decides, else PodFailed."""
        reactions = self._pods[task.role].reactions
        return (reactions.get(status) if status else None) or reactions.get("PodFailed")

    def _all_succeeded(self, task: Task, state: State) -> Reaction | None:
        """What follows when the pod has succeeded: it is TaskCompleted if the others of its task have, too."""
        succeeded = state.number(task.role, "succeeded") - (state.replicas[task].phase == "succeeded")
        if succeeded < len(state.of(task.role)) - 1:
            return None
        return self._pods[task.role].reactions.get("TaskCompleted")

    # --- time and order ---

    def deadline(self) -> Duration | None:
        """None: each pod has its own."""
        return None

    def deadline_of(self, task: Task) -> Duration | None:
        """``activeDeadlineSeconds`` of the pod."""
        return self._pods[task.role].deadline

    def on_deadline(self, task: Task, state: State) -> Decision:
        """The kubelet ends the pod with SIGTERM, so it fails."""
        return _decision(self._failed(task, TERMINATED), f"the deadline of {task} has passed")

    def may_start(self, role: Role, state: State) -> bool:
        """``dependsOn``: of each task, or of one, ``minAvailable`` pods run or have succeeded."""
        pods = self._pods[role.name]
        there = [state.number(name, "running", "succeeded") >= self._pods[name].minimum for name in pods.waits_for]
        return any(there) if pods.any_of_them else all(there)

    def removed_after(self, outcome: Outcome) -> Duration | None:
        """``ttlSecondsAfterFinished``; an aborted job has not finished."""
        return duration(self._ttl * 1000) if self._ttl is not None and outcome != "aborted" else None

    # --- restarts ---

    def counting(self, state: State) -> Counting:
        """By chance the controller takes several ends for one, or counts a restart of a role for each of its pods."""
        if state.chance("ends of one moment are counted as one"):
            return "one"
        return "ends" if state.chance("each end of one moment is counted") else "restarts"

    def may_restart(self, decision: Decision, task: Task, state: State) -> bool:
        """Each restart of pods counts, and the job fails when ``maxRetry`` of them, with the first start, are over."""
        if state.retries + 1 >= self._max_retry:
            return False
        state.retries += 1
        return True

    def restarted_by(self, decision: Decision, task: Task, state: State) -> Iterable[Task]:
        """As in the language, but TensorBoard starts again with the job. In a new pod, restarts count from 0."""
        again = (
            list(state.replicas) if decision.action == "restart job" else super().restarted_by(decision, task, state)
        )
        again = list(again)
        if decision.action == "restart container":
            state.count(_in_place(task.role))
        else:
            for other in again:
                state.counts[_before(other)] = state.replicas[other].restarts + state.counts.get(_of_sidecars(other), 0)
        return again

    def given_up(self, decision: Decision, task: Task | None, state: State) -> Iterable[Task]:
        """The pods are gone before the controller sees that no retry is left; a restart of the job keeps them."""
        if task is None or decision.action not in ("restart pod", "restart role"):
            return ()
        return list(super().restarted_by(decision, task, state))

    # --- the end ---

    def nothing_left(self, state: State) -> bool:
        """Whether every pod has ended, TensorBoard too; roles that still wait have none."""
        return state.total("succeeded", "failed", "lost") == len(state.replicas)

    def on_nothing_left(self, state: State) -> Decision:
        """Without a policy the job is complete if as many have succeeded as had to be placeable (state/running.go)."""
        least = self._minimums
        succeeded = state.total("succeeded")
        missing = least.job >= sum(least.tasks.values()) and any(
            state.number(role, "succeeded") < pods.minimum for role, pods in self._pods.items()
        )
        enough = succeeded >= least.job and succeeded >= (self._min_success or 0)
        if enough and not missing:
            return Decision("complete job", "every replica has ended, and enough have succeeded")
        return Decision("fail job", "every replica has ended, and too few have succeeded")

    def stopped_at_the_end(self, outcome: Outcome, state: State) -> Iterable[tuple[Task, bool]]:
        """The pods that run are deleted, the others kept."""
        return [(task, True) for task, replica in state.replicas.items() if replica.alive]


def _tasks(spec: View) -> list[controller.Task]:
    return [
        controller.Task(
            task["name"].words or "",
            controller.reactions(task["policies"]),
            task["template"]["spec"]["restartPolicy"].text or "Always",
        )
        for task in spec["tasks"].items()
    ]


def _pods(unit: Unit, spec: View, decided: Mapping[str, Reactions]) -> Mapping[str, _Pods]:
    """What is known of each role; tasks that a patch adds belong to no role."""
    roles = {task_name(unit, role): role.name for role in unit.job.roles}
    written = {task["name"].words: task for task in spec["tasks"].items()}
    return {
        role: _pods_of(written.get(name, spec["tasks"]), decided.get(name, {}), roles) for name, role in roles.items()
    }


def _pods_of(task: View, reactions: Reactions, roles: Mapping[str, str]) -> _Pods:
    pod = task["template"]["spec"]
    seconds = pod["activeDeadlineSeconds"].number
    waits_for = [
        role for name, role in roles.items() if name in {entry.words for entry in task["dependsOn"]["name"].items()}
    ]
    return _Pods(
        reactions,
        pod["restartPolicy"].text != "Never",
        task["maxRetry"].number or controller.MAX_RETRY,
        of_task(task),
        duration(seconds * 1000) if seconds is not None else None,
        tuple(waits_for),
        any_of_them=len(waits_for) > 1 and task["dependsOn"]["iteration"].text == "any",
    )


def _decision(reaction: Reaction | None, why: str) -> Decision:
    """What the controller does; a delayed action is lost, and replaces the pods."""
    action = _OURS.get(reaction.action, "ignore") if reaction is not None else "ignore"
    if reaction is None or not reaction.timeout:
        return Decision(action, why)
    lost = action if action in RESTARTS else "restart job"
    return Decision(lost, why, duration(reaction.timeout), counted=False)


def _acts(reaction: Reaction | None) -> bool:
    return reaction is not None and reaction.action in _OURS


def _in_place(role: str) -> str:
    """The counter of all restarts in place of a role, also in pods that are gone."""
    return f"restarts in place of {role}"


def _before(task: Task) -> str:
    """The counter with the restarts that a replica had before its pod."""
    return f"restarts of {task} before its pod"


def _of_sidecars(task: Task) -> str:
    """The counter of the restarts of a replica's sidecars."""
    return f"restarts of the sidecars of {task}"
