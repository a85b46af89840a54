"""Policies as the rules of job.json, in the order in which the script tries them: the first match decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tfdsl.emit.located import Data, Located
from tfdsl.ir.policies import completions, covering, on_eviction, on_failure

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Policy, Role


def on_failures(job: Job, role: Role) -> list[Policy]:
    """The policies for failures of any replica of ``role``."""
    return [policy for policy in _of_any_replica(job, role) if policy.event in ("exit", "failed")]


def restarts_in_new_containers(job: Job, role: Role) -> bool:
    """Whether a policy restarts a replica of ``role`` in a new container."""
    return any(policy.action == "restart pod" for policy in on_failures(job, role))


def restarts_in_place(job: Job, role: Role) -> bool:
    """Whether a policy restarts a replica of ``role`` in its container."""
    return any(policy.action == "restart container" for policy in on_failures(job, role))


def completion_rules(job: Job) -> list[Data]:
    """The replicas or roles that complete the job."""
    return [Located({"role": p.role, "index": _index(p.index)}, p.path) for p in completions(job)]


def failure_rules(job: Job, role: Role) -> list[Data]:
    """Status → action: the subject decides first (a replica over its role over none), then exit over failed."""
    policies = on_failures(job, role)
    policies.sort(key=lambda p: (0 if p.index is not None else 1 if p.role is not None else 2, p.event == "failed"))
    return [
        Located(
            {
                "index": _index(policy.index),
                "codes": list(policy.codes),
                "action": policy.action,
                "limited": policy.role != "tensorboard" or policy.written,  # by default it restarts for ever
            },
            policy.path,
        )
        for policy in policies
    ]


def loss_rules(job: Job, role: Role) -> dict[str, Data]:
    """What to do about a lost container, by how Slider counts it: failed, or evicted (preempted, or its disks broken).

    The script gives up its own container to restart in a new one, and Slider counts that as a failure, too: in such a
    role no failure of a container ends the job.
    """
    failed = [] if restarts_in_new_containers(job, role) else _of_each_replica(job, role, on_failure)
    return {"failed": failed, "evicted": _of_each_replica(job, role, on_eviction)}


def _of_each_replica(job: Job, role: Role, decide: Callable[[Job, Role, int | None], Policy | None]) -> list[Data]:
    """What ``decide`` says of each replica that a policy names, then of the others."""
    own = sorted({p.index for p in job.policies if p.role == role.name and p.index is not None})
    return [
        Located({"index": _index(index), "action": policy.action}, policy.path)
        for index in (*own, None)
        if (policy := decide(job, role, index)) is not None
    ]


def pending_rules(job: Job, role: Role) -> list[Data]:
    """Time → action for replicas that are missing, the most specific first."""
    return [
        Located({"index": _index(p.index), "seconds": p.delay.seconds if p.delay else 0, "action": p.action}, p.path)
        for p in _of_any_replica(job, role)
        if p.event == "pending"
    ]


def restart_rules(job: Job, role: Role) -> list[Data]:
    """Number of restarts → action, the most specific first."""
    return [
        Located({"index": _index(p.index), "count": p.count or 0, "action": p.action}, p.path)
        for p in _of_any_replica(job, role)
        if p.event == "restarted"
    ]


def _of_any_replica(job: Job, role: Role) -> Iterator[Policy]:
    """The policies that cover any replica of ``role``: of one replica, of the role, of none; in source order."""
    yield from (p for p in job.policies if p.role == role.name and p.index is not None)
    yield from covering(job, role)


def _index(index: int | None) -> int:
    """-1 means every replica: the document has no null."""
    return -1 if index is None else index
