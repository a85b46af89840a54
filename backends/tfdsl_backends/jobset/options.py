"""Options of the jobset target."""

from __future__ import annotations

from tfdsl.backend import Option
from tfdsl.vocabulary.names import LABEL_KEY, label
from tfdsl.vocabulary.types import BOOL, MapType, StringType
from tfdsl_backends.podspec.options import POD_OPTIONS

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
        StringType(pattern=_SUBDOMAIN),
        "Name of that Service, and of the domain of the replicas, where it is not the job's. No other JobSet of the "
        "namespace can have it.",
    ),
    Option(
        "job_names",
        MapType(StringType(pattern=JOB_NAME), roles=True),
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
        StringType(pattern=LABEL_KEY),
        "Label of nodes, e.g. `cloud.google.com/gke-nodepool`: each role is placed within one of its values, where no "
        "other Job is that asks for the same (annotation `alpha.jobset.sigs.k8s.io/exclusive-topology`).",
        None,
        ("exclusive-topology",),
    ),
    *POD_OPTIONS,
)
