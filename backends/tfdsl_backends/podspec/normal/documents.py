"""Whole documents: their normal form, and one document with the names and the order that another has.

Names of containers, volumes and ports connect parts of a pod; what the pod does does not depend on them. So two pods
are compared after those of the one have the names of the other. What has no counterpart keeps its name, or gets a free
one where the name is taken now.

In a normal form sets are sorted. Where one document has an item more than the other, it then is somewhere in between,
as if the whole list were another; so what both have comes first, in the order of the other, and at the end what was
added. All of this takes and gives normal forms.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping as Map, Sequence as Many
from itertools import count
from typing import Final, cast

from tfdsl.grouping import grouped
from tfdsl.manifest.nodes import (
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    child,
    items,
    scalar,
    text,
    with_value,
    within,
    without,
)
from tfdsl_backends.podspec.normal import tables
from tfdsl_backends.podspec.normal.rules import CONTAINERS, RULES, in_containers, of_object, ordered, with_each
from tfdsl_backends.podspec.normal.tables import SETS
from tfdsl_backends.podspec.normal.walk import (
    Defaults,
    Dialect,
    Rule,
    Sets,
    Types,
    declared_defaults,
    identity,
    in_order,
    joined,
    kubernetes_types,
    normal,
)

_NAMES: Final = ("name", "mountPath", "containerPort", "key")
"""What tells items of one list apart; the first that does."""


def like(own: Node, written: Node, kind: str, words: Dialect) -> Node:
    """``own`` of ``kind`` with its sets in the order of ``written``; both are normal forms."""
    kind = kind.removeprefix("*")
    if isinstance(own, Mapping) and isinstance(written, Mapping):
        fields, sets = words.types.get(kind, {}), words.sets.get(kind, {})
        entries: dict[str, Entry] = {}
        for key, entry in own.entries.items():
            other, below = written.get(key), kind[2:] if kind.startswith("{}") else fields.get(key, "a")
            value = like(entry.value, other, below, words) if other is not None else entry.value
            if key in sets and isinstance(value, Sequence) and isinstance(other, Sequence):
                value = _shared_first(value, other)
            entries[key] = Entry(key, entry.key_span, value)
        new = Mapping(entries, own.span)
        return _with_env(new, written) if kind == "Container" else new
    if kind.startswith("[]") and isinstance(own, Sequence) and isinstance(written, Sequence):
        mine, theirs = _item_names(own, written)
        others = dict(zip(theirs, written.items, strict=True))
        return Sequence(
            tuple(
                item if other is None else like(item, other, kind[2:], words)
                for item, other in ((item, others.get(name)) for name, item in zip(mine, own.items, strict=True))
            ),
            own.span,
        )
    return own


def _shared_first(own: Sequence, written: Sequence) -> Sequence:
    """``own`` with the items of ``written`` first and in its order."""
    mine, theirs = _item_names(own, written)
    place = {name: number for number, name in enumerate(theirs)}
    numbers = sorted(range(len(mine)), key=lambda number: (place.get(mine[number], len(place)), number))
    return Sequence(tuple(own.items[number] for number in numbers), own.span)


def _with_env(container: Mapping, written: Mapping) -> Mapping:
    """``container`` with its variables in the order of ``written``, if each value sees the same ones before it."""
    own, other = container.get("env"), written.get("env")
    if not isinstance(own, Sequence) or not isinstance(other, Sequence):
        return container
    new = with_value(container, "env", _shared_first(own, other))
    return new if identity(ordered(new)) == identity(ordered(container)) else container


def _item_names(own: Sequence, written: Sequence) -> tuple[list[str], list[str]]:
    """What the items of two lists are known by: the first of the names that tells them apart, else all they say."""
    for key in _NAMES:
        mine, theirs = ([_name(item, key) for item in node.items] for node in (own, written))
        if None not in (*mine, *theirs) and len(set(mine)) == len(mine) and len(set(theirs)) == len(theirs):
            return [str(name) for name in mine], [str(name) for name in theirs]
    return [identity(item) for item in own.items], [identity(item) for item in written.items]


def _name(item: Node, key: str) -> str | None:
    value = item.get(key) if isinstance(item, Mapping) else None
    return None if value is None or scalar(value) is None else str(scalar(value))


_DEFAULT_CONTAINER: Final = ("kubectl.kubernetes.io/default-container", "kubectl.kubernetes.io/default-logs-container")
_PER_CONTAINER: Final = "container.apparmor.security.beta.kubernetes.io/"
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")


def template(own: Mapping, written: Mapping, kept_ports: frozenset[str] = frozenset()) -> Mapping:
    """Pod template ``own`` with the names of ``written``; ports of ``kept_ports`` keep their names."""
    pod, other = own.get("spec"), written.get("spec")
    if not isinstance(pod, Mapping) or not isinstance(other, Mapping):
        return own
    containers = container_names(pod, other)
    new = within(own, ("spec",), lambda spec: _with_containers(spec, containers))
    new = within(new, ("metadata", "annotations"), lambda notes: _annotations(notes, containers))
    new = within(new, ("spec",), lambda spec: _with_volumes(spec, volume_names(spec, other)))
    return within(new, ("spec",), lambda spec: _with_ports(spec, other, kept_ports | ports_by_name(spec)))


# --- containers --------------------------------------------------------------------------------------------------


def container_names(own: Mapping, written: Mapping) -> dict[str, str]:
    """Name of a container → its new one, for those that change. Those of one name are each other's, then by order."""
    names: dict[str, str] = {}
    for field in CONTAINERS:
        ours, theirs = _names(own.get(field)), _names(written.get(field))
        pairs = zip([n for n in ours if n not in theirs], [n for n in theirs if n not in ours], strict=False)
        names.update(pairs)
    return _without_clashes(names, [name for field in CONTAINERS for name in _names(own.get(field))])


def _names(containers: Node | None) -> list[str]:
    return [name for item in items(containers) if isinstance(name := scalar(child(item, "name")), str)]


def _without_clashes(names: Map[str, str], everything: Iterable[str]) -> dict[str, str]:
    """``names``, and free ones for those of ``everything`` whose own name is given to another."""
    result = {old: new for old, new in names.items() if old != new}
    given = set(result.values())
    taken = {*everything, *given}
    for name in everything:
        if name in given and name not in result:
            result[name] = next(free for number in count(2) if (free := f"{name}-{number}") not in taken)
            taken.add(result[name])
    return result


def _with_containers(pod: Mapping, names: Map[str, str]) -> Mapping:
    def container(node: Mapping) -> Mapping:
        new = _renamed(node, "name", names)
        return with_each(new, "env", lambda entry: _resource_of(entry, ("valueFrom", "resourceFieldRef"), names))

    def item(node: Mapping) -> Node:
        return _resource_of(node, ("resourceFieldRef",), names)

    def volume(node: Mapping) -> Node:
        return within(node, ("downwardAPI",), lambda below: with_each(below, "items", item))

    return with_each(in_containers(pod, container), "volumes", volume) if names else pod


def _resource_of(node: Mapping, place: tuple[str, ...], names: Map[str, str]) -> Node:
    return within(node, place, lambda field: _renamed(field, "containerName", names))


def _annotations(annotations: Mapping, names: Map[str, str]) -> Mapping:
    entries: dict[str, Entry] = {}
    for key, entry in annotations.entries.items():
        value = entry.value
        if key in _DEFAULT_CONTAINER and isinstance(value, Scalar):
            value = Scalar(names.get(str(value.value), value.value), value.span)
        if key.startswith(_PER_CONTAINER):
            container = key.removeprefix(_PER_CONTAINER)
            key = _PER_CONTAINER + names.get(container, container)
        entries[key] = Entry(key, entry.key_span, value)
    return Mapping(dict(sorted(entries.items())), annotations.span)


def failure_policy(spec: Mapping, names: Map[str, str]) -> Mapping:
    """The ``spec`` of a Job with new names of containers in its ``podFailurePolicy``."""

    def rule(node: Mapping) -> Node:
        return within(node, ("onExitCodes",), lambda codes: _renamed(codes, "containerName", names))

    return within(spec, ("podFailurePolicy",), lambda policy: with_each(policy, "rules", rule))


def _renamed(node: Mapping, key: str, names: Map[str, str]) -> Mapping:
    old = node.get(key)
    name = scalar(old)
    if old is None or not isinstance(name, str) or name not in names:
        return node
    return with_value(node, key, text(names[name], old.span))


# --- volumes -----------------------------------------------------------------------------------------------------


def volume_names(own: Mapping, written: Mapping) -> dict[str, str]:
    """Name of a volume → its new one, for those that change.

    Volumes are each other's if they have one name and source, else the same source and the same places, the same
    source, the same places, or at last the same name.
    """
    ours, theirs = _volumes(own), _volumes(written)
    places, other_places = _places(own), _places(written)
    names: dict[str, str] = {}
    taken: set[str] = set()

    def pair(known_by: Callable[[str, Map[str, str], Map[str, frozenset[str]]], object]) -> None:
        """Pair those that are known by the same, in order; ``None`` is the same as nothing."""
        free: dict[object, deque[str]] = {}
        for other in theirs:
            if other not in taken:
                free.setdefault(known_by(other, theirs, other_places), deque()).append(other)
        free.pop(None, None)
        for name in ours:
            others = free.get(known_by(name, ours, places)) if name not in names else None
            if others:
                names[name] = others.popleft()
                taken.add(names[name])

    pair(lambda name, sources, _: (name, sources[name]))
    pair(lambda name, sources, mounts: (sources[name], mounts[name]) if name in mounts else None)
    pair(lambda name, sources, _: sources[name])
    pair(lambda name, _, mounts: mounts.get(name))
    pair(lambda name, _, __: name)
    return _without_clashes(names, ours)


def _volumes(pod: Mapping) -> dict[str, str]:
    """Name → everything else, as a text."""
    names: dict[str, str] = {}
    for volume in items(pod.get("volumes")):
        name = scalar(child(volume, "name"))
        if isinstance(volume, Mapping) and isinstance(name, str):
            rest = {key: entry for key, entry in volume.entries.items() if key != "name"}
            names.setdefault(name, identity(Mapping(rest, volume.span)))
    return names


def _places(pod: Mapping) -> dict[str, frozenset[str]]:
    """Name of a volume → where which containers mount it."""
    found: dict[str, set[str]] = {}
    for field in CONTAINERS:
        for container in items(pod.get(field)):
            for mount in (*items(child(container, "volumeMounts")), *items(child(container, "volumeDevices"))):
                path = scalar(child(mount, "mountPath")) or scalar(child(mount, "devicePath"))
                place = f"{scalar(child(container, 'name'))}:{path}"
                found.setdefault(str(scalar(child(mount, "name"))), set()).add(place)
    return {name: frozenset(places) for name, places in found.items()}


def _with_volumes(pod: Mapping, names: Map[str, str]) -> Mapping:
    if not names:
        return pod

    def rename(node: Node) -> Node:
        return _renamed(node, "name", names) if isinstance(node, Mapping) else node

    def container(node: Mapping) -> Mapping:
        new = with_each(with_each(node, "volumeMounts", rename), "volumeDevices", rename)
        return _sorted(new, "Container", "volumeMounts")

    return _sorted(in_containers(with_each(pod, "volumes", rename), container), "PodSpec", "volumes")


def _sorted(node: Mapping, kind: str, field: str) -> Mapping:
    """``node`` with the set ``field`` in order again."""
    value = node.get(field)
    return with_value(node, field, in_order(value, SETS[kind][field])) if isinstance(value, Sequence) else node


# --- ports -------------------------------------------------------------------------------------------------------


def ports_by_name(pod: Mapping) -> frozenset[str]:
    """The ports that probes and hooks of ``pod`` name."""
    names: set[str] = set()
    for field in CONTAINERS:
        for container in items(pod.get(field)):
            hooks = [child(container, probe) for probe in _PROBES]
            hooks += [child(container, "lifecycle", hook) for hook in ("postStart", "preStop")]
            ports = [scalar(child(hook, kind, "port")) for hook in hooks for kind in ("httpGet", "tcpSocket")]
            names.update(port for port in ports if isinstance(port, str))
    return frozenset(names)


def target_ports(documents: Iterable[Node]) -> frozenset[str]:
    """The ports that Services among ``documents`` name."""
    names: set[str] = set()
    for document in documents:
        if scalar(child(document, "kind")) == "Service":
            ports = [scalar(child(port, "targetPort")) for port in items(child(document, "spec", "ports"))]
            names.update(port for port in ports if isinstance(port, str))
    return frozenset(names)


def _with_ports(pod: Mapping, written: Mapping, kept: frozenset[str]) -> Mapping:
    theirs = {
        scalar(child(container, "name")): container for field in CONTAINERS for container in items(written.get(field))
    }

    def container(node: Mapping) -> Mapping:
        others_of = items(child(theirs.get(scalar(node.get("name"))), "ports"))
        names = grouped((_number(other), scalar(child(other, "name"))) for other in others_of)
        used = {scalar(child(other, "name")) for other in items(node.get("ports"))}

        def port(value: Node) -> Node:
            old, [new, *others] = scalar(child(value, "name")), names.get(_number(value), [None])
            if not isinstance(value, Mapping) or not isinstance(new, str) or others or new in used or old in kept:
                return value
            used.add(new)
            place = value.get("name")
            return with_value(value, "name", text(new, place.span if place is not None else value.span))

        return _sorted(with_each(node, "ports", port), "Container", "ports")

    return in_containers(pod, container)


def _number(port: Node) -> tuple[object, object]:
    return scalar(child(port, "containerPort")), scalar(child(port, "protocol"))


# --- documents ---------------------------------------------------------------------------------------------------


def counterparts(documents: Iterable[Node], written: Iterable[Node]) -> list[tuple[Node, Node | None]]:
    """Each document with the one of ``written`` of its kind and name, else the next of its kind."""
    left = [*written]
    pairs: list[tuple[Node, Node | None]] = [(document, _taken(document, left, by_name=True)) for document in documents]
    return [(node, other if other is not None else _taken(node, left, by_name=False)) for node, other in pairs]


def _taken(document: Node, left: list[Node], *, by_name: bool) -> Node | None:
    for number, other in enumerate(left):
        same_kind = all(scalar(child(document, key)) == scalar(child(other, key)) for key in ("apiVersion", "kind"))
        place = ("metadata", "name")
        if same_kind and (not by_name or scalar(child(document, *place)) == scalar(child(other, *place))):
            return left.pop(number)
    return None


KINDS: Final = {
    ("v1", "Service"): "Service",
    ("v1", "PersistentVolumeClaim"): "PersistentVolumeClaim",
    ("apps/v1", "Deployment"): "Deployment",
}
"""apiVersion and kind → type, of what all targets write beside the job."""

SCHEDULER: Final = "default-scheduler"
_OTHER: Final = "Object"
"""The type of documents of other kinds: only their metadata is known."""


def service(spec: Mapping) -> Mapping:
    """Without the addresses that the server gives it, and without a targetPort that is the port."""
    kept = without(spec, ("clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort"))
    if scalar(kept.get("clusterIP")) != "None":
        kept = without(kept, ("clusterIP",))

    def bare(port: Mapping) -> Node:
        same = scalar(port.get("targetPort")) == scalar(port.get("port"))
        return without(port, ("targetPort",)) if same else port

    return with_each(kept, "ports", bare)


def deployment(spec: Mapping) -> Mapping:
    """Without the scheduler that the server writes; in pods of a job it may be another one."""

    def pod(node: Mapping) -> Mapping:
        return without(node, ("schedulerName",)) if scalar(node.get("schedulerName")) == SCHEDULER else node

    return within(spec, ("template", "spec"), pod)


OBJECT_RULES: Final = (
    Rule(
        "DeploymentSpec",
        deployment,
        f"`schedulerName: {SCHEDULER}` of the pods",
        "`SetDefaults_PodSpec` in pkg/apis/core/v1/defaults.go",
    ),
    Rule(
        "ServiceSpec",
        service,
        "addresses that the server gives a Service, and a `targetPort` that is the `port`",
        "`SetDefaults_Service` in pkg/apis/core/v1/defaults.go, pkg/registry/core/service",
    ),
)


def dialect(types: Types, defaults: Defaults, sets: Sets, rules: tuple[Rule, ...]) -> Dialect:
    """What all targets of the family have in common, with what one adds to it."""
    return Dialect(
        {**kubernetes_types(), _OTHER: {"metadata": "ObjectMeta"}, **types},
        cast("Defaults", joined(declared_defaults(), tables.MEANT, tables.WRITTEN, defaults)),
        cast("Sets", joined(tables.SETS, sets)),
        (*RULES, *OBJECT_RULES, *rules),
    )


def document(node: Node, kinds: Map[tuple[str, str], str], words: Dialect) -> Node:
    """The normal form of a document; ``kinds``: those that the target knows beside :data:`KINDS`."""
    if not isinstance(node, Mapping):
        return node
    return normal(of_object(node), _type_of(node, kinds), words)


def with_names_of(
    documents: Many[Node],
    written: Many[Node],
    job: Callable[[Node, Node | None, frozenset[str]], Node],
    kinds: Map[tuple[str, str], str],
    words: Dialect,
    kept_ports: frozenset[str] = frozenset(),
) -> list[Node]:
    """``documents`` with the names in pods that their counterparts in ``written`` have, and with their order of sets.

    ``job``: how one document takes the names of its counterpart, given the names of ports that must stay; these are
    ``kept_ports``, and those that Services of the documents lead to.
    """
    ports = target_ports(documents) | kept_ports
    pairs = counterparts(documents, written)
    return [with_order_of(job(own, other, ports), other, kinds, words) for own, other in pairs]


def with_order_of(own: Node, written: Node | None, kinds: Map[tuple[str, str], str], words: Dialect) -> Node:
    """The normal form ``own`` with its sets in the order of ``written``, a normal form of the same kind."""
    if written is None or not isinstance(own, Mapping):
        return own
    return like(own, written, _type_of(own, kinds), words)


def _type_of(document: Mapping, kinds: Map[tuple[str, str], str]) -> str:
    version, kind = scalar(document.get("apiVersion")), scalar(document.get("kind"))
    return {**KINDS, **kinds}.get((str(version), str(kind)), _OTHER)


def aligned_job(own: Node, written: Node | None, ports: frozenset[str]) -> Node:
    """What has the ``spec`` of a Job, with the names in pods and rules that ``written``, another one, has."""
    pod, other = (child(node, "spec", "template", "spec") for node in (own, written))
    theirs = child(written, "spec", "template")
    if not isinstance(own, Mapping) or not isinstance(theirs, Mapping):
        return own
    new = within(own, ("spec", "template"), lambda node: template(node, theirs, ports))
    if not isinstance(pod, Mapping) or not isinstance(other, Mapping):
        return new
    names = container_names(pod, other)
    return within(new, ("spec",), lambda spec: failure_policy(spec, names))
