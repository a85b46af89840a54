"""What the target takes: the versions of JobSet and what each can do, and the options of a job.

Source: `api/jobset/v1alpha2` at each tag. All versions named here have `failurePolicy.rules`, `coordinator` (0.6) and
BlockingRecreate (0.7), and support only releases of Kubernetes whose nodes know sidecars.
"""

from __future__ import annotations

from typing import Final

from tfdsl.backend import Option
from tfdsl.vocabulary.names import LABEL_FORM, LABEL_KEY, label
from tfdsl.vocabulary.types import BOOL, MapType, StringType
from tfdsl_backends.podspec.options import POD_OPTIONS

API_VERSION: Final = "jobset.x-k8s.io/v1alpha2"
"""Of all versions."""

EXCLUSIVE: Final = "alpha.jobset.sigs.k8s.io/exclusive-topology"
"""The annotation that the option ``exclusive_topology`` writes."""

VERSIONS: Final = ("0.8", "0.10", "0.11", "0.12")
"""Oldest first."""

MESSAGE_PATTERNS: Final = "0.10"
"""From here a rule of the failurePolicy can tell the rules of a Job apart (``onJobFailureMessagePatterns``)."""

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
        "coordinator",
        StringType(),
        "Role whose first replica every Job and pod names in the label `jobset.sigs.k8s.io/coordinator`.",
    ),
    Option(
        "exclusive_topology",
        StringType(pattern=LABEL_KEY, form='the key of a label such as "example.com/pool"'),
        "Label of nodes, e.g. `cloud.google.com/gke-nodepool`: each role is placed within one of its values, where no "
        "other Job is that asks for the same (annotation `alpha.jobset.sigs.k8s.io/exclusive-topology`).",
        None,
        ("exclusive-topology",),
    ),
    *POD_OPTIONS,
)
