"""What decides in a job's life. This one is the language's own meaning; a target's differs in some of its methods."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from tfdsl.ir import policies
from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Policy, Role
    from tfdsl.lifecycle.events import Outcome, Task
    from tfdsl.lifecycle.state import State
    from tfdsl.vocabulary.quantities import Duration

RESTARTS: Final = policies.RESTARTS
SELF_CONTAINED: Final = policies.SELF_CONTAINED
DEADLINE_PASSED: Final = "the deadline has passed"
_ONE: Final = ("restart container", "restart pod")
"""Actions that start only the replica again that they are about."""


class Decision(Record):
    """What is done about something that happened: an action of the language, or ``nothing``.

    ``why``: in words, for whoever asks what ended the job. ``delay``: after which it is done, unless the replica
    runs again by then.
    ``counted``: whether a restart needs one of the ``retries``. ``part``: which part of the job ends, where it is
    several objects that end one by one; empty: all of it.
    """

    action: str
    why: str
    delay: Duration | None = None
    counted: bool = True
    part: str = ""


class Behaviour:
    """The language (docs/language.md, "Policies"). One job, one object; nothing in it changes."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._roles: dict[str, Role] = {role.name: role for role in job.roles}
        self._limits_pending = any(policy.event == "pending" for policy in job.policies)

    def role(self, task: Task) -> Role:
        """The role of ``task``."""
        return self._roles[task.role]

    # --- parts ---

    def parts(self) -> Iterable[str]:
        """The parts of the job that end one by one, where a target makes several objects of it."""
        return ()

    def part_of(self, task: Task) -> str:
        """The part that ``task`` belongs to; empty where the job ends as a whole, or for what belongs to none."""
        return ""

    # --- which policy decides ---

    def on_event(self, state: State) -> Decision | None:
        """What is done before anything else, whatever has happened."""
        return None

    def on_exit(self, task: Task, status: int, state: State) -> Decision:
        """What is done when ``task`` ends with ``status`` (1–255)."""
        policy = policies.on_exit(self.job, self.role(task), status, task.index)
        if policy is None and task.role in SELF_CONTAINED:
            return _by_itself("restart container", task)
        return self.decision(policy, f"{task} exited {status}")

    def on_oom(self, task: Task, status: int, state: State) -> Decision:
        """What is done when the kernel kills ``task`` for its memory, which ends it with ``status``."""
        return self.on_exit(task, status, state)

    def on_success(self, task: Task, state: State) -> Decision | None:
        """What is done because ``task`` has ended with 0, whatever the others do; ``None``: it has completed."""
        return _by_itself("restart container", task) if task.role in SELF_CONTAINED else None

    def on_loss(self, task: Task, status: int, state: State) -> Decision:
        """What is done when ``task`` is evicted or its node is lost. ``status``: with which its command ends then."""
        policy = policies.on_eviction(self.job, self.role(task), task.index)
        if policy is None and task.role in SELF_CONTAINED:
            return _by_itself("restart pod", task)
        if status and (policy is None or policy.event != "evicted"):  # a failure like any other, with its status
            policy = policies.on_exit(self.job, self.role(task), status, task.index)
        return self.decision(policy, f"{task} was lost")

    def on_preemption(self, task: Task, status: int, state: State) -> Decision:
        """What is done when ``task`` is preempted or its node drained: its pod is deleted. An eviction as any other."""
        return self.on_loss(task, status, state)

    def on_node_loss(self, task: Task, status: int, state: State) -> Decision:
        """What is done when the node of ``task`` is lost: in the end its pod is deleted."""
        return self.on_preemption(task, status, state)

    def on_pending(self, task: Task) -> Decision | None:
        """What is done when ``task`` has not started after the delay; ``None``: it may take any time."""
        if not self._limits_pending:
            return None
        covering = policies.covering(self.job, self.role(task), task.index)
        policy = next((policy for policy in covering if policy.event == "pending"), None)
        return self.decision(policy, f"{task} has not started in time") if policy is not None else None

    def on_split(self) -> Decision:
        """What is done when part of the gang runs and part cannot be placed."""
        policy = next((policy for policy in self.job.policies if policy.event == "unknown"), None)
        return Decision("ignore", "part of the gang waits") if policy is None else Decision(policy.action, "unknown")

    def on_completion(self, state: State) -> Decision | None:
        """What is done because replicas have completed; ``None`` while nothing is."""
        for policy in self.job.policies:
            if policy.event == "completed" and policy.role is not None and self._completed(policy, state):
                where = policy.role if policy.index is None else f"{policy.role}[{policy.index}]"
                return Decision(policy.action, f"{where} completed")
        return None

    def on_restarted(self, task: Task, state: State) -> Decision | None:
        """What is done because the containers of a role have been restarted so often in place."""
        limits = [
            policy
            for policy in policies.covering(self.job, self.role(task), task.index)
            if policy.event == "restarted" and policy.count is not None
        ]
        restarts = sum(replica.restarts for _, replica in state.of(task.role)) if limits else 0
        for policy in limits:
            if policy.count is not None and restarts >= policy.count:
                return Decision(policy.action, f"the containers of {task.role} were restarted {restarts} times")
        return None

    @staticmethod
    def decision(policy: Policy | None, what: str) -> Decision:
        """What ``policy`` says about ``what``; without one, any failure fails the job."""
        if policy is None:
            return Decision("fail job", what)
        return Decision(policy.action, what, policy.delay)

    def _completed(self, policy: Policy, state: State) -> bool:
        """Whether every replica that ``policy`` is about has exited 0, or has failed and counts as ended."""
        replicas = state.of(policy.role or "")
        if policy.index is None:
            return bool(replicas) and state.ended_well(policy.role or "") == len(replicas)
        one = replicas[policy.index][1]
        return one.phase == "succeeded" or one.ignored

    # --- time and order ---

    def deadline(self) -> Duration | None:
        """How long the job may run."""
        return self.job.deadline

    def on_job_deadline(self, state: State) -> Iterable[Decision]:
        """What is done when the job has run so long."""
        return (Decision("fail job", DEADLINE_PASSED),)

    def deadline_of(self, task: Task) -> Duration | None:
        """How long a pod of ``task`` may run, from its own start."""
        return None

    def on_deadline(self, task: Task, state: State) -> Decision:
        """What is done when a pod of ``task`` has run so long."""
        return Decision("fail job", f"the deadline of {task} has passed")

    def may_start(self, role: Role, state: State) -> bool:
        """Whether ``role`` may start: those of its ``after`` run, or have ended already."""
        return not any(state.number(name, "waiting", "pending") for name in role.after)

    def begins(self, task: Task, state: State) -> Iterable[Task]:
        """The replicas whose commands run now that ``task`` has ``arrived``."""
        return [task]

    def removed_after(self, outcome: Outcome) -> Duration | None:
        """When a job that has ended so is removed with everything that is left of it; ``None``: never."""
        return self.job.ttl

    # --- restarts ---

    def may_restart(self, decision: Decision, task: Task, state: State) -> bool:
        """Whether one more restart is allowed; counts it if so. ``retries`` are for the life of the job."""
        if task.role in SELF_CONTAINED and decision.action in _ONE:
            return True
        if state.retries >= self.job.retries:
            return False
        state.retries += 1
        return True

    def restarted_by(self, decision: Decision, task: Task, state: State) -> Iterable[Task]:
        """The replicas that start again."""
        if decision.action == "restart role":
            return [other for other, _ in state.of(task.role)]
        if decision.action == "restart job":
            return [other for other in state.replicas if other.role not in SELF_CONTAINED]
        return [task]

    def restarted_beside(self, decision: Decision, task: Task, state: State) -> Iterable[Task]:
        """The other replicas whose commands start again in place because of that."""
        return ()

    def given_up(self, decision: Decision, task: Task | None, state: State) -> Iterable[Task]:
        """The replicas of which nothing is left because of a restart that was not allowed any more."""
        return ()

    # --- the end ---

    def on_nothing_left(self, state: State) -> Decision:
        """What is done when no replica that could end the job runs any more."""
        return Decision("fail job", "every replica has ended, and nothing has completed the job")

    def nothing_left(self, state: State) -> bool:
        """Whether no replica that could still end the job runs."""
        training = (role.name for role in self.job.roles if role.name not in SELF_CONTAINED)
        return not any(state.number(role, "waiting", "pending", "running") for role in training)

    def stopped_at_the_end(self, outcome: Outcome, state: State) -> Iterable[tuple[Task, bool]]:
        """The replicas that are stopped when the job ends, and whether nothing of them is left."""
        if outcome != "aborted" and self.job.cleanup == "none":
            return
        for task, replica in state.replicas.items():
            if replica.alive or (self.job.cleanup == "all" and replica.phase not in ("waiting", "gone")):
                yield task, True

    def stopped_with_part(self, part: str, state: State) -> Iterable[tuple[Task, bool]]:
        """The same when ``part`` ends."""
        for task, replica in state.replicas.items():
            if replica.alive and self.part_of(task) == part:
                yield task, True


def _by_itself(action: str, task: Task) -> Decision:
    return Decision(action, f"{task.role} starts again by itself")
