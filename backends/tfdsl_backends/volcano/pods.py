"""The pods of a Volcano job: what the target adds to the template of each role."""

from __future__ import annotations

from tfdsl.backend import Unit
from tfdsl.emit.located import Data, Located, at, child
from tfdsl.ir.model import Role
from tfdsl.record import replace
from tfdsl_backends.podspec.objects import claim_name
from tfdsl_backends.podspec.plan import PodPlan, with_options
from tfdsl_backends.volcano.names import claims, task_labels
from tfdsl_backends.volcano.policies import decisions
from tfdsl_backends.volcano.tfconfig import deliver

_MIB = 1 << 20

VGPU_NUMBER = "volcano.sh/vgpu-number"
"""The resource that counts the devices of which a container has a share."""

VGPU_MEMORY = "volcano.sh/vgpu-memory"
"""The resource that is the MiB of each of them."""


def plan(unit: Unit, role: Role) -> PodPlan:
    """What Volcano adds to the pods of ``role``."""
    job = unit.job
    deadline = job.deadline
    return replace(
        with_options(unit, deliver(unit, role)),
        restart_policy=restart_policy(unit, role),
        spread_labels=task_labels(unit, role),
        claims={name: claim_name(job, claim) for name, claim in claims(unit).documents.items()},
        resources=_vgpu(role),
        device_count=VGPU_NUMBER,
        reserved_volumes=frozenset({f"{job.name}-svc"}),
        active_deadline_seconds=Located(deadline.seconds, "deadline") if deadline is not None else None,
    )


def restart_policy(unit: Unit, role: Role) -> str:
    """``restartPolicy``: the option's, else what follows from the policies of ``role``."""
    given = "" if role.is_board else unit.text("restart_policy")
    return given or decisions(unit).roles[role.name].restart_policy


def _vgpu(role: Role) -> dict[str, Data]:
    """A share of a device: how many devices, and MiB on each."""
    if role.gpu_memory is None:
        return {}
    place = child(role.path, "gpu_memory")
    memory = -(-role.gpu_memory.whole // _MIB)
    return {
        VGPU_NUMBER: at(role, "gpu") if role.gpu else Located(1, place),
        VGPU_MEMORY: Located(memory, place),
    }
