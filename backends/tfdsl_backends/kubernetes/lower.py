"""A job as plain Kubernetes Jobs, top to bottom in the order of the manifest."""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.backend import Document, Unit
from tfdsl.emit.located import Data, Located, at, child, located
from tfdsl.ir.model import Job, Role
from tfdsl.ir.policies import completions
from tfdsl_backends.kubernetes.checks import check
from tfdsl_backends.kubernetes.placement import has_service
from tfdsl_backends.kubernetes.pods import JobPods, jobs, labels
from tfdsl_backends.kubernetes.policies import decisions
from tfdsl_backends.kubernetes.tfconfig import tasks
from tfdsl_backends.podspec.objects import beside, claim_document, job_metadata, tensorboard_beside, tensorboard_plan
from tfdsl_backends.podspec.options import QUEUE_LABEL
from tfdsl_backends.podspec.plan import indexed
from tfdsl_backends.podspec.pods import pod_template

__all__ = ["check", "generate", "tasks"]


def generate(unit: Unit) -> Sequence[Document]:
    """The Jobs, the Service by which Indexed Jobs find each other, the claims, and TensorBoard."""
    job = unit.job
    return [
        *(Document(batch_job(unit, pods)) for pods in jobs(unit)),
        *([Document(service(job))] if has_service(unit) else []),
        *(Document(claim_document(job, claim, object_labels(job))) for claim in job.claims),
        *tensorboard(unit),
    ]


def batch_job(unit: Unit, pods: JobPods) -> Data:
    """One Job: of a role, or of one replica on its host."""
    job, role = unit.job, pods.role
    return Located(
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {**job_metadata(job, job_labels(job, role)), "name": Located(pods.name, "")},
            "spec": {
                "suspend": Located(True, "suspend") if job.suspend else None,
                **({} if pods.index is not None else indexed(role)),
                "backoffLimit": Located(decisions(unit).restarts[role.name].backoff_limit, "retries"),
                "activeDeadlineSeconds": located(job.deadline and job.deadline.seconds, "deadline"),
                "ttlSecondsAfterFinished": located(job.ttl and job.ttl.seconds, "ttl"),
                "podFailurePolicy": pod_failure_policy(unit, role),
                "successPolicy": None if pods.index is not None else success_policy(job, role),
                "template": pod_template(job, role, pods.plan),
            },
        },
        role.path,
    )


def job_labels(job: Job, role: Role) -> dict[str, Data]:
    """Labels of a Job: ours, and the one that Kueue reads."""
    queue = at(job, "queue")
    return {**labels(job, role), **({QUEUE_LABEL: queue} if queue else {})}


def object_labels(job: Job) -> dict[str, str]:
    """The label of everything that belongs to the job."""
    return {"tfdsl/job": job.name}


def pod_failure_policy(unit: Unit, role: Role) -> Data:
    """``spec.podFailurePolicy``, where statuses or evictions are distinguished."""
    rules = decisions(unit).restarts[role.name].rules
    return {"rules": list(rules)} if rules else None


def success_policy(job: Job, role: Role) -> Data:
    """``spec.successPolicy``, where one replica of several ends its role."""
    single = [policy for policy in completions(job) if policy.role == role.name and policy.index is not None]
    if role.replicas == 1 or not single:
        return None
    rules = [{"succeededIndexes": Located(str(policy.index), child(policy.path, "index"))} for policy in single]
    return {"rules": rules}


def service(job: Job) -> Data:
    """The headless Service by which every replica has a DNS name, even before it is ready."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": beside(job, job.name, object_labels(job)),
        "spec": {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": object_labels(job)},
    }


def tensorboard(unit: Unit) -> list[Document]:
    """TensorBoard's Deployment and Service, which no Job owns."""
    role = unit.job.role("tensorboard")
    if role is None:
        return []
    template = pod_template(unit.job, role, tensorboard_plan(unit))
    return [Document(data) for data in tensorboard_beside(unit.job, role, template)]
