"""What the API server, the webhook of Volcano or its controller does not take or not look at in a job.

Sources: the CRD; ``pkg/webhooks/admission/jobs/validate`` (:mod:`.patch_rules`); ``pkg/controllers/job``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.import_rules import NOT_KEPT, READ_DIFFERENTLY, SERVER_REFUSES
from tfdsl.manifest.nodes import plain
from tfdsl_backends.podspec.reading.objects import dotted, unfit
from tfdsl_backends.volcano.controller_policies import (
    EVENTS,
    MAX_RETRY,
    NOTHING,
    RESTARTS,
    milliseconds,
    reactions,
    triggers,
)
from tfdsl_backends.volcano.patch_rules import KIND, RULES

if TYPE_CHECKING:
    from tfdsl.manifest.view import View
    from tfdsl_backends.volcano.reading_roles import RoleOf

_TOLD_BY_PODS: Final = ("args", "command", "env")
"""Lists of texts in containers; their reader says itself what is not one."""


def refusals(job: View) -> Iterator[Diagnostic]:
    """What is refused or dropped, in the order of the rules, each place once."""
    seen: set[tuple[int, int]] = set()
    for diagnostic in (*_schema(job), *_webhook(job)):
        place = (diagnostic.span.start, diagnostic.span.end)
        if place not in seen:
            seen.add(place)
            yield diagnostic


def _schema(job: View) -> Iterator[Diagnostic]:
    for one in unfit(job.node, KIND) if job.node is not None else ():
        if one.path[0] == "status":
            continue
        if one.unknown:
            difference = "Volcano has no such field here; its server drops it, or refuses it if kubectl validates"
            yield READ_DIFFERENTLY(one.span, what=one.name, word="an unchecked patch", difference=difference)
        elif not any(step in _TOLD_BY_PODS for step in one.path):
            yield SERVER_REFUSES(one.span, what=one.name, reason=f"it must be {one.wanted}")


def _webhook(job: View) -> Iterator[Diagnostic]:
    if job.node is None:
        return
    if not any(True for _ in job["spec"]["tasks"].items()):
        yield SERVER_REFUSES(job["spec"].span, what="a job without tasks", reason="it needs at least one")
    data = plain(job.node)
    for complaint in RULES.check((data,)) if isinstance(data, dict) else ():
        place = job
        for step in complaint.at:
            place = place[step]
        span = place.span
        if complaint.key and complaint.at and isinstance(complaint.at[-1], str):
            span = _above(job, complaint.at).key(complaint.at[-1])
        told = SERVER_REFUSES(span, what=dotted(complaint.at) or "the document", reason=complaint.message)
        yield told.help(complaint.help) if complaint.help else told


def _above(job: View, at: Sequence[str | int]) -> View:
    place = job
    for step in at[:-1]:
        place = place[step]
    return place


# --- what never acts ---------------------------------------------------------------------------------------------


def dead_policies(job: View, roles: Sequence[RoleOf]) -> Iterator[Diagnostic]:
    """Policies that the server takes and that never do anything."""
    kinds = {restart_policy(one.task) for one in roles}
    yield from _dead(job["spec"]["policies"], kinds, of_task=False)
    for one in roles:
        yield from _dead(one.task["policies"], {restart_policy(one.task)}, of_task=True)


def unused_fields(job: View, roles: Sequence[RoleOf]) -> Iterator[Diagnostic]:
    """Numbers of starts and restarts, and an estimate, that nothing looks at."""
    spec = job["spec"]
    if spec["runningEstimate"].present:
        reason = "nothing in Volcano reads it"
        yield NOT_KEPT(spec.key("runningEstimate"), what="spec.runningEstimate", reason=reason)
    places = [spec["policies"], *(one.task["policies"] for one in roles)]
    said = [reactions(place) for place in places]
    number = spec["maxRetry"].number
    if number and number != MAX_RETRY and not any(one.action in RESTARTS for each in said for one in each.values()):
        yield NOT_KEPT(spec.key("maxRetry"), what=f"maxRetry {number}", reason="no policy restarts anything")
    for one in roles:
        number = one.task["maxRetry"].number
        counted = "TaskFailed" in said[0] or "TaskFailed" in reactions(one.task["policies"])
        if number and number != MAX_RETRY and not (counted and restart_policy(one.task) != "Never"):
            reason = "no policy is for TaskFailed, the only event that looks at it"
            yield NOT_KEPT(one.task.key("maxRetry"), what=f"maxRetry {number} of task {one.name}", reason=reason)


def restart_policy(task: View) -> str:
    """``restartPolicy`` of the pods of a task; Always where nothing is said."""
    return task["template"]["spec"]["restartPolicy"].text or "Always"


def _dead(policies: View, kinds: set[str], *, of_task: bool) -> Iterator[Diagnostic]:
    failed: View | None = None
    for policy in policies.items():
        asked = [policy["event"], *policy["events"].items()]
        for event in asked:
            reason = _why_dead(event.text, policy, kinds, of_task=of_task)
            if reason:
                yield NOT_KEPT(event.span, what=f"the policy on {event.text}", reason=reason)
        status = policy["exitCode"]
        if status.number and "Never" not in kinds:
            reason = "the status of a container that restarts in its pod is never looked at"
            yield NOT_KEPT(status.span, what=f"the policy on exitCode {status.number}", reason=reason)
        elif status.number and failed is not None:
            reason = "a policy before it matches every failure"
            told = NOT_KEPT(status.span, what=f"the policy on exitCode {status.number}", reason=reason)
            yield told.note(failed.span, "this one").help("write policies for exit statuses first")
        if failed is None and "PodFailed" in triggers(policy):
            failed = policy


def _why_dead(event: str | None, policy: View, kinds: set[str], *, of_task: bool) -> str:
    if event == "PodPending" and not milliseconds(policy["timeout"].text):
        return "Volcano looks at it only with a timeout"
    if event == "JobUpdated":
        return "nothing in Volcano fires it"
    if event == "Unknown" and of_task:
        return "it is an event of the whole job, and no task is asked"
    if event == "TaskFailed" and kinds == {"Never"}:
        return "it counts restarts of containers in their pods, and there are none"
    if event in EVENTS and policy["action"].text == NOTHING and event != "PodFailed":
        return "ResumeJob does nothing in a job that runs"
    return ""
