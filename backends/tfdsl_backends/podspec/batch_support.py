"""The rows that tfjob and kubernetes share beyond those of all pods.

Both have no object that owns claims and TensorBoard, count whole seconds, and name priorities. Codes 030 to 034 of
each prefix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.backend import approximated, kept, refused, translated
from tfdsl_backends.podspec import when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Row


def _outliving() -> Iterator[Row]:
    yield approximated(
        "roles[].logdir",
        "Deployment and Service JOB-tensorboard",
        "TensorBoard runs in a Deployment with a Service that outlive the job; remove them with "
        "`kubectl delete deployment,service {job}-tensorboard{namespace}`",
        "030",
        "tensorboard-outlives",
        fill=when.namespace_flag,
    )
    yield kept("mounts[claim]", "PersistentVolumeClaim", when=when.keeps)
    yield approximated(
        "mounts[claim]",
        "PersistentVolumeClaim",
        "the claim outlives the job; remove it with `kubectl delete pvc {claim}{namespace}`",
        "031",
        "claim-outlives",
        instead="write keep = true if it is to stay, or mount scratch for data of one replica",
        fill=when.claim_and_namespace,
    )
    yield translated("mounts[claim].keep", "PersistentVolumeClaim", "a claim always outlives the job here")


def _names_and_seconds() -> Iterator[Row]:
    yield refused(
        "job.priority",
        "a priority on Kubernetes is the name of a PriorityClass, not the number {value}",
        "032",
        "priority-number",
        instead='name a PriorityClass, e.g. priority = "high"',
        when=when.number,
    )
    yield seconds_rounded_up("deadline", "activeDeadlineSeconds", "033")
    yield seconds_rounded_up("ttl", "ttlSecondsAfterFinished", "034")


def seconds_rounded_up(name: str, field: str, code: str) -> Row:
    """The row of a duration that is not whole seconds, reported as ``code``."""
    return approximated(
        f"job.{name}",
        field,
        "Kubernetes counts whole seconds: {value} is rounded up",
        code,
        f"{name}-rounded",
        when=when.part_of_second,
    )


ROWS: tuple[Row, ...] = (*_outliving(), *_names_and_seconds())
"""They stand before those of :mod:`tfdsl_backends.podspec.support`."""
