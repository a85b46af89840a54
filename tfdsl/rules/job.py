"""The rules between the values of a role and of a job, in the order in which they are reported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tfdsl.rules import commands, mounts, outputs, policies, roles
from tfdsl.rules.broken import Broken

if TYPE_CHECKING:
    from tfdsl.rules.protocols import Job, Role


def of_role(role: Role) -> Iterator[Broken]:
    """The rules of a single role."""
    yield from roles.replicas(role)
    yield from roles.limits(role)
    if role.ports or any(step.ports for step in role.steps):
        from tfdsl.rules import ports

        yield from ports.numbers(role)
    yield from outputs.paths(role)
    if role.steps:
        from tfdsl.rules import steps

        yield from steps.started(role)


def of_job(job: Job, order: Sequence[int]) -> Iterator[Broken]:
    """The rules between the roles and policies of a job. ``order``: of its roles in their text."""
    yield from roles.training(job, order)
    yield from roles.waiting(job, order)
    yield from roles.servers(job)
    yield from roles.board(job)
    yield from commands.commands(job)
    yield from policies.restarts(job)


def apart_in_role(role: Role) -> Iterator[Broken]:
    """The rules that a text cannot break, or that merging its layers enforces: no duplicates, nothing misplaced."""
    yield from roles.placed(role)
    yield from (broken.below("mounts") for broken in mounts.apart(role.name, role.mounts))
    yield from mounts.shm(role.name, role.shm, role.mounts)
    yield from outputs.apart(role)
    if role.steps:
        from tfdsl.rules import steps

        yield from steps.apart(role.steps)


def apart_in_job(job: Job) -> Iterator[Broken]:
    """The same for a job: every policy has its own, existing subject."""
    yield from roles.apart(job)
    yield from policies.subjects(job)
    yield from policies.apart(job.policies)
