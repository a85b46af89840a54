"""TFJobs of older APIs as kubeflow.org/v1 has them.

``v1alpha1`` (and ``mlkube.io/v1beta1``, ``tensorflow.org/v1alpha1`` before it) has a list ``replicaSpecs``, the restart
policy in the pod template and a port beside it; ``v1alpha2`` to ``v1beta2``, and v1 until its operator 1.0.0, have at
the level of ``spec`` what is ``runPolicy`` now. The operators of the older APIs cleaned up by default, today's does
not, so that default is written out. Sources: the types and defaults of tf-operator v0.1 to v1.0.1, and of KubeDL.

``spec.tensorboard`` of 2017 stays where it is: there is nothing in v1 that it could become.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tfdsl.manifest.nodes import (
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    changed,
    child,
    items,
    mapping,
    put,
    renamed,
    scalar,
    text,
    with_value,
    without,
)

if TYPE_CHECKING:
    from tfdsl.text import Span

API_VERSION: Final = "kubeflow.org/v1"
ROLE_KEYS: Final = ("PS", "Worker", "Chief", "Master", "Evaluator")
"""The spelling to which the operator turns a key that differs in case only."""

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
    return next((known for known in ROLE_KEYS if known.lower() == key.lower()), key)


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
    if not isinstance(containers, Sequence):
        return containers
    changed_items: list[Node] = []
    for container in containers.items:
        if isinstance(container, Mapping) and scalar(container.get("name")) == "tensorflow":
            container = with_value(container, "ports", _ports(container.get("ports"), port, container.span))
        changed_items.append(container)
    return Sequence(tuple(changed_items), containers.span)


def _ports(own: Node | None, port: Scalar, span: Span) -> Node:
    if any(scalar(child(one, "name")) == "tfjob-port" for one in items(own)):
        assert own is not None
        return own
    added = mapping({"name": text("tfjob-port", port.span), "containerPort": port}, port.span)
    return Sequence((*items(own), added), own.span if own is not None else span)


def _camel_case(key: str) -> str:
    """``key`` as all APIs but the very first write it: ``replica_specs`` → ``replicaSpecs``."""
    return _SNAKE.sub(lambda found: found[1].upper(), key)
