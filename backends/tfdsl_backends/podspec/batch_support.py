"""The rows that tfjob and kubernetes share beyond those of all pods.

Both have no object that owns claims and TensorBoard, count whole seconds, and name priorities. Codes 030 to 034 of
each prefix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.backend import approximated, kept, refused, translated
from tfdsl_backends.podspec import conditions as when
from tfdsl_backends.podspec.support import TARGETS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Row


def rows(prefix: str) -> tuple[Row, ...]:
    """The rows with the codes of ``prefix``; they stand before those of :func:`tfdsl_backends.podspec.support.rows`."""
    target = TARGETS[prefix]
    return (*_outliving(prefix, target), *_names_and_seconds(prefix, target))


def _outliving(prefix: str, target: str) -> Iterator[Row]:
    yield approximated(
        "roles[].logdir",
        "Deployment and Service JOB-tensorboard",
        "TensorBoard runs in a Deployment with a Service that outlive the job; remove them with "
        "`kubectl delete deployment,service {job}-tensorboard{namespace}`",
        f"{prefix}030",
        f"{target}-tensorboard-outlives",
        fill=when.namespace_flag,
    )
    yield kept("mounts[claim]", "PersistentVolumeClaim", when=when.keeps, when_text="keep = true")
    yield approximated(
        "mounts[claim]",
        "PersistentVolumeClaim",
        "the claim outlives the job; remove it with `kubectl delete pvc {claim}{namespace}`",
        f"{prefix}031",
        f"{target}-claim-outlives",
        instead="write keep = true if it is to stay, or mount scratch for data of one replica",
        fill=when.claim_and_namespace,
    )
    yield translated("mounts[claim].keep", "PersistentVolumeClaim", "a claim always outlives the job here")


def _names_and_seconds(prefix: str, target: str) -> Iterator[Row]:
    yield refused(
        "job.priority",
        "a priority on Kubernetes is the name of a PriorityClass, not the number {value}",
        f"{prefix}032",
        f"{target}-priority-number",
        instead='name a PriorityClass, e.g. priority = "high"',
        when=when.number,
        when_text="a number",
    )
    yield seconds_rounded_up(prefix, target, "deadline", "activeDeadlineSeconds", 33)
    yield seconds_rounded_up(prefix, target, "ttl", "ttlSecondsAfterFinished", 34)


def seconds_rounded_up(prefix: str, target: str, name: str, field: str, code: int) -> Row:
    """The row of a duration that is not whole seconds, as ``{prefix}0{code}``."""
    return approximated(
        f"job.{name}",
        field,
        "Kubernetes counts whole seconds: {value} is rounded up",
        f"{prefix}0{code}",
        f"{target}-{name}-rounded",
        when=when.part_of_second,
        when_text="not whole seconds",
    )
