"""What the jobset target checks beyond its table."""

from tfdsl.diagnostics import Rule
from tfdsl_backends.podspec.messages import flow_rules, job_label_rule, kueue_rules, pod_rules, sidecar_rule

PODS = pod_rules("jobset", "JBS", additions=105)
FLOWS = flow_rules("jobset", "JBS")
KUEUE = kueue_rules("jobset", "JBS")
JOB_LABEL = job_label_rule("jobset", "JBS")
SIDECAR_NODES = sidecar_rule("jobset", "JBS")

SAME_NAME = Rule(
    "JBS100", "jobset-same-job-name", "error", "{role} and {other} would both be the replicated Job {name}"
)
NO_ADDRESSES = Rule(
    "JBS101",
    "jobset-no-addresses",
    "error",
    "without the Service, the addresses that the tasks get would lead nowhere",
)
TOO_LARGE = Rule("JBS102", "jobset-number-too-large", "error", "{field} would be {value}; its maximum is 2147483647")
TOO_MANY_RULES = Rule(
    "JBS103",
    "jobset-too-many-rules",
    "error",
    "the Job of role {role} would need {count} rules for its failures; its maximum is 20",
)
NO_COORDINATOR = Rule("JBS104", "jobset-coordinator", "error", "the job has no role {name} to be its coordinator")
NO_MESSAGES = Rule(
    "JBS108",
    "jobset-message-patterns",
    "error",
    "JobSet before 0.10 cannot tell these failures apart: some restart the job, others do not",
)
SUCCESS_INDEX = Rule(
    "JBS109",
    "jobset-success-index",
    "info",
    "that one replica ends the job needs Kubernetes 1.31 or newer (successPolicy of a Job)",
)
OWN_NAMES = Rule(
    "JBS110",
    "jobset-own-metadata",
    "error",
    "{key} is an annotation that exclusive_topology writes, and the job sets it to something else",
)
UNEQUAL_JOBS = Rule(
    "JBS115", "jobset-unequal-jobs", "error", "{replicas} replicas of {role} cannot be shared equally by {jobs} Jobs"
)
NO_INDEX = Rule(
    "JBS113",
    "jobset-no-index",
    "error",
    "no replica of {role} can know its index: nothing in a pod counts over {jobs} Jobs of several pods",
)
SUCCESS = Rule(
    "JBS114", "jobset-success", "error", 'a policy says whose end completes the job, and success = "all" that all do'
)

RULES = (
    *PODS.all(),
    *FLOWS.all(),
    *KUEUE.all(),
    JOB_LABEL,
    SIDECAR_NODES,
    SAME_NAME,
    NO_ADDRESSES,
    TOO_LARGE,
    TOO_MANY_RULES,
    NO_COORDINATOR,
    NO_MESSAGES,
    SUCCESS_INDEX,
    OWN_NAMES,
    UNEQUAL_JOBS,
    NO_INDEX,
    SUCCESS,
)
