"""The steps of a role as init containers, in the order in which they start.

A sidecar is an init container that restarts always (Kubernetes 1.29): the next one starts when it has, and the kubelet
stops it when the command has ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfdsl.emit.located import Data, Located, at, child, unless_empty
from tfdsl.ir.model import Job, Role, Step
from tfdsl_backends.podspec.command import written_command
from tfdsl_backends.podspec.environment import (
    definition_order,
    env_entry,
    env_from,
    hides_from_step,
    index_entry,
    on_nvidia_nodes,
    own_values,
)
from tfdsl_backends.podspec.options import VISIBLE_DEVICES
from tfdsl_backends.podspec.plan import PodPlan
from tfdsl_backends.podspec.ports import named_ports
from tfdsl_backends.podspec.run_time import literal, located_texts, step_uses_index


def init_containers(job: Job, role: Role, plan: PodPlan, mounts: Sequence[Data]) -> list[Data]:
    """The steps of ``role``; each has the ``mounts`` of the role."""
    return [Located(made, step.path) for step, made in step_containers(job, role, plan, mounts)]


def step_containers(
    job: Job, role: Role, plan: PodPlan, mounts: Sequence[Data]
) -> Iterator[tuple[Step, dict[str, Data]]]:
    """Each step of ``role`` with its container."""
    beside_devices = bool(role.steps) and on_nvidia_nodes(job)
    for step in role.steps:
        hides = beside_devices and hides_from_step(role, step)
        yield step, _container(job, role, step, plan, mounts, hides_devices=hides)


def _container(
    job: Job, role: Role, step: Step, plan: PodPlan, mounts: Sequence[Data], *, hides_devices: bool
) -> dict[str, Data]:
    """The container of ``step``: without TF_CONFIG, flags and the port of TensorFlow."""
    return {
        "name": Located(step.name, step.path),
        "image": at(_holder(role, step, "image"), "image"),
        "imagePullPolicy": at(role, "image_pull_policy"),
        "restartPolicy": Located("Always", step.path) if step.kind == "sidecar" else None,
        "command": written_command(step, plan.index) or None,
        "args": [*located_texts(step, "args", plan.index)] or None,
        "workingDir": _workdir(role, step),
        "ports": named_ports(step, plan) or None,
        "envFrom": env_from(_holder(role, step, "env_from")) or None,
        "env": _env(job, role, step, plan, hides_devices=hides_devices) or None,
        "resources": _resources(role, step, plan),
        "volumeMounts": list(mounts) or None,
    }


def _env(job: Job, role: Role, step: Step, plan: PodPlan, *, hides_devices: bool) -> list[Data]:
    """The index where it is used, the hidden devices, then the variables of the role and of the step."""
    hidden = hides_devices and plan.visible_devices
    own = own_values(job, step)
    return [
        *(index_entry(plan.index) if step_uses_index(role, step) else []),
        *([{"name": VISIBLE_DEVICES, "value": literal(plan.visible_devices)}] if hidden else []),
        *(env_entry(_owner(role, step, name), name, own[name], plan.index) for name in definition_order(own)),
    ]


def _resources(role: Role, step: Step, plan: PodPlan) -> Data:
    """Requests, and limits that are equal to them."""
    amounts: Data = unless_empty(
        {"cpu": _amount(role, step, "cpu"), "memory": _amount(role, step, "memory"), **_devices(role, step, plan)}
    )
    return unless_empty({"requests": amounts, "limits": amounts})


def _devices(role: Role, step: Step, plan: PodPlan) -> dict[str, Data]:
    if not step.gpu:
        return {}
    if role.gpu_memory is not None:
        return {**plan.resources, plan.device_count: at(step, "gpu")}
    return {role.gpu_resource or "nvidia.com/gpu": at(step, "gpu")}


def _amount(role: Role, step: Step, name: str) -> Data:
    """``cpu`` or ``memory``; where it is the role's, that is its place."""
    for field in (name, f"{name}_limit"):
        if getattr(role, field) is not None and getattr(role, field) == getattr(step, name):
            return at(role, field)
    return at(step, name)


def _workdir(role: Role, step: Step) -> Data:
    if not step.workdir:
        return None
    return Located(literal(step.workdir), child(_holder(role, step, "workdir").path, "workdir"))


def _holder(role: Role, step: Step, field: str) -> Role | Step:
    """Who has said the value of ``field``."""
    return role if getattr(role, field) == getattr(step, field) else step


def _owner(role: Role, step: Step, name: str) -> Role | Step:
    """Who has said the value of variable ``name``."""
    return role if role.env.get(name) == step.env[name] else step
