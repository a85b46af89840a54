"""What each task of plain Jobs sees: exactly the language's TF_CONFIG and flags.

An Indexed Job names its pods `<job>-<role>-<index>`; with the Service's name as their subdomain each has its own DNS
name. With hosts, a task has the address of the node it runs on.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.backend import TaskConfig, Unit
from tfdsl.ir.cluster_spec import Address, cluster_spec, needs_tf_config
from tfdsl_backends.kubernetes.names import replica_name
from tfdsl_backends.kubernetes.placement import pinned, placement
from tfdsl_backends.podspec.tfconfig import Tasks, role_tasks


def address(unit: Unit) -> Address:
    """``host:port`` of a replica."""
    job = unit.job
    if not pinned(unit):
        return lambda role, index: f"{replica_name(unit, role, index)}.{job.name}:{role.port}"
    hosts = placement(unit)
    return lambda role, index: f"{hosts[role.name, index]}:{role.port}"


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """The TF_CONFIG and flags of every replica."""
    job = unit.job
    spec = cluster_spec(job, address(unit))
    return Tasks([role_tasks(job, role, spec, spec if needs_tf_config(job, role) else None) for role in job.roles])
