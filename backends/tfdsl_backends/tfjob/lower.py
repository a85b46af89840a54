"""A job as a TFJob, top to bottom in the order of the manifest.

The order of keys is the one users write. ``replicas``, ``restartPolicy`` and ``cleanPodPolicy`` are always written:
their defaults changed between versions.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.backend import Document, Unit
from tfdsl.emit.located import Data, Located, at, child, unless_empty
from tfdsl.ir.model import Job, Role
from tfdsl.ir.policies import completions, on_failure
from tfdsl.vocabulary.attributes import LEADERS
from tfdsl_backends.podspec.fields import DEADLINE, SUSPEND, TTL, written
from tfdsl_backends.podspec.objects import claim_document, job_metadata, tensorboard_beside
from tfdsl_backends.podspec.options import QUEUE_LABEL
from tfdsl_backends.podspec.plan import PodPlan
from tfdsl_backends.podspec.pods import pod_template
from tfdsl_backends.tfjob.checks import check
from tfdsl_backends.tfjob.options import API_VERSION, CLEANUP, ROLE_KEYS
from tfdsl_backends.tfjob.policies import decisions
from tfdsl_backends.tfjob.tfconfig import plans, tasks

__all__ = ["check", "generate", "tasks"]


def generate(unit: Unit) -> Sequence[Document]:
    """The TFJob, its claims, and TensorBoard."""
    job = unit.job
    by_role = plans(unit)
    return [
        Document(tfjob(unit, by_role)),
        *(Document(claim_document(job, claim)) for claim in job.claims),
        *tensorboard(job, by_role),
    ]


def tfjob(unit: Unit, by_role: Sequence[tuple[Role, PodPlan]]) -> dict[str, Data]:
    """The TFJob of a job, without the documents beside it."""
    job = unit.job
    return {
        "apiVersion": API_VERSION,
        "kind": "TFJob",
        "metadata": job_metadata(job, kueue_label(unit)),
        "spec": {
            "runPolicy": run_policy(unit),
            "successPolicy": success_policy(job),
            "enableDynamicWorker": True if unit.flag("dynamic_workers") else None,
            "tfReplicaSpecs": {
                key: replica_spec(unit, role, plan)
                for name, key in ROLE_KEYS.items()
                for role, plan in by_role
                if role.name == name
            },
        },
    }


def kueue_label(unit: Unit) -> dict[str, Data]:
    """The label by which Kueue takes the job into a queue."""
    queue = at(unit.job, "queue")
    return {QUEUE_LABEL: queue} if unit.flag("kueue") and queue else {}


def run_policy(unit: Unit) -> dict[str, Data]:
    """``spec.runPolicy`` of the TFJob."""
    job = unit.job
    return {
        "cleanPodPolicy": Located(CLEANUP[job.cleanup], "cleanup"),
        **written(job, (TTL, DEADLINE)),
        "backoffLimit": backoff_limit(unit),
        **written(job, (SUSPEND,)),
        "schedulingPolicy": unless_empty(scheduling_policy(unit)),
    }


def backoff_limit(unit: Unit) -> Data:
    """How many restarts in place end the job: N of ``restarted N``, else one more than the retries that are allowed.

    Nothing where no number of them does.
    """
    decided = decisions(unit)
    if not decided.in_place:
        return None
    for policy in decided.counted:
        return Located(policy.count, child(policy.path, "count"))
    if not unit.flag("limit_restarts"):
        return None
    return Located(unit.job.retries + 1, "retries")


def scheduling_policy(unit: Unit) -> dict[str, Data]:
    """``spec.runPolicy.schedulingPolicy``, which only an operator with a gang scheduler, and Kueue, read."""
    job = unit.job
    return {
        "minAvailable": Located(gang_size(job), "gang") if unit.text("gang_scheduler") else None,
        "queue": None if unit.flag("kueue") else at(job, "queue"),
        "priorityClass": at(job, "priority"),
    }


def gang_size(job: Job) -> int:
    """How many pods start together or not at all."""
    return sum(role.min_available for role in job.training_roles) if job.gang else 1


def success_policy(job: Job) -> Data:
    """``AllWorkers``; empty, the operator's default, where worker 0 is enough; nothing where a chief decides."""
    deciders = [policy for policy in completions(job) if policy.role == "worker"]
    if not deciders or any(role.name in LEADERS for role in job.roles):
        return None
    first = any(policy.index == 0 for policy in deciders)
    return Located("" if first else "AllWorkers", deciders[0].path)


def replica_spec(unit: Unit, role: Role, plan: PodPlan) -> Data:
    """One entry of ``spec.tfReplicaSpecs``."""
    return Located(
        {
            "replicas": at(role, "replicas"),
            "restartPolicy": role_restart_policy(unit, role),
            "template": pod_template(unit.job, role, plan),
        },
        role.path,
    )


def role_restart_policy(unit: Unit, role: Role) -> Data:
    """``restartPolicy`` of a role, with the place of the policy that says so."""
    value = decisions(unit).restart_policies[role.name]
    assert value is not None, "a policy that the support table refuses"
    source = on_failure(unit.job, role)
    return value if source is None else Located(value, source.path)


def tensorboard(job: Job, by_role: Sequence[tuple[Role, PodPlan]]) -> list[Document]:
    """TensorBoard's Deployment and Service, which are not part of the TFJob and outlive it."""
    return [
        Document(data)
        for role, plan in by_role
        if role.is_board
        for data in tensorboard_beside(job, role, pod_template(job, role, plan))
    ]
