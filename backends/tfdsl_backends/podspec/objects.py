"""Documents beside the job itself: claims, and TensorBoard's Service and Deployment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tfdsl.emit.located import Data, Located, at, entry
from tfdsl_backends.podspec.plan import Index, PodPlan, with_options

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.model import Claim, Job, Role


def job_metadata(job: Job, labels: Mapping[str, Data] | None = None) -> dict[str, Data]:
    """``metadata`` of the job's own object: name, namespace, labels (the target's win), annotations."""
    return {
        "name": Located(job.name, ""),
        "namespace": at(job, "namespace"),
        "labels": {**{key: Located(value, entry("labels", key)) for key, value in job.labels.items()}, **labels}
        if labels
        else at(job, "labels"),
        "annotations": at(job, "annotations"),
    }


def beside(job: Job, name: str, labels: Mapping[str, str] | None = None) -> dict[str, Data]:
    """``metadata`` of another object of the job, in the job's namespace."""
    return {"name": name, "namespace": at(job, "namespace"), "labels": dict(labels) if labels else None}


def tensorboard_name(job: Job) -> str:
    """Name of TensorBoard's Service (and Deployment)."""
    return f"{job.name}-tensorboard"


def tensorboard_service(
    job: Job, role: Role, selector: Mapping[str, str], labels: Mapping[str, str] | None = None
) -> Data:
    """The Service in front of TensorBoard: port 80 to the role's port, on the pods that ``selector`` names."""
    return Located(
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": beside(job, tensorboard_name(job), labels),
            "spec": {
                "selector": dict(selector),
                "ports": [{"name": "http", "port": 80, "targetPort": at(role, "port")}],
            },
        },
        role.path,
    )


SUBMISSION: Final = "tfdsl/submission"
DIGEST: Final = "tfdsl/digest"
"""Annotations of every object that ``tfdsl submit`` creates: the submission's id, and what was compiled."""

BOARD_LABEL: Final = "tfdsl/tensorboard"
"""The label of TensorBoard's Deployment, its pod and its Service: the name of the job."""


def tensorboard_labels(job: Job) -> dict[str, str]:
    """Labels of TensorBoard's objects and pod where they outlive the job."""
    return {BOARD_LABEL: job.name}


def tensorboard_plan(unit: Unit) -> PodPlan:
    """What is added to TensorBoard's pod in a Deployment."""
    job = unit.job
    labels = tensorboard_labels(job)
    plan = PodPlan(
        Index(constant=0), restart_policy="Always", labels=labels, spread_labels=labels, claims=claim_names(job)
    )
    return with_options(unit, plan)


def tensorboard_beside(job: Job, role: Role, template: Data) -> list[Data]:
    """A Deployment of one TensorBoard pod with ``template``, and its Service; both outlive the job."""
    labels = tensorboard_labels(job)
    deployment: Data = Located(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": beside(job, tensorboard_name(job), labels),
            "spec": {
                "replicas": at(role, "replicas"),
                "selector": {"matchLabels": labels},
                "template": template,
            },
        },
        role.path,
    )
    return [deployment, tensorboard_service(job, role, labels, labels)]


def claim_name(job: Job, claim: Claim) -> str:
    """The name of the PersistentVolumeClaim: ``<job>-<claim>``."""
    return f"{job.name}-{claim.name}"


def claim_names(job: Job) -> dict[str, str]:
    """Claim → name of its PersistentVolumeClaim, for all claims of the job."""
    return {claim.name: claim_name(job, claim) for claim in job.claims}


def claim_spec(claim: Claim) -> dict[str, Data]:
    """The ``spec`` of a PersistentVolumeClaim, also for places that embed one."""
    return {
        "accessModes": at(claim, "access_modes"),
        "storageClassName": at(claim, "storage_class"),
        "resources": {"requests": {"storage": at(claim, "size")}},
    }


def claim_document(job: Job, claim: Claim, labels: Mapping[str, str] | None = None) -> Data:
    """The PersistentVolumeClaim of ``claim`` as a document of its own; it outlives the job."""
    return Located(
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": beside(job, claim_name(job, claim), labels),
            "spec": claim_spec(claim),
        },
        claim.path,
    )
