"""The policies of a job and of its tasks.

Volcano asks the task's policies in order, then the job's; the first that matches acts (pkg/controllers/job,
``applyPolicies``). So what holds for every role stands on the job, and a task has entries of its own where they differ;
an entry for an exit status stands before that for PodFailed, which would match first.

Releases that watch a pod while it is deleted see it fail before they see it gone (:mod:`.features`), so there an
``evicted`` policy is written for the statuses of such an end too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.emit.located import Located
from tfdsl.ir.policies import covering, exit_policies, on_completion, on_eviction, on_failure
from tfdsl.record import Record
from tfdsl_backends.volcano.evictions import evicted_policy, is_told_by_status, statuses
from tfdsl_backends.volcano.replicas import OTHER_RESTARTS, replica, restarts_in_place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tfdsl.emit.located import Data
    from tfdsl.ir.model import Job, Policy, Role
    from tfdsl.vocabulary.quantities import Duration
    from tfdsl_backends.volcano.features import Features

ACTIONS = {
    "complete job": "CompleteJob",
    "fail job": "TerminateJob",
    "abort job": "AbortJob",
    "restart pod": "RestartPod",
    "restart role": "RestartTask",
    "restart job": "RestartJob",
}
"""Our action → Volcano's. ``restart container`` is the pod's restartPolicy, ``ignore`` is no policy."""

NO_ACTION = "ResumeJob"
"""What an exit status that is to be ignored gets, so that PodFailed does not match it.

It does something in an aborted job only (seen: the pod stays failed, the others run on); so it is written in jobs that
nothing stops for a while, see :func:`tfdsl_backends.volcano.replicas.only_ends`.
"""

_UNITS = (("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1))


class Entry(Record):
    """One policy: on an event or an exit status."""

    policy: Policy
    action: str
    event: str = ""
    code: int | None = None

    @property
    def data(self) -> Data:
        """As it stands in the manifest."""
        delay = self.policy.delay
        trigger: dict[str, Data] = {"event": self.event} if self.code is None else {"exitCode": self.code}
        timeout = Located(go_duration(delay), f"{self.policy.path}.delay") if delay is not None else None
        action = ACTIONS.get(self.action, NO_ACTION)
        return Located({**trigger, "action": action, "timeout": timeout}, self.policy.path)


class RoleEntries(Record):
    """The entries that hold for one role, by what they are about.

    A task's own ``failure`` hides the job's as a whole only if it ends with PodFailed.
    """

    failure: tuple[Entry, ...]
    eviction: tuple[Entry, ...]
    restarts: tuple[Entry, ...]
    pending: tuple[Entry, ...]

    def groups(self) -> tuple[tuple[Entry, ...], ...]:
        """The four groups in the order in which they are written."""
        return self.failure, self.eviction, self.restarts, self.pending


class Decided(Record):
    """What was decided for a job: the groups that stand on it, and the entries of each role.

    ``reaches_count``: as in the release's features.
    """

    shared: tuple[tuple[Entry, ...], ...]
    roles: Mapping[str, RoleEntries]
    reaches_count: bool


def decide(job: Job, can: Features) -> Decided:
    """Work out all policies of a job, and which of them can stand on the job itself.

    Those are the groups of the policies without ROLE, where no task must be spared from them. A task is spared by
    having no entry of its own for the event, which is how ``ignore`` and TensorBoard are said.
    """
    roles: dict[str, RoleEntries] = {role.name: entries(job, role, can) for role in job.roles}
    trainers = [role for role in job.roles if role.name != "tensorboard"]
    if len(trainers) < len(roles):
        return Decided(((), (), (), ()), roles, can.reaches_count)
    general = job.but(policies=tuple(p for p in job.policies if p.role is None))
    shared: list[tuple[Entry, ...]] = []
    for number, group in enumerate(entries(general, trainers[0], can).groups()):
        own = [found.groups()[number] for found in roles.values()]
        shared.append(group if all(mine == group or _hides(mine, group) for mine in own) else ())
    return Decided(tuple(shared), roles, can.reaches_count)


def job_policies(job: Job, decided: Decided) -> list[Data]:
    """``spec.policies``: what holds for every role, and the event that is the whole job's.

    What the source says stands before the language's defaults; exit statuses, always written, stay before PodFailed.
    """
    groups = [entry for group in decided.shared for entry in group]
    unknown = [Entry(p, p.action, "Unknown") for p in job.policies if p.event == "unknown" and p.action != "ignore"]
    return [entry.data for entry in sorted((*groups, *unknown), key=lambda entry: not entry.policy.written)]


def task_policies(job: Job, role: Role, decided: Decided) -> list[Data]:
    """``policies`` of a task: its completion, and what differs from the job's."""
    completed = on_completion(job, role, replica(role))
    found = [Entry(completed, completed.action, "TaskCompleted")] if completed is not None else []
    for shared, own in zip(decided.shared, decided.roles[role.name].groups(), strict=True):
        found += own if own != shared else ()
    return [entry.data for entry in found]


def entries(job: Job, role: Role, can: Features) -> RoleEntries:
    """Everything that is decided for the replicas of ``role``."""
    if restarts_in_place(job, role):
        return _in_place(job, role)
    evicted = on_eviction(job, role, replica(role))
    return RoleEntries(_failure(job, role, can), _acting(evicted, "PodEvicted"), (), _pending(job, role))


def _failure(job: Job, role: Role, can: Features) -> tuple[Entry, ...]:
    """Exit statuses first, then every other failure."""
    failed = on_failure(job, role, replica(role))
    decided = {code: policy for codes, policy in exit_policies(job, role, replica(role)) for code in codes}
    if is_told_by_status(job, role, can):
        evicted = evicted_policy(job, role)
        assert evicted is not None
        decided = {**dict.fromkeys(statuses(evicted), evicted), **decided}
    ignored = failed is None or failed.action == "ignore"
    exits = [Entry(p, p.action, code=code) for code, p in sorted(decided.items()) if _is_written(p, ignored=ignored)]
    return (*exits, *_acting(failed, "PodFailed"))


def _is_written(policy: Policy, *, ignored: bool) -> bool:
    """Whether an exit status with ``policy`` needs an entry: one that is ``ignored`` like any failure does not."""
    return policy.action in ACTIONS or (policy.action == "ignore" and not ignored)


def _in_place(job: Job, role: Role) -> RoleEntries:
    """A role whose containers restart in place: PodFailed then means that the pod is lost.

    The end of the restarts is TaskFailed, fired when their number reaches the task's maxRetry; without it a container
    would restart for ever. TensorBoard never ends the job.
    """
    failed = on_failure(job, role, replica(role))
    assert failed is not None
    lost = evicted_policy(job, role)
    counted = restart_count_policy(job, role)
    if lost is not None:
        gone, evicted = _acting(lost, "PodFailed"), _acting(lost, "PodEvicted")
    elif role.name == "tensorboard":
        gone, evicted = (), ()
    else:
        gone, evicted = (Entry(failed, "fail job", "PodFailed"),), (Entry(failed, "fail job", "PodEvicted"),)
    if counted is not None:
        restarts = _acting(counted, "TaskFailed")
    else:
        restarts = () if role.name == "tensorboard" else (Entry(failed, "fail job", "TaskFailed"),)
    return RoleEntries(gone, evicted, restarts, _pending(job, role))


def restart_count_policy(job: Job, role: Role) -> Policy | None:
    """The ``restarted N`` policy of ``role``."""
    return next((p for p in covering(job, role, replica(role)) if p.event == "restarted"), None)


def task_max_retry(job: Job, role: Role, decided: Decided) -> int | None:
    """``maxRetry`` of the task: when TaskFailed fires (that start is killed); ``None`` where nothing listens to it."""
    if not restarts_in_place(job, role):
        return None
    counted = restart_count_policy(job, role)
    if counted is not None and counted.count is not None:
        restarts = counted.count
    elif role.name == "tensorboard":
        return None
    else:
        restarts = job.retries + 1
    return restarts if decided.reaches_count else restarts - 1


def job_max_retry(job: Job) -> int | None:
    """Starts of the job before it fails; ``None`` where nothing but containers is restarted."""
    return job.retries + 1 if any(p.action in OTHER_RESTARTS for p in job.policies) else None


def restart_policy(job: Job, role: Role) -> str:
    """``restartPolicy`` of the role's pods."""
    if not restarts_in_place(job, role):
        return "Never"
    return "Always" if role.name == "tensorboard" else "OnFailure"


def go_duration(delay: Duration) -> str:
    """A time as Go's ``time.ParseDuration`` takes it, in the largest unit that is whole (it knows no days)."""
    unit, size = next((unit, size) for unit, size in _UNITS if delay.ms % size == 0)
    return f"{delay.ms // size}{unit}"


def _pending(job: Job, role: Role) -> tuple[Entry, ...]:
    policy = next((p for p in covering(job, role, replica(role)) if p.event == "pending"), None)
    return _acting(policy, "PodPending")


def _acting(policy: Policy | None, event: str) -> tuple[Entry, ...]:
    """An entry for ``event``, unless there is no policy or it ignores the event."""
    return () if policy is None or policy.action not in ACTIONS else (Entry(policy, policy.action, event),)


def _hides(mine: tuple[Entry, ...], group: tuple[Entry, ...]) -> bool:
    """Whether a task's own entries keep those of the job from being reached: the last is for the event itself."""
    return bool(mine) and mine[-1].event != "" and {entry.event for entry in group} <= {"", mine[-1].event}
