"""Which replica runs on which host.

As simpletfjob did: hosts in the order of the option without the excluded ones, parameter servers first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.model import Job, Role

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
    """The hosts without the excluded ones."""
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
