"""How Volcano tells an eviction from a failure.

A pod that is drained, preempted or evicted through the API is deleted. Its containers get SIGTERM, and SIGKILL when the
grace period is over; a program that handles neither ends with 143 or 137.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl_backends.volcano.replicas import only_ends, replica, restarts_in_place

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Policy, Role
    from tfdsl_backends.volcano.features import Features

KILLED: Final = 137
"""128 + SIGKILL: also the end of a program that runs out of memory."""

TERMINATED: Final = 143
"""128 + SIGTERM."""


def evicted_policy(job: Job, role: Role) -> Policy | None:
    """The ``evicted`` policy of ``role``, without the ``failed`` one that stands in for it."""
    from tfdsl.ir.policies import covering

    return next((p for p in covering(job, role, replica(role)) if p.event == "evicted"), None)


def differs_from_failure(job: Job, role: Role) -> bool:
    """Whether an eviction of ``role`` has another action than a failure, where the two can be mistaken.

    That is not so where containers restart in place: only a lost pod fails then, and it gets the evicted action.
    """
    from tfdsl.ir.policies import on_failure

    evicted, failed = evicted_policy(job, role), on_failure(job, role, replica(role))
    if evicted is None or restarts_in_place(job, role):
        return False
    return failed is None or failed.action != evicted.action


def is_told_by_status(job: Job, role: Role, can: Features) -> bool:
    """Whether the exit statuses of a deleted pod are given the evicted action.

    One that ignores needs a status that Volcano does nothing about, which not every job can have.
    """
    evicted = evicted_policy(job, role)
    if evicted is None or not can.fails_deleted or not differs_from_failure(job, role):
        return False
    return evicted.action != "ignore" or only_ends(job)


def statuses(evicted: Policy) -> tuple[int, ...]:
    """The exit statuses that are taken for an eviction.

    To ignore a program that ran out of memory would leave its failed pod for good, and with it the job, so 137 stays a
    failure there.
    """
    return (TERMINATED,) if evicted.action == "ignore" else (KILLED, TERMINATED)


def status_is_taken(job: Job, role: Role) -> bool:
    """Whether an ``exit`` policy with another action decides about a status of a deleted pod."""
    from tfdsl.ir.policies import exit_policies

    evicted = evicted_policy(job, role)
    return evicted is not None and any(
        policy.action != evicted.action and not set(codes).isdisjoint(statuses(evicted))
        for codes, policy in exit_policies(job, role, replica(role))
    )
