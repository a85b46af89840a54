"""What each task of a JobSet sees, exactly the language's TF_CONFIG and flags, and what is added to its pods.

The Jobs of a role name their pods ``<job>-<role>-<number of the Job>-<index>``. The JobSet's Service gives each a DNS
name.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.backend import TaskConfig, Unit
from tfdsl.emit.located import at
from tfdsl.ir.cluster_spec import cluster_spec, gets_flags, needs_tf_config, tf_config
from tfdsl.ir.model import Role
from tfdsl.rules.job import default_port
from tfdsl_backends.jobset.options import JOB_INDEX_FIELD
from tfdsl_backends.jobset.policies import decisions, host, jobs_of, pod_labels, pod_rules
from tfdsl_backends.jobset.when import documents, own_claims
from tfdsl_backends.podspec.objects import claim_name
from tfdsl_backends.podspec.plan import INDEX_FIELD, INDEX_VARIABLE, PORT_NAME, PodPlan, index_of, with_options
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


def restart_policy(unit: Unit, role: Role) -> str:
    """That of the pods of ``role``."""
    decided = decisions(unit).roles[role.name]
    ends = decided.limit == 0 and not pod_rules(decided).rules
    return "OnFailure" if decided.in_place or (ends and unit.text("restart_policy") == "OnFailure") else "Never"


def plan(unit: Unit, role: Role) -> PodPlan:
    """What JobSet adds to the pods of ``role``."""
    job, spec = unit.job, spec_of(unit)
    index = index_of(role, INDEX_FIELD, INDEX_VARIABLE) if jobs_of(unit, role) == 1 else index_of(role, JOB_INDEX_FIELD)
    connected = any(gets_flags(job, one) or needs_tf_config(job, one) for one in job.roles)
    added = PodPlan(
        index,
        restart_policy=restart_policy(unit, role),
        port_name=PORT_NAME if connected or role.is_board or role.port != default_port(role.name) else None,
        tf_config=tf_config(spec, role.name, index.reference) if needs_tf_config(job, role) else None,
        hosts=spec if gets_flags(job, role) else {},
        spread_labels=pod_labels(unit, role),
        claims={claim.name: claim_name(job, claim) for claim in documents(unit)},
        claim_volumes={claim.name: claim.name for claim in own_claims(unit)},
        priority_class=at(job, "priority"),
        scheduler=at(job, "scheduler"),
    )
    return with_options(unit, added)
