"""TFJobs of every API as v1 has them, and their normal form: what the operator fills in and overwrites in the pods."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence as Many
from functools import cache
from typing import Final

from tfdsl.manifest.nodes import (
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    changed,
    child,
    each,
    items,
    mapping,
    plain,
    put,
    renamed,
    scalar,
    text,
    with_value,
    within,
    without,
    without_items,
)
from tfdsl.vocabulary import versions
from tfdsl_backends.podspec.normal import documents
from tfdsl_backends.podspec.normal.documents import dialect, document, with_names_of
from tfdsl_backends.podspec.normal.rules import without_entries
from tfdsl_backends.podspec.normal.walk import Change, Defaults, Dialect, Rule, Types
from tfdsl_backends.podspec.plan import CONTAINER, PORT_NAME
from tfdsl_backends.podspec.reading.objects import pruned
from tfdsl_backends.tfjob.options import API_VERSION, KEEPS_PODS, ROLE_KEYS, VERSIONS

# --- TFJobs of older APIs as kubeflow.org/v1 has them ---
#
# v1alpha1 (and mlkube.io/v1beta1, tensorflow.org/v1alpha1 before it) has a list replicaSpecs, the restart policy in the
# pod template and a port beside it; v1alpha2 to v1beta2, and v1 until its operator 1.0.0, have at the level of spec
# what is runPolicy now. The operators of the older APIs cleaned up by default, today's does not, so that default is
# written out. Sources: the types and defaults of tf-operator v0.1 to v1.0.1, and of KubeDL.
#
# spec.tensorboard of 2017 stays where it is: there is nothing in v1 that it could become.

OLD_POLICIES: Final = ("cleanPodPolicy", "ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit")
"""What was at the level of ``spec`` before there was ``runPolicy`` (tf-operator 1.0.1)."""

FORK: Final = "training.kubedl.io/"
"""KubeDL's TFJob, with policies at the level of ``spec`` and defaults of its own (api/training/v1alpha1)."""

_GROUPS: Final = ("mlkube.io/", "tensorflow.org/", "kubeflow.org/", FORK)
_LISTED: Final = ("mlkube.io/", "tensorflow.org/", "kubeflow.org/v1alpha1")
_FLAT: Final = ("kubeflow.org/v1alpha2", "kubeflow.org/v1beta1", "kubeflow.org/v1beta2", FORK)
_OF_THE_LIST: Final = ("replicaSpecs", "terminationPolicy", "cleanupPodPolicy", "schedulerName", "RuntimeId", "tfImage")
OF_AN_ITEM: Final = ("tfReplicaType", "tfPort", "isDefaultPS")
"""What an item of ``replicaSpecs`` had beside its template, and v1 has not."""

_SNAKE: Final = re.compile(r"_([a-z])")


def is_tfjob(node: Node) -> bool:
    """Whether it is a TFJob of any API that Kubeflow's operator has had, or of KubeDL."""
    version, kind = scalar(child(node, "apiVersion")), scalar(child(node, "kind"))
    return kind in ("TFJob", "TfJob") and isinstance(version, str) and version.startswith(_GROUPS)


def modern(node: Node) -> Node:
    """``node`` as kubeflow.org/v1 has it, with the places of what it was; itself if it is no TFJob.

    Keys of roles get the operator's spelling, also in v1.
    """
    if not is_tfjob(node) or not isinstance(node, Mapping):
        return node
    version = str(scalar(node.get("apiVersion")))
    for key, value in (("apiVersion", API_VERSION), ("kind", "TFJob")):
        old = node.get(key)
        assert old is not None
        node = with_value(node, key, text(value, old.span))
    return changed(node, ("spec",), lambda spec: _spec(spec, version))


def _spec(node: Node, version: str) -> Node:
    if not isinstance(node, Mapping):
        return node
    spec = renamed(node, _camel_case)
    if version.startswith(_LISTED) or "replicaSpecs" in spec.entries:
        spec = _from_list(spec)
    spec = _with_run_policy(spec, cleans_up=version.startswith(_FLAT))
    roles = spec.get("tfReplicaSpecs")
    if not isinstance(roles, Mapping):
        return spec
    entries = renamed(roles, role_key).entries.items()
    default = "ExitCode" if version.startswith(FORK) else ""
    modern_roles = {key: Entry(key, entry.key_span, _role(entry.value, default)) for key, entry in entries}
    return with_value(spec, "tfReplicaSpecs", Mapping(modern_roles, roles.span))


def role_key(key: str) -> str:
    """``key`` of ``tfReplicaSpecs`` in the operator's spelling."""
    return next((known for known in ROLE_KEYS.values() if known.lower() == key.lower()), key)


def _role(node: Node, restart: str) -> Node:
    """A role without what older APIs had in it, which newer servers throw away; ``restart``: a policy by default."""
    if not isinstance(node, Mapping):
        return node
    role = without(node, OF_AN_ITEM)
    if restart and not scalar(role.get("restartPolicy")):
        return with_value(role, "restartPolicy", text(restart, role.span))
    return role


def _with_run_policy(spec: Mapping, *, cleans_up: bool) -> Mapping:
    """``spec`` with the old policies in ``runPolicy``; one that is there already wins."""
    policies = {key: entry for key, entry in spec.entries.items() if key in OLD_POLICIES}
    if cleans_up and scalar(spec.get("cleanPodPolicy")) is None:
        policies["cleanPodPolicy"] = Entry("cleanPodPolicy", spec.span, text("Running", spec.span))
    if not policies:
        return spec
    own = spec.get("runPolicy")
    entries = {**policies, **(own.entries if isinstance(own, Mapping) else {})}
    span = own.span if own is not None else next(iter(policies.values())).value.span
    return with_value(without(spec, OLD_POLICIES), "runPolicy", Mapping(entries, span))


# --- v1alpha1 ----------------------------------------------------------------------------------------------------


def _from_list(spec: Mapping) -> Mapping:
    """``spec`` with ``tfReplicaSpecs`` made from ``replicaSpecs``. A second entry of a type is not kept.

    ``terminationPolicy`` says which task decides; v1 has one rule for that, which it usually repeats.
    """
    scheduler = spec.get("schedulerName")
    roles: dict[str, Node] = {}
    for item in items(spec.get("replicaSpecs")):
        if isinstance(item, Mapping):
            item = renamed(item, _camel_case)
            kind = scalar(item.get("tfReplicaType"))
            key = role_key(kind if isinstance(kind, str) and kind else "MASTER")
            roles.setdefault(key, _from_item(item, scheduler))
    cleanup = spec.get("cleanupPodPolicy")
    listed = spec.get("replicaSpecs")
    new = without(spec, _OF_THE_LIST)
    if listed is not None:
        new = with_value(new, "tfReplicaSpecs", mapping(roles, listed.span))
    if "cleanPodPolicy" in new.entries or child(new, "runPolicy", "cleanPodPolicy") is not None:
        return new
    kept = cleanup if cleanup is not None and scalar(cleanup) else text("All", spec.span)
    return with_value(new, "cleanPodPolicy", kept)


def _from_item(item: Mapping, scheduler: Node | None) -> Node:
    """One role: its restart policy was that of its pods, and a port beside the template was that of its container."""
    pod = ("template", "spec")
    restart = child(item, *pod, "restartPolicy")
    new: Node = item
    if restart is not None and "restartPolicy" not in item.entries:
        new = put(new, ("restartPolicy",), restart)
        new = changed(new, pod, lambda node: without(node, ("restartPolicy",)) if isinstance(node, Mapping) else node)
    if scheduler is not None and child(new, *pod) is not None and child(new, *pod, "schedulerName") is None:
        new = put(new, (*pod, "schedulerName"), scheduler)
    port = item.get("tfPort")
    if isinstance(port, Scalar) and port.value not in (None, 2222):
        new = changed(new, (*pod, "containers"), lambda node: _with_port(node, port))
    return new


def _with_port(containers: Node, port: Scalar) -> Node:
    """``containers`` with ``port`` as the one that the operator looks for, in the container ``tensorflow``."""

    def with_port(container: Node) -> Node:
        ports = child(container, "ports")
        named = any(scalar(child(item, "name")) == PORT_NAME for item in items(ports))
        if not isinstance(container, Mapping) or scalar(container.get("name")) != CONTAINER or named:
            return container
        added = mapping({"name": text(PORT_NAME, port.span), "containerPort": port}, port.span)
        span = container.span if ports is None else ports.span
        return with_value(container, "ports", Sequence((*items(ports), added), span))

    return each(containers, with_port)


def _camel_case(key: str) -> str:
    """``key`` as all APIs but the very first write it: ``replica_specs`` → ``replicaSpecs``."""
    return _SNAKE.sub(lambda match: match[1].upper(), key)


# --- the normal form ---

KINDS: Final = {(API_VERSION, "TFJob"): "TFJob"}
PORT: Final = {"name": PORT_NAME, "containerPort": 2222}
DECIDES: Final = ("Chief", "Master")
OVERWRITTEN: Final = tuple(
    f"training.kubeflow.org/{name}" for name in ("operator-name", "job-name", "replica-type", "replica-index")
)
"""Labels that the operator gives every pod, whatever the template says."""

TYPES: Final[Types] = {
    "TFJob": {"metadata": "ObjectMeta", "spec": "TFJobSpec"},
    "TFJobSpec": {
        "runPolicy": "RunPolicy",
        "successPolicy": "*s",
        "tfReplicaSpecs": "{}ReplicaSpec",
        "enableDynamicWorker": "b",
    },
    "RunPolicy": {
        "cleanPodPolicy": "*s",
        "ttlSecondsAfterFinished": "*i",
        "activeDeadlineSeconds": "*i",
        "backoffLimit": "*i",
        "schedulingPolicy": "*SchedulingPolicy",
        "suspend": "*b",
        "managedBy": "*s",
    },
    "SchedulingPolicy": {
        "minAvailable": "*i",
        "queue": "s",
        "minResources": "*{}q",
        "priorityClass": "s",
        "scheduleTimeoutSeconds": "*i",
    },
    "ReplicaSpec": {"replicas": "*i", "template": "PodTemplateSpec", "restartPolicy": "s"},
}
"""Source: pkg/apis/kubeflow.org/v1 of training-operator 1.8.1, and the CRD of 1.9.4 for ``managedBy``."""

DEFAULTS: Final[Defaults] = {
    "RunPolicy": {"suspend": False, "managedBy": "kubeflow.org/training-operator", "schedulingPolicy": {}},
    "SchedulingPolicy": {"queue": "default"},
    "ReplicaSpec": {"replicas": 1, "restartPolicy": "Never"},
}


def with_replicas(spec: Mapping) -> Mapping:
    """Without the roles that have no replicas."""

    def some(roles: Mapping) -> Mapping:
        empty = [key for key, entry in roles.entries.items() if scalar(child(entry.value, "replicas")) == 0]
        return without(roles, empty)

    return within(spec, ("tfReplicaSpecs",), some)


def success_policy(spec: Mapping) -> Mapping:
    """Without a policy that decides nothing: only ``AllWorkers`` of several does, and only where there is no chief."""
    roles = spec.get("tfReplicaSpecs")
    chief = isinstance(roles, Mapping) and any(key in roles.entries for key in DECIDES)
    several = replicas(spec, ("Worker",)) > 1
    decides = scalar(spec.get("successPolicy")) == "AllWorkers" and several and not chief
    return spec if decides else without(spec, ("successPolicy",))


def restart_limit(spec: Mapping) -> Mapping:
    """Without a limit of restarts where nothing that is counted restarts."""
    roles = spec.get("tfReplicaSpecs")
    entries = roles.entries.values() if isinstance(roles, Mapping) else ()
    limit = scalar(child(spec, "runPolicy", "backoffLimit"))
    if limit is None or any(counts_restarts(entry.value, limit) for entry in entries):
        return spec
    return within(spec, ("runPolicy",), lambda policy: without(policy, ("backoffLimit",)))


def counts_restarts(role: Node, limit: object) -> bool:
    """Whether ``backoffLimit: limit`` can end a job because of ``role``.

    The operator adds up the restarts of running containers, sidecars among them, but for roles that are never
    restarted. A limit of 0 also ends the job with the first replica that is to be replaced.
    """
    restart = scalar(child(role, "restartPolicy"))
    if restart == "ExitCode":
        starts = items(child(role, "template", "spec", "initContainers"))
        return limit == 0 or any(scalar(child(start, "restartPolicy")) == "Always" for start in starts)
    return restart in ("OnFailure", "Always")


def gang(spec: Mapping) -> Mapping:
    """Without a gang of all replicas."""
    place = ("runPolicy", "schedulingPolicy")
    if scalar(child(spec, *place, "minAvailable")) != replicas(spec):
        return spec
    return within(spec, place, lambda policy: without(policy, ("minAvailable",)))


def replicas(spec: Mapping, roles: Container[str] | None = None) -> int:
    """How many pods ``roles``, by default all, have; a role without a number has one."""
    node = spec.get("tfReplicaSpecs")
    numbers = [
        scalar(child(entry.value, "replicas"))
        for key, entry in (node.entries if isinstance(node, Mapping) else {}).items()
        if roles is None or key in roles
    ]
    return sum(number if isinstance(number, int) else 1 for number in numbers)


def tf_config(spec: Mapping) -> Mapping:
    """Without a TF_CONFIG that the operator's own, which is the last of that name, hides."""
    if replicas(spec, ROLE_KEYS.values()) == 1:
        return spec
    return _in_roles(spec, lambda role: _in_main(role, _without_tf_config))


def role(spec: Mapping) -> Mapping:
    """Without what the operator overwrites in the pods, and without the port that it adds; its container first."""
    new = within(_in_main(spec, _without_port), ("template", "spec"), _main_first)
    new = within(new, ("template", "spec"), lambda pod: without(pod, ("restartPolicy",)))
    return within(new, ("template", "metadata", "labels"), lambda labels: without(labels, OVERWRITTEN))


def run_policy(policy: Mapping) -> Mapping:
    """With ``All`` for every word that the operator does not know, which it treats like that."""
    own = policy.get("cleanPodPolicy")
    if own is None or scalar(own) in ("None", "Running", "All"):
        return policy
    return with_value(policy, "cleanPodPolicy", text("All", own.span))


def _in_roles(spec: Mapping, change: Change) -> Mapping:
    """``spec`` with ``change`` applied to each role."""

    def each_role(roles: Mapping) -> Mapping:
        for key in roles.entries:
            roles = within(roles, (key,), change)
        return roles

    return within(spec, ("tfReplicaSpecs",), each_role)


def _in_main(role: Mapping, change: Change) -> Mapping:
    """``role`` with ``change`` applied to its container ``tensorflow``; without one, to its first."""

    def in_pod(pod: Mapping) -> Mapping:
        containers = pod.get("containers")
        if not isinstance(containers, Sequence) or not containers.items:
            return pod
        names = [scalar(child(item, "name")) for item in containers.items]
        main = names.index(CONTAINER) if CONTAINER in names else 0
        chosen = containers.items[main]
        if not isinstance(chosen, Mapping) or (new := change(chosen)) is chosen:
            return pod
        changed = (*containers.items[:main], new, *containers.items[main + 1 :])
        return with_value(pod, "containers", Sequence(changed, containers.span))

    return within(role, ("template", "spec"), in_pod)


def _main_first(pod: Mapping) -> Mapping:
    """``pod`` with the container ``tensorflow`` first. Only a hook makes the start of one wait for another."""
    containers = items(pod.get("containers"))
    main = next((container for container in containers if scalar(child(container, "name")) == CONTAINER), None)
    hooks = any(child(container, "lifecycle", "postStart") is not None for container in containers)
    if main is None or hooks or main is containers[0]:
        return pod
    others = tuple(container for container in containers if container is not main)
    return with_value(pod, "containers", Sequence((main, *others), main.span))


def _without_tf_config(container: Mapping) -> Mapping:
    if scalar(container.get("name")) != CONTAINER:
        return container
    return without_entries(container, lambda entry: scalar(child(entry, "name")) == "TF_CONFIG")


def _without_port(container: Mapping) -> Mapping:
    return without_items(container, "ports", lambda port: plain(port) == PORT)


_OPERATOR: Final = "pkg/controller.v1 of training-operator 1.8.1"
_DEFAULTING: Final = "`SetDefaults_TFJob` of training-operator 1.8.1"
RULES: Final = (
    Rule(
        "ReplicaSpec",
        role,
        "`restartPolicy` of the pod, which the role's replaces; the port 2222 named `tfjob-port`; labels "
        "`training.kubeflow.org/` that the operator writes; where the container `tensorflow` is among the others, if "
        "none has a `postStart` hook",
        f"{_DEFAULTING}; {_OPERATOR}/tensorflow/pod.go",
    ),
    Rule("RunPolicy", run_policy, "an unknown `cleanPodPolicy`, which is `All`", f"{_OPERATOR}/common/job.go"),
    Rule(
        "TFJobSpec",
        with_replicas,
        "a role with `replicas: 0`, whose first pod comes and goes",
        f"{_OPERATOR}/common/pod.go",
    ),
    Rule(
        "TFJobSpec",
        restart_limit,
        "`backoffLimit` where no role restarts its containers in place",
        f"`PastBackoffLimit` in {_OPERATOR}/common/job.go",
    ),
    Rule(
        "TFJobSpec",
        success_policy,
        "`successPolicy` other than `AllWorkers`, any beside a chief or master, and any of one worker",
        f"{_OPERATOR}/tensorflow/tfjob_controller.go",
    ),
    Rule("TFJobSpec", gang, "`minAvailable` that is the number of all replicas", f"{_OPERATOR}/common/scheduling.go"),
    Rule(
        "TFJobSpec",
        tf_config,
        "`TF_CONFIG` in the container `tensorflow` of a job with more than one replica: the operator's comes last",
        f"{_OPERATOR}/tensorflow/pod.go",
    ),
)


@cache
def words(clean_pod_policy: str) -> Dialect:
    """The dialect of an operator with this default of ``cleanPodPolicy``."""
    defaults = {**DEFAULTS, "RunPolicy": {**DEFAULTS["RunPolicy"], "cleanPodPolicy": clean_pod_policy}}
    return dialect(TYPES, defaults, {}, RULES)


def normal(documents: Many[Node], version: str) -> Many[Node]:
    """The normal form of TFJobs, of any API, and of what is beside them, for the operator ``version``."""
    known = versions.find(version, VERSIONS)
    keeps = known is None or versions.key(known.known) >= versions.key(KEEPS_PODS)
    dialect = words("None" if keeps else "Running")
    return [document(_known(node), KINDS, dialect) for node in documents]


def _known(node: Node) -> Node:
    """A TFJob as v1 has it, without what is the server's, and TensorBoard of 2017; any other document as it is."""
    return pruned(without_strangers(node), "TFJob", is_servers) if is_tfjob(node) else node


def without_strangers(node: Node) -> Node:
    """A TFJob as v1 has it; one of an older API without what v1 does not know, but for what is read."""
    of_today = scalar(child(node, "apiVersion")) == API_VERSION
    return modern(node) if of_today else pruned(modern(node), "TFJob", lambda path: not is_servers(path))


def is_servers(path: tuple[str | int, ...]) -> bool:
    """Whether what is at ``path`` has no place in v1, but is read or belongs to the server."""
    return path in (("status",), ("spec", "tensorboard")) or path[-1] == "creationTimestamp"


def aligned(documents: Many[Node], written: Many[Node]) -> Many[Node]:
    """``documents`` with the names in pods that ``written`` has, and with its order of sets."""
    return with_names_of(documents, written, _job, KINDS, words("None"), frozenset({PORT_NAME}))


def _job(own: Node, written: Node | None, ports: frozenset[str]) -> Node:
    """A TFJob, or a Deployment beside it, with the names of ``written``."""
    if not isinstance(own, Mapping) or written is None:
        return own
    roles = child(own, "spec", "tfReplicaSpecs")
    keys = roles.entries if isinstance(roles, Mapping) else ()
    for place in (("spec", "template"), *(("spec", "tfReplicaSpecs", key, "template") for key in keys)):
        own = _with_names_of(own, written, place, ports)
    return own


def _with_names_of(own: Mapping, written: Node, place: tuple[str, ...], ports: frozenset[str]) -> Mapping:
    """``own`` with the names that ``written`` has in the pod template at ``place``."""
    template = child(written, *place)
    if not isinstance(template, Mapping):
        return own
    return within(own, place, lambda node: documents.template(node, template, ports))
