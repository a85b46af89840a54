"""What may not be patched in the Jobs of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.patch.rules import Derived
from tfdsl_backends.podspec.patching.family import REPLICAS, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.patch.rules import Complaint
    from tfdsl_backends.podspec.patching.walking import Node


def _check(node: Node) -> Iterator[Complaint]:
    """Jobs are Kubernetes' own, which are checked for every target."""
    del node
    yield from ()


RULES: Final = rules(
    (
        *(Derived("Job", ("spec", key), "the replicas of a role", REPLICAS) for key in ("completions", "parallelism")),
        Derived("Job", ("spec", "completionMode"), "completionMode", "each replica has an index by it"),
        Derived("Job", ("spec", "selector"), "the selector of a Job", "the server makes it"),
        Derived("Job", ("spec", "manualSelector"), "manualSelector", "the server makes the selector"),
    ),
    (),
    _check,
)
