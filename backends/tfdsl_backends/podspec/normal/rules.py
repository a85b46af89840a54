"""What holds between fields of pods and Jobs: defaults that depend on others, old names, and what servers write.

Metadata is without what the server and its controllers write into it. Texts that the kubelet expands can be escaped in
several ways. The tag of an image decides its ``imagePullPolicy`` (``pkg/util/parsers`` of Kubernetes and the grammar of
``distribution/reference``).

The variables of a container are a set, as far as no value refers to another with ``$(…)``. The kubelet goes through the
list: ``$(NAME)`` becomes the value of an entry before it, and stays as it is where the entry comes later; of two
entries with one name the last wins (``pkg/kubelet/kubelet_pods.go``, ``makeEnvironment``). So two orders are alike if
each value still sees the same entries before it; the normal form is the first of them by name.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterator, Sequence as Many
from typing import Final

from tfdsl.manifest.nodes import (
    Entry,
    Mapping,
    Node,
    Sequence,
    child,
    each,
    items,
    mapping,
    plain,
    put,
    scalar,
    text,
    with_value,
    within,
    without,
)
from tfdsl.record import replace
from tfdsl_backends.podspec.expansion import Reference, Scope, canonical, parts
from tfdsl_backends.podspec.fields import POD
from tfdsl_backends.podspec.job_controller import DEFAULT_LIMIT
from tfdsl_backends.podspec.normal.walk import Change, Defaults, Rule, Sets, identity
from tfdsl_backends.podspec.objects import DIGEST, SUBMISSION
from tfdsl_backends.podspec.plan import INDEX_FIELD, INDEX_VARIABLE

SERVERS: Final = (
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
    "selfLink",
    "ownerReferences",
)
"""Fields of an object that only its server can know. An owner is named by its uid, so it is of one cluster too: a
manifest that kept it would be deleted as soon as the garbage collector misses that uid."""

ANNOTATIONS: Final = (
    "kubectl.kubernetes.io/last-applied-configuration",
    "batch.kubernetes.io/job-tracking",
    "batch.kubernetes.io/cronjob-scheduled-timestamp",
    "deployment.kubernetes.io/revision",
    "pv.kubernetes.io/bind-completed",
    "pv.kubernetes.io/bound-by-controller",
    "volume.beta.kubernetes.io/storage-provisioner",
    "volume.kubernetes.io/storage-provisioner",
    "volume.kubernetes.io/selected-node",
    "volcano.sh/job-version",
    SUBMISSION,
    DIGEST,
)
"""Annotations that kubectl, ``tfdsl submit`` and controllers write."""

FINALIZERS: Final = ("kubernetes.io/pvc-protection", "foregroundDeletion", "orphan")
"""Finalizers that the server adds."""

DEFAULT_NAMESPACE: Final = "default"


def of_object(document: Mapping) -> Mapping:
    """``document`` with the metadata that a user gave it, and without ``status``."""
    new = without(document, ("status",))
    if new is not document:  # binding writes the volume of a claim
        new = within(new, ("spec",), lambda spec: without(spec, ("volumeName",)))
    metadata = new.get("metadata")
    if not isinstance(metadata, Mapping):
        return new
    kept = without(metadata, SERVERS)
    if scalar(kept.get("namespace")) == DEFAULT_NAMESPACE:
        kept = without(kept, ("namespace",))
    if scalar(kept.get("name")):
        kept = without(kept, ("generateName",))
    kept = within(kept, ("annotations",), lambda annotations: without(annotations, ANNOTATIONS))
    return with_value(new, "metadata", _without_finalizers(kept))


def of_template(template: Mapping) -> Mapping:
    """``template`` with what pods get of its metadata: labels, annotations and finalizers; controllers name pods."""
    metadata = template.get("metadata")
    if not isinstance(metadata, Mapping):
        return template
    others = [key for key in metadata.entries if key not in ("labels", "annotations", "finalizers")]
    return with_value(template, "metadata", without(metadata, others))


def _without_finalizers(metadata: Mapping) -> Mapping:
    finalizers = metadata.get("finalizers")
    if not isinstance(finalizers, Sequence):
        return metadata
    kept = tuple(item for item in finalizers.items if scalar(item) not in FINALIZERS)
    if not kept:
        return without(metadata, ("finalizers",))
    return with_value(metadata, "finalizers", Sequence(kept, finalizers.span))


# The name of an image, from which the default of ``imagePullPolicy`` follows. Source: ``pkg/util/parsers`` of
# Kubernetes and the grammar of ``distribution/reference``.

_COMPONENT: Final = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_HOST: Final = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_IMAGE: Final = re.compile(
    rf"((?:(?:{_HOST}(?:\.{_HOST})*|\[[a-fA-F0-9:]+\])(?::\d+)?/)?{_COMPONENT}(?:/{_COMPONENT})*)"
    r"(?::(\w[\w.-]{0,127}))?(@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?",
    re.ASCII,
)
_ID: Final = re.compile("[a-f0-9]{64}")
_LONGEST: Final = 255


def pull_policy(image: str) -> str:
    """``Always`` for ``latest`` and for an image with neither tag nor digest; ``IfNotPresent`` for an invalid image."""
    match = _IMAGE.fullmatch(image) if len(image) < 2 * _LONGEST and not _ID.fullmatch(image) else None
    if match is None or len(match[1]) > _LONGEST:
        return "IfNotPresent"
    tag = match[2] or ("" if match[3] else "latest")
    return "Always" if tag == "latest" else "IfNotPresent"


_REFERENCE: Final = re.compile(r"\$\$|\$\(([^()]*)\)")


def names_in(text: str) -> frozenset[str]:
    """The variables that ``text`` refers to; ``$$(X)`` is not a reference."""
    return frozenset(match[1] for match in _REFERENCE.finditer(text) if match[1])


def ordered(container: Mapping) -> Mapping:
    """``container`` with its ``env`` in the one order of all that mean the same."""
    env = container.get("env")
    if not isinstance(env, Sequence):
        return container
    names = [scalar(child(item, "name")) for item in env.items]
    texts = [value for value in names if isinstance(value, str)]
    references = [_references(item) for item in env.items]
    if len(texts) < len(names):
        return container
    referred = {name for item in references for name in item}
    last = {name: number for number, name in enumerate(texts)}
    if any(name in referred and texts.count(name) > 1 for name in last):
        return container
    kept = [number for number, name in enumerate(texts) if last[name] == number]
    order = _first_order(kept, texts, references, last)
    return with_value(container, "env", Sequence(tuple(env.items[number] for number in order), env.span))


def without_entries(container: Mapping, ignored: Callable[[Node], bool]) -> Mapping:
    """``container`` without the entries of ``env`` that are ``ignored`` and that no value refers to."""
    env = items(container.get("env"))
    referred = {name for item in env for name in _references(item)}
    kept = tuple(item for item in env if scalar(child(item, "name")) in referred or not ignored(item))
    if len(kept) == len(env):
        return container
    old = container.get("env")
    assert old is not None
    return with_value(container, "env", Sequence(kept, old.span)) if kept else without(container, ("env",))


def _references(item: Node) -> frozenset[str]:
    value = scalar(child(item, "value"))
    return names_in(value) if isinstance(value, str) else frozenset()


def _first_order(
    kept: list[int], names: list[str], references: list[frozenset[str]], last: dict[str, int]
) -> list[int]:
    """The first order by name in which every pair of an entry and one that it refers to is as it was."""
    after: dict[int, list[int]] = {number: [] for number in kept}
    waiting = dict.fromkeys(kept, 0)
    for number in kept:
        for name in references[number]:
            other = last.get(name)
            if other is not None and other != number:
                first, second = sorted((number, other))
                after[first].append(second)
                waiting[second] += 1
    ready = [(names[number], number) for number in kept if not waiting[number]]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        _, number = heapq.heappop(ready)
        order.append(number)
        for second in after[number]:
            waiting[second] -= 1
            if not waiting[second]:
                heapq.heappush(ready, (names[second], second))
    return order


def expanded(container: Mapping) -> Mapping:
    """``container`` with a ``$`` doubled only where it must be, and paths in volumes without references as such."""
    env = items(container.get("env"))
    names = [str(scalar(child(item, "name"))) for item in env]
    scope = Scope(frozenset(names), any_name=bool(items(container.get("envFrom"))))
    for field in ("command", "args"):
        words = container.get(field)
        if isinstance(words, Sequence):
            new = Sequence(tuple(_word(node, scope) for node in words.items), words.span)
            container = with_value(container, field, new)
    old = container.get("env")
    if old is not None and env:
        container = with_value(container, "env", Sequence(tuple(_values(env, names, scope)), old.span))
    return with_each(container, "volumeMounts", lambda node: _path(node, scope))


def _values(env: Many[Node], names: Many[str], scope: Scope) -> Iterator[Node]:
    """The entries of ``env``; each sees those before it."""
    later = set(names)
    seen = replace(scope, later=later)
    for item, name in zip(env, names, strict=True):
        yield _value(item, seen)
        later.discard(name)


def _value(item: Node, scope: Scope) -> Node:
    value = child(item, "value")
    return with_value(item, "value", _word(value, scope)) if isinstance(item, Mapping) and value is not None else item


def _word(node: Node, scope: Scope) -> Node:
    value = scalar(node)
    new = canonical(value, scope) if isinstance(value, str) else None
    return node if new is None or new == value else text(new, node.span)


def _path(mount: Mapping, scope: Scope) -> Node:
    """``subPathExpr`` that refers to nothing is ``subPath``."""
    path = scalar(mount.get("subPathExpr"))
    if not isinstance(path, str) or not path or "subPath" in mount.entries:
        return mount
    found = parts(path, scope)
    if any(isinstance(part, Reference) for part in found):
        return mount
    old = mount.entries["subPathExpr"]
    plain = text("".join(part for part in found if isinstance(part, str)), old.value.span)
    rest = without(mount, ("subPathExpr",))
    return Mapping({**rest.entries, "subPath": Entry("subPath", old.key_span, plain)}, mount.span)


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


def old_names(pod: Mapping) -> Mapping:
    """With the names that fields have today, which win over older ones."""
    for field in POD:
        old = pod.entries.get(field.old)
        if old is not None:
            has_new = bool(scalar(pod.get(field.path)))
            pod = without(pod, (field.old,))
            new = {} if has_new else {field.path: Entry(field.path, old.key_span, old.value)}
            pod = Mapping({**pod.entries, **new}, pod.span)
    return pod


_OF_BOTH: Final = ("runAsNonRoot", "runAsUser", "runAsGroup", "seccompProfile")
"""What a container's ``securityContext`` can say instead of the pod's."""


def common_security(pod: Mapping) -> Mapping:
    """``pod`` with what all its containers say of themselves said of the pod."""
    containers = [item for field in CONTAINERS for item in items(pod.get(field))]
    for key in _OF_BOTH:
        of_pod = child(pod, "securityContext", key)
        nodes = [child(container, "securityContext", key) or of_pod for container in containers]
        values = [None if node is None else plain(node) for node in nodes]
        if not nodes or nodes[0] is None or values[0] is False or any(value != values[0] for value in values):
            continue
        new = put(in_containers(pod, _without_right(key)), ("securityContext", key), nodes[0])
        assert isinstance(new, Mapping)
        pod = new
    return pod


def _without_right(key: str) -> Change:
    return lambda container: within(container, ("securityContext",), lambda rights: without(rights, (key,)))


def host_ports(pod: Mapping) -> Mapping:
    """On the network of the node a port of a container is that of the node."""
    if scalar(pod.get("hostNetwork")) is not True:
        return pod

    def bare(port: Mapping) -> Node:
        same = scalar(port.get("hostPort")) == scalar(port.get("containerPort"))
        return without(port, ("hostPort",)) if same else port

    return in_containers(pod, lambda container: with_each(container, "ports", bare))


def empty_volumes(pod: Mapping) -> Mapping:
    """A volume without a source is an ``emptyDir``."""

    def sourced(volume: Mapping) -> Node:
        empty = set(volume.entries) == {"name"}
        return with_value(volume, "emptyDir", mapping({}, volume.span)) if empty else volume

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

    def rename(node: Mapping) -> Node:
        old = node.get("name")
        name = scalar(old)
        if old is not None and isinstance(name, str) and name in names:
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
        pod = with_each(pod, field, change)
    return pod


def with_each(node: Mapping, field: str, change: Callable[[Mapping], Node]) -> Mapping:
    """``node`` with ``change`` applied to each map in the list ``field``."""
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
        old_names,
        "`serviceAccount`, the old name of `serviceAccountName`",
        "`Convert_v1_PodSpec_To_core_PodSpec` in pkg/apis/core/v1/conversion.go",
    ),
    Rule(
        "PodSpec",
        common_security,
        "`runAsNonRoot`, `runAsUser`, `runAsGroup` and `seccompProfile` that all containers have alike, which are the "
        "pod's",
        "`DetermineEffectiveSecurityContext` in pkg/securitycontext/util.go",
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


GENERATED: Final = ("batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "controller-uid", "job-name")
"""Labels that the server gives to pods of a Job whose selector it makes, and through them to a Job without labels."""

INDEX_FIELDS: Final = (INDEX_FIELD, INDEX_FIELD.replace("annotations", "labels"))
_NO_LIMIT: Final = 2**31 - 1

DEFAULTS: Final[Defaults] = {
    "JobSpec": {
        "completionMode": "NonIndexed",
        "suspend": False,
        "manualSelector": False,
        "managedBy": "kubernetes.io/job-controller",
    },
    "PodFailurePolicyOnPodConditionsPattern": {"status": "True"},
}
SETS: Final[Sets] = {
    "PodFailurePolicyOnExitCodesRequirement": {"values": ()},
    "PodFailurePolicyRule": {"onPodConditions": ("type", "status")},
}


def selector(spec: Mapping) -> Mapping:
    """Without the selector and the labels of pods that the server makes."""
    if scalar(spec.get("manualSelector")) is True:
        return spec
    place = ("template", "metadata", "labels")
    return within(without(spec, ("selector",)), place, lambda labels: without(labels, GENERATED))


def counts(spec: Mapping) -> Mapping:
    """Without the numbers that the server fills in: one pod at a time, and one in all where none is given."""
    at_once, in_all = scalar(spec.get("parallelism")), scalar(spec.get("completions"))
    if at_once == 1 and in_all == 1:
        return without(spec, ("parallelism", "completions"))
    return without(spec, ("parallelism",)) if at_once == 1 and in_all is not None else spec


def failures(spec: Mapping) -> Mapping:
    """Without the limit of failures and the time of replacement that follow from other fields."""
    limit = _NO_LIMIT if spec.get("backoffLimitPerIndex") is not None else DEFAULT_LIMIT
    replaced = "Failed" if spec.get("podFailurePolicy") is not None else "TerminatingOrFailed"
    meant = {"backoffLimit": limit, "podReplacementPolicy": replaced}
    return without(spec, [key for key, value in meant.items() if scalar(spec.get(key)) == value])


def index_variable(spec: Mapping) -> Mapping:
    """Without the variable of the index, which the controller adds at the end of env where it is not there."""
    return without_index_variable(spec) if scalar(spec.get("completionMode")) == "Indexed" else spec


def without_index_variable(spec: Mapping) -> Mapping:
    """The same for a Job that is Indexed whatever it says."""
    return within(
        spec, ("template", "spec"), lambda pod: in_containers(pod, lambda item: without_entries(item, _is_index))
    )


def _is_index(entry: Node) -> bool:
    field = child(entry, "valueFrom", "fieldRef")
    return scalar(child(entry, "name")) == INDEX_VARIABLE and scalar(child(field, "fieldPath")) in INDEX_FIELDS


DEFAULTING: Final = "`SetDefaults_Job` in pkg/apis/batch/v1/defaults.go"
JOB_RULES: Final = (
    Rule(
        "JobSpec",
        selector,
        "`selector` and the labels `job-name`, `controller-uid` and their long forms, unless `manualSelector` is true",
        "`generateSelector` in pkg/registry/batch/job/strategy.go",
    ),
    Rule("JobSpec", counts, "`parallelism: 1`, and `completions: 1` beside it", DEFAULTING),
    Rule(
        "JobSpec",
        failures,
        "`backoffLimit: 6` (with `backoffLimitPerIndex` the largest int), and `podReplacementPolicy` `Failed` beside a "
        "`podFailurePolicy`, else `TerminatingOrFailed`",
        DEFAULTING,
    ),
    Rule(
        "JobSpec",
        index_variable,
        "`JOB_COMPLETION_INDEX` from the index of an Indexed Job's pod, if no other value refers to it",
        "`addCompletionIndexEnvVariable` in pkg/controller/job/indexed_job_utils.go",
    ),
)
