"""What is asked of a job's roles and policies wherever Volcano's own way matters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Role

OTHER_RESTARTS = ("restart pod", "restart role", "restart job")
"""The restarts that Volcano's job counts; restarts in place are counted by the task."""


def replica(role: Role) -> int | None:
    """The index that stands for the whole role when policies are looked up: 0 where it has one replica."""
    return 0 if role.replicas == 1 else None


def restarts_in_place(job: Job, role: Role) -> bool:
    """Whether a failed container of ``role`` is started again in its pod."""
    from tfdsl.ir.policies import on_failure

    policy = on_failure(job, role, replica(role))
    return policy is not None and policy.action == "restart container"


def replaces_pods(job: Job) -> bool:
    """Whether a policy of ``job`` makes pods anew."""
    return any(policy.action in OTHER_RESTARTS for policy in job.policies)


def only_ends(job: Job) -> bool:
    """Whether ``job`` never leaves the state Running but to end.

    Volcano's ResumeJob then does nothing: it acts on a job that is aborted, and was tried in one without restarts.
    """
    return not replaces_pods(job) and all(policy.action != "abort job" for policy in job.policies)
