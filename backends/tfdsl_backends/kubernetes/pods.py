"""The pods: what the target adds to the template of each Job."""

from __future__ import annotations

from tfdsl.backend import Unit
from tfdsl.emit.located import at
from tfdsl.ir.cluster_spec import cluster_spec, gets_flags, needs_tf_config, tf_config
from tfdsl.ir.model import Job, Role
from tfdsl.record import Record
from tfdsl_backends.kubernetes.names import replica_name, role_job_name
from tfdsl_backends.kubernetes.placement import has_service, pinned, placement, training_roles
from tfdsl_backends.kubernetes.policies import decisions
from tfdsl_backends.kubernetes.tfconfig import address
from tfdsl_backends.podspec.objects import claim_names
from tfdsl_backends.podspec.plan import INDEX_FIELD, INDEX_VARIABLE, Index, PodPlan, index_of, with_options


class JobPods(Record):
    """One Job: its name, its role, the replica where it has but one, and what is added to its pods."""

    name: str
    role: Role
    index: int | None
    plan: PodPlan


def labels(job: Job, role: Role) -> dict[str, str]:
    """Labels of the Jobs and pods of a role; the Service and the removing command select by the first."""
    return {"tfdsl/job": job.name, "tfdsl/role": role.name}


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
