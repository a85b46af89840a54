"""Documents beside the job itself: their metadata, and TensorBoard's Service and Deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.emit.located import Located, at, entry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tfdsl.emit.located import Data
    from tfdsl.ir.model import Job, Role


def job_metadata(job: Job, labels: Mapping[str, Data] | None = None) -> dict[str, Data]:
    """``metadata`` of the job's own object: name, namespace, labels (the target's win), annotations."""
    own = at(job, "labels")
    return {
        "name": Located(job.name, ""),
        "namespace": at(job, "namespace"),
        "labels": {**{key: Located(value, entry("labels", key)) for key, value in job.labels.items()}, **labels}
        if labels
        else own,
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


def tensorboard_deployment(
    job: Job, role: Role, template: Data, selector: Mapping[str, str], labels: Mapping[str, str] | None = None
) -> Data:
    """A Deployment of one TensorBoard pod, which outlives the job; ``template`` has the labels of ``selector``."""
    return Located(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": beside(job, tensorboard_name(job), labels),
            "spec": {
                "replicas": at(role, "replicas"),
                "selector": {"matchLabels": dict(selector)},
                "template": template,
            },
        },
        role.path,
    )
