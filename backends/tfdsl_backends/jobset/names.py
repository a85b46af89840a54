"""The names of a JobSet's Jobs, pods and hosts, and the labels of its pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.model import Role

LABELS: Final = "jobset.sigs.k8s.io"


def job_name(unit: Unit, role: Role) -> str:
    """The name of the replicated Job of ``role``: that of the role, unless the option says otherwise."""
    return str(unit.entries("job_names").get(role.name, role.name))


def hostname(unit: Unit, role: Role, index: int) -> str:
    """The hostname of a replica, with which the name of its pod begins: the role has one Job, which is number 0."""
    return f"{unit.job.name}-{job_name(unit, role)}-0-{index}"


def subdomain(unit: Unit) -> str:
    """The name of the Service: the job's, unless the option says otherwise."""
    return unit.text("subdomain") or unit.job.name


def host(unit: Unit, role: Role, index: int) -> str:
    """The name under which a replica is reached inside its namespace."""
    return f"{hostname(unit, role, index)}.{subdomain(unit)}"


def pod_labels(unit: Unit, role: Role) -> dict[str, str]:
    """The labels that JobSet gives to the pods of ``role`` and to no others."""
    return {f"{LABELS}/jobset-name": unit.job.name, f"{LABELS}/replicatedjob-name": job_name(unit, role)}
