"""What decides in a job's life, and what it decides about: tasks, what happens to them, what is done, and their state.

:class:`Behaviour` is the language's own meaning; a target's differs in some of its methods.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tfdsl.ir import policies
from tfdsl.record import Record
from tfdsl.vocabulary.attributes import BOARD

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Policy, Role
    from tfdsl.vocabulary.quantities import Duration


class Task(Record):
    """One replica of a role."""

    role: str
    index: int

    def __hash__(self) -> int:
        return hash((self.role, self.index))  # thousands of them are looked up at each step

    def __str__(self) -> str:
        """The name of the replica, as ``worker[1]``."""
        return f"{self.role}[{self.index}]"

    @property
    def is_board(self) -> bool:
        """Whether it is of tensorboard, which decides nothing."""
        return self.role == BOARD


TERMINATED: Final = 143
"""128 + SIGTERM: with which a command ends that does not handle the signal."""


# --- what happens ----------------------------------------------------------------------------------------------------


class Started(Record):
    """The command of ``task`` runs."""

    task: Task


class Exited(Record):
    """The command of ``task`` has ended with ``status`` (0–255), or the ``step`` of it that has this name.

    ``oom``: the kernel has killed it, for its memory.
    """

    task: Task
    status: int
    oom: bool = False
    step: str = ""


class Lost(Record):
    """``task`` was evicted or preempted, or its node was lost.

    ``status``: with which its command ends on SIGTERM; ``deleted``: its pod was deleted, as by a drain; ``with_node``:
    its node was lost.
    """

    task: Task
    status: int = TERMINATED
    deleted: bool = False
    with_node: bool = False


class Split(Record):
    """Part of the gang runs and part cannot be placed."""


class Due(Record):
    """A timer that was asked for is due."""

    timer: str


Event: TypeAlias = Started | Exited | Lost | Split | Due


# --- what is to be done ----------------------------------------------------------------------------------------------

Way: TypeAlias = Literal["first", "container", "pod"]
"""How a replica is started: for the first time, again in place, or in a new pod."""


class Start(Record):
    """The order to start ``task``."""

    task: Task
    way: Way


class Stop(Record):
    """End ``task`` politely. ``gone``: nothing of it is left, as of a pod that is deleted."""

    task: Task
    gone: bool


class SetTimer(Record):
    """Say :class:`Due` of ``timer`` in ``ms`` milliseconds."""

    timer: str
    ms: int


class ClearTimer(Record):
    """The order to forget ``timer``."""

    timer: str


Outcome: TypeAlias = Literal["succeeded", "failed", "aborted"]


class Finish(Record):
    """The job has ended, or one ``part`` of it. ``cause``: in words, which task or policy ended it."""

    outcome: Outcome
    cause: str
    task: Task | None = None
    part: str = ""


Order: TypeAlias = Start | Stop | SetTimer | ClearTimer | Finish


Phase: TypeAlias = Literal["waiting", "pending", "running", "succeeded", "failed", "lost", "stopped", "gone"]
"""Of a replica. ``waiting``: for the roles of its ``after``; ``pending``: started, but its command does not run yet;
``stopped``: by the end of the job or of its role, ``gone``: so that nothing of it is left."""

ALIVE: tuple[Phase, ...] = ("pending", "running")

_IGNORED = "ignored"
_ARRIVED = "arrived"
_READY = "ready"


class Replica:
    """One replica.

    ``starts``: how many pods it has had; ``restarts``: how often its command was started again in place; ``status``:
    with which its command ended last. ``arrived``: what was started last is there, though its command may not run yet.
    ``numbers``: how many replicas of its role are in each phase, have arrived and so on, which it keeps.
    """

    __slots__ = ("_arrived", "_ignored", "_numbers", "_phase", "restarts", "starts", "status")

    def __init__(self, numbers: dict[str, int]) -> None:
        self._numbers = numbers
        self._phase: Phase = "waiting"
        self._ignored = self._arrived = False
        self._count("waiting", 1)
        self.starts = 0
        self.restarts = 0
        self.status: int | None = None

    @property
    def phase(self) -> Phase:
        """Where it is in its life."""
        return self._phase

    @phase.setter
    def phase(self, phase: Phase) -> None:
        self._count(self._phase, -1)
        self._count(phase, 1)
        if self._arrived:
            self._count(_READY, (phase == "pending") - (self._phase == "pending"))
        self._phase = phase

    @property
    def ignored(self) -> bool:
        """Whether it failed and counts as ended."""
        return self._ignored

    @ignored.setter
    def ignored(self, ignored: bool) -> None:
        self._count(_IGNORED, int(ignored) - int(self._ignored))
        self._ignored = ignored

    @property
    def arrived(self) -> bool:
        """Whether what was started last is there, though its command may not run yet."""
        return self._arrived

    @arrived.setter
    def arrived(self, arrived: bool) -> None:
        change = int(arrived) - int(self._arrived)
        self._count(_ARRIVED, change)
        if self._phase == "pending":
            self._count(_READY, change)
        self._arrived = arrived

    @property
    def alive(self) -> bool:
        """Whether it runs or will."""
        return self._phase in ALIVE

    @property
    def generation(self) -> int:
        """Which start of its command this is, counted over pods and restarts in place."""
        return self.starts + self.restarts

    def _count(self, what: str, change: int) -> None:
        self._numbers[what] = self._numbers.get(what, 0) + change


class State:
    """A job. ``retries``: how many restarts have been used; ``counts``: those of a target's own counters.

    ``parts``: those that have ended, of a job that is several objects. ``asked``: what the order of messages has
    decided (:meth:`chance`).
    """

    def __init__(self, job: Job, rare: Collection[str] = ()) -> None:
        self.job = job
        self.asked: set[str] = set()
        self._rare = rare
        self.replicas: dict[Task, Replica] = {}
        self._of: dict[str, list[tuple[Task, Replica]]] = {}
        self._numbers: dict[str, dict[str, int]] = {}
        for role in job.roles:
            numbers = self._numbers[role.name] = {}
            tasks = [(Task(role.name, index), Replica(numbers)) for index in range(role.replicas)]
            self._of[role.name] = tasks
            self.replicas.update(tasks)
        self.retries = 0
        self.counts: dict[str, int] = {}
        self.finish: Finish | None = None
        self.parts: dict[str, Finish] = {}

    def of(self, role: str) -> Sequence[tuple[Task, Replica]]:
        """The replicas of ``role``."""
        return self._of.get(role, ())

    def number(self, role: str, *phases: Phase) -> int:
        """How many replicas of ``role`` are in one of ``phases``; costs the same for four thousand as for one."""
        numbers = self._numbers.get(role, {})
        return sum(numbers.get(phase, 0) for phase in phases)

    def total(self, *phases: Phase) -> int:
        """The same of all roles."""
        return sum(self.number(role, *phases) for role in self._numbers)

    def all_in(self, role: str, *phases: Phase) -> bool:
        """Whether every replica of ``role`` is in one of ``phases``; not of a role that has none."""
        replicas = len(self.of(role))
        return replicas > 0 and self.number(role, *phases) == replicas

    def all_arrived(self, role: str) -> bool:
        """Whether every replica of ``role`` has arrived."""
        return self._kept(role, _ARRIVED) == len(self.of(role))

    def ready(self, role: str) -> int:
        """How many replicas of ``role`` have arrived, but their commands do not run yet."""
        return self._kept(role, _READY)

    def ended_well(self, role: str) -> int:
        """How many replicas of ``role`` have succeeded, or have failed and count as ended."""
        return self.number(role, "succeeded") + self._kept(role, _IGNORED)

    def count(self, counter: str) -> int:
        """One more of ``counter``; gives how many there are now."""
        self.counts[counter] = self.counts.get(counter, 0) + 1
        return self.counts[counter]

    def chance(self, what: str) -> bool:
        """Whether something that depends on the order of a controller's messages goes the rarer way, called ``what``.

        Whoever plays a scenario plays it again for each of those that were asked for.
        """
        self.asked.add(what)
        return what in self._rare

    def _kept(self, role: str, what: str) -> int:
        return self._numbers.get(role, {}).get(what, 0)


DEADLINE_PASSED: Final = "the deadline has passed"
_ONE: Final = ("restart container", "restart pod")
"""Actions that start only the replica again that they are about."""


Counting: TypeAlias = Literal["restarts", "ends", "one"]
"""How many retries the ends of one moment use: one for each restart, which may start several of them again; one for
each end, though it starts again already; one for all."""


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
    """The language (docs/language.md, "Policies"). One job, one object; nothing in it changes.

    ``limits_time``: whether a job can reach a limit of the cluster's, apart from its own deadline. ``evicted_stay``:
    whether a replica that its node has stopped is left, as failed.
    """

    limits_time = evicted_stay = True

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
        if policy is None and task.is_board:
            return _by_itself("restart container", task)
        return self.decision(policy, f"{task} exited {status}")

    def on_oom(self, task: Task, status: int, state: State) -> Decision:
        """What is done when the kernel kills ``task`` for its memory, which ends it with ``status``."""
        return self.on_exit(task, status, state)

    def on_prepare_exit(self, task: Task, step: str, status: int, state: State) -> Decision:
        """What is done when the prepare step ``step`` ends with ``status``: its replica ``task`` has failed with it."""
        return self.on_exit(task, status, state)

    def on_sidecar_exit(self, task: Task, state: State) -> Decision | None:
        """What is done when a sidecar of ``task`` has ended and is started again: nothing."""
        return None

    def on_success(self, task: Task, state: State) -> Decision | None:
        """What is done because ``task`` has ended with 0, whatever the others do; ``None``: it has completed."""
        return _by_itself("restart container", task) if task.is_board else None

    def on_loss(self, task: Task, status: int, state: State) -> Decision:
        """What is done when ``task`` is evicted or its node is lost. ``status``: with which its command ends then."""
        policy = policies.on_eviction(self.job, self.role(task), task.index)
        if policy is None and task.is_board:
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
        replica = replicas[policy.index][1]
        return replica.phase == "succeeded" or replica.ignored

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

    def counting(self, state: State) -> Counting:
        """How many retries the ends of one moment use."""
        return "restarts"

    def may_restart(self, decision: Decision, task: Task, state: State) -> bool:
        """Whether one more restart is allowed; counts it if so. ``retries`` are for the life of the job."""
        if task.is_board and decision.action in _ONE:
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
            return [other for other in state.replicas if other.role != BOARD]
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
        training = (role.name for role in self.job.training_roles)
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
