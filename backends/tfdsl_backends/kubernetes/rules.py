"""What the kubernetes target checks beyond its table."""

from __future__ import annotations

from tfdsl.diagnostics import Rule
from tfdsl_backends.podspec.addition_rules import addition_rules
from tfdsl_backends.podspec.host_ports import host_port_rule
from tfdsl_backends.podspec.kueue import kueue_label_rule, queue_name_rule
from tfdsl_backends.podspec.rules import pod_rules

ADDITIONS = addition_rules("K8S", 105)
POD = pod_rules("K8S")
HOST_PORT = host_port_rule("K8S")
KUEUE_LABEL = kueue_label_rule("K8S")
QUEUE_NAME = queue_name_rule("K8S")

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
    *POD.all(),
    *ADDITIONS.all(),
    HOST_PORT,
    KUEUE_LABEL,
    QUEUE_NAME,
    HOST_TWICE,
    TOO_FEW_HOSTS,
    NO_NODE_NAME,
    EXCLUDE_ALONE,
    TOO_LARGE,
)
