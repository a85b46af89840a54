"""Which Jobs there are, on which hosts, and how each restarts its replicas.

A container restarts in place under ``OnFailure``. Everything that looks at exit statuses or evictions is a
``podFailurePolicy``, which needs ``Never`` and new pods. Seen on Kubernetes 1.34: under ``OnFailure`` a Job fails when
its restart count reaches ``backoffLimit``; under ``Never`` when more pods than ``backoffLimit`` have failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

from tfdsl.backend import Unit
from tfdsl.emit.located import Data
from tfdsl.ir.policies import exit_policies, on_eviction, on_failure
from tfdsl.record import Record
from tfdsl_backends.podspec.batch import RESTARTS, action, decides, restarts_in_place
from tfdsl_backends.podspec.plan import disrupted, exited, watched

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Policy, Role


JOB_LABEL: Final = "tfdsl/job"
ROLE_LABEL: Final = "tfdsl/role"


def labels(job: Job, role: Role) -> dict[str, str]:
    """Labels of the Jobs and pods of a role; the Service and the removing command select by the first."""
    return {JOB_LABEL: job.name, ROLE_LABEL: role.name}


def role_job_name(unit: Unit, role: Role) -> str:
    """Name of the Indexed Job of a role, with which the names of its pods begin: ``<job>-<role>``, or the option's."""
    return str(unit.entries("job_names").get(role.name, f"{unit.job.name}-{role.name}"))


def replica_name(unit: Unit, role: Role, index: int) -> str:
    """Hostname of a replica of an Indexed Job, and the name of the Job of a replica on its host."""
    return f"{role_job_name(unit, role)}-{index}"


ORDER = ("ps", "chief", "master", "worker", "evaluator")
"""Roles in the order in which they take hosts, and in which their Jobs are written; tensorboard takes none."""


def pinned(unit: Unit) -> bool:
    """Whether every replica is bound to a host."""
    return bool(unit.texts("hosts"))


def has_service(unit: Unit) -> bool:
    """Whether a headless Service gives each replica a DNS name."""
    return not pinned(unit) and unit.flag("service")


def training_roles(job: Job) -> list[Role]:
    """The roles that become Jobs, in their order."""
    return [role for name in ORDER for role in job.roles if role.name == name]


def replicas(job: Job) -> Iterator[tuple[Role, int]]:
    """Every replica that needs a host, in order."""
    for role in training_roles(job):
        for index in range(role.replicas):
            yield role, index


def usable_hosts(unit: Unit) -> list[str]:
    """The hosts in their order without the excluded ones, as simpletfjob takes them."""
    excluded = frozenset(unit.texts("exclude"))
    return [host for host in unit.texts("hosts") if host not in excluded]


def placement(unit: Unit) -> dict[tuple[str, int], str]:
    """(role, index) → host; the check has made sure that there are enough."""
    return {
        (role.name, index): host for (role, index), host in zip(replicas(unit.job), usable_hosts(unit), strict=False)
    }


def job_count(unit: Unit, role: Role) -> int:
    """How many Jobs ``role`` becomes."""
    return role.replicas if pinned(unit) else 1


class Restart(Record):
    """How one role restarts.

    ``restart_policy`` of the pods, ``backoff_limit`` of the Job, ``rules`` of its ``podFailurePolicy``. ``restarts``:
    whether anything that happens to a replica restarts it; ``in_place``: in its pod.
    """

    restart_policy: Literal["OnFailure", "Never"]
    backoff_limit: int
    rules: tuple[Data, ...] = ()
    restarts: bool = True

    @property
    def in_place(self) -> bool:
        """Whether containers restart in their pods."""
        return self.restart_policy == "OnFailure"


class Decisions(Record):
    """What the policies of a job decide.

    ``restarts``: role → how its Job restarts. ``deciding``: ``id`` of a policy → the roles for which it decides
    anything, not overridden by a more specific one.
    """

    restarts: Mapping[str, Restart]
    deciding: Mapping[int, Sequence[Role]]


def decisions(unit: Unit) -> Decisions:
    """What the policies of the job decide, worked out once for each unit."""
    return unit.once(_decide)


def _decide(unit: Unit) -> Decisions:
    job = unit.job
    roles = training_roles(job)
    restarts: dict[str, Restart] = {role.name: _restart(job, role) for role in roles}
    deciding = {id(policy): [role for role in roles if decides(job, role, policy)] for policy in job.policies}
    return Decisions(restarts, deciding)


def _restart(job: Job, role: Role) -> Restart:
    evicted, failed, exits = on_eviction(job, role), on_failure(job, role), exit_policies(job, role)
    decided = [evicted, *(policy for _, policy in exits)]
    if restarts_in_place(job, role):
        return Restart("OnFailure", job.retries + 1)
    if not any(map(_restarts, [failed, *decided])):
        return Restart("Never", 0, restarts=False)
    counts = _restarts(failed) or any(_restarts(policy) for _, policy in exits)
    return Restart("Never", job.retries if counts else 0, tuple(_rules(evicted, action(failed), exits, watched(role))))


def _rules(
    evicted: Policy | None,
    failed: str,
    exits: Sequence[tuple[tuple[int, ...], Policy]],
    containers: Sequence[str | None],
) -> Iterator[Data]:
    """Rules in the order in which they are tried.

    A rule for evictions comes before those for statuses, because an evicted container ends with a status too. Where no
    policy names evictions, a pod that was lost without a status counts as a failure, and its rule comes after them.
    """
    named = evicted is not None and evicted.event == "evicted"
    restarting = _statuses(exits, RESTARTS)
    if named and (_restarts(evicted) or failed in RESTARTS or restarting):
        yield disrupted("Ignore" if _restarts(evicted) else "FailJob")
    if failed in RESTARTS:
        failing = _statuses(exits, frozenset(("fail job",)))
        if failing:
            yield from exited("FailJob", "In", failing, containers)
    elif restarting:
        yield from exited("Count", "In", restarting, containers)
        yield from exited("FailJob", "NotIn", restarting, containers)
        if not named:
            yield disrupted("FailJob")


def _statuses(exits: Sequence[tuple[tuple[int, ...], Policy]], actions: frozenset[str]) -> list[int]:
    """The statuses that an ``exit`` policy with one of ``actions`` decides, ascending."""
    return sorted(status for statuses, policy in exits if policy.action in actions for status in statuses)


def _restarts(policy: Policy | None) -> bool:
    return policy is not None and policy.action in RESTARTS
