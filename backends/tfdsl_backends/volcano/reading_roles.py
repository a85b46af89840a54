"""Which role of the language each task of a Volcano job is, and what of the job servers refuse or never look at.

Sources of what is refused: the CRD; ``pkg/webhooks/admission/jobs/validate`` (:mod:`.patch_rules`);
``pkg/controllers/job``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tfdsl.backend.reading import Asked
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import NOT_KEPT, READ_DIFFERENTLY, SERVER_REFUSES
from tfdsl.manifest.nodes import Scalar, View, plain, walk
from tfdsl.record import Record
from tfdsl_backends.podspec.reading.objects import dotted, misfits
from tfdsl_backends.podspec.reading.roles import Member, roles_of
from tfdsl_backends.volcano.controller import EVENTS, MAX_RETRY, NOTHING, RESTARTS, milliseconds, reactions, triggers
from tfdsl_backends.volcano.patch_rules import KIND, RULES

_TASK_LABEL: Final = "volcano.sh/task-spec"


class RoleOf(Record):
    """A task and the role that it is. ``name``: of the task; ``keeps_name``: whether an address depends on it."""

    role: str
    task: View
    name: str
    replicas: int
    keeps_name: bool = False

    @property
    def written_name(self) -> str:
        """The name of its task in what is compiled."""
        return self.name if self.keeps_name else self.role


def task_name(task: View, position: int) -> str:
    """The name of a task; of one without, what the mutating webhook gives it."""
    return task["name"].words or f"default{position}"


def replicas(task: View) -> int:
    """The replicas of a task: none where nothing is said."""
    return task["replicas"].number or 0


def roles(job: View, asked: Asked, *, board: bool) -> list[RoleOf] | None:
    """The roles of the tasks that have replicas; ``None`` where a task cannot be one (reported as an error).

    ``board``: whether the job has the Service of a TensorBoard beside it.
    """
    spec = job["spec"]
    tasks: list[tuple[str, View]] = []
    for position, task in enumerate(spec["tasks"].items()):
        name = task_name(task, position)
        if replicas(task) > 0:
            tasks.append((name, task))
        else:
            asked.report(NOT_KEPT(task.span, what=f"task {name}", reason="it has no replicas"))
    named = [Member(name, replicas(task), task["name"].span) for name, task in tasks]
    taken = roles_of(named, "task", spec["tasks"].span, asked, board=board)
    if taken is None:
        return None
    parts = [RoleOf(taken[name], task, name, replicas(task)) for name, task in tasks]
    return [
        _with_its_name(part, spec, job["metadata"]["name"].text or "", asked, alone=len(parts) == 1) for part in parts
    ]


def _with_its_name(part: RoleOf, spec: View, job: str, asked: Asked, *, alone: bool) -> RoleOf:
    """``part``, and whether its task keeps a name that is not the role's, which is reported."""
    if part.role == part.name:
        return part
    keeps = not alone or _is_referred_to(spec, job, part.name)
    if keeps:
        difference = "its task keeps the name in the manifest, because addresses are made of it"
    else:
        difference = f"nothing in the job depends on the name; its pods are called {part.role}"
    diagnostic = READ_DIFFERENTLY(
        part.task["name"].span, what=f"task {part.name}", word=f"role {part.role}", difference=difference
    )
    asked.report(diagnostic)
    return RoleOf(part.role, part.task, part.name, part.replicas, keeps)


def _is_referred_to(spec: View, job: str, name: str) -> bool:
    """Whether a text of the job may be about the task ``name``: a file or variable of a plugin, a host, a label."""
    file = name.replace("-", "_")
    marks = (f"/{file}.host", f"VC_{file.upper()}_", f"{job}-{name}-")
    for path, node in walk(spec.node) if spec.node is not None else ():
        value = node.value if isinstance(node, Scalar) else None
        if not isinstance(value, str):
            continue
        is_label = value == name and (path[-1] == _TASK_LABEL or "values" in path)
        if is_label or any(mark in value for mark in marks) or ("plugins" in path and value.endswith(f"={name}")):
            return True
    return False


def refusals(job: View) -> Iterator[Diagnostic]:
    """What is refused or dropped, in the order of the rules, each place once."""
    seen: set[tuple[int, int]] = set()
    for diagnostic in (*_schema(job), *_webhook(job)):
        place = (diagnostic.span.start, diagnostic.span.end)
        if place not in seen:
            seen.add(place)
            yield diagnostic


def _schema(job: View) -> Iterator[Diagnostic]:
    if job.node is not None:
        yield from misfits(job.node, KIND, "Volcano")


def _webhook(job: View) -> Iterator[Diagnostic]:
    if job.node is None:
        return
    if not any(True for _ in job["spec"]["tasks"].items()):
        yield SERVER_REFUSES(job["spec"].span, what="a job without tasks", reason="it needs at least one")
    data = plain(job.node)
    for complaint in RULES.check((data,)) if isinstance(data, dict) else ():
        above = place = job
        for step in complaint.at:
            above, place = place, place[step]
        last = complaint.at[-1] if complaint.at else 0
        span = above.key(last) if complaint.key and isinstance(last, str) else place.span
        diagnostic = SERVER_REFUSES(span, what=dotted(complaint.at) or "the document", reason=complaint.message)
        yield diagnostic.help(complaint.help) if complaint.help else diagnostic


# --- what never acts ---------------------------------------------------------------------------------------------


def dead_policies(job: View, roles: Sequence[RoleOf]) -> Iterator[Diagnostic]:
    """Policies that the server takes and that never do anything."""
    yield from _dead(job["spec"]["policies"], {restart_policy(part.task) for part in roles}, of_task=False)
    for role in roles:
        yield from _dead(role.task["policies"], {restart_policy(role.task)}, of_task=True)


def unused_fields(job: View, roles: Sequence[RoleOf]) -> Iterator[Diagnostic]:
    """Numbers of starts and restarts, and an estimate, that nothing looks at."""
    spec = job["spec"]
    if spec["runningEstimate"].present:
        reason = "nothing in Volcano reads it"
        yield NOT_KEPT(spec.key("runningEstimate"), what="spec.runningEstimate", reason=reason)
    places = [spec["policies"], *(part.task["policies"] for part in roles)]
    said = [reactions(place) for place in places]
    number = spec["maxRetry"].number
    if (
        number
        and number != MAX_RETRY
        and not any(reaction.action in RESTARTS for each in said for reaction in each.values())
    ):
        yield NOT_KEPT(spec.key("maxRetry"), what=f"maxRetry {number}", reason="no policy restarts anything")
    for role in roles:
        number = role.task["maxRetry"].number
        counted = "TaskFailed" in said[0] or "TaskFailed" in reactions(role.task["policies"])
        if number and number != MAX_RETRY and not (counted and restart_policy(role.task) != "Never"):
            reason = "no policy is for TaskFailed, the only event that looks at it"
            yield NOT_KEPT(role.task.key("maxRetry"), what=f"maxRetry {number} of task {role.name}", reason=reason)


def restart_policy(task: View) -> str:
    """``restartPolicy`` of the pods of a task; Always where nothing is said."""
    return task["template"]["spec"]["restartPolicy"].text or "Always"


def _dead(policies: View, kinds: set[str], *, of_task: bool) -> Iterator[Diagnostic]:
    failed: View | None = None
    for policy in policies.items():
        for event in (policy["event"], *policy["events"].items()):
            reason = _why_dead(event.text, policy, kinds, of_task=of_task)
            if reason:
                yield NOT_KEPT(event.span, what=f"the policy on {event.text}", reason=reason)
        status = policy["exitCode"]
        if status.number and "Never" not in kinds:
            reason = "the status of a container that restarts in its pod is never looked at"
            yield NOT_KEPT(status.span, what=f"the policy on exitCode {status.number}", reason=reason)
        elif status.number and failed is not None:
            reason = "a policy before it matches every failure"
            diagnostic = NOT_KEPT(status.span, what=f"the policy on exitCode {status.number}", reason=reason)
            yield diagnostic.note(failed.span, "this one").help("write policies for exit statuses first")
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
