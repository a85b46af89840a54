"""Which nodes the pods of a role are placed on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.emit.located import Data, Located, child, entry

if TYPE_CHECKING:
    from tfdsl.ir.model import Role
    from tfdsl_backends.podspec.plan import PodPlan


def node_selector(role: Role) -> Data:
    """The labels with one value; those with several are an affinity."""
    path = child(role.path, "node_selector")
    selector = role.node_selector.items()
    labels = {key: Located(value, entry(path, key)) for key, value in selector if isinstance(value, str)}
    return Located(labels, path) if labels else None


def affinity(role: Role, plan: PodPlan) -> Data:
    """Labels of nodes with several values, and replicas on different nodes; both are hard rules."""
    nodes, apart = _nodes(role), _spread(role, plan)
    if nodes is None and apart is None:
        return None
    path = child(role.path, "node_selector" if apart is None else "spread")
    return Located({"nodeAffinity": nodes, "podAntiAffinity": apart}, path)


def _nodes(role: Role) -> Data:
    path = child(role.path, "node_selector")
    expressions: list[Data] = [
        Located({"key": key, "operator": "In", "values": list(values)}, entry(path, key))
        for key, values in role.node_selector.items()
        if not isinstance(values, str)
    ]
    if not expressions:
        return None
    terms: Data = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
    return Located({"requiredDuringSchedulingIgnoredDuringExecution": terms}, path)


def _spread(role: Role, plan: PodPlan) -> Data:
    if role.spread != "node":
        return None
    assert plan.spread_labels, "an empty selector keeps all pods of the namespace away"
    term: Data = {"labelSelector": {"matchLabels": dict(plan.spread_labels)}, "topologyKey": "kubernetes.io/hostname"}
    return {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
