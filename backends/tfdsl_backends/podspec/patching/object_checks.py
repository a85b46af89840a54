"""What the API server refuses in the objects beside and around pods beyond their schema.

Source: Kubernetes `pkg/apis/batch/validation`, `pkg/apis/apps/validation` and `pkg/apis/core/validation`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfdsl.patch.rules import Complaint
from tfdsl_backends.podspec.patching import formats
from tfdsl_backends.podspec.patching.metadata_checks import labels, metadata
from tfdsl_backends.podspec.patching.pod_checks import pod_template
from tfdsl_backends.podspec.patching.walking import Node, alternatives, part

_JOB_NUMBERS: Final = ("backoffLimit", "completions", "parallelism", "ttlSecondsAfterFinished", "maxFailedIndexes")
_JOB_RESTARTS: Final = ("OnFailure", "Never")
_ACCESS: Final = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
_FAILURE_ACTIONS: Final = ("FailJob", "FailIndex", "Ignore", "Count")


def any_object(node: Node) -> Iterator[Complaint]:
    """What is wrong with the metadata and the pods of an object, and with an object of Kubernetes itself."""
    yield from metadata(node["metadata"])
    for template in templates(node):
        yield from pod_template(template)
    match node["kind"].data, node["apiVersion"].data:
        case "Job", "batch/v1":
            yield from job(node["spec"])
        case "Deployment", _:
            yield from restart_policy(node["spec"]["template"], ("Always",))
        case "Service", _:
            yield from _service(node["spec"])
        case "PersistentVolumeClaim", _:
            yield from claim(node["spec"])
        case _:
            pass


def templates(node: Node) -> Iterator[Node]:
    """The pod templates in ``node``."""
    for key, value in node.entries():
        if key == "template" and value["spec"].has("containers"):
            yield value
        else:
            yield from templates(value)
    for item in node.items():
        yield from templates(item)


def restart_policy(template: Node, allowed: tuple[str, ...]) -> Iterator[Complaint]:
    """What is wrong with the ``restartPolicy`` of pods where only some make sense."""
    policy = template["spec"]["restartPolicy"]
    if policy.data not in allowed:
        yield part(template["spec"], "restartPolicy").complain(f"restartPolicy must be {alternatives(allowed)} here")


def numbers(node: Node, keys: tuple[str, ...]) -> Iterator[Complaint]:
    """What is wrong with fields that are ints of 32 bits and not negative."""
    for key in keys:
        if node.has(key) and not formats.is_int32(node[key].data):
            yield node[key].complain(f"{key} must be between 0 and 2147483647")


def claim(spec: Node) -> Iterator[Complaint]:
    """What is wrong with the specification of a claim."""
    for mode in spec["accessModes"].items():
        if mode.data not in _ACCESS:
            yield mode.complain(f"{mode.data!r} is not an access mode: {alternatives(_ACCESS)}")
    storage = spec["resources"]["requests"]["storage"]
    amount = formats.quantity(storage.data)
    if amount is None or amount <= 0:
        yield storage.complain(f"{storage.data!r} is not a size", "for example 100Gi")
    name = spec["storageClassName"]
    if name.data and not formats.is_dns_name(name.data):
        yield name.complain(f"{name.data!r} is not the name of a storage class")


def job(spec: Node) -> Iterator[Complaint]:
    """What is wrong with the ``spec`` of a Job."""
    yield from numbers(spec, _JOB_NUMBERS)
    yield from restart_policy(spec["template"], _JOB_RESTARTS)
    rules = spec["podFailurePolicy"]["rules"]
    if rules.data and spec["template"]["spec"]["restartPolicy"].data != "Never":
        yield rules.complain('podFailurePolicy needs the restartPolicy "Never"')
    for rule in rules.items():
        if rule["action"].data not in _FAILURE_ACTIONS:
            yield part(rule, "action").complain(f"the action must be {alternatives(_FAILURE_ACTIONS)}")


def _service(spec: Node) -> Iterator[Complaint]:
    yield from labels(spec["selector"], "selector")
    yield from spec["ports"].once("name", "ports called")
    ports = list(spec["ports"].items())
    for port in ports:
        if not formats.is_port(port["port"].data):
            yield part(port, "port").complain("port must be between 1 and 65535")
        if not formats.is_dns_label(port["name"].data) and (port.has("name") or len(ports) > 1):
            yield part(port, "name").complain("each port of a Service with several needs a name, a DNS label")
