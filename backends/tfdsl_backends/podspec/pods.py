"""The pod template of a role: metadata, spec, the container, the steps, volumes and mounts.

Mounts with one source share one volume. A volume's name tells what it is (``pvc-mnist-data``), depends on its source
only, and is a DNS label of at most 63 characters. Steps are init containers, in the order in which they start. A
sidecar is an init container that restarts always (Kubernetes 1.29): the next one starts when it has, and the kubelet
stops it when the command has ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from tfdsl.emit.located import Data, Located, at, child, entry, unless_empty
from tfdsl.ir import model
from tfdsl.ir.model import Job, Mount, Role, Step, Text
from tfdsl.record import Record
from tfdsl.vocabulary.attributes import NO_LIMIT
from tfdsl.vocabulary.names import LONGEST_LABEL
from tfdsl_backends.podspec.command import (
    command_and_args,
    definition_order,
    env,
    env_entry,
    env_from,
    expanded,
    hides_from_step,
    index_entry,
    literal,
    located_texts,
    on_nvidia_nodes,
    own_values,
    step_uses_index,
    written_command,
)
from tfdsl_backends.podspec.fields import IMAGE, POD, TOLERATION, written
from tfdsl_backends.podspec.options import NO_SIDECAR, VISIBLE_DEVICES
from tfdsl_backends.podspec.plan import CONTAINER, PORT_NAME, Index, PodPlan

_Source: TypeAlias = tuple[str, ...]


class PodVolumes(Record):
    """The ``volumes`` of a pod and the ``volumeMounts`` of its container."""

    volumes: list[Data]
    mounts: list[Data]


def pod_volumes(role: Role, plan: PodPlan) -> PodVolumes:
    """The volumes of ``role``'s pods, in the order of first use; those of attributes last."""
    names: dict[_Source, str] = {}
    volumes: list[Data] = []
    mounts: list[Data] = []
    for mount in role.mounts:
        if isinstance(mount, model.ClaimMount) and mount.claim not in plan.claims:
            if mount.claim in plan.claim_volumes:
                mounts.append(_mount(mount, plan.claim_volumes[mount.claim], plan.index))
            continue
        source = _source(mount, plan)
        if source not in names:
            names[source] = _name(source, {*names.values(), *plan.reserved_volumes, *plan.claim_volumes.values()})
            volumes.append(Located({"name": names[source], **_volume(mount, plan)}, mount.path))
        mounts.append(_mount(mount, names[source], plan.index))
    for attribute, path, _ in model.in_memory(role):
        name = _name((attribute,), {*names.values(), *plan.reserved_volumes, *plan.claim_volumes.values()})
        volume: Data = {"name": name, "emptyDir": {"medium": "Memory", "sizeLimit": at(role, attribute)}}
        place = child(role.path, attribute)
        volumes.append(Located(volume, place))
        mounts.append(Located({"name": name, "mountPath": path}, place))
    return PodVolumes(volumes, mounts)


def _source(mount: Mount, plan: PodPlan) -> _Source:
    """What makes two mounts one volume: kind, source, and the options that belong to the volume."""
    match mount:
        case model.PvcMount():
            return "pvc", literal(mount.claim)
        case model.ClaimMount():
            return "pvc", plan.claims[mount.claim]
        case model.HostMount():
            return "host", literal(mount.source), *((mount.type,) if mount.type else ())
        case model.NfsMount():
            return "nfs", mount.server, literal(mount.share)
        case model.ConfigMapMount() | model.SecretMount():
            items = tuple(text for pair in mount.items.items() for text in pair)
            return mount.kind, literal(mount.name), *((mount.mode,) if mount.mode else ()), *items
        case _:
            return mount.kind, mount.at


def _name(source: _Source, taken: set[str]) -> str:
    """A name for the volume of ``source``: readable, and with a hash where it was cut or is taken."""
    name = re.sub(r"[^a-z0-9]+", "-", "-".join(source).lower()).strip("-")
    if len(name) > LONGEST_LABEL or name in taken:
        from hashlib import sha256  # one in a thousand jobs gets here

        digest = sha256("\0".join(source).encode("utf-8", "surrogatepass")).hexdigest()[:8]
        name = f"{name[: LONGEST_LABEL - 9].rstrip('-')}-{digest}"
    return name


def _volume(mount: Mount, plan: PodPlan) -> dict[str, Data]:
    match mount:
        case model.PvcMount():
            return {"persistentVolumeClaim": {"claimName": literal(mount.claim)}}
        case model.ClaimMount():
            return {"persistentVolumeClaim": {"claimName": plan.claims[mount.claim]}}
        case model.HostMount():
            return {"hostPath": {"path": literal(mount.source), "type": at(mount, "type")}}
        case model.NfsMount():
            return {"nfs": {"server": mount.server, "path": literal(mount.share)}}
        case model.ConfigMapMount():
            return {"configMap": {"name": literal(mount.name), **_files(mount)}}
        case model.SecretMount():
            return {"secret": {"secretName": literal(mount.name), **_files(mount)}}
        case model.ScratchMount():
            return {"emptyDir": {"sizeLimit": at(mount, "size")}}
        case model.MemoryMount():
            return {"emptyDir": {"medium": "Memory", "sizeLimit": at(mount, "size")}}
        case model.HdfsMount() | model.ArchiveMount():
            raise AssertionError(f"the support table refuses mount {mount.kind}")


def _files(mount: model.ConfigMapMount | model.SecretMount) -> dict[str, Data]:
    """``defaultMode`` as the number that the octal text means, and ``items``."""
    return {
        "defaultMode": Located(int(mount.mode, 8), f"{mount.path}.mode") if mount.mode else None,
        "items": [{"key": key, "path": path} for key, path in mount.items.items()] or None,
    }


def _mount(mount: Mount, name: str, index: Index) -> Data:
    return Located(
        {
            "name": name,
            "mountPath": at(mount, "at"),
            "readOnly": Located(True, f"{mount.path}.readonly") if mount.readonly else None,
            **_sub_path(mount, index),
        },
        mount.path,
    )


def _sub_path(mount: Mount, index: Index) -> dict[str, Data]:
    text: Text | None = getattr(mount, "sub_path", None)
    if text is None:
        return {}
    place = f"{mount.path}.sub_path"
    if isinstance(text, str):
        return {"subPath": Located(text, place)}
    return {"subPathExpr": Located(expanded(text, index), place)}


def node_selector(role: Role) -> Data:
    """The labels with one value; those with several are an affinity."""
    path = child(role.path, "node_selector")
    selector = role.node_selector.items()
    labels = {key: Located(value, entry(path, key)) for key, value in selector if isinstance(value, str)}
    return Located(labels, path) if labels else None


def affinity(role: Role, plan: PodPlan) -> Data:
    """Labels of nodes with several values, and replicas on different nodes; both are hard rules."""
    nodes, apart = _nodes(role), _spread(role, plan)
    if nodes is None and apart is None:
        return None
    path = child(role.path, "node_selector" if apart is None else "spread")
    return Located({"nodeAffinity": nodes, "podAntiAffinity": apart}, path)


def _nodes(role: Role) -> Data:
    path = child(role.path, "node_selector")
    expressions: list[Data] = [
        Located({"key": key, "operator": "In", "values": list(values)}, entry(path, key))
        for key, values in role.node_selector.items()
        if not isinstance(values, str)
    ]
    if not expressions:
        return None
    terms: Data = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
    return Located({"requiredDuringSchedulingIgnoredDuringExecution": terms}, path)


def _spread(role: Role, plan: PodPlan) -> Data:
    if role.spread != "node":
        return None
    assert plan.spread_labels, "an empty selector keeps all pods of the namespace away"
    term: Data = {"labelSelector": {"matchLabels": dict(plan.spread_labels)}, "topologyKey": "kubernetes.io/hostname"}
    return {"requiredDuringSchedulingIgnoredDuringExecution": [term]}


def resources(role: Role, plan: PodPlan) -> Data:
    """Requests and limits, both written for everything that is not without a limit.

    Kubernetes wants them equal for devices, and Volcano's and Kubeflow's gangs count requests only (seen: a limit
    alone is not counted in the PodGroup's ``minResources``).
    """
    devices = {**gpus(role), **_entries(role, "resources"), **plan.resources}
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


def pod_fields(role: Role) -> dict[str, Data]:
    """The attributes that are single fields of the pod, and what the standard ``restricted`` asks of one."""
    fields: dict[str, Any] = written(role, POD)
    if role.restricted:
        place = child(role.path, "restricted")
        rights = fields.setdefault("securityContext", {})
        rights["runAsNonRoot"] = Located(True, place)
        rights["seccompProfile"] = Located({"type": "RuntimeDefault"}, place)
    return fields


def container_security(role: Role, *, runs_command: bool) -> Data:
    """The security context of a container; ``runs_command``: whether it is not that of a step."""
    place = child(role.path, "restricted")
    added = at(role, "capabilities") if role.capabilities and runs_command else None
    dropped = Located(["ALL"], place) if role.restricted else None
    return unless_empty(
        {
            "privileged": at(role, "privileged") if role.privileged and runs_command else None,
            "allowPrivilegeEscalation": Located(False, place) if role.restricted else None,
            "capabilities": unless_empty({"add": added, "drop": dropped}),
        }
    )


def named_ports(holder: Role | Step, plan: PodPlan) -> list[Data]:
    """The further ports of a role or step, in their order."""
    path = child(holder.path, "ports")
    return [container_port(name, Located(port, entry(path, name)), plan) for name, port in holder.ports.items()]


def container_port(name: str, port: Data, plan: PodPlan) -> Data:
    """One port; on the network of its node it is the same there."""
    return {"name": name, "containerPort": port, "hostPort": port if plan.host_port else None}


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
        "securityContext": container_security(role, runs_command=False),
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
    if step.gpu and role.gpu_memory is not None:
        return {**plan.resources, plan.device_count: at(step, "gpu")}
    return {role.gpu_resource or "nvidia.com/gpu": at(step, "gpu")} if step.gpu else {}


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


def pod_template(job: Job, role: Role, plan: PodPlan) -> dict[str, Data]:
    """``{metadata, spec}`` for the replicas of ``role``."""
    return {"metadata": unless_empty(template_metadata(role, plan)), "spec": pod_spec(job, role, plan)}


def template_metadata(role: Role, plan: PodPlan) -> dict[str, Data]:
    """Labels and annotations: the target's, then the role's own, which win for annotations."""
    ours = {NO_SIDECAR: "false"} if plan.istio_annotation else {}
    return {
        "labels": unless_empty({**_entries(role, "labels"), **plan.labels}),
        "annotations": unless_empty({**ours, **plan.annotations, **_entries(role, "annotations")}),
    }


_SPEC_ORDER: Final = (
    "restartPolicy",
    "activeDeadlineSeconds",
    "terminationGracePeriodSeconds",
    "schedulerName",
    "priorityClassName",
    "serviceAccountName",
    "securityContext",
    "nodeName",
    "subdomain",
    "hostNetwork",
    "dnsPolicy",
    "imagePullSecrets",
    "nodeSelector",
    "tolerations",
    "affinity",
    "initContainers",
    "containers",
    "volumes",
)


def pod_spec(job: Job, role: Role, plan: PodPlan) -> dict[str, Data]:
    """The ``spec``; its keys in one order on every target."""
    volumes = pod_volumes(role, plan)
    host_network = role.host_network or plan.host_network
    spec: dict[str, Data] = {
        "restartPolicy": plan.restart_policy,
        "activeDeadlineSeconds": plan.active_deadline_seconds,
        "schedulerName": plan.scheduler,
        "priorityClassName": plan.priority_class,
        "nodeName": plan.node_name,
        "subdomain": plan.subdomain,
        "hostNetwork": Located(True, child(role.path, "host_network")) if host_network else None,
        "dnsPolicy": "ClusterFirstWithHostNet" if host_network and plan.cluster_dns else None,
        "imagePullSecrets": [{"name": secret} for secret in _secrets(role)] or None,
        "nodeSelector": node_selector(role),
        "tolerations": [Located(written(toleration, TOLERATION), toleration.path) for toleration in role.tolerations]
        or None,
        "affinity": affinity(role, plan),
        "initContainers": init_containers(job, role, plan, volumes.mounts) or None,
        "containers": [container(job, role, plan, volumes.mounts)],
        "volumes": volumes.volumes or None,
        **pod_fields(role),
    }
    return {key: spec[key] for key in _SPEC_ORDER if key in spec}


def container(job: Job, role: Role, plan: PodPlan, mounts: list[Data]) -> dict[str, Data]:
    """The container that runs the command of a role."""
    command, args = command_and_args(job, role, plan)
    return {
        "name": CONTAINER,
        **written(role, IMAGE),
        "command": command or None,
        "args": args or None,
        "workingDir": Located(literal(role.workdir), child(role.path, "workdir")) if role.workdir else None,
        "ports": ports(role, plan),
        "env": env(job, role, plan) or None,
        "envFrom": env_from(role) or None,
        "resources": resources(role, plan),
        "securityContext": container_security(role, runs_command=True),
        "volumeMounts": mounts or None,
    }


def ports(role: Role, plan: PodPlan) -> list[Data] | None:
    """The TensorFlow port (TensorBoard's for its role), unless the plan leaves it to the target, and further ones."""
    name = "http" if role.is_board and plan.port_name == PORT_NAME else plan.port_name
    own = [] if name is None else [container_port(name, at(role, "port"), plan)]
    return [*own, *named_ports(role, plan)] or None


def _entries(role: Role, field: str) -> dict[str, Data]:
    """The entries of a map, each with its place."""
    entries: dict[str, Data] = getattr(role, field)
    return {key: Located(value, entry(child(role.path, field), key)) for key, value in entries.items()}


def _secrets(role: Role) -> list[Data]:
    """Each once: the schemas of custom resources refuse a name that comes twice."""
    path = child(role.path, "image_pull_secrets")
    places = {name: f"{path}[{index}]" for index, name in reversed([*enumerate(role.image_pull_secrets)])}
    return [Located(name, places[name]) for name in dict.fromkeys(role.image_pull_secrets)]
