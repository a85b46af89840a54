"""What the compiler adds to Jobs and nothing reads, left out of their normal form, and the names of Jobs.

Everything else that servers and controllers treat alike is in :mod:`tfdsl_backends.kubernetes.normal`.
"""

from __future__ import annotations

from collections.abc import Sequence as Many
from typing import Final

from tfdsl.manifest.nodes import (
    Mapping,
    Node,
    Sequence,
    changed,
    child,
    each,
    items,
    put,
    scalar,
    text,
    view,
    with_value,
    without,
)
from tfdsl_backends.kubernetes.reading.forms import job_of, kind
from tfdsl_backends.kubernetes.reading.parts import JOB_LABEL, ROLE_LABEL, Part, job_parts
from tfdsl_backends.podspec.normal.tables import SETS
from tfdsl_backends.podspec.normal.walk import in_order
from tfdsl_backends.podspec.plan import CONTAINER, PORT_NAME

_OURS: Final = (JOB_LABEL, ROLE_LABEL)
_PORT_KEYS: Final = SETS["Container"]["ports"]
_NAMES_OF_PORTS: Final = frozenset(("name", "hostPort", "hostIP"))


def bare(document: Node) -> Node:
    """``document`` without what nothing but the compiler's own output reads."""
    document = job_of(document)
    what = kind(view(document))
    if what == "Job":
        document = changed(document, ("metadata",), _without_labels)
        return changed(document, ("spec", "template"), _pod)
    if what in ("Service", "PersistentVolumeClaim"):
        document = changed(document, ("metadata",), _without_labels)
    if what == "Service" and scalar(child(document, "spec", "clusterIP")) == "None":
        return changed(document, ("spec",), lambda spec: _without(spec, "selector"))
    return document


def _without(node: Node, key: str) -> Node:
    return without(node, (key,)) if isinstance(node, Mapping) else node


def _without_labels(metadata: Node) -> Node:
    """The labels by which the Service and people select what belongs to a job."""
    labels = child(metadata, "labels")
    if not isinstance(metadata, Mapping) or not isinstance(labels, Mapping):
        return metadata
    left = without(labels, _OURS)
    return with_value(metadata, "labels", left) if left.entries else without(metadata, ("labels",))


def _pod(template: Node) -> Node:
    template = changed(template, ("metadata",), _without_labels)
    if isinstance(template, Mapping) and isinstance(metadata := template.get("metadata"), Mapping):
        template = template if metadata.entries else without(template, ("metadata",))
    return changed(template, ("spec", "containers"), lambda containers: each(containers, _without_ports))


def _without_ports(container: Node) -> Node:
    """Without ports that have no name and are not the node's: they only inform."""
    ports = child(container, "ports")
    if not isinstance(container, Mapping) or not isinstance(ports, Sequence):
        return container
    kept = tuple(port for port in ports.items if not isinstance(port, Mapping) or _NAMES_OF_PORTS & port.entries.keys())
    if not kept:
        return without(container, ("ports",))
    return with_value(container, "ports", Sequence(kept, ports.span)) if len(kept) < len(ports.items) else container


def of_one_pod(document: Node) -> Node:
    """A Job of one pod, in its normal form, without what only counts pods: the index, which is 0 or none.

    It changes the name of the pod and gives a variable that is 0. Where no number of completions is given, the end of
    the one pod is that of the Job, too.
    """
    return changed(document, ("spec",), _of_one_pod) if kind(view(document)) == "Job" else document


def _of_one_pod(spec: Node) -> Node:
    if not isinstance(spec, Mapping):
        return spec
    at_once, in_all = scalar(spec.get("parallelism")), scalar(spec.get("completions"))
    if at_once not in (None, 1) or in_all not in (None, 1):
        return spec
    if any(key in spec.entries for key in ("backoffLimitPerIndex", "maxFailedIndexes", "successPolicy")):
        return spec
    return without(spec, ("completionMode", "completions", "parallelism"))


def named_like(documents: Many[Node], written: Many[Node]) -> list[Node]:
    """``documents`` in the order of ``written``, the Jobs with its names: of one role and index, else one by one."""
    own, left = _jobs(documents), list(_jobs(written).values())
    names: dict[int, str] = {}
    for number, one in own.items():
        same = next((other for other in left if (other.role, other.index) == (one.role, one.index)), None)
        if same is not None:
            left = [other for other in left if other is not same]
            names[number] = same.name
    for number in own:
        if number not in names and left:
            names[number] = left.pop(0).name
    renamed = [_named(document, names.get(number)) for number, document in enumerate(documents)]
    order = [_identity(document) for document in written]
    return sorted(renamed, key=lambda one: order.index(_identity(one)) if _identity(one) in order else len(order))


def _identity(document: Node) -> tuple[str | None, str | None]:
    root = view(document)
    return root["kind"].text, root["metadata"]["name"].text


def with_container(document: Node) -> Node:
    """``document`` with the name of its only container in rules about exit statuses that name none."""
    pod = child(document, "spec", "template", "spec")
    containers = items(child(pod, "containers"))
    name = child(containers[0], "name") if len(containers) == 1 and not items(child(pod, "initContainers")) else None
    if name is None:
        return document

    def rule(node: Node) -> Node:
        return changed(
            node, ("onExitCodes",), lambda exits: put(exits, ("containerName",), child(exits, "containerName") or name)
        )

    return changed(document, ("spec", "podFailurePolicy", "rules"), lambda rules: each(rules, rule))


def with_port_of(document: Node, written: Many[Node]) -> Node:
    """``document`` with the compiler's port, which only informs, where ``written``, the same Job, has one.

    On the network of its node a port is also asked of the scheduler, unless the pod names its node.
    """
    other = next((one for one in written if _identity(one) == _identity(document)), None)
    pod = child(document, "spec", "template", "spec")
    asked = scalar(child(pod, "hostNetwork")) is True and child(pod, "nodeName") is None
    if other is None or kind(view(document)) != "Job" or asked:
        return document
    path = ("spec", "template", "spec", "containers")
    port = next(
        (port for one in items(child(other, *path)) for port in items(child(one, "ports")) if _is_ours(port)), None
    )
    if port is None:
        return document

    def with_port(container: Node) -> Node:
        ports = child(container, "ports")
        if not isinstance(container, Mapping) or scalar(container.get("name")) != CONTAINER:
            return container
        if any(_number(one) == _number(port) for one in items(ports)):
            return container
        span = container.span if ports is None else ports.span
        return with_value(container, "ports", in_order(Sequence((*items(ports), port), span), _PORT_KEYS))

    return changed(document, path, lambda containers: each(containers, with_port))


def _is_ours(port: Node) -> bool:
    return scalar(child(port, "name")) == PORT_NAME


def _number(port: Node) -> object:
    return scalar(child(port, "containerPort"))


def _jobs(documents: Many[Node]) -> dict[int, Part]:
    """The number of a document → the Job that it is."""
    numbers = [number for number, document in enumerate(documents) if kind(view(document)) == "Job"]
    return dict(zip(numbers, job_parts(documents), strict=True))


def _named(document: Node, name: str | None) -> Node:
    """``document`` called ``name``, instead of a name that the server would make too."""
    if name is None:
        return document

    def rename(metadata: Node) -> Node:
        if not isinstance(metadata, Mapping):
            return metadata
        old = metadata.get("name") or metadata.get("generateName")
        span = metadata.span if old is None else old.span
        return with_value(without(metadata, ("generateName",)), "name", text(name, span))

    return changed(document, ("metadata",), rename)
