"""``spec.volumes`` of a job: volumes that the controller mounts in every container of every task.

An existing claim that is named there is the same as a volume of each pod template, which the controller makes of it
(pkg/controllers/job, ``createJobPod``; init containers get nothing). Of two entries with one claim only the first is
mounted. A claim that is described there is made for the job, and goes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from tfdsl.manifest.edits import changed, child, each, items, scalar, with_value, without
from tfdsl.manifest.nodes import Mapping, Node, Scalar, Sequence, mapping
from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.text import Span

_TEMPLATE: Final = ("template", "spec")


class JobVolume(Record):
    """One entry. ``claim``: the name of an existing claim; ``made``: the description of a new one."""

    path: str
    claim: str | None
    made: Node | None
    node: Node


def job_volumes(job: Node) -> list[JobVolume]:
    """The entries that the webhook would take."""
    found: list[JobVolume] = []
    for entry in items(child(job, "spec", "volumes")):
        path, claim = scalar(child(entry, "mountPath")), scalar(child(entry, "volumeClaimName"))
        made = child(entry, "volumeClaim")
        if isinstance(path, str) and path and (isinstance(claim, str) and claim != "") != isinstance(made, Mapping):
            found.append(JobVolume(path, claim if isinstance(claim, str) else None, made, entry))
    return found


def without_generated_names(job: Node) -> Node:
    """``job`` without the names that the controller writes beside the claims that it has made."""
    start = f"{scalar(child(job, 'metadata', 'name'))}-pvc-"

    def volume(node: Node) -> Node:
        name = scalar(child(node, "volumeClaimName"))
        made = isinstance(node, Mapping) and "volumeClaim" in node.entries
        is_generated = made and isinstance(name, str) and name.startswith(start)
        return without(node, ("volumeClaimName",)) if is_generated and isinstance(node, Mapping) else node

    return changed(job, ("spec", "volumes"), lambda volumes: each(volumes, volume))


def in_templates(job: Node, chosen: Callable[[JobVolume], str | None]) -> Node:
    """``job`` with entries of ``spec.volumes`` as volumes of the pod templates.

    ``chosen``: the claim that a pod would name for an entry, ``None`` to leave the entry where it is.
    """
    moved: list[tuple[JobVolume, str]] = []
    for volume in job_volumes(job):
        name = chosen(volume)
        if name is not None:
            moved.append((volume, name))
    if not moved:
        return job
    first: dict[str, JobVolume] = {}
    for volume, name in moved:
        first.setdefault(name, volume)
    mounted = [(volume, name) for name, volume in first.items()]
    job = changed(job, ("spec", "tasks"), lambda tasks: each(tasks, lambda task: _with_volumes(task, mounted)))
    return _without_entries(job, [volume.node for volume, _ in moved])


def _without_entries(job: Node, moved: Iterable[Node]) -> Node:
    gone = {id(node) for node in moved}
    spec = child(job, "spec")
    if not isinstance(spec, Mapping) or not isinstance(job, Mapping):
        return job
    old = spec.get("volumes")
    left = tuple(item for item in items(old) if id(item) not in gone)
    new = with_value(spec, "volumes", Sequence(left, old.span)) if left and old else without(spec, ("volumes",))
    return with_value(job, "spec", new)


def _with_volumes(task: Node, volumes: list[tuple[JobVolume, str]]) -> Node:
    pod = child(task, *_TEMPLATE)
    if not isinstance(pod, Mapping):
        return task
    taken = {scalar(child(one, "name")) for one in items(pod.get("volumes"))}
    named = [(_free(f"job-volume-{number}", taken), *volume) for number, volume in enumerate(volumes)]
    added = [_volume(name, claim, volume.node.span) for name, volume, claim in named]
    pod = with_value(pod, "volumes", _extended(pod.get("volumes"), added))
    mounts = [(volume.path, _mount(name, volume)) for name, volume, _ in named]
    containers = pod.get("containers")
    if containers is not None:
        pod = with_value(pod, "containers", each(containers, lambda one: _with_mounts(one, mounts)))
    return changed(task, _TEMPLATE, lambda _: pod)


def _with_mounts(container: Node, mounts: list[tuple[str, Node]]) -> Node:
    if not isinstance(container, Mapping):
        return container
    own = container.get("volumeMounts")
    paths = {scalar(child(one, "mountPath")) for one in items(own)}
    added = [node for path, node in mounts if path not in paths]
    return with_value(container, "volumeMounts", _extended(own, added)) if added else container


def _extended(old: Node | None, added: list[Node]) -> Sequence:
    return Sequence((*items(old), *added), old.span if old is not None else added[0].span)


def _volume(name: str, claim: str, span: Span) -> Node:
    source = mapping({"claimName": Scalar(claim, span)}, span)
    return mapping({"name": Scalar(name, span), "persistentVolumeClaim": source}, span)


def _mount(name: str, volume: JobVolume) -> Node:
    span = volume.node.span
    return mapping({"name": Scalar(name, span), "mountPath": Scalar(volume.path, span)}, span)


def _free(name: str, taken: Iterable[object]) -> str:
    known = {*taken}
    while name in known:
        name = f"{name}-x"
    return name
