"""Objects beside a job: the Service, the claims, TensorBoard's Deployment; and the normal form of a document."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Map
from collections.abc import Sequence as Many
from typing import Final, cast

from tfdsl.manifest.edits import scalar, with_value, within, without
from tfdsl.manifest.nodes import Mapping, Node
from tfdsl_backends.podspec.normal import align, tables
from tfdsl_backends.podspec.normal.metadata import of_object
from tfdsl_backends.podspec.normal.order import like
from tfdsl_backends.podspec.normal.pods import RULES, with_each
from tfdsl_backends.podspec.normal.types import Types, declared_defaults, kubernetes_types
from tfdsl_backends.podspec.normal.walk import Defaults, Dialect, Rule, Sets, joined, normal

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

    def bare(port: Node) -> Node:
        if isinstance(port, Mapping) and scalar(port.get("targetPort")) == scalar(port.get("port")):
            return without(port, ("targetPort",))
        return port

    return with_each(kept, "ports", bare)


def claim(document: Mapping) -> Mapping:
    """Without the volume that it was bound to."""
    spec = document.get("spec")
    return with_value(document, "spec", without(spec, ("volumeName",))) if isinstance(spec, Mapping) else document


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
    Rule(
        "PersistentVolumeClaim", claim, "`volumeName`, which binding writes", "pkg/controller/volume/persistentvolume"
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
    ports = align.target_ports(documents) | kept_ports
    pairs = align.counterparts(documents, written)
    return [with_order_of(job(own, other, ports), other, kinds, words) for own, other in pairs]


def with_order_of(own: Node, written: Node | None, kinds: Map[tuple[str, str], str], words: Dialect) -> Node:
    """The normal form ``own`` with its sets in the order of ``written``, a normal form of the same kind."""
    if written is None or not isinstance(own, Mapping):
        return own
    return like(own, written, _type_of(own, kinds), words)


def _type_of(document: Mapping, kinds: Map[tuple[str, str], str]) -> str:
    version, kind = scalar(document.get("apiVersion")), scalar(document.get("kind"))
    return {**KINDS, **kinds}.get((str(version), str(kind)), _OTHER)
