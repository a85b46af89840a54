"""What the kubernetes target checks beyond its table."""

from tfdsl.diagnostics import Rule
from tfdsl_backends.podspec.messages import flow_rules, job_label_rule, kueue_rules, pod_rules

PODS = pod_rules("kubernetes", "K8S", additions=105)
FLOWS = flow_rules("kubernetes", "K8S")
KUEUE = kueue_rules("kubernetes", "K8S")
JOB_LABEL = job_label_rule("kubernetes", "K8S")

HOST_TWICE = Rule(
    "K8S100",
    "kubernetes-host-twice",
    "error",
    "hosts names {host} {count} times; two tasks with one port cannot share a node",
)
TOO_FEW_HOSTS = Rule(
    "K8S101",
    "kubernetes-too-few-hosts",
    "error",
    "{needed} replicas ({roles}) need {needed} hosts; hosts has {count}{excluded}, {missing} too few",
)
NO_NODE_NAME = Rule(
    "K8S102",
    "kubernetes-host-name",
    "error",
    "{host} is not a valid node name: use lowercase letters, digits, - and ., at most 253 characters",
)
SAME_NAME = Rule(
    "K8S117", "kubernetes-same-job-name", "error", "the Jobs of {role} have the same name as those of {other}: {name}"
)
EXCLUDE_ALONE = Rule(
    "K8S103",
    "kubernetes-exclude-without-hosts",
    "error",
    "exclude removes nodes from hosts, but hosts is not set",
)
TOO_LARGE = Rule(
    "K8S104",
    "kubernetes-number-too-large",
    "error",
    "{field} would be {value}; its maximum is 2147483647",
)
NO_ADDRESSES = Rule(
    "K8S116",
    "kubernetes-no-addresses",
    "error",
    "without the Service, the addresses that the tasks get would lead nowhere",
)
PARTIAL_ADMISSION = Rule(
    "K8S125",
    "kubernetes-partial-admission",
    "error",
    "with {annotation} Kueue may start fewer replicas than TF_CONFIG names, and those wait for the others forever",
)
SEVERAL_JOBS = Rule(
    "K8S192",
    "kubernetes-flow-several-jobs",
    "error",
    "job {job} becomes {count} Jobs, but a flow can only wait for one",
)
TOO_MANY_RULES = Rule(
    "K8S115",
    "kubernetes-too-many-statuses",
    "error",
    "the Job of role {role} would need {count} rules for exit statuses, because each prepare step beside a sidecar has "
    "its own; its maximum is 20",
)

RULES = (
    *PODS.all(),
    *FLOWS.all(),
    SEVERAL_JOBS,
    *KUEUE.all(),
    JOB_LABEL,
    HOST_TWICE,
    TOO_FEW_HOSTS,
    NO_NODE_NAME,
    EXCLUDE_ALONE,
    TOO_LARGE,
    NO_ADDRESSES,
    TOO_MANY_RULES,
    PARTIAL_ADMISSION,
    SAME_NAME,
)
