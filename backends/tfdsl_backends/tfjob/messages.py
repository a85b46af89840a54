"""What the tfjob target checks beyond its table."""

from tfdsl.diagnostics import Rule
from tfdsl_backends.podspec.messages import flow_rules, kueue_rules, pod_rules, sidecar_rule

SIDECAR_NODES = sidecar_rule("tfjob", "KTF")
PODS = pod_rules("tfjob", "KTF", additions=107)
FLOWS = flow_rules("tfjob", "KTF")
KUEUE = kueue_rules("tfjob", "KTF")

CONFIG_INJECTED = Rule(
    "KTF101",
    "tfjob-config-injected",
    "info",
    "the operator sets TF_CONFIG even with discovery {value}",
)
EVALUATOR_IN_CLUSTER = Rule(
    "KTF102",
    "tfjob-evaluator-in-cluster",
    "info",
    "the operator also lists the evaluator in the cluster of TF_CONFIG; TensorFlow 2.15 runs with it, "
    "but some TensorFlow 2 programs expect it outside",
)
KUEUE_WITHOUT_QUEUE = Rule(
    "KTF105",
    "tfjob-kueue-without-queue",
    "warning",
    "kueue = true, but the job has no queue; Kueue ignores a job without one",
)
DYNAMIC_WORKERS = Rule(
    "KTF127",
    "tfjob-dynamic-workers",
    "info",
    "the job goes on without a worker that has failed, whatever the policies say, and TF_CONFIG lists only the task "
    "itself and, for a worker, the parameter servers",
)
TOO_LARGE = Rule(
    "KTF106",
    "tfjob-number-too-large",
    "error",
    "{field} would be {value}; its maximum is 2147483647",
)

RULES = (
    *PODS.all(),
    *FLOWS.all(),
    SIDECAR_NODES,
    CONFIG_INJECTED,
    EVALUATOR_IN_CLUSTER,
    *KUEUE.all(),
    KUEUE_WITHOUT_QUEUE,
    DYNAMIC_WORKERS,
    TOO_LARGE,
)
