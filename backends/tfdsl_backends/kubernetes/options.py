"""What the target takes: the versions of Kubernetes and what each can do, and the options of a job.

Source: Kubernetes feature gates (documentation, "Feature Gates") and `pkg/apis/batch` of each version. In all versions
named here: Indexed Jobs (1.24), suspend (1.24), ttlSecondsAfterFinished (1.23), podFailurePolicy (on by default 1.26).
"""

from tfdsl.backend import Option
from tfdsl.vocabulary.names import LABEL_FORM, label
from tfdsl.vocabulary.types import BOOL, STRINGS, MapType, StringType
from tfdsl_backends.podspec.options import POD_OPTIONS

VERSIONS = ("1.27", "1.28", "1.29", "1.30", "1.31", "1.32", "1.33", "1.34")
"""Oldest first."""

HOST_IPS = "1.29"
"""From here variables can have ``status.hostIPs`` (PodHostIPs, on by default as beta)."""

SUCCESS_POLICY = "1.31"
"""From here ``successPolicy`` of an Indexed Job is on by default (JobSuccessPolicy, beta)."""

SIDECARS = "1.29"
"""From here an init container with ``restartPolicy: Always`` is a sidecar (SidecarContainers, beta)."""


JOB_NAME = label()
"""A name that the pods of a Job can begin with."""

JOB_NAMES = Option(
    "job_names",
    MapType(StringType(pattern=JOB_NAME, form=LABEL_FORM), roles=True),
    "Role → the name of its Job, where it is not JOB-ROLE; with `hosts`, of its Jobs without the index. The names of "
    "pods and hosts follow from it.",
    {},
)

OPTIONS = (
    Option(
        "hosts",
        STRINGS,
        "Names of nodes, one per replica, used in order: ps first, then chief or master, worker, evaluator. Each "
        "replica becomes a Job on its node, on the node's network. Without hosts, a role is one Indexed Job that the "
        "scheduler places.",
        (),
        ("nodeName", "node", "nodelist"),
    ),
    Option("exclude", STRINGS, "Nodes of `hosts` to skip.", ()),
    Option(
        "service",
        BOOL,
        "Without `hosts`, write a headless Service and name it as the subdomain of the pods, so that each replica has "
        'a DNS name. `false` omits both, for a job with `discovery = "none"`.',
        True,
    ),
    JOB_NAMES,
    *POD_OPTIONS,
)
