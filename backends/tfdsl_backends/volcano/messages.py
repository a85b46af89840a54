"""What the checks of the volcano target can say. Codes from 100 on; 001 to 049 belong to the pods."""

from tfdsl.diagnostics import Rule
from tfdsl_backends.podspec.messages import flow_rules, pod_rules, sidecar_rule

SIDECAR_NODES = sidecar_rule("volcano", "VOL")
PODS = pod_rules("volcano", "VOL", additions=160)
FLOWS = flow_rules("volcano", "VOL")

STATIC_TF_CONFIG = Rule(
    "VOL100",
    "volcano-static-tf-config",
    "info",
    "TF_CONFIG is written as a variable of each pod because the tensorflow plugin {reason}",
)
PLUGIN_DIFFERS = Rule(
    "VOL101", "volcano-plugin-differs", "warning", 'with tf_config = "plugin" TF_CONFIG differs: {difference}'
)
PLUGIN_ONE_PORT = Rule(
    "VOL102",
    "volcano-plugin-port",
    "error",
    "the tensorflow plugin uses one port for all roles, but {first} has {first_port} and {second} {second_port}",
)
NETWORK_POLICY = Rule(
    "VOL103",
    "volcano-network-policy",
    "info",
    "the job's pods accept connections from anywhere, so that {what} can be reached",
)
HOSTS_VARIABLE = Rule(
    "VOL104",
    "volcano-hosts-variable",
    "warning",
    "the svc plugin sets {variable} in every container, with {size} bytes; Linux does not start a "
    "process with a variable above 131071",
)
QUEUE_NAME = Rule("VOL105", "volcano-queue-name", "error", "{queue} is not a valid queue name: {problem}")
TOO_LARGE = Rule(
    "VOL106",
    "volcano-number-too-large",
    "error",
    "{field} would be {value}; its maximum is 2147483647",
)
OPTION = Rule("VOL107", "volcano-option", "error", "{option} of target volcano cannot be used: {problem}")

PRIORITY = Rule(
    "VOL151",
    "volcano-priority",
    "info",
    "a waiting job preempts running jobs of lower priority only if the scheduler's actions include "
    "preempt; by default they do not",
)
PREPARE_IS_PENDING = Rule(
    "VOL158",
    "volcano-prepare-is-pending",
    "info",
    "while the prepare steps of {roles} run, their pods count as pending",
)
LOST_LOGS = Rule(
    "VOL152",
    "volcano-lost-logs",
    "info",
    "when the retries are used up, the failed pods are removed together with their logs",
)
SCHEDULER_NAME = Rule(
    "VOL153",
    "volcano-scheduler-name",
    "error",
    "scheduler has {length} characters, but at most 63 are allowed",
)
RESERVED_PATH = Rule(
    "VOL154",
    "volcano-reserved-path",
    "error",
    "the svc plugin has its own mount at /etc/volcano, so no pod with a mount at {path} would start",
)
RESERVED_VARIABLE = Rule(
    "VOL155", "volcano-reserved-variable", "error", "Volcano sets {name} itself and would replace this value"
)
RESERVED_MARK = Rule(
    "VOL156",
    "volcano-reserved-label",
    "error",
    "Volcano writes {name} on each pod itself and would replace this value",
)
STATIC_VERSION = Rule(
    "VOL157",
    "volcano-static-version",
    "error",
    "a static TF_CONFIG needs a replica's index, which Volcano writes on its pod from version 1.9 on",
)

RULES = (
    *PODS.all(),
    *FLOWS.all(),
    SIDECAR_NODES,
    STATIC_TF_CONFIG,
    PLUGIN_DIFFERS,
    PLUGIN_ONE_PORT,
    NETWORK_POLICY,
    HOSTS_VARIABLE,
    QUEUE_NAME,
    TOO_LARGE,
    OPTION,
    PRIORITY,
    PREPARE_IS_PENDING,
    LOST_LOGS,
    SCHEDULER_NAME,
    RESERVED_PATH,
    RESERVED_VARIABLE,
    RESERVED_MARK,
    STATIC_VERSION,
)
