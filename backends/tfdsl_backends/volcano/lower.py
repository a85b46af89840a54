"""The documents of a job for Volcano, top to bottom in the order of the manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.backend import Document
from tfdsl.emit.located import Located, at
from tfdsl_backends.podspec.objects import claim_document, claim_spec, job_metadata, tensorboard_service
from tfdsl_backends.volcano import claims, delivery, policies
from tfdsl_backends.volcano.checks import check
from tfdsl_backends.volcano.features import features
from tfdsl_backends.volcano.task import gang_size, task, task_labels
from tfdsl_backends.volcano.tfconfig import tasks

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.emit.located import Data
    from tfdsl.ir.model import Job

__all__ = ["check", "generate", "tasks"]

API_VERSION = "batch.volcano.sh/v1alpha1"


def generate(unit: Unit) -> list[Document]:
    """The job, which is the main document; the claims that it waits for; TensorBoard's Service."""
    made = [job_document(unit), *(claim_document(unit.job, claim) for claim in claims.documents(unit.job))]
    tensorboard = unit.job.role("tensorboard")
    if tensorboard is not None:
        made.append(tensorboard_service(unit.job, tensorboard, task_labels(unit.job, tensorboard)))
    return [Document(data) for data in made]


def job_document(unit: Unit) -> Data:
    """The Volcano job."""
    job = unit.job
    decided = policies.decide(job, features(unit))
    return {
        "apiVersion": API_VERSION,
        "kind": "Job",
        "metadata": job_metadata(job),
        "spec": {
            "schedulerName": at(job, "scheduler") or "volcano",
            "queue": at(job, "queue") or "default",
            "minAvailable": Located(gang_size(job), "gang"),
            "maxRetry": Located(policies.job_max_retry(job), "retries"),
            "priorityClassName": at(job, "priority"),
            "ttlSecondsAfterFinished": Located(job.ttl.seconds, "ttl") if job.ttl is not None else None,
            "plugins": plugins(unit),
            "policies": policies.job_policies(job, decided) or None,
            "volumes": volumes(job) or None,
            "tasks": [task(unit, role, decided) for role in job.roles],
        },
    }


def plugins(unit: Unit) -> dict[str, Data]:
    """The env plugin for the index, svc for the names, tensorflow for TF_CONFIG.

    The names have to resolve before the pods are ready, for the tasks wait for each other. svc's NetworkPolicy lets in
    the job's own pods only, which would shut out those who look at TensorBoard.
    """
    svc = ["--publish-not-ready-addresses=true"]
    if unit.job.role("tensorboard") is not None:
        svc.append("--disable-network-policy=true")
    return {"env": [], "svc": svc, "tensorflow": delivery.plugin_arguments(unit)}


def volumes(job: Job) -> list[Data]:
    """Claims that every container has, which Volcano makes and removes with the job."""
    return [
        Located({"mountPath": at(claims.first_mount(job, claim), "at"), "volumeClaim": claim_spec(claim)}, claim.path)
        for claim in claims.job_volumes(job)
    ]
