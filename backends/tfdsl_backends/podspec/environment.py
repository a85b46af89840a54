"""The env entries of a container, each variable defined before it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.emit.located import Data, Located, child, entry
from tfdsl.ir.model import ConfigMapRef, EnvValue, Job, PodField, Role, SecretKeys, SecretRef, Step
from tfdsl_backends.podspec.options import VISIBLE_DEVICES
from tfdsl_backends.podspec.run_time import expanded, literal, names_in, uses_index

if TYPE_CHECKING:
    from tfdsl_backends.podspec.plan import Index, PodPlan


def env(job: Job, role: Role, plan: PodPlan) -> list[Data]:
    """The entries: the index, TF_CONFIG, what the compiler adds, then the role's own in the order they need.

    An own entry replaces one of ours with the same name.
    """
    added: dict[str, Data] = {}
    if plan.tf_config is not None:
        added["TF_CONFIG"] = Located(plan.tf_config, "cluster.discovery")
    if hides_devices(job, role) and plan.visible_devices:
        added[VISIBLE_DEVICES] = literal(plan.visible_devices)
    own = own_values(job, role)
    return [
        *_index_entry(job, role, plan),
        *({"name": name, "value": value} for name, value in added.items() if name not in own),
        *(env_entry(role, name, own[name], plan.index) for name in definition_order(own)),
    ]


def own_values(job: Job, holder: Role | Step) -> dict[str, EnvValue]:
    """What the job says about the env of a role or step: CHECKPOINT_DIR from ``checkpoint``, and ``env``."""
    checkpoint: dict[str, EnvValue] = {} if job.checkpoint is None else {"CHECKPOINT_DIR": job.checkpoint}
    return {**checkpoint, **holder.env}


def _index_entry(job: Job, role: Role, plan: PodPlan) -> list[Data]:
    index = plan.index
    texts = [plan.tf_config or "", *map(str, plan.wrapper.parameters if plan.wrapper else ())]
    refers = bool(plan.hosts) or any(index.reference in text for text in texts)
    return index_entry(index) if refers or uses_index(job, role) else []


def index_entry(index: Index) -> list[Data]:
    """The entry that holds the index, unless it is known."""
    if index.constant is not None:
        return []
    return [{"name": index.variable, "valueFrom": {"fieldRef": {"fieldPath": index.field}}}]


def hides_devices(job: Job, role: Role) -> bool:
    """Whether the NVIDIA devices of its node must be hidden from ``role``.

    Without a device request the NVIDIA runtime shows a container all of them (nvidia-docker issue 456), so a parameter
    server beside GPU workers would take memory on each.
    """
    return not _uses_nvidia(role, role.gpu) and on_nvidia_nodes(job)


def hides_from_step(role: Role, step: Step) -> bool:
    """Whether the devices must be hidden from ``step`` :func:`on_nvidia_nodes`: it has none, and does not say which."""
    return not _step_uses_nvidia(role, step) and VISIBLE_DEVICES not in step.env


def _step_uses_nvidia(role: Role, step: Step) -> bool:
    return step.gpu > 0 and _uses_nvidia(role, step.gpu)


def on_nvidia_nodes(job: Job) -> bool:
    """Whether a role or a step has a device, so that all may be on a node with some."""
    return any(
        _uses_nvidia(role, role.gpu) or any(_step_uses_nvidia(role, step) for step in role.steps) for role in job.roles
    )


def _uses_nvidia(role: Role, devices: int) -> bool:
    device = role.gpu_resource or "nvidia.com/gpu"
    return role.gpu_memory is not None or (devices > 0 and device.startswith("nvidia.com/"))


def definition_order(env: dict[str, EnvValue]) -> list[str]:
    """The names in ``env`` with each after those it refers to, otherwise as written.

    Names in a cycle come last; the support table has refused them.
    """
    done: dict[str, None] = {}
    waiting = list(env)
    while waiting:
        ready = next(
            (name for name in waiting if all(n not in env or n in done for n in names_in(env[name]))), waiting[0]
        )
        done[ready] = None
        waiting.remove(ready)
    return list(done)


def env_entry(holder: Role | Step, name: str, value: EnvValue, index: Index) -> Data:
    """The entry of a variable of a role or of a step."""
    path = entry(child(holder.path, "env"), name)
    if isinstance(value, SecretRef):
        return Located({"name": name, "valueFrom": {"secretKeyRef": {"name": value.name, "key": value.key}}}, path)
    if isinstance(value, ConfigMapRef):
        return Located({"name": name, "valueFrom": {"configMapKeyRef": {"name": value.name, "key": value.key}}}, path)
    if isinstance(value, PodField):
        return Located({"name": name, "valueFrom": {"fieldRef": {"fieldPath": value.field}}}, path)
    return Located({"name": name, "value": expanded(value, index)}, path)


def env_from(holder: Role | Step) -> list[Data]:
    """The Secrets and ConfigMaps whose keys become variables. An entry of :func:`env` wins over all of them."""
    path = child(holder.path, "env_from")
    sources: list[Data] = []
    for at, source in enumerate(holder.env_from):
        reference = "secretRef" if isinstance(source, SecretKeys) else "configMapRef"
        sources.append(Located({reference: {"name": source.name}}, f"{path}[{at}]"))
    return sources
