"""What a container asks of its node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.emit.located import Data, Located, at, child, entry, unless_empty
from tfdsl.vocabulary.attributes import NO_LIMIT

if TYPE_CHECKING:
    from tfdsl.ir.model import Role
    from tfdsl_backends.podspec.plan import PodPlan


def resources(role: Role, plan: PodPlan) -> Data:
    """Requests and limits, both written for everything that is not without a limit.

    Kubernetes wants them equal for devices, and Volcano's and Kubeflow's gangs count requests only (seen: a limit
    alone is not counted in the PodGroup's ``minResources``).
    """
    devices = {**gpus(role), **{name: _extended(role, name) for name in role.resources}, **plan.resources}
    requests = {name: at(role, name) or _limit(role, name) for name in ("cpu", "memory")}
    limits = {name: _limit(role, name) for name in ("cpu", "memory")}
    return unless_empty(
        {
            "requests": unless_empty({**requests, **devices}),
            "limits": unless_empty({**limits, **devices}),
        }
    )


def gpus(role: Role) -> dict[str, Data]:
    """Whole devices under their resource name; nothing for a share of a device."""
    if not role.gpu or role.gpu_memory is not None:
        return {}
    return {role.gpu_resource or "nvidia.com/gpu": at(role, "gpu")}


def _limit(role: Role, name: str) -> Data:
    """The limit of ``cpu`` or ``memory``, which is the request unless it is written; ``None`` where there is none."""
    field = f"{name}_limit"
    return at(role, field) if getattr(role, field) != NO_LIMIT else None


def _extended(role: Role, name: str) -> Data:
    """An extended resource with its place."""
    return Located(role.resources[name], entry(child(role.path, "resources"), name))
