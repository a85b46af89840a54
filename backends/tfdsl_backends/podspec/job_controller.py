"""What the Job controller makes of failed pods (batch/v1, ``pkg/controller/job``), read from the Job; seen on 1.34.4.

Under ``OnFailure`` the kubelet restarts containers, and the Job fails when the restarts in the pods that run reach
``backoffLimit``. Each failed pod is counted apart from that, and the Job fails when more than ``backoffLimit`` have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tfdsl.record import Record
from tfdsl_backends.podspec.plan import CONTAINER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tfdsl.manifest.view import View

DEFAULT_LIMIT: Final = 6
"""``backoffLimit`` of a Job that says nothing."""

Failure: TypeAlias = Literal["FailJob", "Ignore", "Count"]


class ControlledJob(Record):
    """A Job, as far as it decides how the Job ends.

    ``success``: groups of replicas, each of which completes the Job; without any, all of them do.
    """

    in_place: bool
    limit: int
    rules: tuple[View, ...]
    success: tuple[View, ...]
    deadline: int | None
    ttl: int | None

    def on_failed_pod(self, status: int, *, disrupted: bool) -> Failure:
        """What the first ``podFailurePolicy`` rule says that matches a pod whose command ended with ``status``.

        ``disrupted``: whether it was evicted or preempted, or its node was lost.
        """
        for rule in self.rules:
            if _about(rule, disrupted=disrupted) or _matches(rule["onExitCodes"], status):
                action = rule["action"].text
                if action == "FailJob":
                    return "FailJob"
                return "Ignore" if action == "Ignore" else "Count"
        return "Count"

    def is_complete(self, succeeded: int, has_succeeded: Callable[[int], bool], replicas: int) -> bool:
        """Whether the Job is complete when so many of its ``replicas`` have succeeded, each of which can be asked."""
        if succeeded == replicas:
            return True
        return any(_is_met(rule, succeeded, has_succeeded, replicas) for rule in self.success)


def controlled(spec: View) -> ControlledJob:
    """The Job that has this ``spec``."""
    limit = spec["backoffLimit"].number
    return ControlledJob(
        spec["template"]["spec"]["restartPolicy"].text == "OnFailure",
        DEFAULT_LIMIT if limit is None else limit,
        tuple(spec["podFailurePolicy"]["rules"].items()),
        tuple(spec["successPolicy"]["rules"].items()),
        spec["activeDeadlineSeconds"].number,
        spec["ttlSecondsAfterFinished"].number,
    )


def _about(rule: View, *, disrupted: bool) -> bool:
    """Whether the rule is about a pod condition that the pod has."""
    conditions = rule["onPodConditions"].items()
    return disrupted and any(one["type"].text == "DisruptionTarget" and _is_true(one) for one in conditions)


def _is_true(condition: View) -> bool:
    return condition["status"].text in (None, "True")


def _matches(on_exit: View, status: int) -> bool:
    if not on_exit.present or status == 0 or on_exit["containerName"].text not in (None, CONTAINER):
        return False
    within = status in {value.number for value in on_exit["values"].items()}
    return within if on_exit["operator"].text == "In" else not within


def _is_met(rule: View, succeeded: int, has_succeeded: Callable[[int], bool], replicas: int) -> bool:
    wanted = set(_indexes(rule["succeededIndexes"].words or "", replicas))
    count = rule["succeededCount"].number
    least = len(wanted) if count is None else count
    if succeeded < least or least <= 0:
        return False
    return not wanted or sum(map(has_succeeded, wanted)) >= least


def _indexes(text: str, replicas: int) -> Iterator[int]:
    """The indexes of ``0,2-4`` that the Job has."""
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        if first.isdigit() and (last or first).isdigit():
            yield from range(int(first), min(int(last or first) + 1, replicas))
