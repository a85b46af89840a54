"""The pods: what the target adds to the template of each Job."""

from __future__ import annotations

from tfdsl.backend import Unit
from tfdsl.emit.located import at
from tfdsl.ir.cluster_spec import gets_flags, needs_tf_config, tf_config
from tfdsl.ir.model import Role
from tfdsl_backends.jobset.claims import documents, own_claims
from tfdsl_backends.jobset.names import pod_labels
from tfdsl_backends.jobset.policies import decisions
from tfdsl_backends.jobset.tfconfig import spec_of
from tfdsl_backends.podspec.objects import claim_name
from tfdsl_backends.podspec.plan import INDEX_FIELD, INDEX_VARIABLE, PodPlan, index_of, with_options


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
