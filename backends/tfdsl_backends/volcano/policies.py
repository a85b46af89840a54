"""What the policies of a job become, decided once for each unit: rows, checks and documents read the same value.

Volcano tries the task's policies in order, then the job's; the first that matches acts (pkg/controllers/job,
``applyPolicies``). So what holds for every role is written on the job, and a task has entries of its own where it
differs. An entry for an exit status comes before the one for PodFailed, which would match first.

A pod that is drained, preempted or evicted through the API is deleted. Its containers get SIGTERM, and SIGKILL when the
grace period is over; a program that handles neither ends with 143 or 137. Releases that watch a pod while it is deleted
see it fail before they see it gone (:mod:`.features`), so there an ``evicted`` policy is also written for those
statuses.

With the option ``policies = "written"`` nothing of this is added: there is one entry for each written policy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.backend import Unit
from tfdsl.emit.located import Data, Located
from tfdsl.ir.policies import covering, exit_policies, on_completion
from tfdsl.record import Record, replace
from tfdsl.vocabulary.quantities import DURATION_UNITS
from tfdsl_backends.volcano.features import Features, features

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Policy, Role

ACTIONS: Final = {
    "complete job": "CompleteJob",
    "fail job": "TerminateJob",
    "abort job": "AbortJob",
    "restart pod": "RestartPod",
    "restart role": "RestartTask",
    "restart job": "RestartJob",
}
"""Our action → Volcano's. ``restart container`` is the pod's restartPolicy, ``ignore`` needs no policy."""

NO_ACTION: Final = "ResumeJob"
"""The action of an exit status to ignore, so that PodFailed does not match it.

It acts only on an aborted job (seen: the pod stays failed, the others run on), so it is written only in jobs that
nothing stops for a while: :attr:`Decisions.only_ends`.
"""

COUNTED_BY_JOB: Final = ("restart pod", "restart role", "restart job")
"""The restarts that Volcano's job counts; restarts in place are counted by the task."""

KILLED: Final = 137
"""128 + SIGKILL: also the end of a program that runs out of memory."""

TERMINATED: Final = 143
"""128 + SIGTERM."""


# --- what is decided ---------------------------------------------------------------------------------------------


class RoleDecisions(Record):
    """Which policy of a role decides on each event; ``None`` where there is none.

    ``exits``: exit status → the ``exit`` policy that decides. ``evicted`` is without the ``failed`` policy that
    replaces it. ``evicted_by_status``: whether the exit statuses of a deleted pod get the action of ``evicted``.
    ``as_written``: whether each policy is one entry, and what the language adds is left out.
    """

    role: Role
    failed: Policy | None
    evicted: Policy | None
    completed: Policy | None
    pending: Policy | None
    restarted: Policy | None
    exits: Mapping[int, Policy]
    evicted_by_status: bool
    as_written: bool = False

    @property
    def in_place(self) -> bool:
        """Whether a failed container is started again in its pod."""
        return self.failed is not None and self.failed.action == "restart container"

    @property
    def is_tensorboard(self) -> bool:
        """Whether it is the role that never ends the job."""
        return self.role.is_board

    @property
    def evicted_differs(self) -> bool:
        """Whether an eviction has another action than a failure, and the two can be mistaken for each other.

        They cannot where containers restart in place: only a lost pod fails then, and it gets the evicted action.
        """
        if self.evicted is None or self.in_place:
            return False
        return self.failed is None or self.failed.action != self.evicted.action

    @property
    def status_is_taken(self) -> bool:
        """Whether an ``exit`` policy with another action decides on a status of a deleted pod."""
        if self.evicted is None:
            return False
        taken = (self.exits.get(status) for status in eviction_statuses(self.evicted))
        return any(policy is not None and policy.action != self.evicted.action for policy in taken)

    @property
    def restart_policy(self) -> str:
        """``restartPolicy`` of the role's pods."""
        if not self.in_place:
            return "Never"
        return "Always" if self.is_tensorboard else "OnFailure"


class Decisions(Record):
    """What the policies of a job decide.

    ``replaces_pods``: whether a policy replaces pods. ``only_ends``: whether the job leaves the state Running only
    to end; :data:`NO_ACTION` then does nothing. ``deciding``: ``id`` of a policy on ``failed``, ``exit`` or
    ``evicted`` → the roles on whose event it decides.
    """

    roles: Mapping[str, RoleDecisions]
    replaces_pods: bool
    only_ends: bool
    deciding: Mapping[int, Sequence[RoleDecisions]]

    @property
    def trainers(self) -> list[RoleDecisions]:
        """All roles but tensorboard."""
        return [role for role in self.roles.values() if not role.is_tensorboard]


def decisions(unit: Unit) -> Decisions:
    """What the policies of the job decide."""
    return unit.once(_decide)


def eviction_statuses(evicted: Policy) -> tuple[int, ...]:
    """The exit statuses that count as an eviction.

    To ignore a program that ran out of memory would leave its failed pod for good, and the job with it, so 137 stays a
    failure there.
    """
    return (TERMINATED,) if evicted.action == "ignore" else (KILLED, TERMINATED)


def _decide(unit: Unit) -> Decisions:
    job, can = unit.job, features(unit)
    roles: dict[str, RoleDecisions] = {role.name: _decide_role(unit, job, role, can) for role in job.roles}
    deciding: dict[int, list[RoleDecisions]] = {}
    for role in roles.values():
        policies = {id(policy) for policy in (role.failed, role.evicted, *role.exits.values()) if policy is not None}
        for policy in policies:
            deciding.setdefault(policy, []).append(role)
    return Decisions(roles, _replaces_pods(job), _only_ends(job), deciding)


def _decide_role(unit: Unit, job: Job, role: Role, can: Features) -> RoleDecisions:
    index = 0 if role.replicas == 1 else None  # the one replica is the role
    as_written = unit.text("policies") == "written" and not role.is_board
    first: dict[str, Policy] = {}
    for policy in covering(job, role, index):
        if policy.written or not as_written:
            first.setdefault(policy.event, policy)
    completed = on_completion(job, role, index)
    decided = RoleDecisions(
        role,
        first.get("failed"),
        first.get("evicted"),
        completed if completed is None or completed.written or not as_written else None,
        first.get("pending"),
        first.get("restarted"),
        {status: policy for statuses, policy in exit_policies(job, role, index) for status in statuses},
        evicted_by_status=False,
        as_written=as_written,
    )
    evicted = decided.evicted
    if evicted is None or as_written or not can.fails_deleted or not decided.evicted_differs:
        return decided
    # To ignore a status takes one on which Volcano does nothing, which not every job can have.
    return replace(decided, evicted_by_status=evicted.action != "ignore" or _only_ends(job))


def _replaces_pods(job: Job) -> bool:
    return any(policy.action in COUNTED_BY_JOB for policy in job.policies)


def _only_ends(job: Job) -> bool:
    return not _replaces_pods(job) and all(policy.action != "abort job" for policy in job.policies)


# --- what is written ---------------------------------------------------------------------------------------------


class Entry(Record):
    """One policy of the manifest: on an event or an exit status."""

    policy: Policy
    action: str
    event: str = ""
    code: int | None = None

    @property
    def data(self) -> Data:
        """The entry as the manifest has it."""
        delay = self.policy.delay
        trigger: dict[str, Data] = {"event": self.event} if self.code is None else {"exitCode": self.code}
        timeout = Located(go_duration(delay.ms), f"{self.policy.path}.delay") if delay is not None else None
        return Located({**trigger, "action": self.written_action, "timeout": timeout}, self.policy.path)

    @property
    def written_action(self) -> str:
        """The action in Volcano's words."""
        return ACTIONS.get(self.action, NO_ACTION)


_Group = tuple[Entry, ...]
_Groups = tuple[_Group, _Group, _Group, _Group]
"""The entries on failures, evictions, used-up restarts and pending pods, in the order in which they are written.

A task's own group on failures hides the job's as a whole only if it ends with PodFailed.
"""


def job_policies(unit: Unit) -> list[Data]:
    """``spec.policies``: what holds for every role, and the event that is about the whole job."""
    return [entry.data for entry in job_entries(unit)]


def job_entries(unit: Unit) -> list[Entry]:
    """The entries of ``spec.policies``.

    What the source says comes before the language's defaults; exit statuses, always written, stay before PodFailed.
    """
    policies = unit.job.policies
    unknown = [Entry(p, p.action, "Unknown") for p in policies if p.event == "unknown" and p.action != "ignore"]
    entries = [entry for group in unit.once(_shared) for entry in group] + unknown
    return sorted(entries, key=lambda entry: not entry.policy.written)


def task_policies(unit: Unit, role: Role) -> list[Data]:
    """``policies`` of a task: its completion, and where it differs from the job."""
    return [entry.data for entry in task_entries(unit, role)]


def task_entries(unit: Unit, role: Role) -> list[Entry]:
    """The entries of a task."""
    decided = decisions(unit).roles[role.name]
    completed = decided.completed
    entries = [Entry(completed, completed.action, "TaskCompleted")] if completed is not None else []
    for shared, own in zip(unit.once(_shared), _groups(decided), strict=True):
        entries += own if own != shared else ()
    return entries


def task_max_retry(unit: Unit, role: Role) -> int | None:
    """``maxRetry`` of the task: when TaskFailed fires (that start is killed); ``None`` where nothing listens to it."""
    decided = decisions(unit).roles[role.name]
    if not decided.in_place:
        return None
    if decided.restarted is not None and decided.restarted.count is not None:
        restarts = decided.restarted.count
    elif decided.is_tensorboard or decided.as_written:
        return None
    else:
        restarts = unit.job.retries + 1
    return restarts if features(unit).reaches_count else restarts - 1


def job_max_retry(unit: Unit) -> int | None:
    """Starts of the job before it fails; ``None`` where only containers are restarted."""
    return unit.job.retries + 1 if decisions(unit).replaces_pods else None


def go_duration(ms: int) -> str:
    """A time as Go's ``time.ParseDuration`` takes it, in the largest unit that is whole (it knows no days)."""
    unit, size = next((unit, size) for unit, size in DURATION_UNITS.items() if unit != "d" and ms % size == 0)
    return f"{ms // size}{unit}"


def _shared(unit: Unit) -> _Groups:
    """The groups on the job itself: those of the policies without ROLE, where no task must be spared from them.

    A task is spared by having no entry of its own for the event, which is how ``ignore`` and TensorBoard are written.
    """
    job, decided = unit.job, decisions(unit)
    trainers = decided.trainers
    if len(trainers) < len(decided.roles):
        return (), (), (), ()
    general = job.model_copy(update={"policies": tuple(p for p in job.policies if p.role is None)})
    groups = _groups(_decide_role(unit, general, trainers[0].role, features(unit)))
    tasks = zip(*(_groups(role) for role in decided.roles.values()), strict=True)
    failures, evictions, restarts, pending = (
        group if all(task == group or _hides(task, group) for task in own) else ()
        for group, own in zip(groups, tasks, strict=True)
    )
    return failures, evictions, restarts, pending


def _groups(decided: RoleDecisions) -> _Groups:
    """Everything that is written for the replicas of a role."""
    pending = _acting(decided.pending, "PodPending")
    if decided.as_written:
        return (
            _failures(decided),
            _acting(decided.evicted, "PodEvicted"),
            _acting(decided.restarted, "TaskFailed"),
            pending,
        )
    if decided.in_place:
        return *_groups_in_place(decided), pending
    return _failures(decided), _acting(decided.evicted or decided.failed, "PodEvicted"), (), pending


def _failures(decided: RoleDecisions) -> _Group:
    """Exit statuses first, then every other failure."""
    exits = dict(decided.exits)
    if decided.evicted_by_status and decided.evicted is not None:
        exits = {**dict.fromkeys(eviction_statuses(decided.evicted), decided.evicted), **exits}
    ignored = decided.failed is None or decided.failed.action == "ignore"
    entries = [Entry(p, p.action, code=code) for code, p in sorted(exits.items()) if _is_written(p, ignored=ignored)]
    return (*entries, *_acting(decided.failed, "PodFailed"))


def _is_written(policy: Policy, *, ignored: bool) -> bool:
    """Whether an exit status with ``policy`` needs an entry: one that is ``ignored`` like any failure does not."""
    return policy.action in ACTIONS or (policy.action == "ignore" and not ignored)


def _groups_in_place(decided: RoleDecisions) -> tuple[_Group, _Group, _Group]:
    """A role whose containers restart in place: PodFailed then means that the pod is lost.

    The end of the restarts is TaskFailed, fired when their number reaches the task's maxRetry; without it a container
    would restart for ever. TensorBoard never ends the job.
    """
    failed, lost, restarted = decided.failed, decided.evicted, decided.restarted
    assert failed is not None
    ends = not decided.is_tensorboard
    if lost is not None:
        gone, evicted = _acting(lost, "PodFailed"), _acting(lost, "PodEvicted")
    else:
        gone = (Entry(failed, "fail job", "PodFailed"),) if ends else ()
        evicted = (Entry(failed, "fail job", "PodEvicted"),) if ends else ()
    if restarted is not None:
        return gone, evicted, _acting(restarted, "TaskFailed")
    return gone, evicted, (Entry(failed, "fail job", "TaskFailed"),) if ends else ()


def _acting(policy: Policy | None, event: str) -> _Group:
    """An entry for ``event``, unless there is no policy or it ignores the event."""
    return () if policy is None or policy.action not in ACTIONS else (Entry(policy, policy.action, event),)


def _hides(mine: _Group, group: _Group) -> bool:
    """Whether a task's own entries keep those of the job from being reached: the last is for the event itself."""
    return bool(mine) and mine[-1].event != "" and {entry.event for entry in group} <= {"", mine[-1].event}
