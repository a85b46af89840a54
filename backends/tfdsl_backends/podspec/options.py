"""Options that every target of the Kubernetes family has, and the names in pods and jobs that they are about."""

from tfdsl.backend import Option
from tfdsl.vocabulary.types import BOOL, STRING, one_of

NO_SIDECAR = "sidecar.istio.io/inject"
"""A sidecar would keep a finished pod alive and intercept traffic between the tasks (kubeflow/kubeflow issue 3935)."""

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
"""The label of the job's own object by which Kueue takes it into a queue (Kueue, "Run a Job")."""

PARTIAL_ADMISSION = "kueue.x-k8s.io/job-min-parallelism"
"""The annotation of a Job with which Kueue may start fewer replicas than it has."""

VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES"
"""The variable that tells the NVIDIA runtime which devices a container sees."""

JOB_LABELS = ("batch.kubernetes.io/", "job-name", "controller-uid")
"""What labels begin with that a Job has of its own, or whole ones: the server writes them on its pods, and refuses
other values. The index of a pod, another label below the same prefix, is written over by the controller.
Source: `generateSelector` in pkg/registry/batch/job/strategy.go, and `ValidateGeneratedSelector`."""

ARGO_VERSIONS = ("3.5", "3.6", "3.7", "4.0", "4.1")
"""Oldest first."""

POD_OPTIONS = (
    Option(
        "argo",
        one_of(*ARGO_VERSIONS),
        "The version of Argo Workflows that runs the job's flow; a job that is in no flow does not need it.",
        ARGO_VERSIONS[-1],
    ),
    Option(
        "istio_annotation",
        BOOL,
        f'Give every pod the annotation `{NO_SIDECAR}: "false"`: Istio\'s sidecar would keep a finished pod running. '
        "`false` omits the annotation.",
        True,
    ),
    Option(
        "nvidia_visible_devices",
        STRING,
        f"Value of `{VISIBLE_DEVICES}` for roles without a GPU when another role has one; without it they would see "
        "all GPUs of their node. An empty text omits the variable.",
        "void",
    ),
    Option(
        "cluster_dns",
        BOOL,
        "Pods on the network of their node (`host_network`) also resolve the names of the cluster (dnsPolicy "
        "ClusterFirstWithHostNet). `false` leaves them with the names that the node resolves.",
        True,
    ),
)
