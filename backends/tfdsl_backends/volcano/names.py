"""What a job's tasks, pods and hosts are called, where its claims go, and what of it is reached from outside.

``spec.volumes`` puts a claim into every container of every task, at one path, writable and whole, and the claim goes
with the job. The job asks for exactly that only when every role mounts the claim so, it need not outlive the job, and
no role has steps, which are init containers and get nothing of ``spec.volumes``. A claim that only some roles mount
would give the others a volume too, and a ReadWriteOnce one would keep their pods from other nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.backend import Unit
from tfdsl.emit.located import child
from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.ir.model import Claim, ClaimMount, Job, Role, Step


JOB: Final = "volcano.sh/job-name"
TASK: Final = "volcano.sh/task-spec"
_OF_BOTH: Final = ("job-name", "queue-name", "task-index", "task-spec")
LABELS: Final = frozenset(f"volcano.sh/{name}" for name in (*_OF_BOTH, "job-namespace"))
"""Labels that the controller gives every pod, whatever the template says."""

ANNOTATIONS: Final = frozenset(
    (
        "scheduling.k8s.io/group-name",
        *(f"volcano.sh/{name}" for name in (*_OF_BOTH, "job-retry-count", "job-version", "template-uid")),
    )
)
"""Annotations that the controller gives every pod."""


def task_name(unit: Unit, role: Role) -> str:
    """The name of the task of ``role``: that of the role, unless the option says otherwise."""
    return str(unit.entries("task_names").get(role.name, role.name))


def pod_name(unit: Unit, role: Role, index: int) -> str:
    """The name of a pod."""
    return f"{unit.job.name}-{task_name(unit, role)}-{index}"


def host(unit: Unit, role: Role, index: int) -> str:
    """The name under which a replica is reached inside its namespace."""
    return f"{pod_name(unit, role, index)}.{unit.job.name}"


def file_name(unit: Unit, role: Role) -> str:
    """The task as the svc plugin writes it in the names of its files and, in capital letters, of its variables."""
    return task_name(unit, role).replace("-", "_")


def task_labels(unit: Unit, role: Role) -> dict[str, str]:
    """The labels that Volcano gives to the pods of ``role`` and to no others."""
    return labels(unit.job.name, task_name(unit, role))


def labels(job: str, task: str) -> dict[str, str]:
    """The labels of the pods of a task, and of no others."""
    return {JOB: job, TASK: task}


class Claims(Record):
    """``volumes``: the claims that become ``spec.volumes``, each with its first mount. ``documents``: the others."""

    volumes: Sequence[tuple[Claim, ClaimMount]]
    documents: Mapping[str, Claim]


def claims(unit: Unit) -> Claims:
    """Where each claim of the job goes."""
    return unit.once(_sorted)


def _sorted(unit: Unit) -> Claims:
    job = unit.job
    mounts: dict[str, list[tuple[str, ClaimMount]]] = {}
    for role in job.roles:
        for mount in role.mounts:
            if mount.kind == "claim":
                mounts.setdefault(mount.claim, []).append((role.name, mount))
    volumes = {
        claim.name: (claim, mounts[claim.name][0][1])
        for claim in job.claims
        if not claim.keep and _in_every_container(job, mounts.get(claim.name, []))
    }
    documents = {claim.name: claim for claim in job.claims if claim.name not in volumes}
    return Claims(tuple(volumes.values()), documents)


def _in_every_container(job: Job, mounts: Sequence[tuple[str, ClaimMount]]) -> bool:
    """Whether every role mounts the claim once, at one path, writable and whole, in its only container."""
    if [role for role, _ in mounts] != [role.name for role in job.roles] or any(role.steps for role in job.roles):
        return False
    places = {mount.at for _, mount in mounts}
    return len(places) == 1 and not any(mount.readonly or mount.sub_path for _, mount in mounts)


def reached(job: Job) -> tuple[str, str] | None:
    """The words for it and where it is written; ``None`` if nothing must be reached: the policy may stay."""
    if job.board is not None:
        return "tensorboard", "roles[tensorboard]"
    for role in job.roles:
        holders: list[Role | Step] = [role, *role.steps]
        for holder in holders:
            for name in holder.ports:
                return f"port {name}", child(holder.path, "ports")
    return None
