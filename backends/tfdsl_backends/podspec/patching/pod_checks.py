"""What the API server refuses in a pod template beyond its schema.

Source: Kubernetes `pkg/apis/core/validation/validation.go` (ValidatePodTemplateSpec and what it calls).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfdsl.patch.rules import Complaint
from tfdsl_backends.podspec.patching import formats
from tfdsl_backends.podspec.patching.container_checks import containers
from tfdsl_backends.podspec.patching.metadata_checks import labels, metadata
from tfdsl_backends.podspec.patching.placement_checks import affinity, spread, tolerations
from tfdsl_backends.podspec.patching.walking import Node, part

_NAMES: Final = {
    "serviceAccountName": formats.is_dns_name,
    "priorityClassName": formats.is_dns_name,
    "runtimeClassName": formats.is_dns_name,
    "nodeName": formats.is_dns_name,
    "schedulerName": formats.is_qualified_name,
    "hostname": formats.is_dns_label,
    "subdomain": formats.is_dns_label,
}
_CLAIMS: Final = {"persistentVolumeClaim": "claimName", "configMap": "name", "secret": "secretName"}
_NOT_NEGATIVE: Final = ("runAsUser", "runAsGroup", "fsGroup")


def pod_template(node: Node) -> Iterator[Complaint]:
    """What is wrong with a pod template."""
    yield from metadata(node["metadata"])
    spec = node["spec"]
    if not list(spec["containers"].items()):
        yield spec["containers"].complain("a pod needs a container")
    yield from _volumes(spec["volumes"])
    yield from containers(spec)
    yield from _names(spec)
    yield from _numbers(spec)
    yield from _network(spec)
    yield from _shared_names(spec)
    yield from labels(spec["nodeSelector"], "node selector")
    yield from tolerations(spec["tolerations"])
    yield from affinity(spec["affinity"])
    yield from spread(spec["topologySpreadConstraints"])


def _volumes(node: Node) -> Iterator[Complaint]:
    yield from node.once("name", "volumes called")
    for volume in node.items():
        if not formats.is_dns_label(volume["name"].data):
            yield part(volume, "name").complain(
                f"{volume['name'].data!r} is not the name of a volume"
                if volume.has("name")
                else "a volume needs a name"
            )
        sources = [key for key in volume.map if key != "name"]
        if len(sources) > 1:
            yield volume[sources[1]].complain(
                f"a volume can have only one source, not {sources[0]} and {sources[1]}", key=True
            )
        for source, key in _CLAIMS.items():
            name = volume[source][key]
            if volume.has(source) and not formats.is_dns_name(name.data):
                yield part(volume[source], key).complain(
                    f"{name.data!r} is not the name of an object" if name.data is not None else f"{source} needs {key}"
                )
        size = volume["emptyDir"]["sizeLimit"]
        if size.data is not None and formats.quantity(size.data) is None:
            yield size.complain(f"{size.data!r} is not a quantity", "for example 1Gi")
        if volume.has("hostPath") and not str(volume["hostPath"]["path"].data or "").strip():
            yield volume["hostPath"].complain("hostPath needs a path")


def _names(spec: Node) -> Iterator[Complaint]:
    for key, is_name in _NAMES.items():
        if spec.has(key) and not is_name(spec[key].data):
            yield spec[key].complain(f"{spec[key].data!r} cannot be a {key}")
    for secret in spec["imagePullSecrets"].items():
        if not formats.is_dns_name(secret["name"].data):
            yield part(secret, "name").complain(f"{secret['name'].data!r} is not the name of a secret")


def _numbers(spec: Node) -> Iterator[Complaint]:
    seconds = spec["activeDeadlineSeconds"]
    if seconds.data is not None and (not formats.is_int32(seconds.data) or seconds.data == 0):
        yield seconds.complain("activeDeadlineSeconds must be between 1 and 2147483647")
    grace = spec["terminationGracePeriodSeconds"]
    if isinstance(grace.data, int) and grace.data < 0:
        yield grace.complain("terminationGracePeriodSeconds cannot be negative")
    for key in _NOT_NEGATIVE:
        number = spec["securityContext"][key]
        if isinstance(number.data, int) and number.data < 0:
            yield number.complain(f"{key} cannot be negative")


def _network(spec: Node) -> Iterator[Complaint]:
    if spec["dnsPolicy"].data == "None" and not spec["dnsConfig"]["nameservers"].data:
        yield spec["dnsPolicy"].complain('dnsPolicy "None" needs nameservers in dnsConfig')
    servers = list(spec["dnsConfig"]["nameservers"].items())
    if len(servers) > 3:
        yield servers[3].complain("dnsConfig has at most 3 nameservers")
    for server in servers:
        if not _is_address(server.data):
            yield server.complain(f"{server.data!r} is not an IP address")
    for alias in spec["hostAliases"].items():
        if not _is_address(alias["ip"].data):
            yield part(alias, "ip").complain(
                f"{alias['ip'].data!r} is not an IP address" if alias.has("ip") else "a host alias needs an ip"
            )
        for name in alias["hostnames"].items():
            if not formats.is_dns_name(name.data):
                yield name.complain(f"{name.data!r} is not the name of a host")


def _is_address(text: object) -> bool:
    from ipaddress import ip_address

    try:
        ip_address(str(text))
    except ValueError:
        return False
    return True


def _shared_names(spec: Node) -> Iterator[Complaint]:
    """Namespaces of the host and of the pod exclude each other."""
    if spec["shareProcessNamespace"].data is True and spec["hostPID"].data is True:
        yield spec["shareProcessNamespace"].complain("shareProcessNamespace and hostPID cannot be combined")
