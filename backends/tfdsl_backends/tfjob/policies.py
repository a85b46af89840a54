"""Which ``restartPolicy`` a role gets, and what counts its restarts.

A TFJob has one restart policy per role: ``Never``, ``OnFailure`` (the kubelet starts the container again, and from 1.6
a lost pod is recreated), or ``ExitCode`` (a new pod for statuses of 128 and above and for lost pods, the others fail
the job). Which one fits follows from what the policies say for exit statuses below and above 128, and for evictions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from tfdsl.backend import Unit
from tfdsl.ir import policies
from tfdsl.record import Record
from tfdsl_backends.podspec.batch import RESTARTS, action, decides
from tfdsl_backends.tfjob.options import LATEST, Features, features

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Policy, Role

RestartPolicy: TypeAlias = Literal["Never", "OnFailure", "ExitCode"]

FIRST_SIGNAL = 128
"""``ExitCode`` takes statuses from here on as temporary (killed by a signal)."""

_FAIL = frozenset(("fail job",))


class Decisions(Record):
    """What the policies of a job decide.

    ``restart_policies``: role → its restart policy, ``None`` when no one comes near what the policies say; ``latest``:
    the same with the newest operator. ``in_place``: the roles whose containers the kubelet starts again, the only
    restarts that ``backoffLimit`` counts. ``counted``: the ``restarted N`` policies. ``deciding``: ``id`` of a policy →
    the roles for which it decides anything, not overridden by a more specific one.
    """

    restart_policies: Mapping[str, RestartPolicy | None]
    latest: Mapping[str, RestartPolicy | None]
    in_place: Sequence[str]
    counted: Sequence[Policy]
    deciding: Mapping[int, Sequence[Role]]


def decisions(unit: Unit) -> Decisions:
    """What the policies of the job decide, worked out once for each unit."""
    return unit.once(_decide)


def _decide(unit: Unit) -> Decisions:
    job, can = unit.job, features(unit)
    roles = job.training_roles
    now: dict[str, RestartPolicy | None] = {role.name: _restart_policy(job, role, can) for role in roles}
    return Decisions(
        now,
        {role.name: _restart_policy(job, role, LATEST) for role in roles},
        [name for name, restart_policy in now.items() if restart_policy == "OnFailure"],
        [policy for policy in job.policies if policy.event == "restarted"],
        {id(policy): [role for role in roles if _decides(job, role, policy)] for policy in job.policies},
    )


def _restart_policy(job: Job, role: Role, can: Features) -> RestartPolicy | None:
    """The restart policy that does what the policies say for ``role``; ``None`` when none comes near."""
    low, high = _actions(job, role)
    evicted = action(policies.on_eviction(job, role))
    if low | high <= RESTARTS:
        return "OnFailure"
    if low | high == _FAIL and evicted not in RESTARTS:
        return "Never"
    if low == _FAIL and (high == _FAIL or high <= RESTARTS):
        return "ExitCode" if can.exit_code else None
    return None


def _decides(job: Job, role: Role, policy: Policy) -> bool:
    if policy.event in ("failed", "exit", "evicted"):
        return decides(job, role, policy)
    return policy.role in (None, role.name)


def _actions(job: Job, role: Role) -> tuple[frozenset[str], frozenset[str]]:
    """What may happen on a status of 1–127, and on one of 128–255."""
    failed = action(policies.on_failure(job, role))
    groups = policies.exit_policies(job, role)
    by_status = {status: policy.action for statuses, policy in groups for status in statuses}
    return _over(by_status, failed, range(1, FIRST_SIGNAL)), _over(by_status, failed, range(FIRST_SIGNAL, 256))


def _over(by_status: Mapping[int, str], otherwise: str, statuses: Iterable[int]) -> frozenset[str]:
    return frozenset(by_status.get(status, otherwise) for status in statuses)
