"""What each task of a JobSet sees, exactly the language's TF_CONFIG and flags, and what is added to its pods.

The Job of a role names its pods ``<job>-<role>-0-<index>``, and the JobSet's Service gives each a DNS name.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.backend import TaskConfig, Unit
from tfdsl.emit.located import at
from tfdsl.ir.cluster_spec import cluster_spec, gets_flags, needs_tf_config, tf_config
from tfdsl.ir.model import Role
from tfdsl_backends.jobset.policies import decisions, host, pod_labels
from tfdsl_backends.jobset.when import documents, own_claims
from tfdsl_backends.podspec.objects import claim_name
from tfdsl_backends.podspec.plan import INDEX_FIELD, INDEX_VARIABLE, PodPlan, index_of, with_options
from tfdsl_backends.podspec.tfconfig import Tasks, role_tasks


def spec_of(unit: Unit) -> dict[str, list[str]]:
    """Role → ``host:port`` of each replica."""
    return unit.once(_spec)


def _spec(unit: Unit) -> dict[str, list[str]]:
    return cluster_spec(unit.job, lambda role, index: f"{host(unit, role, index)}:{role.port}")


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """The TF_CONFIG and flags of every replica."""
    job, spec = unit.job, spec_of(unit)
    return Tasks([role_tasks(job, role, spec, spec if needs_tf_config(job, role) else None) for role in job.roles])


def plan(unit: Unit, role: Role) -> PodPlan:
    """What JobSet adds to the pods of ``role``."""
    job, spec = unit.job, spec_of(unit)
    index = index_of(role, INDEX_FIELD, INDEX_VARIABLE)
    added = PodPlan(
        index,
        restart_policy="OnFailure" if decisions(unit).roles[role.name].in_place else "Never",
        tf_config=tf_config(spec, role.name, index.reference) if needs_tf_config(job, role) else None,
        hosts=spec if gets_flags(job, role) else {},
        spread_labels=pod_labels(unit, role),
        claims={claim.name: claim_name(job, claim) for claim in documents(unit)},
        claim_volumes={claim.name: claim.name for claim in own_claims(unit)},
        priority_class=at(job, "priority"),
        scheduler=at(job, "scheduler"),
    )
    return with_options(unit, added)
