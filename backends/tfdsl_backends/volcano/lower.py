"""The documents of a job for Volcano, top to bottom in the order of the manifest."""

from __future__ import annotations

from tfdsl.backend import Document, Unit
from tfdsl.emit.located import Data, Located, at, child
from tfdsl.ir.model import Job, Role
from tfdsl_backends.podspec.fields import absent, written
from tfdsl_backends.podspec.objects import claim_document, claim_spec, job_metadata, tensorboard_service
from tfdsl_backends.podspec.pods import pod_template
from tfdsl_backends.volcano import policies
from tfdsl_backends.volcano.checks import check
from tfdsl_backends.volcano.features import API_VERSION
from tfdsl_backends.volcano.fields import SPEC
from tfdsl_backends.volcano.names import claims, task_labels, task_name
from tfdsl_backends.volcano.pods import plan
from tfdsl_backends.volcano.tfconfig import plugins, tasks

__all__ = ["check", "generate", "tasks"]


def generate(unit: Unit) -> list[Document]:
    """The job, which is the main document; the claims that it waits for; TensorBoard's Service."""
    documents = [job_document(unit), *(claim_document(unit.job, claim) for claim in claims(unit).documents.values())]
    tensorboard = unit.job.board
    if tensorboard is not None:
        documents.append(tensorboard_service(unit.job, tensorboard, task_labels(unit, tensorboard)))
    return [Document(data) for data in documents]


def job_document(unit: Unit) -> Data:
    """The Job of Volcano, without the documents beside it."""
    job = unit.job
    plain = {**absent(SPEC), **written(job, SPEC)}
    return {
        "apiVersion": API_VERSION,
        "kind": "Job",
        "metadata": job_metadata(job),
        "spec": {
            "schedulerName": plain["schedulerName"],
            "queue": plain["queue"],
            "minAvailable": Located(gang_size(unit), "gang"),
            "maxRetry": Located(policies.job_max_retry(unit), "retries"),
            **plain,
            "plugins": plugins(unit) or None,
            "policies": [entry.data for entry in policies.job_entries(unit)] or None,
            "volumes": volumes(unit) or None,
            "tasks": [task(unit, role) for role in job.roles],
        },
    }


def volumes(unit: Unit) -> list[Data]:
    """Claims of every container, which Volcano creates and deletes with the job."""
    return [
        Located({"mountPath": at(mount, "at"), "volumeClaim": claim_spec(claim)}, claim.path)
        for claim, mount in claims(unit).volumes
    ]


def task(unit: Unit, role: Role) -> Data:
    """The task of ``role``."""
    job = unit.job
    return Located(
        {
            "name": Located(task_name(unit, role), role.path),
            "replicas": at(role, "replicas"),
            "minAvailable": Located(min_available(job, role), child(role.path, "min_available")),
            "maxRetry": policies.task_max_retry(unit, role),
            "dependsOn": depends_on(unit, role) if role.after else None,
            "policies": [entry.data for entry in policies.task_entries(unit, role)] or None,
            "template": pod_template(job, role, plan(unit, role)),
        },
        role.path,
    )


def depends_on(unit: Unit, role: Role) -> dict[str, Data]:
    """The tasks of the roles that ``role`` starts after, and whether one of them is enough."""
    roles = (other for name in role.after if (other := unit.job.role(name)) is not None)
    names = Located([task_name(unit, other) for other in roles], child(role.path, "after"))
    return {"name": names, "iteration": "any" if role.name in unit.texts("after_any") else None}


def min_available(job: Job, role: Role) -> int:
    """How many replicas must be placeable, and must run before tasks that wait for this one are created.

    Without a gang it is 0, and TensorBoard never holds up the others. A task that others wait for keeps its number,
    because ``dependsOn`` waits for that many.
    """
    waited_for = any(role.name in other.after for other in job.roles)
    if role.is_board:
        return 1 if waited_for else 0
    return role.min_available if job.gang or waited_for else 0


def gang_size(unit: Unit) -> int:
    """``spec.minAvailable``: the pods of the roles that start at once; at least 1, because 0 means "all of them".

    It does not count roles with an ``after``: their pods are created only when the others run, so a gang that counted
    them could never be placed (seen: "2/1 tasks in gang unschedulable").
    """
    job, given = unit.job, unit.options["gang_size"]
    if not job.gang:
        return 1
    if isinstance(given, int):
        return given
    at_once = [role for role in job.roles if not role.after and not role.is_board]
    return max(1, sum(role.min_available for role in at_once))
