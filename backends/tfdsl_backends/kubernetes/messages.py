"""What the kubernetes target checks beyond its table."""

from __future__ import annotations

from tfdsl.diagnostics import Rule
from tfdsl_backends.podspec.messages import kueue_rules, pod_rules

PODS = pod_rules("kubernetes", "K8S", additions=105)
KUEUE = kueue_rules("kubernetes", "K8S")

HOST_TWICE = Rule(
    "K8S100",
    "kubernetes-host-twice",
    "error",
    "kubernetes: host {host} stands in hosts {count} times; two tasks of one port cannot share a node",
)
TOO_FEW_HOSTS = Rule(
    "K8S101",
    "kubernetes-too-few-hosts",
    "error",
    "kubernetes: {needed} replicas ({roles}) need {needed} hosts; hosts names {given}{excluded}, {missing} too few",
)
NO_NODE_NAME = Rule(
    "K8S102",
    "kubernetes-host-name",
    "error",
    "kubernetes: {host} cannot be the name of a node: small letters, digits, - and . only, at most 253 characters",
)
EXCLUDE_ALONE = Rule(
    "K8S103",
    "kubernetes-exclude-without-hosts",
    "error",
    "kubernetes: exclude takes nodes out of hosts, but no hosts are given",
)
TOO_LARGE = Rule(
    "K8S104",
    "kubernetes-number-too-large",
    "error",
    "kubernetes: {field} would be {value}; the field takes at most {limit}",
)

RULES = (
    *PODS.all(),
    *KUEUE.all(),
    HOST_TWICE,
    TOO_FEW_HOSTS,
    NO_NODE_NAME,
    EXCLUDE_ALONE,
    TOO_LARGE,
)
