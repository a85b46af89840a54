"""What the tfjob target checks beyond its table."""

from __future__ import annotations

from tfdsl.diagnostics import Rule
from tfdsl_backends.podspec.addition_rules import addition_rules
from tfdsl_backends.podspec.host_ports import host_port_rule
from tfdsl_backends.podspec.kueue import kueue_label_rule, queue_name_rule
from tfdsl_backends.podspec.rules import pod_rules

ADDITIONS = addition_rules("KTF", 107)
POD = pod_rules("KTF")
HOST_PORT = host_port_rule("KTF")
KUEUE_LABEL = kueue_label_rule("KTF")
QUEUE_NAME = queue_name_rule("KTF")

CONFIG_INJECTED = Rule(
    "KTF101",
    "tfjob-config-injected",
    "warning",
    "tfjob: the operator sets TF_CONFIG all the same; discovery {value} cannot keep it from that",
)
EVALUATOR_IN_CLUSTER = Rule(
    "KTF102",
    "tfjob-evaluator-in-cluster",
    "info",
    "tfjob: the operator also lists the evaluator in the cluster of TF_CONFIG; TensorFlow 2.15 runs with it, some "
    "programs of TensorFlow 2 expect it outside",
)
KUEUE_WITHOUT_QUEUE = Rule(
    "KTF105",
    "tfjob-kueue-without-queue",
    "warning",
    "tfjob: kueue = true, but the job names no queue; Kueue leaves a job without a queue alone",
)
TOO_LARGE = Rule(
    "KTF106",
    "tfjob-number-too-large",
    "error",
    "tfjob: {field} would be {value}; the field takes at most 2147483647",
)

RULES = (
    *POD.all(),
    *ADDITIONS.all(),
    CONFIG_INJECTED,
    EVALUATOR_IN_CLUSTER,
    HOST_PORT,
    KUEUE_LABEL,
    QUEUE_NAME,
    KUEUE_WITHOUT_QUEUE,
    TOO_LARGE,
)
