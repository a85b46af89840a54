"""What the Job controller makes of failed pods (batch/v1, ``pkg/controller/job``), read from the Job; seen on 1.34.4.

Under ``OnFailure`` the kubelet restarts containers, and the Job fails when the restarts in the pods that run reach
``backoffLimit``. Each failed pod is counted apart from that, and the Job fails when more than ``backoffLimit`` have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal, TypeAlias

from tfdsl.ir.model import Role
from tfdsl.lifecycle.behaviour import Behaviour, Decision, State, Task
from tfdsl.manifest.nodes import View
from tfdsl.record import Record
from tfdsl_backends.podspec.plan import CONTAINER

DEFAULT_LIMIT: Final = 6
"""``backoffLimit`` of a Job that says nothing."""

Failure: TypeAlias = Literal["FailJob", "Ignore", "Count"]
_ACTIONS: Final[dict[str, Failure]] = {"FailJob": "FailJob", "Ignore": "Ignore"}


class PodRule(Record):
    """A rule of a ``podFailurePolicy``.

    ``disrupted``: it is about pods that were evicted or preempted, or whose node was lost; else about the exit status
    of a ``container``, any if it is empty, which is ``among`` the ``statuses`` or not.
    """

    action: Failure
    disrupted: bool
    among: bool
    statuses: frozenset[int]
    container: str = ""

    def matches(self, status: int, container: str, *, disrupted: bool) -> bool:
        """Whether it is for a pod whose ``container`` has ended with ``status``."""
        if self.disrupted:
            return disrupted
        return status != 0 and self.container in ("", container) and (status in self.statuses) == self.among


class ControlledJob(Record):
    """A Job, as far as it decides how the Job ends.

    ``main``: the container of the command. ``success``: groups of replicas, each of which completes the Job; without
    any, all of them do.
    """

    in_place: bool
    limit: int
    rules: tuple[PodRule, ...]
    success: tuple[View, ...]
    deadline: int | None
    ttl: int | None
    main: str

    def rule_for(self, status: int, step: str, *, disrupted: bool) -> tuple[int, PodRule] | None:
        """The first rule for a pod whose command, or ``step``, ended with ``status``, and its number."""
        name = step or self.main
        matching = (
            numbered for numbered in enumerate(self.rules) if numbered[1].matches(status, name, disrupted=disrupted)
        )
        return next(matching, None)

    def on_failed_pod(self, status: int, step: str, *, disrupted: bool) -> Failure:
        """What that rule says; without one, the pod is counted."""
        numbered = self.rule_for(status, step, disrupted=disrupted)
        return "Count" if numbered is None else numbered[1].action

    def sees_the_end(self, failed: int, others: int) -> bool:
        """Whether nothing is done about a deleted pod before its command has ended, so that it may have succeeded.

        Failure rules wait for that. Without them it fails at once, but the Job controller cannot say so while the Job
        has to wait with the new pod and ``others`` of its pods are ready: the server refuses the status (seen on
        1.34.4). ``failed``: how many have been counted.
        """
        return bool(self.rules) or (others > 0 and failed < self.limit)

    def is_complete(self, succeeded: int, has_succeeded: Callable[[int], bool], replicas: int) -> bool:
        """Whether the Job is complete when so many of its ``replicas`` have succeeded, each of which can be asked."""
        if succeeded == replicas:
            return True
        return any(_is_met(rule, succeeded, has_succeeded, replicas) for rule in self.success)


class PodByPod(Behaviour):
    """A job whose pods are made at once and live each for itself: they are no gang, and nobody waits for them."""

    limits_time = False

    def on_pending(self, task: Task) -> Decision | None:
        """Pods may wait as long as they like."""
        return None

    def may_start(self, role: Role, state: State) -> bool:
        """All pods are made at once."""
        return True

    def nothing_left(self, state: State) -> bool:
        """A job that nothing has ended runs on, even without pods."""
        return False


def controlled(spec: View) -> ControlledJob:
    """The Job that has this ``spec``."""
    limit, pod = spec["backoffLimit"].number, spec["template"]["spec"]
    names = [view["name"].text or "" for view in pod["containers"].items()]
    return ControlledJob(
        pod["restartPolicy"].text == "OnFailure",
        DEFAULT_LIMIT if limit is None else limit,
        tuple(_pod_rule(rule) for rule in spec["podFailurePolicy"]["rules"].items()),
        tuple(spec["successPolicy"]["rules"].items()),
        spec["activeDeadlineSeconds"].number,
        spec["ttlSecondsAfterFinished"].number,
        CONTAINER if CONTAINER in names or not names else names[0],
    )


def _pod_rule(rule: View) -> PodRule:
    exits, action = rule["onExitCodes"], _ACTIONS.get(rule["action"].text or "", "Count")
    if not exits.present:
        disrupted = any(
            condition["type"].text == "DisruptionTarget" and condition["status"].text in (None, "True")
            for condition in rule["onPodConditions"].items()
        )
        return PodRule(action, disrupted, True, frozenset())
    statuses = frozenset(number for view in exits["values"].items() if (number := view.number) is not None)
    return PodRule(action, False, exits["operator"].text != "NotIn", statuses, exits["containerName"].text or "")


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


def note_restart(decision: Decision, task: Task, state: State) -> None:
    """Count a restart of ``task`` in its pod, or begin anew with a new pod."""
    if decision.action == "restart container":
        state.count(_counter(task))
    else:
        state.counts.pop(_counter(task), None)


def restarts_in_pods(tasks: Iterable[Task], state: State) -> int:
    """How often the containers of those of ``tasks`` that run were restarted in their pods."""
    return sum(state.counts.get(_counter(task), 0) for task in tasks if state.replicas[task].alive)


def _counter(task: Task) -> str:
    return f"restarts in its pod of {task}"
