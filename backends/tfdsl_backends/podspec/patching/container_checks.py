"""What the API server refuses in the containers of a pod beyond their schema.

Source: Kubernetes `pkg/apis/core/validation/validation.go` (validateContainers and what it calls) and
`pkg/apis/core/v1/helper` (resource names).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfdsl.patch.rules import Complaint
from tfdsl_backends.podspec.patching import formats
from tfdsl_backends.podspec.patching.walking import Node, alternatives, enumeration, part

_KINDS: Final = ("containers", "initContainers")
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_PROBE_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "grpc")
_HOOK_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "sleep")
_VALUE_SOURCES: Final = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_PROTOCOLS: Final = ("TCP", "UDP", "SCTP")
_STANDARD: Final = ("cpu", "memory", "ephemeral-storage")


def containers(spec: Node) -> Iterator[Complaint]:
    """What is wrong with the containers of the pod ``spec``."""
    names: set[str] = set()
    volumes = {str(volume["name"].data) for volume in spec["volumes"].items()}
    host_network = spec["hostNetwork"].data is True
    for kind in _KINDS:
        for node in spec[kind].items():
            name = node["name"]
            if str(name.data) in names:
                yield name.complain(f"there are two containers called {name.data}")
            names.add(str(name.data))
            yield from _container(node, volumes, host_network=host_network)
            if kind == "initContainers" and node["restartPolicy"].data not in (None, "Always"):
                yield node["restartPolicy"].complain('the restartPolicy of an init container can only be "Always"')


def _container(node: Node, volumes: set[str], *, host_network: bool) -> Iterator[Complaint]:
    name, image = node["name"], node["image"]
    if not formats.is_dns_label(name.data):
        message = f"{name.data!r} is not the name of a container" if node.has("name") else "a container needs a name"
        yield part(node, "name").complain(message)
    if not isinstance(image.data, str) or not image.data or image.data != image.data.strip():
        yield part(node, "image").complain(
            f"{image.data!r} is not an image" if node.has("image") else "a container needs an image"
        )
    yield from _mounts(node, volumes)
    yield from _environment(node)
    yield from _ports(node["ports"], host_network=host_network)
    yield from _resources(node["resources"])
    yield from _handlers(node)
    yield from _security(node["securityContext"])


def _mounts(node: Node, volumes: set[str]) -> Iterator[Complaint]:
    yield from node["volumeMounts"].once("mountPath", "mounts at")
    for mount in node["volumeMounts"].items():
        name, path = mount["name"], mount["mountPath"]
        if str(name.data) not in volumes:
            there = sorted(volumes)
            known = f"the pod has {enumeration(there)}" if there else "the pod has none"
            message = (
                f"there is no volume {name.data}: {known}"
                if mount.has("name")
                else "a mount needs the name of a volume"
            )
            yield part(mount, "name").complain(message, 'add it: patch pod "spec.volumes" += [{ name = … }]')
        if not path.data:
            yield mount.complain("a mount needs a mountPath")
        elif ":" in str(path.data):
            yield path.complain("a mountPath cannot contain ':'")
        for key in ("subPath", "subPathExpr"):
            text = str(mount[key].data or "")
            if text.startswith("/") or ".." in text.split("/"):
                yield mount[key].complain(f"{key} must be a relative path without '..'")
        if mount["subPath"].data and mount["subPathExpr"].data:
            yield mount["subPathExpr"].complain("subPath and subPathExpr cannot be combined", key=True)
    for device in node["volumeDevices"].items():
        if str(device["name"].data) not in volumes:
            yield part(device, "name").complain(f"there is no volume {device['name'].data}")


def _environment(node: Node) -> Iterator[Complaint]:
    for variable in node["env"].items():
        name, source = variable["name"], variable["valueFrom"]
        if not formats.is_env_name(name.data):
            message = (
                f"{name.data!r} is not the name of a variable" if variable.has("name") else "a variable needs a name"
            )
            yield part(variable, "name").complain(message)
        if variable["value"].data and variable.has("valueFrom"):
            yield source.complain("value and valueFrom cannot be combined", key=True)
        if variable.has("valueFrom") and sum(source.has(key) for key in _VALUE_SOURCES) != 1:
            yield source.complain(f"valueFrom needs exactly one of {alternatives(_VALUE_SOURCES[:4])}")
        for key in ("configMapKeyRef", "secretKeyRef"):
            if source.has(key) and not source[key]["key"].data:
                yield source[key].complain(f"{key} needs a key")
    for source in node["envFrom"].items():
        if source.has("configMapRef") == source.has("secretRef"):
            yield source.complain("an item of envFrom needs either configMapRef or secretRef")


def _ports(node: Node, *, host_network: bool) -> Iterator[Complaint]:
    yield from node.once("name", "ports called")
    for port in node.items():
        name, number, host = port["name"], port["containerPort"], port["hostPort"]
        if not formats.is_port(number.data):
            yield part(port, "containerPort").complain("containerPort must be between 1 and 65535")
        if port.has("name") and not formats.is_port_name(name.data):
            yield name.complain(
                f"{name.data!r} is not the name of a port", "at most 15 letters, digits and '-', with a letter"
            )
        if port.has("protocol") and port["protocol"].data not in _PROTOCOLS:
            yield port["protocol"].complain(
                f"{port['protocol'].data!r} is not a protocol, write {alternatives(_PROTOCOLS)}"
            )
        if port.has("hostPort") and not formats.is_port(host.data):
            yield host.complain("hostPort must be between 1 and 65535")
        elif host_network and port.has("hostPort") and host.data != number.data:
            yield host.complain("with hostNetwork, hostPort must be containerPort")


def _resources(node: Node) -> Iterator[Complaint]:
    for kind in ("limits", "requests"):
        for name, amount in node[kind].entries():
            yield from _amount(name, amount)
    for name, wanted in node["requests"].entries():
        limit = node["limits"][name]
        asked, most = formats.quantity(wanted.data), formats.quantity(limit.data)
        if "/" in name and asked is not None and asked != most:
            yield wanted.complain(f"the limit of {name} must equal its request", "such devices are not shared")
        elif asked is not None and most is not None and asked > most:
            yield wanted.complain(f"the request for {name} exceeds its limit {limit.data}")


def _amount(name: str, node: Node) -> Iterator[Complaint]:
    amount = formats.quantity(node.data)
    if amount is None:
        yield node.complain(f"{node.data!r} is not a quantity", "for example 500m or 16Gi")
    elif amount < 0:
        yield node.complain(f"{name} cannot be negative")
    elif "/" in name and amount != amount.to_integral_value():
        yield node.complain(f"{name} must be a whole number")
    elif name == "memory" and amount != amount.to_integral_value():
        yield node.complain(f"{node.data} of memory is less than a byte", "the unit m means thousandths")
    if not formats.is_qualified_name(name) or (
        "/" not in name and name not in _STANDARD and not name.startswith("hugepages-")
    ):
        yield node.complain(f"{name} is not a resource", f"for example example.com/{name}", key=True)


def _handlers(node: Node) -> Iterator[Complaint]:
    """Probes and hooks have one way to be done."""
    places = [(node[key], _PROBE_HANDLERS) for key in _PROBES]
    places += [(node["lifecycle"][key], _HOOK_HANDLERS) for key in ("postStart", "preStop")]
    for place, handlers in places:
        if place.data is not None and sum(place.has(key) for key in handlers) != 1:
            yield place.complain(f"{place.at[-1]} needs exactly one of {alternatives(handlers)}")
        for key in ("httpGet", "tcpSocket", "grpc"):
            port = place[key]["port"]
            if place.has(key) and not (formats.is_port(port.data) or formats.is_port_name(port.data)):
                yield part(place[key], "port").complain(f"{key} needs a port: a number or the name of one")
    for key in ("livenessProbe", "startupProbe"):
        if node[key]["successThreshold"].data not in (None, 1):
            yield node[key]["successThreshold"].complain(f"the successThreshold of a {key} must be 1")


def _security(node: Node) -> Iterator[Complaint]:
    for key in ("runAsUser", "runAsGroup"):
        number = node[key].data
        if isinstance(number, int) and number < 0:
            yield node[key].complain(f"{key} cannot be negative")
    if node["privileged"].data is True and node["allowPrivilegeEscalation"].data is False:
        yield node["allowPrivilegeEscalation"].complain("a privileged container cannot forbid privilege escalation")
