"""What the target takes: the versions of JobSet and what each can do, and the options of a job.

Source: `api/jobset/v1alpha2` at each tag. All versions named here have `failurePolicy.rules`, `coordinator` (0.6) and
BlockingRecreate (0.7), and support only releases of Kubernetes whose nodes know sidecars.
"""

from __future__ import annotations

from typing import Final

from tfdsl.backend import Option
from tfdsl.vocabulary.attributes import MOST_REPLICAS
from tfdsl.vocabulary.names import LABEL_FORM, LABEL_KEY, label
from tfdsl.vocabulary.types import BOOL, IntType, MapType, StringType
from tfdsl_backends.podspec.options import POD_OPTIONS

API_VERSION: Final = "jobset.x-k8s.io/v1alpha2"
"""Of all versions."""

EXCLUSIVE: Final = "alpha.jobset.sigs.k8s.io/exclusive-topology"
"""The annotation that the option ``exclusive_topology`` writes."""

VERSIONS: Final = ("0.8", "0.10", "0.11", "0.12")
"""Oldest first."""

MESSAGE_PATTERNS: Final = "0.10"
"""From here a rule of the failurePolicy can tell the rules of a Job apart (``onJobFailureMessagePatterns``)."""

JOB_INDEX_FIELD: Final = "metadata.annotations['jobset.sigs.k8s.io/job-index']"
"""Where a pod has the number of its Job among those of its role."""

SEVERAL_DEPENDENCIES: Final = "0.10"
"""From here a replicated Job can depend on several others; before 0.9 on one."""

CLAIM_TEMPLATES: Final = "0.11"
"""From here a JobSet makes claims that go with it (``volumeClaimPolicies``)."""


JOB_NAME = label(53)
"""The name of a replicated Job, a part of the names of Jobs and pods."""

_SUBDOMAIN = "[a-z]([-a-z0-9]{0,61}[a-z0-9])?"

SERVICE = Option(
    "service",
    BOOL,
    "Have a headless Service made, through which each replica has a DNS name. `false` makes none, for a job with "
    '`discovery = "none"`.',
    True,
    ("enableDNSHostnames",),
)

OPTIONS = (
    SERVICE,
    Option(
        "subdomain",
        StringType(pattern=_SUBDOMAIN, form=LABEL_FORM),
        "Name of that Service, and of the domain of the replicas, where it is not the job's. No other JobSet of the "
        "namespace can have it.",
    ),
    Option(
        "job_names",
        MapType(StringType(pattern=JOB_NAME, form=LABEL_FORM), roles=True),
        "Role → the name of its replicated Job, where it is not that of the role. The names of Jobs, pods and hosts "
        "follow from it.",
        {},
        ("replicatedJobs",),
    ),
    Option(
        "jobs",
        MapType(IntType(1, MOST_REPLICAS), roles=True),
        "Role → the number of its Jobs, among which its replicas are shared equally: `jobs = { worker = 2 }` with 8 "
        "replicas makes 2 Jobs of 4 pods, e.g. one for each slice of TPUs. Each Job restarts its pods by itself.",
        {},
        ("replicas", "slices"),
    ),
    Option(
        "coordinator",
        StringType(),
        "Role whose first replica every Job and pod names in the label `jobset.sigs.k8s.io/coordinator`.",
    ),
    Option(
        "exclusive_topology",
        StringType(pattern=LABEL_KEY, form='the key of a label such as "example.com/pool"'),
        "Label of nodes, e.g. `cloud.google.com/gke-nodepool`: each Job (that of a role, or each of its `jobs`) is "
        "placed within one of its values, where no other Job is that asks for the same (annotation "
        "`alpha.jobset.sigs.k8s.io/exclusive-topology`).",
        None,
        ("exclusive-topology",),
    ),
    Option(
        "success",
        StringType(one_of=("all",)),
        "`all`: the job is complete when each of its Jobs is, TensorBoard apart, as a JobSet without a `successPolicy` "
        "is. Otherwise policies say whose end completes it.",
        None,
        ("successPolicy",),
    ),
    Option(
        "restart_strategy",
        StringType(one_of=("BlockingRecreate", "Recreate")),
        "What a restart of the job waits for: `BlockingRecreate` until all that was there has gone, `Recreate`, the "
        "default of JobSet, for nothing, so that old and new replicas can run side by side.",
        "BlockingRecreate",
        ("restartStrategy",),
    ),
    Option(
        "restart_policy",
        StringType(one_of=("Never", "OnFailure")),
        "`restartPolicy` of pods whose failure ends their Job. With `OnFailure`, the default of JobSet, it ends when a "
        "container starts again, and the pod is deleted with its log. Where policies tell failures apart, it is "
        "`Never`.",
        "Never",
    ),
    *POD_OPTIONS,
)
