"""Jobs of Kubernetes (batch/v1), which a target writes or its object makes: fields, labels, and their controller.

Sources: Kubernetes `pkg/apis/batch`, `pkg/controller/job` (`pod_failure_policy.go`, `indexed_job_utils.go`) and
`pkg/registry/batch/job/strategy.go`; seen on 1.34.4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.emit.located import Data, at, child, entry
from tfdsl.record import Record
from tfdsl_backends.podspec.plan import CONTAINER

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.model import Role
    from tfdsl.lifecycle.behaviour import Decision
    from tfdsl.lifecycle.events import Task
    from tfdsl.lifecycle.state import State
    from tfdsl.manifest.view import View
    from tfdsl.text import Span


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


JOB_LABELS: Final = ("batch.kubernetes.io/", "job-name", "controller-uid")
"""Labels of a Job, or what they begin with: the server writes them on its pods, and refuses other values.

The index of a pod, another label below the same prefix, is written over by the controller (`generateSelector` and
`ValidateGeneratedSelector`).
"""


def job_label_rule(target: str, prefix: str) -> Rule:
    """The rule of ``target`` about them."""
    message = "Kubernetes writes the label {name} on each pod of a Job itself, so it cannot have another value"
    return Rule(f"{prefix}037", f"{target}-job-label", "error", message)


def check_job_labels(unit: Unit, rule: Rule, roles: Iterable[Role]) -> Iterator[Diagnostic]:
    """An error for each such label, once for all of ``roles`` that have it from one template."""
    reported: set[Span] = set()
    for role in roles:
        for name in role.labels:
            span = unit.origins.span(entry(child(role.path, "labels"), name))
            if name.startswith(JOB_LABELS[0]) or name in JOB_LABELS[1:]:
                if span not in reported:
                    yield rule(span, name=name).help("choose another name for the label")
                reported.add(span)


# --- what the controller makes of failed pods ---
#
# Under OnFailure the kubelet restarts containers, and the Job fails when the restarts in the pods that run reach
# backoffLimit. Each failed pod is counted apart from that, and the Job fails when more than backoffLimit have.

DEFAULT_LIMIT: Final = 6
"""``backoffLimit`` of a Job that says nothing."""

Failure: TypeAlias = Literal["FailJob", "Ignore", "Count"]


class PodRule(Record):
    """A rule of a ``podFailurePolicy``.

    ``disrupted``: it is about pods that were evicted or preempted, or whose node was lost; else about the exit status
    of the command, which is ``among`` the ``statuses`` or not.
    """

    action: Failure
    disrupted: bool
    among: bool
    statuses: frozenset[int]

    def matches(self, status: int, *, disrupted: bool) -> bool:
        """Whether it is for a pod whose command has ended with ``status``."""
        if self.disrupted:
            return disrupted
        return status != 0 and (status in self.statuses) == self.among


class ControlledJob(Record):
    """A Job, as far as it decides how the Job ends.

    ``success``: groups of replicas, each of which completes the Job; without any, all of them do.
    """

    in_place: bool
    limit: int
    rules: tuple[PodRule, ...]
    success: tuple[View, ...]
    deadline: int | None
    ttl: int | None

    def rule_for(self, status: int, *, disrupted: bool) -> tuple[int, PodRule] | None:
        """The first rule for a pod whose command ended with ``status``, and its number."""
        numbered = enumerate(self.rules)
        return next(((number, rule) for number, rule in numbered if rule.matches(status, disrupted=disrupted)), None)

    def on_failed_pod(self, status: int, *, disrupted: bool) -> Failure:
        """What that rule says; without one, the pod is counted."""
        found = self.rule_for(status, disrupted=disrupted)
        return "Count" if found is None else found[1].action

    def is_complete(self, succeeded: int, has_succeeded: Callable[[int], bool], replicas: int) -> bool:
        """Whether the Job is complete when so many of its ``replicas`` have succeeded, each of which can be asked."""
        if succeeded == replicas:
            return True
        return any(_is_met(rule, succeeded, has_succeeded, replicas) for rule in self.success)


def controlled(spec: View) -> ControlledJob:
    """The Job that has this ``spec``."""
    limit, pod = spec["backoffLimit"].number, spec["template"]["spec"]
    main = _main(pod)
    return ControlledJob(
        pod["restartPolicy"].text == "OnFailure",
        DEFAULT_LIMIT if limit is None else limit,
        tuple(_pod_rule(rule, main) for rule in spec["podFailurePolicy"]["rules"].items()),
        tuple(spec["successPolicy"]["rules"].items()),
        spec["activeDeadlineSeconds"].number,
        spec["ttlSecondsAfterFinished"].number,
    )


def _main(pod: View) -> str:
    """The name of the container that runs the command."""
    names = [one["name"].text or "" for one in pod["containers"].items()]
    return CONTAINER if CONTAINER in names or not names else names[0]


def _pod_rule(rule: View, main: str) -> PodRule:
    """A rule; one that looks at another container than ``main`` matches nothing, because that never fails here."""
    exits, action = rule["onExitCodes"], _action(rule["action"].text)
    if not exits.present:
        return PodRule(action, any(map(_is_disruption, rule["onPodConditions"].items())), True, frozenset())
    if exits["containerName"].text not in (None, "", main):
        return PodRule(action, False, True, frozenset())
    statuses = frozenset(number for one in exits["values"].items() if (number := one.number) is not None)
    return PodRule(action, False, exits["operator"].text != "NotIn", statuses)


def _action(text: str | None) -> Failure:
    if text == "FailJob":
        return "FailJob"
    return "Ignore" if text == "Ignore" else "Count"


def _is_disruption(condition: View) -> bool:
    return condition["type"].text == "DisruptionTarget" and condition["status"].text in (None, "True")


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


# --- restarts of containers in the pods that run, which controllers add up and compare with backoffLimit ---
#
# A new pod has not restarted yet, and what has ended is not counted any more.


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
