"""Indexed Jobs (batch/v1): how a pod knows its index, and the rules by which a Job tells failures apart.

Source: Kubernetes `pkg/apis/batch` and `pkg/controller/job` (`pod_failure_policy.go`, `indexed_job_utils.go`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tfdsl.emit.located import Data, at
from tfdsl_backends.podspec.plan import CONTAINER

if TYPE_CHECKING:
    from tfdsl.ir.model import Role

INDEX_FIELD: Final = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
"""Where the pod of an Indexed Job has its replica's index (the label of that name came with 1.28)."""

INDEX_VARIABLE: Final = "JOB_COMPLETION_INDEX"
"""The Job controller adds this variable at the end of env unless it is there already; its users need it before."""

MOST_RULES: Final = 20
"""Rules of a ``podFailurePolicy`` (batch/v1, validation of Jobs)."""

PolicyAction: TypeAlias = Literal["FailJob", "Ignore", "Count"]


def indexed(role: Role) -> dict[str, Data]:
    """All replicas of the role at once, each with its index."""
    return {
        "completionMode": "Indexed",
        "completions": at(role, "replicas"),
        "parallelism": at(role, "replicas"),
    }


def watched(role: Role) -> Sequence[str | None]:
    """The containers whose exit statuses decide, each in a rule of its own; ``None``: one rule for all.

    Steps that prepare are among them, sidecars are not: the kubelet stops these, so they end with a status too.
    """
    prepares = [step.name for step in role.steps if step.kind == "prepare"]
    if prepares and len(prepares) == len(role.steps):
        return [None]
    return [CONTAINER, *prepares]


def disrupted(action: PolicyAction) -> Data:
    """The rule of a ``podFailurePolicy`` for pods that were evicted or preempted, or lost their node."""
    return {"action": action, "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}


def exited(
    action: PolicyAction, operator: Literal["In", "NotIn"], statuses: Sequence[int], containers: Sequence[str | None]
) -> Iterator[Data]:
    """The rules for exit statuses, one for each of ``containers``."""
    for name in containers:
        on_exit: Data = {"containerName": name, "operator": operator, "values": list(statuses)}
        yield {"action": action, "onExitCodes": on_exit}
