"""How a TFJob lives and ends under its operator (``pkg/controller.v1/{common,tensorflow}``), seen with version 1.8.1.

What decides is read from the TFJob itself. The operator looks at pods: one in phase Failed fails the job unless the
restart policy of its role replaces it, and while it replaces one, no failed pod fails the job. It counts the restarts
of containers in pods that run, and looks at the deadline only when something has happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tfdsl.backend import Document, Unit
from tfdsl.lifecycle.behaviour import DEADLINE_PASSED, Behaviour, Decision, Outcome, Replica, State, Task
from tfdsl.manifest.nodes import View, tree, view
from tfdsl.vocabulary.attributes import LEADERS
from tfdsl.vocabulary.quantities import Duration
from tfdsl_backends.podspec.job_controller import PodByPod, note_restart, restarts_in_pods
from tfdsl_backends.tfjob.options import ROLE_KEYS, features
from tfdsl_backends.tfjob.policies import FIRST_SIGNAL

_OVER_LIMIT: Final = "over a limit"
_OVERDUE: Final = "overdue"
_IN_PLACE: Final = "restarts in all pods"


def behaviour(unit: Unit, documents: Sequence[Document]) -> Behaviour:
    """How the job of ``unit`` lives; its TFJob is the first of ``documents``."""
    return Operator(unit, view(tree(documents[0].data, unit.origins.span))["spec"])


class Operator(PodByPod):
    """The training operator, and one TFJob."""

    def __init__(self, unit: Unit, spec: View) -> None:
        super().__init__(unit.job)
        self._can = features(unit)
        specs = spec["tfReplicaSpecs"]
        self._restart = {name: specs[key]["restartPolicy"].text or "Never" for name, key in ROLE_KEYS.items()}
        self._decider = next((role.name for role in unit.job.roles if role.name in LEADERS), "worker")
        self._dynamic = spec["enableDynamicWorker"].flag is True
        self._all_workers = spec["successPolicy"].text == "AllWorkers"
        policy = spec["runPolicy"]
        self._limit = policy["backoffLimit"].number
        self._deadline = policy["activeDeadlineSeconds"].number
        self._ttl = policy["ttlSecondsAfterFinished"].number
        self._cleanup = policy["cleanPodPolicy"].text or ("None" if self._can.keeps_pods else "Running")

    # --- what happens to a pod ---

    def on_event(self, state: State) -> Decision | None:
        """The deadline, when it has passed before: the operator sleeps until something happens."""
        return self._over_limit(DEADLINE_PASSED, state) if _OVERDUE in state.counts else None

    def on_success(self, task: Task, state: State) -> Decision | None:
        """The kubelet starts it again under ``Always``."""
        if self._policy(task) == "Always":
            return self._in_place(f"{task} exited 0")
        return super().on_success(task, state)

    def on_exit(self, task: Task, status: int, state: State) -> Decision:
        """The kubelet starts it again in place, or its pod has failed."""
        if task.is_board:
            return super().on_exit(task, status, state)
        what = f"{task} exited {status}"
        policy = self._policy(task)
        if policy in ("OnFailure", "Always"):
            return self._in_place(what)
        if policy == "ExitCode":
            return self._by_status(what, status, task, state)
        return self._failed(what, task, state)

    def on_prepare_exit(self, task: Task, step: str, status: int, state: State) -> Decision:
        """Its pod has failed; the status of a step is not read, and counts as one to start again for."""
        if self._policy(task) == "ExitCode":
            return self._new_pod(f"step {step} of {task} exited {status}")
        return self.on_exit(task, status, state)

    def on_sidecar_exit(self, task: Task, state: State) -> Decision | None:
        """Its restart is one of the pod's containers."""
        self._note(self._in_place(""), task, state)
        return self.on_restarted(task, state)

    def on_loss(self, task: Task, status: int, state: State) -> Decision:
        """Its pod has failed."""
        if task.is_board:
            return super().on_loss(task, status, state)
        what = f"{task} was lost"
        policy = self._policy(task)
        if policy == "ExitCode":
            return self._by_status(what, status, task, state)
        if policy in ("OnFailure", "Always") and self._can.remakes_lost_pods:
            return self._new_pod(what)
        return self._failed(what, task, state)

    def on_preemption(self, task: Task, status: int, state: State) -> Decision:
        """A pod that is being deleted counts as failed, whatever the policy, and is made again if the job goes on."""
        if task.is_board:
            return super().on_loss(task, status, state)
        what = f"the pod of {task} was deleted"
        return self._new_pod(what) if self._restarting(state) else self._failed(what, task, state)

    def _policy(self, task: Task) -> str:
        return self._restart.get(task.role, "Never")

    @staticmethod
    def _in_place(what: str) -> Decision:
        return Decision("restart container", what, counted=False)

    @staticmethod
    def _new_pod(what: str) -> Decision:
        return Decision("restart pod", what, counted=False)

    def _by_status(self, what: str, status: int, task: Task, state: State) -> Decision:
        if status >= FIRST_SIGNAL:
            return self._new_pod(what)
        return self._failed(what, task, state) if self._passes(task) else Decision("fail job", what)

    def _failed(self, what: str, task: Task, state: State) -> Decision:
        return Decision("ignore" if self._passes(task) or self._restarting(state) else "fail job", what)

    def _passes(self, task: Task) -> bool:
        """Whether the job goes on without the failed ``task`` (``enableDynamicWorker``)."""
        return self._dynamic and task.role == "worker"

    def _restarting(self, state: State) -> bool:
        """Whether the TFJob is Restarting, which keeps failed pods from failing it: as long as there is one."""
        roles = [role.name for role in state.job.roles]
        waited_for = (role for role in roles if not self._passes(Task(role, 0)))
        if any(state.ended_well(role) > state.number(role, "succeeded") for role in waited_for):
            return True  # one has failed and is ignored
        pending = (role for role in roles if state.number(role, "pending"))
        return any(
            replica.phase == "pending" and replica.starts > 1 for role in pending for _, replica in state.of(role)
        )

    def on_split(self) -> Decision:
        """The operator does nothing about it."""
        return Decision("ignore", "part of the gang waits")

    # --- restarts ---

    def restarted_by(self, decision: Decision, task: Task, state: State) -> Iterable[Task]:
        """The replica alone; a new pod has not restarted yet. Pods that are prepared do not run and do not count."""
        if state.replicas[task].arrived or decision.action != "restart container":
            self._note(decision, task, state)
        return [task]

    @staticmethod
    def _note(decision: Decision, task: Task, state: State) -> None:
        note_restart(decision, task, state)
        if decision.action == "restart container":
            state.count(_IN_PLACE)

    def on_restarted(self, task: Task, state: State) -> Decision | None:
        """The restarts in all pods that run now, against ``backoffLimit``."""
        if self._limit is None or task.is_board or state.counts.get(_IN_PLACE, 0) < self._limit:
            return None  # even with those in pods that are gone there were too few
        if restarts_in_pods(state.replicas, state) < max(self._limit, 1):
            return None
        return self._over_limit(f"{task} failed, and its container has started again too often", state)

    # --- the end ---

    def on_completion(self, state: State) -> Decision | None:
        """The chief or master, else the workers or the first of them."""
        if state.all_in(self._decider, "succeeded"):
            return Decision("complete job", f"{self._decider} completed")
        first = state.replicas.get(Task("worker", 0))
        alone = self._decider == "worker" and not self._all_workers
        if alone and first is not None and first.phase == "succeeded":
            return Decision("complete job", "worker[0] completed")
        return None

    def deadline(self) -> Duration | None:
        """``activeDeadlineSeconds`` of the TFJob."""
        return None if self._deadline is None else Duration(f"{self._deadline}s")

    def on_job_deadline(self, state: State) -> Iterable[Decision]:
        """Nothing, until something happens."""
        state.count(_OVERDUE)
        return ()

    def _over_limit(self, why: str, state: State) -> Decision:
        state.count(_OVER_LIMIT)
        return Decision("fail job", why)

    def stopped_at_the_end(self, outcome: Outcome, state: State) -> Iterable[tuple[Task, bool]]:
        """What ``cleanPodPolicy`` says; all pods when a limit ends the job. TensorBoard is not the operator's."""
        cleanup = self._cleanup
        if _OVER_LIMIT in state.counts and not self._can.cleans_by_policy:
            cleanup = "All"
        for task, replica in state.replicas.items():
            if not task.is_board and _is_deleted(replica, cleanup):
                yield task, True

    def removed_after(self, outcome: Outcome) -> Duration | None:
        """``ttlSecondsAfterFinished`` of the TFJob, after any outcome."""
        return None if self._ttl is None else Duration(f"{self._ttl}s")


def _is_deleted(replica: Replica, cleanup: str) -> bool:
    if cleanup == "None":
        return False
    return replica.alive or (cleanup != "Running" and replica.phase not in ("waiting", "gone"))
