"""What the API server refuses in where pods may run.

Source: Kubernetes `pkg/apis/core/validation/validation.go` (ValidateTolerations, validateAffinity,
validateTopologySpreadConstraints).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfdsl.patch.rules import Complaint
from tfdsl_backends.podspec.patching import formats
from tfdsl_backends.podspec.patching.walking import Node, alternatives, part

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_NODE_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_LABEL_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")
_NOW: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_BETTER: Final = "preferredDuringSchedulingIgnoredDuringExecution"


def tolerations(node: Node) -> Iterator[Complaint]:
    """What is wrong with tolerations."""
    for one in node.items():
        operator = one["operator"].data or "Equal"
        if operator not in ("Equal", "Exists", "Lt", "Gt"):
            yield one["operator"].complain(f"{operator!r} is not an operator of a toleration: Equal or Exists")
        if one["effect"].data and one["effect"].data not in _EFFECTS:
            yield one["effect"].complain(f"{one['effect'].data!r} is not an effect: {alternatives(_EFFECTS)}")
        if one["key"].data and not formats.is_qualified_name(one["key"].data):
            yield one["key"].complain(f"{one['key'].data!r} is not the key of a taint")
        if not one["key"].data and operator != "Exists":
            yield one.complain('a toleration without a key needs operator = "Exists"')
        if operator == "Exists" and one["value"].data:
            yield one["value"].complain('a toleration with operator = "Exists" has no value')
        if one["value"].data and not formats.is_label_value(one["value"].data):
            yield one["value"].complain(f"{one['value'].data!r} is not the value of a taint")
        if one.has("tolerationSeconds") and one["effect"].data != "NoExecute":
            yield one["tolerationSeconds"].complain('tolerationSeconds needs effect = "NoExecute"', key=True)


def affinity(node: Node) -> Iterator[Complaint]:
    """What is wrong with affinities."""
    nodes = node["nodeAffinity"]
    for term in nodes[_NOW]["nodeSelectorTerms"].items():
        yield from _expressions(term["matchExpressions"], _NODE_OPERATORS)
    if nodes.has(_NOW) and not nodes[_NOW]["nodeSelectorTerms"].data:
        yield nodes[_NOW].complain(f"{_NOW} needs nodeSelectorTerms")
    for term in nodes[_BETTER].items():
        yield from _weight(term)
        yield from _expressions(term["preference"]["matchExpressions"], _NODE_OPERATORS)
    for kind in ("podAffinity", "podAntiAffinity"):
        for term in node[kind][_NOW].items():
            yield from _pod_term(term)
        for term in node[kind][_BETTER].items():
            yield from _weight(term)
            yield from _pod_term(term["podAffinityTerm"])


def _pod_term(term: Node) -> Iterator[Complaint]:
    if not formats.is_qualified_name(term["topologyKey"].data):
        yield part(term, "topologyKey").complain(
            "the term needs a topologyKey, the key of a node label", "for example kubernetes.io/hostname"
        )
    yield from _expressions(term["labelSelector"]["matchExpressions"], _LABEL_OPERATORS)


def _weight(term: Node) -> Iterator[Complaint]:
    weight = term["weight"].data
    if not isinstance(weight, int) or not 1 <= weight <= 100:
        yield part(term, "weight").complain("weight must be between 1 and 100")


def _expressions(node: Node, operators: tuple[str, ...]) -> Iterator[Complaint]:
    for one in node.items():
        operator, values = one["operator"].data, one["values"]
        if operator not in operators:
            yield part(one, "operator").complain(f"the operator must be {alternatives(operators)}")
        if not formats.is_qualified_name(one["key"].data):
            yield part(one, "key").complain(f"{one['key'].data!r} is not the key of a label")
        if operator in ("In", "NotIn") and not values.data:
            yield part(one, "values").complain(f"{operator} needs values")
        if operator in ("Exists", "DoesNotExist") and values.data:
            yield values.complain(f"{operator} has no values")


def spread(node: Node) -> Iterator[Complaint]:
    """What is wrong with topology spread constraints."""
    for one in node.items():
        skew = one["maxSkew"].data
        if not isinstance(skew, int) or skew < 1:
            yield part(one, "maxSkew").complain("maxSkew must be at least 1")
        if not formats.is_qualified_name(one["topologyKey"].data):
            yield part(one, "topologyKey").complain("the constraint needs a topologyKey, the key of a node label")
        if one["whenUnsatisfiable"].data not in ("DoNotSchedule", "ScheduleAnyway"):
            yield part(one, "whenUnsatisfiable").complain("whenUnsatisfiable must be DoNotSchedule or ScheduleAnyway")
