"""What may not be patched in the Jobs of a job, and what only newer servers keep.

Source: Kubernetes `pkg/features/kube_features.go`: the versions in which a field of Jobs is on without a setting.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfdsl.backend.patch_rules import Complaint, Derived, Since
from tfdsl_backends.kubernetes.options import SIDECARS
from tfdsl_backends.podspec.options import PARTIAL_ADMISSION
from tfdsl_backends.podspec.patching import BY_POD_NAME, REPLICAS, Node, rules, sidecars


def _check(node: Node) -> Iterator[Complaint]:
    """Jobs are Kubernetes' own, which are checked for every target."""
    del node
    yield from ()


RULES: Final = rules(
    (
        *BY_POD_NAME,
        *(
            Derived("Job", ("spec", key), "the replicas of a role", REPLICAS, discovery=True)
            for key in ("completions", "parallelism")
        ),
        Derived(
            "Job",
            ("metadata", "annotations", PARTIAL_ADMISSION),
            "the least number of replicas that Kueue admits",
            'remove the patch: the tasks wait for all replicas; or write cluster { discovery = "none" }',
            discovery=True,
        ),
        Derived("Job", ("spec", "completionMode"), "completionMode", "it gives each replica its index", discovery=True),
        Derived("Job", ("spec", "selector"), "the selector of a Job", "the server sets it", discovery=True),
        Derived("Job", ("spec", "manualSelector"), "manualSelector", "the server sets the selector", discovery=True),
    ),
    (),
    _check,
    (
        sidecars(SIDECARS),
        *(
            Since("Job", ("spec", key), version, key)
            for key, version in (
                ("podReplacementPolicy", "1.29"),
                ("backoffLimitPerIndex", "1.29"),
                ("maxFailedIndexes", "1.29"),
                ("successPolicy", "1.31"),
                ("managedBy", "1.32"),
            )
        ),
    ),
)
