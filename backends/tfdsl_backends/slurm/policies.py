"""The policies as the batch script takes them: what follows from each end of a replica."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.ir.policies import covering, exit_policies, on_eviction, on_failure
from tfdsl.record import Record
from tfdsl.vocabulary.statements import RESTARTS

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.model import Job, Policy, Role

ANY = "*"
LOST = "lost"
"""Instead of a status: the replica left none, because it was killed or its node was lost."""

LOST_STATUS = 75
"""With which a job ends that such a replica fails."""


class Reaction(Record):
    """What follows from an end. ``replica``: ``worker-0``, ``worker-*``; ``ends``: statuses, ``lost``, or ``*``."""

    replica: str
    ends: tuple[str, ...]
    action: str
    seconds: int = 0


class Watched(Record):
    """What follows when the commands of a role were started again ``count`` times in place."""

    role: str
    count: int
    action: str


class Decided(Record):
    """Everything. ``completions``: ``chief-*`` → action; ``evicted``: what follows when Slurm takes the nodes back."""

    reactions: tuple[Reaction, ...]
    completions: tuple[Reaction, ...]
    watched: tuple[Watched, ...]
    evicted: str

    @property
    def requeues(self) -> bool:
        """Whether the job goes back into the queue for anything."""
        return self.evicted != "fail job" or any(
            action == "abort job"
            for action in (
                *(reaction.action for reaction in self.reactions),
                *(watched.action for watched in self.watched),
            )
        )


def decided(unit: Unit) -> Decided:
    """What the policies of ``unit`` say, worked out once."""
    return unit.once(_decided)


def _decided(unit: Unit) -> Decided:
    job = unit.job
    return Decided(
        tuple(_reactions(job)),
        tuple(
            Reaction(_replica(policy.role, policy.index), (), policy.action)
            for policy in job.policies
            if policy.event == "completed" and policy.role is not None
        ),
        tuple(_watched(job)),
        evicted(job),
    )


def evicted(job: Job) -> str:
    """What follows when Slurm takes the allocation back, which it always does whole.

    An ``evicted`` policy counts for all replicas, ``fail job`` before the others. Without any the policies about
    failures decide: where every role starts again, the whole job does.
    """
    written = {policy.action for policy in job.policies if policy.event == "evicted"}
    if written:
        return next((action for action in ("fail job", "abort job", "restart job") if action in written), "fail job")
    failures = [on_failure(job, role) for role in job.training_roles]
    return "restart job" if all(_action(policy) in RESTARTS for policy in failures) else "fail job"


def _reactions(job: Job) -> Iterator[Reaction]:
    """The replicas that a policy names come before the others of their role, statuses before any end."""
    named = {(policy.role, policy.index) for policy in job.policies if policy.index is not None}
    for role in job.roles:
        for index in sorted(index for name, index in named if name == role.name):
            yield from _of(job, role, index)
        yield from _of(job, role, None)


def _of(job: Job, role: Role, index: int | None) -> Iterator[Reaction]:
    replica = _replica(role.name, index)
    for statuses, policy in exit_policies(job, role, index):
        yield Reaction(replica, tuple(map(str, statuses)), policy.action, _seconds(policy))
    failed, lost = on_failure(job, role, index), on_eviction(job, role, index)
    if (_action(lost), _seconds(lost)) != (_action(failed), _seconds(failed)):
        yield Reaction(replica, (LOST,), _action(lost), _seconds(lost))
    yield Reaction(replica, (ANY,), _action(failed), _seconds(failed))


def _watched(job: Job) -> Iterator[Watched]:
    for role in job.roles:
        for policy in covering(job, role):
            if policy.event == "restarted" and policy.count is not None:
                yield Watched(role.name, policy.count, policy.action)


def _replica(role: str | None, index: int | None) -> str:
    return f"{role}-{ANY if index is None else index}"


def _action(policy: Policy | None) -> str:
    return "fail job" if policy is None else policy.action


def _seconds(policy: Policy | None) -> int:
    """The delay, in whole seconds, rounded up."""
    return 0 if policy is None or policy.delay is None else -(-policy.delay.ms // 1000)
