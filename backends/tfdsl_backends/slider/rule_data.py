"""The parts of job.json about policies: rules in the order in which the script tries them, the first match decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.emit.located import Located
from tfdsl.ir.policies import covering, on_eviction, on_failure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.emit.located import Data
    from tfdsl.ir.model import Job, Policy, Role


def indices(job: Job, role: Role) -> list[int | None]:
    """Replicas that have policies of their own, ascending, then ``None`` for all others."""
    own = sorted({p.index for p in job.policies if p.role == role.name and p.index is not None})
    return [*own, None]


def every(job: Job, role: Role) -> Iterator[Policy]:
    """The policies that cover any replica of ``role``: of one replica, of the role, of none; in source order."""
    yield from (p for p in job.policies if p.role == role.name and p.index is not None)
    yield from covering(job, role)


def failures(job: Job, role: Role) -> list[Data]:
    """Status → action: the subject decides first (a replica over its role over none), then exit over failed."""
    found = [policy for policy in every(job, role) if policy.event in ("exit", "failed")]
    found.sort(key=lambda p: (0 if p.index is not None else 1 if p.role is not None else 2, p.event == "failed"))
    return [
        Located(
            {
                "index": _index(policy.index),
                "codes": list(policy.codes),
                "action": policy.action,
                "limited": not _without_limit(policy),
            },
            policy.path,
        )
        for policy in found
    ]


def losses(job: Job, role: Role) -> dict[str, Data]:
    """What is done about a lost container, by how Slider counts it: failed, or evicted (node lost, preempted)."""
    kinds = {"failed": on_failure, "evicted": on_eviction}
    return {
        kind: [
            Located({"index": _index(index), "action": policy.action}, policy.path)
            for index in indices(job, role)
            if (policy := decide(job, role, index)) is not None
        ]
        for kind, decide in kinds.items()
    }


def pending(job: Job, role: Role) -> list[Data]:
    """Time → action for replicas that do not show up, the most specific first."""
    return [
        Located({"index": _index(p.index), "seconds": p.delay.seconds if p.delay else 0, "action": p.action}, p.path)
        for p in every(job, role)
        if p.event == "pending"
    ]


def restarted(job: Job, role: Role) -> list[Data]:
    """Number of restarts → action, the most specific first."""
    return [
        Located({"index": _index(p.index), "count": p.count or 0, "action": p.action}, p.path)
        for p in every(job, role)
        if p.event == "restarted"
    ]


def _index(index: int | None) -> int:
    """-1 stands for every replica: the document has no null."""
    return -1 if index is None else index


def _without_limit(policy: Policy) -> bool:
    """The default of tensorboard restarts for ever and does not use up the job's retries."""
    return policy.role == "tensorboard" and not policy.written
