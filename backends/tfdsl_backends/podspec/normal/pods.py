"""What holds between fields of a pod: defaults that depend on others, two names of one field, volumes of one source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tfdsl.manifest.edits import child, each, items, scalar, text, with_value, within, without
from tfdsl.manifest.nodes import Entry, Mapping, Node, Sequence, mapping
from tfdsl_backends.podspec.normal.env import ordered
from tfdsl_backends.podspec.normal.images import pull_policy
from tfdsl_backends.podspec.normal.metadata import of_template
from tfdsl_backends.podspec.normal.texts import expanded
from tfdsl_backends.podspec.normal.walk import Change, Rule, identity

CONTAINERS: Final = ("containers", "initContainers")
SHARED: Final = ("persistentVolumeClaim", "hostPath", "nfs", "configMap", "secret")
"""Volumes of these kinds with one source are one folder, however many names they have; an emptyDir is one each."""


def image_pull_policy(container: Mapping) -> Mapping:
    """Without the policy that the tag of the image means."""
    image, policy = scalar(container.get("image")), scalar(container.get("imagePullPolicy"))
    meant = policy == pull_policy(image if isinstance(image, str) else "")
    return without(container, ("imagePullPolicy",)) if meant else container


def requests(container: Mapping) -> Mapping:
    """With the request that a limit alone means. (Those of a whole pod come from its containers.)"""
    own, limits = (child(container, "resources", key) for key in ("requests", "limits"))
    if not isinstance(limits, Mapping) or not (own is None or isinstance(own, Mapping)):
        return container
    written = own.entries if own is not None else {}
    if written.keys() >= limits.entries.keys():
        return container
    filled = Mapping(dict(sorted({**limits.entries, **written}.items())), (own or limits).span)
    return within(container, ("resources",), lambda resources: with_value(resources, "requests", filled))


def mount_path(mount: Mapping) -> Mapping:
    """Without a ``/`` at the end of the path."""
    path = mount.get("mountPath")
    value = scalar(path)
    if path is None or not isinstance(value, str) or not value.endswith("/") or not value.strip("/"):
        return mount
    return with_value(mount, "mountPath", text(value.rstrip("/"), path.span))


def service_account(pod: Mapping) -> Mapping:
    """``serviceAccount`` is the old name of ``serviceAccountName``, which wins."""
    old, new = pod.entries.get("serviceAccount"), scalar(pod.get("serviceAccountName"))
    if old is None:
        return pod
    kept = without(pod, ("serviceAccount",))
    if new:
        return kept
    entries = {**kept.entries, "serviceAccountName": Entry("serviceAccountName", old.key_span, old.value)}
    return Mapping(entries, pod.span)


def host_ports(pod: Mapping) -> Mapping:
    """On the network of the node a port of a container is that of the node."""
    if scalar(pod.get("hostNetwork")) is not True:
        return pod

    def bare(port: Node) -> Node:
        if isinstance(port, Mapping) and scalar(port.get("hostPort")) == scalar(port.get("containerPort")):
            return without(port, ("hostPort",))
        return port

    return in_containers(pod, lambda container: with_each(container, "ports", bare))


def empty_volumes(pod: Mapping) -> Mapping:
    """A volume without a source is an ``emptyDir``."""

    def sourced(volume: Node) -> Node:
        if isinstance(volume, Mapping) and set(volume.entries) == {"name"}:
            return with_value(volume, "emptyDir", mapping({}, volume.span))
        return volume

    return with_each(pod, "volumes", sourced)


def shared_volumes(pod: Mapping) -> Mapping:
    """Volumes of one source are one volume, under the first of their names."""
    names: dict[str, list[str]] = {}
    for volume in items(pod.get("volumes")):
        name = scalar(volume.get("name")) if isinstance(volume, Mapping) else None
        if isinstance(volume, Mapping) and isinstance(name, str) and any(kind in volume.entries for kind in SHARED):
            names.setdefault(identity(without(volume, ("name",))), []).append(name)
    one = {name: min(group) for group in names.values() for name in group if len(set(group)) == len(group) > 1}
    return renamed_volumes(pod, one) if one else pod


def renamed_volumes(pod: Mapping, names: dict[str, str]) -> Mapping:
    """``pod`` with new names of volumes, in their mounts too; a volume that is there already goes."""

    def rename(node: Node) -> Node:
        name = scalar(node.get("name")) if isinstance(node, Mapping) else None
        if isinstance(node, Mapping) and isinstance(name, str) and name in names:
            old = node.get("name")
            assert old is not None
            return with_value(node, "name", text(names[name], old.span))
        return node

    def in_container(container: Mapping) -> Mapping:
        return with_each(with_each(container, "volumeMounts", rename), "volumeDevices", rename)

    new = in_containers(with_each(pod, "volumes", rename), in_container)
    volumes = new.get("volumes")
    if not isinstance(volumes, Sequence):
        return new
    once: dict[str, Node] = {}
    for volume in volumes.items:
        once.setdefault(identity(volume), volume)
    return with_value(new, "volumes", Sequence(tuple(once.values()), volumes.span))


def in_containers(pod: Mapping, change: Change) -> Mapping:
    """``pod`` with ``change`` applied to each of its containers, those of its start too."""
    for field in CONTAINERS:
        pod = with_each(pod, field, lambda node: change(node) if isinstance(node, Mapping) else node)
    return pod


def with_each(node: Mapping, field: str, change: Callable[[Node], Node]) -> Mapping:
    """``node`` with ``change`` applied to each item of the list ``field``."""
    old = node.get(field)
    return with_value(node, field, each(old, change)) if isinstance(old, Sequence) else node


_DEFAULTS: Final = "pkg/apis/core/v1/defaults.go"
RULES: Final = (
    Rule(
        "Container",
        image_pull_policy,
        "`imagePullPolicy` that the tag means: `Always` for `latest` and for no tag, else `IfNotPresent`",
        f"`SetDefaults_Container` in {_DEFAULTS}",
    ),
    Rule(
        "Container",
        expanded,
        "a `$` that is doubled although nothing would be replaced there, and `subPathExpr` without a reference, which "
        "is `subPath`",
        "`Expand` in third_party/forked/golang/expansion/expand.go",
    ),
    Rule(
        "Container",
        ordered,
        "the order of `env`, as far as each `$(NAME)` finds the same entries before it; of two entries with one name, "
        "to which no value refers, the last counts",
        "`makeEnvironment` in pkg/kubelet/kubelet_pods.go",
    ),
    Rule(
        "Container",
        requests,
        "a limit without a request, which is the request too",
        f"`SetDefaults_Pod` in {_DEFAULTS}",
    ),
    Rule(
        "VolumeMount",
        mount_path,
        "a `/` at the end of `mountPath`",
        "runtimes clean the path (`securejoin` in opencontainers/runc libcontainer/rootfs_linux.go)",
    ),
    Rule(
        "PodSpec",
        service_account,
        "`serviceAccount`, the old name of `serviceAccountName`",
        "`Convert_v1_PodSpec_To_core_PodSpec` in pkg/apis/core/v1/conversion.go",
    ),
    Rule(
        "PodSpec",
        host_ports,
        "with `hostNetwork`, a `hostPort` that is the `containerPort`",
        f"`defaultHostNetworkPorts` in {_DEFAULTS}",
    ),
    Rule(
        "PodSpec",
        empty_volumes,
        "a volume without a source, which is an `emptyDir`",
        f"`SetDefaults_Volume` in {_DEFAULTS}",
    ),
    Rule(
        "PodSpec",
        shared_volumes,
        "several volumes of one claim, host path, NFS export, ConfigMap or Secret with the same options",
        "each is the same folder",
    ),
    Rule(
        "PodTemplateSpec",
        of_template,
        "metadata of a pod template other than labels, annotations and finalizers: controllers name the pods",
        "`GetPodFromTemplate` in pkg/controller/controller_utils.go",
    ),
)
"""Rules of pods, wherever they are."""
