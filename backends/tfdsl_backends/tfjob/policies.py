"""Which ``restartPolicy`` a role gets, and what counts its restarts.

A TFJob has one restart policy per role: ``Never``, ``OnFailure`` (the kubelet starts the container again, and from 1.6
a lost pod is made again), or ``ExitCode`` (a new pod for statuses of 128 and above and for lost pods, the others fail
the job). All of them are told apart by what the policies say for exit statuses below and above 128, and for evictions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from tfdsl.ir import policies

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tfdsl.ir.model import Job, Policy, Role
    from tfdsl_backends.tfjob.features import Features

RestartPolicy: TypeAlias = Literal["Never", "OnFailure", "ExitCode"]

FIRST_SIGNAL = 128
"""``ExitCode`` takes statuses from here on for something that passes (killed by a signal)."""

_FAIL = frozenset(("fail job",))
_RESTART = frozenset(("restart container", "restart pod"))


def training_roles(job: Job) -> list[Role]:
    """The roles that become replicas of the TFJob: all but tensorboard."""
    return [role for role in job.roles if role.name != "tensorboard"]


def restart_policy(job: Job, role: Role, can: Features) -> RestartPolicy | None:
    """The restart policy that does what the policies say for ``role``; ``None`` when none comes near."""
    low, high = _actions(job, role)
    evicted = _action(policies.on_eviction(job, role))
    if low | high <= _RESTART:
        return "OnFailure"
    if low | high == _FAIL and evicted not in _RESTART:
        return "Never"
    if low == _FAIL and (high == _FAIL or high <= _RESTART):
        return "ExitCode" if can.exit_code else None
    return None


def in_place(job: Job, can: Features) -> list[Role]:
    """The roles whose containers the kubelet starts again, the only restarts that ``backoffLimit`` counts."""
    return [role for role in training_roles(job) if restart_policy(job, role, can) == "OnFailure"]


def decided(job: Job, policy: Policy) -> list[Role]:
    """The training roles for which ``policy`` decides anything, not overridden by a more specific one."""
    return [role for role in training_roles(job) if any(found is policy for found in _deciding(job, role, policy))]


def counted(job: Job) -> list[Policy]:
    """The ``restarted N`` policies."""
    return [policy for policy in job.policies if policy.event == "restarted"]


def _deciding(job: Job, role: Role, policy: Policy) -> Iterator[Policy | None]:
    match policy.event:
        case "failed":
            yield policies.on_failure(job, role, policy.index)
        case "evicted":
            yield policies.on_eviction(job, role, policy.index)
        case "exit":
            yield from (found for _, found in policies.exit_policies(job, role, policy.index))
        case _:
            yield policy if policy.role in (None, role.name) else None


def _actions(job: Job, role: Role) -> tuple[frozenset[str], frozenset[str]]:
    """What may happen on a status of 1–127, and on one of 128–255."""
    failed = _action(policies.on_failure(job, role))
    groups = policies.exit_policies(job, role)
    by_status = {status: policy.action for statuses, policy in groups for status in statuses}
    return _over(by_status, failed, range(1, FIRST_SIGNAL)), _over(by_status, failed, range(FIRST_SIGNAL, 256))


def _over(by_status: Mapping[int, str], otherwise: str, statuses: Iterable[int]) -> frozenset[str]:
    return frozenset(by_status.get(status, otherwise) for status in statuses)


def _action(policy: Policy | None) -> str:
    return "fail job" if policy is None else policy.action
