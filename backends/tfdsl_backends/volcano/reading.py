"""Volcano jobs as jobs of the language; the inverse of :mod:`tfdsl_backends.volcano.lower`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.backend import Unit
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.import_rules import SERVER_REFUSES
from tfdsl.draft import Draft
from tfdsl.ir.model import Job
from tfdsl.ir.origins import Origins
from tfdsl.manifest.edits import changed, child, with_value
from tfdsl.manifest.nodes import Mapping as Map
from tfdsl.manifest.nodes import Node, Scalar
from tfdsl.manifest.nodes import Sequence as Listed
from tfdsl.manifest.view import View, view
from tfdsl.reading import Asked, Group
from tfdsl.record import replace
from tfdsl_backends.podspec.reading.facts import ClaimFacts, PodFacts
from tfdsl_backends.podspec.reading.mounts import claim_facts, claim_spec_facts
from tfdsl_backends.podspec.reading.objects import job_name, read_metadata
from tfdsl_backends.podspec.reading.pods import add_missing_images, read_pods
from tfdsl_backends.podspec.reading.values import seconds
from tfdsl_backends.volcano import reading_plugins
from tfdsl_backends.volcano.controller_policies import MAX_RETRY, Task, reactions
from tfdsl_backends.volcano.features import VERSIONS
from tfdsl_backends.volcano.job_volumes import JobVolume, in_templates, without_generated_names
from tfdsl_backends.volcano.normal import aligned, held, normal
from tfdsl_backends.volcano.options import OPTIONS
from tfdsl_backends.volcano.pods import VGPU_MEMORY, VGPU_NUMBER
from tfdsl_backends.volcano.reading_containers import has_usual_containers
from tfdsl_backends.volcano.reading_fields import FIELDS
from tfdsl_backends.volcano.reading_forms import groups, report_holder
from tfdsl_backends.volcano.reading_gang import read_gang
from tfdsl_backends.volcano.reading_plugins import Plugins
from tfdsl_backends.volcano.reading_policies import read_policies
from tfdsl_backends.volcano.reading_refusals import dead_policies, refusals, restart_policy, unused_fields
from tfdsl_backends.volcano.reading_roles import RoleOf, roles, task_name
from tfdsl_backends.volcano.reading_shell import offer
from tfdsl_backends.volcano.reading_statements import BOARD, JobPolicies, RoleTask
from tfdsl_backends.volcano.spread import by_task, labels
from tfdsl_backends.volcano.tfconfig import INDEX_FIELD

if TYPE_CHECKING:
    from tfdsl.manifest.documents import Document
    from tfdsl.text import Span

__all__ = ["FIELDS", "aligned", "groups", "normal", "read"]

_TARGET: Final = "volcano"
_SCHEDULER: Final = "volcano"
_QUEUE: Final = "default"
_LOST_CONFIG: Final = "Volcano's tensorflow plugin sets TF_CONFIG itself, and the last one counts"


def read(group: Group, asked: Asked) -> Draft | None:
    """The job that a Volcano job describes; ``None`` where its tasks cannot be roles (told as an error).

    A job that the server refuses is read as far as it goes, and need not come back.
    """
    refused: list[Diagnostic] = []

    def report(diagnostic: Diagnostic) -> None:
        if diagnostic.rule is SERVER_REFUSES:
            refused.append(diagnostic)
        asked.report(diagnostic)

    draft = _read(group, Asked(asked.roles, report))
    if draft is not None and refused:
        draft.law = False
    return draft


def _read(group: Group, asked: Asked) -> Draft | None:
    document, beside = group.documents[0], group.documents[1:]
    report_holder(document, asked)
    manifest = without_generated_names(held(document.node))
    for diagnostic in refusals(view(manifest)):
        asked.report(diagnostic)
    job, claims = _with_volumes(manifest, beside)
    spec = job["spec"]
    found = roles(job, asked, board=any(view(one.node)["kind"].text == "Service" for one in beside))
    if found is None:
        return None
    plugins = reading_plugins.read(spec)
    draft = Draft(job_name(document, job["metadata"], asked, letter_first=plugins.has("svc")), _TARGET, job.span)
    draft.renamed = {one.name: one.role for one in found if one.name != one.role}
    draft.wanted = (_wanted(manifest, found), *(one.node for one in beside))
    read_metadata(draft, job["metadata"])
    _read_settings(draft, spec)
    _read_deadline(draft, found)
    read_gang(draft, spec, found, asked)
    _read_pods(draft, job, found, plugins, claims, asked)
    _read_policies(draft, job, found, asked)
    kept = {one.role: one.name for one in found if one.role != one.written_name}
    draft.options.set("task_names", kept or None, spec.key("tasks"))
    offer(draft, job, found, asked)
    return draft


def _wanted(job: Node, found: Sequence[RoleOf]) -> Node:
    """What the job has to compile to: without tasks that have no replicas, and with the names of roles."""
    names = {one.name: one.written_name for one in found}
    tasks = child(job, "spec", "tasks")
    if not isinstance(tasks, Listed):
        return job
    kept: list[Node] = []
    for position, task in enumerate(tasks.items):
        name = names.get(task_name(view(task), position))
        if name is not None and isinstance(task, Map):
            kept.append(with_value(task, "name", Scalar(name, task.span)))
    return changed(job, ("spec", "tasks"), lambda _: Listed(tuple(kept), tasks.span))


def _read_settings(draft: Draft, spec: View) -> None:
    """What the job says about itself in single fields."""
    queue, scheduler, priority = spec["queue"], spec["schedulerName"], spec["priorityClassName"]
    if queue.text and queue.text != _QUEUE:
        draft.job.set("queue", queue.text, queue.span)
    if scheduler.text and scheduler.text != _SCHEDULER:
        draft.job.set("scheduler", scheduler.text, scheduler.span)
    draft.job.set("priority", priority.text or None, priority.span)
    ttl = spec["ttlSecondsAfterFinished"]
    if ttl.number is not None and ttl.number >= 0:
        draft.job.set("ttl", seconds(ttl.number), ttl.span)


def _read_deadline(draft: Draft, found: Sequence[RoleOf]) -> None:
    """The time that every pod has, if it is the same for all."""
    places = [one.task["template"]["spec"]["activeDeadlineSeconds"] for one in found]
    numbers = {place.number for place in places}
    number = numbers.pop() if len(numbers) == 1 else None
    if number is not None and number > 0:
        draft.job.set("deadline", seconds(number), places[0].span)


# --- pods --------------------------------------------------------------------------------------------------------


def _with_volumes(node: Node, beside: Sequence[Document]) -> tuple[View, Mapping[str, ClaimFacts]]:
    """The job with the volumes of the job as volumes of its pods, and what is known of the claims made for it."""
    claims: dict[str, ClaimFacts] = {}
    for document in beside:
        root = view(document.node)
        known, name = claim_facts(root), root["metadata"]["name"].text
        if root["kind"].text == "PersistentVolumeClaim" and known is not None and name is not None:
            claims[name] = replace(known, options=(*known.options, ("keep", True)))
    prepared = any(True for task in view(node)["spec"]["tasks"].items() for _ in _init_containers(task))

    def chosen(volume: JobVolume) -> str | None:
        if volume.claim is not None:
            return volume.claim
        known = claim_spec_facts(view(volume.made)) if volume.made is not None and not prepared else None
        if known is None:
            return None
        name = f"claim of the job {len(claims)}".replace(" ", "-")
        claims[name] = known
        return name

    return view(in_templates(node, chosen)), claims


def _init_containers(task: View) -> Sequence[View]:
    return [*task["template"]["spec"]["initContainers"].items()]


def _read_pods(
    draft: Draft, job: View, found: Sequence[RoleOf], plugins: Plugins, claims: Mapping[str, ClaimFacts], asked: Asked
) -> None:
    names = {one.role: one.written_name for one in found}
    sets_config = plugins.has("tensorflow") and all(
        has_usual_containers(one.task) for one in found if one.role != BOARD
    )
    facts = PodFacts(
        replicas={one.role: one.replicas for one in found},
        address=lambda role, index, port: f"{draft.name}-{names.get(role, role)}-{index}.{draft.name}:{port}",
        index_field=INDEX_FIELD,
        variables=reading_plugins.variables(plugins, [one.name for one in found]),
        spread_labels=lambda role: labels(draft.name, names.get(role, role)),
        claims=claims,
        shares=(VGPU_NUMBER, VGPU_MEMORY),
        index_of_servers=False,
        program_around=reading_plugins.program_around,
        lost_config=_LOST_CONFIG if sets_config else "",
        discovery=("both", "tf_config") if sets_config else ("flags", "none"),
    )
    named = view(by_task(_wanted(job.node, found))) if job.node is not None else job
    templates = {task["name"].text: task["template"] for task in named["spec"]["tasks"].items()}
    of_role = {one.role: templates.get(one.written_name, one.task["template"]) for one in found}
    pods = read_pods(draft, of_role, facts, asked)
    add_missing_images(draft, of_role, facts, asked)
    reading_plugins.read_delivery(draft, plugins, found, pods)


# --- policies ----------------------------------------------------------------------------------------------------


def _read_policies(draft: Draft, job: View, found: Sequence[RoleOf], asked: Asked) -> None:
    for diagnostic in (*dead_policies(job, found), *unused_fields(job, found)):
        asked.report(diagnostic)
    spec = job["spec"]
    tasks = [
        RoleTask(
            one.role,
            Task(one.name, reactions(one.task["policies"]), restart_policy(one.task)),
            one.replicas,
            one.task["maxRetry"].number or MAX_RETRY,
        )
        for one in found
    ]
    said = JobPolicies(
        tasks,
        reactions(spec["policies"]),
        spec["maxRetry"].number or MAX_RETRY,
        _unit(job.span),
        [
            *((f"spec.{key}", spec[key]) for key in ("maxRetry", "policies")),
            *(
                (f"spec.tasks[name={one.written_name}].{key}", one.task[key])
                for one in found
                for key in ("maxRetry", "policies")
            ),
        ],
        spec["maxRetry"].span,
        found[0].task["template"]["spec"]["restartPolicy"].span,
    )
    read_policies(draft, said)


def _unit(span: Span) -> Callable[[Job, str], Unit]:
    """What the compiler would work on, of a job and the option ``policies``."""
    options = {option.name: option.default for option in OPTIONS}
    return lambda job, written: Unit(_TARGET, VERSIONS[-1], job, Origins(span), {**options, "policies": written})
