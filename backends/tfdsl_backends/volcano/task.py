"""One entry of ``spec.tasks``: the replicas of a role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.emit.located import Located, at, child
from tfdsl.record import replace
from tfdsl_backends.podspec.objects import claim_name
from tfdsl_backends.podspec.plan import with_options
from tfdsl_backends.podspec.template import pod_template
from tfdsl_backends.volcano import claims, policies
from tfdsl_backends.volcano.delivery import deliver

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.emit.located import Data
    from tfdsl.ir.model import Job, Role
    from tfdsl_backends.podspec.plan import PodPlan

_MIB = 1 << 20


def task(unit: Unit, role: Role, decided: policies.Decided) -> Data:
    """The task of ``role``, with its share of what was ``decided`` for the job."""
    job = unit.job
    return Located(
        {
            "name": Located(role.name, role.path),
            "replicas": at(role, "replicas"),
            "minAvailable": Located(min_available(job, role), child(role.path, "min_available")),
            "maxRetry": policies.task_max_retry(job, role, decided),
            "dependsOn": {"name": at(role, "after")} if role.after else None,
            "policies": policies.task_policies(job, role, decided) or None,
            "template": pod_template(job, role, plan(unit, role)),
        },
        role.path,
    )


def plan(unit: Unit, role: Role) -> PodPlan:
    """What Volcano adds to the pods of ``role``."""
    job = unit.job
    deadline = job.deadline
    return replace(
        with_options(unit, deliver(unit, role)),
        restart_policy=policies.restart_policy(job, role),
        spread_labels=task_labels(job, role),
        claims={claim.name: claim_name(job, claim) for claim in claims.documents(job)},
        resources=_vgpu(role),
        reserved_volumes=frozenset({f"{job.name}-svc"}),
        active_deadline_seconds=Located(deadline.seconds, "deadline") if deadline is not None else None,
    )


def task_labels(job: Job, role: Role) -> dict[str, str]:
    """The labels that Volcano gives to the pods of ``role`` and to no others."""
    return {"volcano.sh/job-name": job.name, "volcano.sh/task-spec": role.name}


def min_available(job: Job, role: Role) -> int:
    """Replicas that have to be placeable, and that count as the task running for those that wait for it.

    Without a gang none has to be; TensorBoard never holds up the others. A task that others wait for keeps its number,
    for ``dependsOn`` waits for that many.
    """
    waited_for = any(role.name in other.after for other in job.roles)
    if role.name == "tensorboard":
        return 1 if waited_for else 0
    return role.min_available if job.gang or waited_for else 0


def gang_size(job: Job) -> int:
    """``spec.minAvailable``: the pods of the roles that start at once; at least 1, for 0 means "all of them".

    It covers no role with an ``after``: its pods are made only when the others run, so a gang that counted them could
    never be placed (seen: "2/1 tasks in gang unschedulable").
    """
    if not job.gang:
        return 1
    at_once = [role for role in job.roles if not role.after and role.name != "tensorboard"]
    return max(1, sum(role.min_available for role in at_once))


def _vgpu(role: Role) -> dict[str, Data]:
    """A share of a device: how many devices, and MiB on each."""
    if role.gpu_memory is None:
        return {}
    place = child(role.path, "gpu_memory")
    memory = -(-role.gpu_memory.whole // _MIB)
    return {
        "volcano.sh/vgpu-number": at(role, "gpu") if role.gpu else Located(1, place),
        "volcano.sh/vgpu-memory": Located(memory, place),
    }
