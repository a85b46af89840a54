"""Claims that a job makes, as PersistentVolumeClaim documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.emit.located import Located, at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tfdsl.emit.located import Data
    from tfdsl.ir.model import Claim, Job


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
            "metadata": {
                "name": claim_name(job, claim),
                "namespace": at(job, "namespace"),
                "labels": dict(labels) if labels else None,
            },
            "spec": claim_spec(claim),
        },
        claim.path,
    )
