"""A job as plain Kubernetes Jobs, top to bottom in the order of the manifest."""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.backend import Document, Unit
from tfdsl.emit.located import Data, Located, at
from tfdsl.ir.model import Job, Role
from tfdsl_backends.kubernetes.checks import check
from tfdsl_backends.kubernetes.policies import JOB_LABEL, decisions, has_service, labels
from tfdsl_backends.kubernetes.tfconfig import JobPods, jobs, tasks
from tfdsl_backends.podspec.batch import ending_alone, job_spec
from tfdsl_backends.podspec.fields import DEADLINE, SUSPEND, TTL, written
from tfdsl_backends.podspec.objects import beside, claim_document, job_metadata, tensorboard_beside, tensorboard_plan
from tfdsl_backends.podspec.options import QUEUE_LABEL
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
    restart = decisions(unit).restarts[role.name]
    return Located(
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {**job_metadata(job, job_labels(job, role)), "name": Located(pods.name, "")},
            "spec": {
                **written(job, (SUSPEND,)),
                **job_spec(
                    job,
                    role,
                    restart.backoff_limit,
                    restart.rules,
                    pod_template(job, role, pods.plan),
                    (DEADLINE, TTL),
                    ending_alone(job, role) if pods.index is None else None,
                ),
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
    return {JOB_LABEL: job.name}


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
    role = unit.job.board
    if role is None:
        return []
    template = pod_template(unit.job, role, tensorboard_plan(unit))
    return [Document(data) for data in tensorboard_beside(unit.job, role, template)]
