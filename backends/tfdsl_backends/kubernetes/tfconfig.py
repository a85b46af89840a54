"""What each task of plain Jobs sees, exactly the language's TF_CONFIG and flags, and the pods of each Job.

An Indexed Job names its pods `<job>-<role>-<index>`; with the Service's name as their subdomain each has its own DNS
name. With hosts, a task has the address of the node it runs on.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.backend import TaskConfig, Unit
from tfdsl.emit.located import at
from tfdsl.ir.cluster_spec import Address, cluster_spec, gets_flags, needs_tf_config, tf_config
from tfdsl.ir.model import Role
from tfdsl.record import Record
from tfdsl_backends.kubernetes.policies import (
    decisions,
    has_service,
    labels,
    pinned,
    placement,
    replica_name,
    role_job_name,
    training_roles,
)
from tfdsl_backends.podspec.objects import claim_names
from tfdsl_backends.podspec.plan import INDEX_FIELD, INDEX_VARIABLE, Index, PodPlan, index_of, with_options
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


class JobPods(Record):
    """One Job: its name, its role, the replica where it has but one, and what is added to its pods."""

    name: str
    role: Role
    index: int | None
    plan: PodPlan


def jobs(unit: Unit) -> list[JobPods]:
    """The Jobs in the order in which they are written."""
    spec = cluster_spec(unit.job, address(unit))
    hosts = placement(unit) if pinned(unit) else {}
    pods: list[JobPods] = []
    for role in training_roles(unit.job):
        if not hosts:
            index = index_of(role, INDEX_FIELD, INDEX_VARIABLE)
            pods.append(JobPods(role_job_name(unit, role), role, None, _plan(unit, role, spec, index)))
            continue
        for number in range(role.replicas):
            plan = _plan(unit, role, spec, Index(constant=number), hosts[role.name, number])
            pods.append(JobPods(replica_name(unit, role, number), role, number, plan))
    return pods


def _plan(unit: Unit, role: Role, spec: dict[str, list[str]], index: Index, host: str | None = None) -> PodPlan:
    job = unit.job
    plan = PodPlan(
        index,
        restart_policy=decisions(unit).restarts[role.name].restart_policy,
        labels=labels(job, role),
        tf_config=tf_config(spec, role.name, index.reference) if needs_tf_config(job, role) else None,
        hosts=spec if gets_flags(job, role) else {},
        spread_labels=labels(job, role),
        claims=claim_names(job),
        host_port=host is not None,
        host_network=host is not None,
        node_name=host,
        subdomain=job.name if has_service(unit) else None,
        priority_class=at(job, "priority"),
        scheduler=at(job, "scheduler"),
    )
    return with_options(unit, plan)
