"""What the compiler adds to Jobs and nothing reads, left out of their normal form, and the names of Jobs.

Everything else that servers and controllers treat alike is in :mod:`tfdsl_backends.kubernetes.normal`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.manifest.edits import changed, child, each, items, scalar, text, with_value, without
from tfdsl.manifest.nodes import Mapping, Node, Sequence, walk
from tfdsl.manifest.view import view
from tfdsl_backends.kubernetes.reading.forms import job_of, kind
from tfdsl_backends.kubernetes.reading.parts import JOB_LABEL, ROLE_LABEL, Part, job_parts
from tfdsl_backends.podspec.plan import PORT_NAME

if TYPE_CHECKING:
    from collections.abc import Sequence as Many

_OURS: Final = (JOB_LABEL, ROLE_LABEL)


def bare(document: Node) -> Node:
    """``document`` without what nothing but the compiler's own output reads."""
    document = job_of(document)
    what = kind(view(document))
    if what == "Job":
        document = changed(document, ("metadata",), _without_labels)
        document = changed(document, ("spec", "template"), _pod)
        document = changed(document, ("spec",), _of_one_container)
        return changed(document, ("spec",), _mode)
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
    if scalar(child(template, "spec", "hostNetwork")) is True:
        return template
    return changed(template, ("spec", "containers"), lambda containers: each(containers, _without_ports))


def _without_ports(container: Node) -> Node:
    """Ports that only inform: without a name, or with the compiler's, unless a probe uses it, and not on the node."""
    ports = child(container, "ports")
    if not isinstance(container, Mapping) or not isinstance(ports, Sequence):
        return container
    used = any(path[-1:] == ("port",) and scalar(node) == PORT_NAME for path, node in walk(container))
    names = (None,) if used else (None, PORT_NAME)
    kept = tuple(
        port
        for port in ports.items
        if not isinstance(port, Mapping)
        or scalar(port.get("name")) not in names
        or {"hostPort", "hostIP"} & port.entries.keys()
    )
    if not kept:
        return without(container, ("ports",))
    return with_value(container, "ports", Sequence(kept, ports.span)) if len(kept) < len(ports.items) else container


def _of_one_container(spec: Node) -> Node:
    """Rules about exit statuses without the container's name, where there is but one."""
    pod = child(spec, "template", "spec")
    if len(items(child(pod, "containers"))) != 1 or items(child(pod, "initContainers")):
        return spec

    def bare_rule(rule: Node) -> Node:
        return changed(rule, ("onExitCodes",), lambda exits: _without(exits, "containerName"))

    return changed(spec, ("podFailurePolicy", "rules"), lambda rules: each(rules, bare_rule))


def _mode(spec: Node) -> Node:
    """A Job of one pod has the index 0 or none: that changes the pod's name and a variable that is 0."""
    if not isinstance(spec, Mapping) or scalar(spec.get("completionMode")) != "Indexed":
        return spec
    counts = {scalar(spec.get(key)) for key in ("completions", "parallelism")}
    reads = any(key in spec.entries for key in ("backoffLimitPerIndex", "maxFailedIndexes", "successPolicy"))
    return without(spec, ("completionMode",)) if counts <= {1, None} and not reads else spec


def named_like(documents: Many[Node], written: Many[Node]) -> list[Node]:
    """``documents`` with the names of ``written`` for the Jobs: those of the same role and index, else in order."""
    own, left = _jobs(documents), list(_jobs(written).values())
    names: dict[int, str] = {}
    for number, one in own.items():
        same = next((other for other in left if (other.role, other.index) == (one.role, one.index)), None)
        if same is not None:
            left.remove(same)
            names[number] = same.name
    for number in own:
        if number not in names and left:
            names[number] = left.pop(0).name
    return [_named(document, names.get(number)) for number, document in enumerate(documents)]


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
