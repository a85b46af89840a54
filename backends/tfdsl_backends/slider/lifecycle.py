"""How a job lives and ends on Slider: what its task program decides, and what Slider counts.

The program's own functions are asked, with the ``job.json`` that they read in the containers, and the threshold in
``resources.json``. What Slider does is from its sources (0.92: ``AppState.onCompletedNode``, ``RoleStatus.noteFailed``,
``ContainerOutcome``, ``AppState.checkFailureThreshold``): it replaces every container that is gone, and counts one of a
lost node as failed and one that was preempted apart. It does not know success: who asks it to stop the application
makes YARN show it as SUCCEEDED.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from tfdsl.backend import Document, TargetObject, Unit
from tfdsl.backend.objects import value_at
from tfdsl.emit.located import plain
from tfdsl.lifecycle.behaviour import DEADLINE_PASSED, Behaviour, Decision, State, Task
from tfdsl.vocabulary.quantities import Duration
from tfdsl_backends.hadoop.lifecycle import Meeting
from tfdsl_backends.slider.programs import task_policy

PEERS_MISSING: Final = 76
"""The status of a task that has waited too long for the others."""

THRESHOLD: Final = "yarn.container.failure.threshold"


def behaviour(unit: Unit, documents: Sequence[Document]) -> Behaviour:
    """How the job of ``unit`` lives and ends."""
    by_file = {document.file: document.data for document in documents}
    job, resources = (cast("Any", plain(by_file[file])) for file in ("package/files/job.json", "resources.json"))
    return Components(unit, job, resources["components"])


def stopped(action: str, what: str) -> Decision:
    """What the script does about ``what``: it asks the application master to stop the application."""
    if action == "abort job":
        return Decision(action, what)
    return Decision("complete job", f"{what}; the script stops the application, which YARN shows as SUCCEEDED")


class Components(Meeting):
    """The components of an application, and the task program in each of their containers."""

    def __init__(self, unit: Unit, document: dict[str, Any], components: dict[str, dict[str, str]]) -> None:
        self.document, self.roles = document, cast("dict[str, dict[str, Any]]", document["roles"])
        super().__init__(
            unit.job,
            awaited=[name for name, role in self.roles.items() if role["listed"]],
            waiting=[name for name, role in self.roles.items() if role["meets"]],
            after={role.name: role.after for role in unit.job.roles},
        )
        self.deciding = tuple(self._deciding(unit))
        self.thresholds = {name: int(components[name][THRESHOLD]) for name in self.roles}

    # --- commands that end ---

    def on_exit(self, task: Task, status: int, state: State) -> Decision:
        """What the first rule of ``job.json`` that covers the status says."""
        rule = task_policy.on_exit(self.roles[task.role], task.index, status)
        what = f"{task} exited {status}"
        if rule["action"] == "ignore":
            return self._completion(state, task) or Decision("ignore", what)
        if rule["action"] in task_policy.RESTARTS:
            return self._again(rule, task, what, state)
        return stopped(rule["action"], what)

    def on_success(self, task: Task, state: State) -> Decision | None:
        """Only tensorboard starts again."""
        again = self.roles[task.role].get("again")
        return Decision("restart container", f"{task} starts again by itself") if again else None

    def on_completion(self, state: State) -> Decision | None:
        """What is done when a replica or a role that completes the job is done."""
        return self._completion(state)

    def _completion(self, state: State, *ignored: Task) -> Decision | None:
        """The same when the failures of ``ignored`` are, too: they are done, but none completes the job alone."""
        for task, alone in self.deciding:
            if alone and state.replicas[task].phase == "succeeded":
                return Decision("complete job", f"{task} completed")
            more = sum(other.role == task.role for other in ignored)
            if not alone and state.ended_well(task.role) + more == len(state.of(task.role)):
                return Decision("complete job", f"{task.role} completed")
        return None

    def _deciding(self, unit: Unit) -> Iterator[tuple[Task, bool]]:
        """The replicas whose success completes the job alone, and one of each role that does as a whole."""
        for role in unit.job.roles:
            by_index = [task_policy.completes(self.document, self.roles[role.name], at) for at in range(role.replicas)]
            together = by_index.index("all") if "all" in by_index else None
            for index, deciding in enumerate(by_index):
                if deciding == "alone" or index == together:
                    yield Task(role.name, index), deciding == "alone"

    def _again(self, rule: dict[str, Any], task: Task, what: str, state: State) -> Decision:
        """A restart of the command of ``task``, unless the script has counted enough of them."""
        in_place = rule["action"] == "restart container"
        before = state.counts.get(f"{task} in place" if in_place else f"failed {task.role}", 0)
        instead = task_policy.on_restart(self.roles[task.role], task.index, before + 1)
        if instead:
            return stopped(instead, f"{task} has reached the number of restarts in its policy")
        if rule["limited"] and before >= self.document["retries"]:
            return stopped("fail job", f"{what} after {before} restarts")
        if not in_place:
            return self._replaced("failed", task, what, state)
        state.count(f"{task} in place")
        return Decision("restart container", what)

    # --- containers that are gone ---

    def on_loss(self, task: Task, status: int, state: State) -> Decision:
        """What is done when the container of ``task`` is killed on its node: Slider counts it as failed."""
        return self._replaced("failed", task, f"{task} was lost", state)

    def on_node_loss(self, task: Task, status: int, state: State) -> Decision:
        """The same when its node is lost."""
        return self._replaced("failed", task, f"{task} was lost with its node", state)

    def on_preemption(self, task: Task, status: int, state: State) -> Decision:
        """What is done when ``task`` is preempted."""
        return self._replaced("preempted", task, f"{task} was preempted", state)

    def _replaced(self, kind: str, task: Task, what: str, state: State) -> Decision:
        """Slider replaces the container, unless too many have failed; the replacement may stop the application."""
        state.count(f"{kind} {task.role}")
        failed, preempted = (state.counts.get(f"{counted} {task.role}", 0) for counted in ("failed", "preempted"))
        if failed > self.thresholds[task.role]:
            many = f"{failed} containers of {task.role} have failed, more than {THRESHOLD}"
            return Decision("fail job", f"{what}: {many}")
        action = task_policy.on_loss(self.roles[task.role], task.index, failed, preempted)
        return stopped(action, what) if action else Decision("restart pod", what)

    def may_restart(self, decision: Decision, task: Task, state: State) -> bool:
        """Always: what limits restarts has been asked before."""
        state.retries += 1
        return True

    def restarted_beside(self, decision: Decision, task: Task, state: State) -> Iterable[Task]:
        """A replacement has a new address, so the commands of all that need it restart."""
        if decision.action != "restart pod" or task.role not in self.awaited:
            return ()
        running = (
            role.name for role in self.job.roles if role.name in self.waiting and state.number(role.name, "running")
        )
        return [
            other
            for role in running
            for other, replica in state.of(role)
            if replica.phase == "running" and other != task
        ]

    def on_restarted(self, task: Task, state: State) -> Decision | None:
        """Nothing: the script asks before each restart."""
        return None

    # --- time ---

    def on_pending(self, task: Task) -> Decision | None:
        """What the others do when ``task`` has no address after a policy's time, or after that of ``wait_limit``."""
        if task.role not in self.awaited or not self._others(task):
            return None
        what = f"{task} has not started in time"
        for rule in self.roles[task.role]["pending"]:
            if rule["index"] in (task_policy.EVERY, task.index):
                return self._later(stopped(rule["action"], what), rule["seconds"])
        return self._later(stopped("fail job", what), self.document["wait_limit"])

    @staticmethod
    def _later(decision: Decision, seconds: int) -> Decision:
        return Decision(decision.action, decision.why, Duration(f"{seconds}s"))

    def _others(self, task: Task) -> bool:
        """Whether any other task waits for ``task``."""
        return sum(int(self.roles[name]["replicas"]) for name in self.waiting) > (task.role in self.waiting)

    def on_split(self) -> Decision:
        """The tasks that run give up when they have waited too long for the others."""
        if sum(self.roles[name]["replicas"] for name in self.awaited) == 1:
            return Decision("ignore", "one replica starts alone")
        return stopped("fail job", "tasks are missing at the time limit")

    def on_job_deadline(self, state: State) -> Iterable[Decision]:
        """The tasks count it, and stop the application."""
        return (stopped("fail job", DEADLINE_PASSED),)

    def nothing_left(self, state: State) -> bool:
        """Ended tasks keep their containers: an application that nothing completes does not end."""
        return False


def objects(unit: Unit, documents: Sequence[Document]) -> list[TargetObject]:
    """The application, and what ``resources.json`` requests for each component."""
    own = tuple(document.file for document in documents if document.file is not None and "/" not in document.file)
    files = (*own, f"package/ ({len(documents) - len(own)} files)")
    return [TargetObject("Slider application", unit.job.name, lines=files), *_components(unit, documents)]


def _components(unit: Unit, documents: Sequence[Document]) -> Iterator[TargetObject]:
    resources = next(document for document in documents if document.file == "resources.json")
    components = cast("Mapping[str, Mapping[str, str]]", plain(value_at(resources, "components")))
    for role in unit.job.roles:
        size = components.get(role.name, {})
        lines = tuple(f"{size[key]} {unit_of}" for key, unit_of in _SIZES if key in size)
        yield TargetObject("component", role.name, role.name, lines)


_SIZES = (("yarn.memory", "MB"), ("yarn.vcores", "vcores"))
"""What a container is given, and what it is counted in."""
