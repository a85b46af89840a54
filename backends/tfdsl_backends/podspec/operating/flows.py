"""A flow on its cluster: its Workflow and the objects of its jobs, each job like a replica of the flow.

How a job is in detail is asked for by its own name, as ``tfjob/nightly-train-3e5a81a6``.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any, Final, cast

from tfdsl.backend import Document
from tfdsl.backend.cluster import (
    Answer,
    Call,
    End,
    Live,
    LogOptions,
    Part,
    Phase,
    Place,
    Replica,
    ReplicaPhase,
    Row,
    Run,
    Sign,
    Step,
    digest,
    reasons,
)
from tfdsl.backend.flow import FlowUnit
from tfdsl.emit.located import plain
from tfdsl.record import replace
from tfdsl.rules.flows import name_in
from tfdsl_backends.podspec.flows.manifests import FLOW_LABEL, RUN_LABEL, RUN_LENGTH
from tfdsl_backends.podspec.flows.workflow import REPLACE, job_named, task_name
from tfdsl_backends.podspec.objects import DIGEST, SUBMISSION
from tfdsl_backends.podspec.operating import submitting
from tfdsl_backends.podspec.operating.family import Family
from tfdsl_backends.podspec.operating.kubectl import NAME, STATE, Object, conditions, get, items, mapping, rows, text

_WORKFLOWS: Final = "workflows.argoproj.io"
_CRON: Final = "cronworkflows.argoproj.io"
_OF_CRON: Final = "workflows.argoproj.io/cron-workflow"
_PHASES: Final[Mapping[str, Phase]] = {
    "": "waiting",
    "Pending": "waiting",
    "Running": "running",
    "Succeeded": "succeeded",
    "Failed": "failed",
    "Error": "failed",
}
_RUNS: Final = STATE | {"dag": ".spec.templates[*].dag"}
_SCHEDULES: Final = STATE | {"suspend": ".spec.suspend"}
_MOST_EARLIER: Final = 5
_LARGEST: Final = 64 << 20
ROWS: Final = (
    Row(
        "flow-rights",
        ("node",),
        ".*",
        r'(?i)User "(?P<user>[^"]*)" cannot (?P<verb>\w+) resource "(?P<what>[^"]*)"',
        "{who} could not be created: {user} cannot {verb} {what}",
        "write service_account in the flow, and apply the Role that is written with it",
        key="service_account",
    ),
    Row(
        "argo-missing",
        ("refusal",),
        ".*",
        r"resource type \"(cron)?workflows|no matches for kind \"(Cron)?Workflow",
        "this cluster has no Argo Workflows",
        "install it, or choose the cluster that has it with --context: https://argo-workflows.readthedocs.io",
    ),
    Row(
        "argo-rights",
        ("refusal",),
        ".*",
        r"cannot (?P<verb>\w+) resource \"(?P<what>(?:cron)?workflows)\"",
        "you cannot {verb} {what} here",
        "ask for a Role that lets you {verb} {what} of argoproj.io, or choose another namespace: --namespace NAME",
        key="namespace",
    ),
    Row(
        "flow-rights-missing",
        ("refusal",),
        ".*",
        r"cannot create resource \"(serviceaccounts|roles|rolebindings)\"|attempting to grant RBAC permissions",
        "you cannot create the rights that the flow needs, and nobody has applied them",
        "let somebody who may apply the file NAME.rbac.yaml that tfdsl compile writes; or remove service_account",
        key="service_account",
    ),
    Row("flow-schedule", ("schedule",), ".*Error", "", "its schedule starts no run: {said}", key="schedule"),
    Row("flow-task", ("node",), "Error|Failed", "", "{who} has failed: {said}", tier=2),
    Row("flow-stopped", ("workflow",), "Error|Failed", "(?i)deadline|stopped|terminat", "the flow ended early: {said}"),
)


class FlowFamily(Family):
    """The flows of the target whose jobs ``jobs`` reads. Several runs of a flow can be there at once."""

    UNIQUE = False
    ID = "the name of a Workflow", NAME

    def __init__(self, jobs: Family) -> None:
        super().__init__(jobs.target, jobs.kinds[:1], jobs.labels, jobs.pod_name, jobs.facts, job_of=jobs.job_of)
        self.rows = (*ROWS, *jobs.rows)

    # --- reading ---

    def reads(self, place: Place) -> list[Call]:
        """The runs, the schedule, and the objects of the jobs, of all runs."""
        label = ("-l", f"{FLOW_LABEL}={place.name}")
        own = self.kinds[0]
        return [
            get(place, _WORKFLOWS, _RUNS, "workflows", *label),
            get(place, own.resource, own.columns, own.resource.partition(".")[0], *label),
            get(place, _CRON, _SCHEDULES, "cronworkflows", *label),
        ]

    def live(self, place: Place, answers: Sequence[Answer]) -> Live | None:
        """The run of ``place.id``, or the newest; a flow that has only a schedule waits."""
        assert place.flow is not None
        every = sorted(rows(answers[0], _RUNS), key=lambda one: (str(one["created"]), str(one["name"])))
        runs = [one for one in every if place.id in ("", one["name"])]
        schedule = next(rows(answers[2], _SCHEDULES), None)
        run = runs[-1] if runs else None
        own = run or schedule
        if own is None:
            return None
        submission, same = (
            text(own["annotations"], note) or (text(schedule["annotations"], note) if schedule else "")
            for note in (SUBMISSION, DIGEST)
        )
        live = Live(
            self.target,
            place.name,
            text(own, "namespace") or place.namespace,
            str(own["uid"] if run is None else own["name"]),
            "waiting",
            str(own["created"]),
            submission=submission,
            digest=same,
            earlier=tuple(map(_earlier, [one for one in reversed(every) if one is not run][:_MOST_EARLIER])),
        )
        signs: list[Sign] = []
        if schedule is not None:
            name = f"cronworkflow/{place.name}"
            signs += [Sign("schedule", kind, text(one, "message"), name) for kind, one in conditions(schedule).items()]
            stopped = str(schedule["suspend"]) == "true"
            note = f"the schedule is suspended: argo cron resume {place.name} lets it go on"
            live = replace(live, scheduled=not stopped, notes=(note,) if stopped else ())
        if run is None:
            begun = "no run has begun yet; the schedule is there"
            return replace(live, notes=(begun, *live.notes), reasons=reasons(self.rows, signs))
        state = run["status"]
        found = self._jobs(run, answers[1], place.flow)
        signs += [sign for _, own_signs in found for sign in own_signs]
        signs.append(Sign("workflow", text(state, "phase"), text(state, "message"), f"workflow/{run['name']}"))
        phase = _PHASES.get(text(state, "phase"), "unknown")
        since = text(state, "finishedAt") or text(state, "startedAt") or str(run["created"])
        return replace(
            live,
            phase=phase,
            since=since,
            replicas=tuple(one for one, _ in found),
            reasons=() if phase == "succeeded" else reasons(self.rows, signs),
            notes=(f"the run is Workflow {run['name']}", *live.notes),
        )

    def _jobs(self, run: Object, answer: Answer, unit: FlowUnit) -> list[tuple[Replica, list[Sign]]]:
        """The jobs of a run: those of the file, and those that it was submitted with."""
        mark, nodes = str(run["uid"])[:RUN_LENGTH], _nodes(run)
        found = rows(answer, self.kinds[0].columns)
        objects = {self.job_of(one): one for one in found if text(one["labels"], RUN_LABEL) == mark}
        names = {task_name(job.run.job): job.unit.job.name.replace(unit.mark, mark) for job in unit.jobs}
        tasks = [text(one, "name") for one in items(run["dag"], "tasks")]
        others = [task for task in tasks if task not in (*names, REPLACE)]
        names |= {task: f"{name_in(unit.name, job_named(task))}-{mark}" for task in others}
        return [
            self._job(job_named(task), name, objects, nodes.get(task, {}), known=not tasks or task in tasks)
            for task, name in names.items()
        ]

    def _job(
        self, job: str, name: str, objects: Mapping[str, Object], node: Mapping[str, object], *, known: bool
    ) -> tuple[Replica, list[Sign]]:
        """A job as its object says; before there is one, and after it is gone, as its task says."""
        task, one = Replica(job, -1, "absent"), objects.get(name)
        phase, message = text(node, "phase"), text(node, "message")
        if one is not None:
            facts = self.facts([[one]])
            task = replace(task, phase=facts.phase or facts.hint, name=name)
            return task, [replace(sign, who=task) for sign in facts.signs] if task.phase == "failed" else []
        if not known:
            return replace(task, end=End(why="this run was submitted without it")), []
        if phase in ("Failed", "Error"):
            task = replace(task, phase="failed")
            return task, [Sign("node", phase, message, f"task {job}", task)]
        ends: dict[str, ReplicaPhase] = {"Succeeded": "succeeded", "Omitted": "not run", "Skipped": "not run"}
        return replace(task, phase=ends.get(phase, "waiting")), []

    def log(self, place: Place, live: Live, replica: Replica, container: str, options: LogOptions) -> None:
        """Each job has its own logs."""

    def lists(self, place: Place) -> list[Call]:
        """The runs and schedules of all flows."""
        return [get(place, one, STATE, one.partition(".")[0], "-l", FLOW_LABEL) for one in (_WORKFLOWS, _CRON)]

    def listed(self, place: Place, answers: Sequence[Answer]) -> list[Live]:
        """One for each run and schedule, by the name of its flow."""
        return [
            Live(self.target, text(one["labels"], FLOW_LABEL), str(one["namespace"]), str(one["name"]))
            for answer in answers
            for one in rows(answer, STATE)
        ]

    # --- submitting and ending ---

    def asks(self, place: Place, documents: Sequence[Document], folder: str) -> list[Call]:
        """A dry run on the server, with its admission."""
        return submitting.asks(place, _one_by_one(documents))

    def steps(self, place: Place, documents: Sequence[Document], folder: str, submission: str) -> list[Step]:
        """What the run needs first, the Workflow last."""
        return submitting.steps(place, _one_by_one(documents), submission, digest(documents))

    def objection(self, answer: Answer, *, replaces: bool) -> str:
        """Its errors but those about rights that are there, or that this user may not create."""
        lines = [line for line in answer.err.splitlines() if not _is_about_rights(line)]
        left = replace(answer, err="\n".join(lines))
        return super().objection(left, replaces=replaces) if "".join(lines).strip() else ""

    def parts(self, place: Place) -> list[Call]:
        """The schedule, and the runs that have not ended; with them goes all that they own."""
        return [
            get(place, resource, STATE, resource.partition(".")[0], "-l", f"{FLOW_LABEL}={place.name}")
            for resource in (_CRON, _WORKFLOWS)
        ]

    def found(self, place: Place, answers: Sequence[Answer]) -> list[Part]:
        """All that the answers list, without the runs that a schedule has started and takes along."""
        made = {_CRON: "", _WORKFLOWS: f"workflow/{place.name}-"}  # the server completes the name of a run
        return [
            replace(part, made_as=made[resource])
            for resource, answer in zip(made, answers, strict=True)
            for one in rows(answer, STATE)
            if place.id in ("", one["name"])
            and not (text(one["labels"], _OF_CRON) and not place.id)
            and text(one["status"], "phase") not in ("Succeeded", "Failed", "Error")
            and (part := submitting.part(place, resource, one)) is not None
        ]

    def resumes(self, place: Place, live: Live, answers: Sequence[Answer]) -> str:
        """Argo has its own command for a flow."""
        return "a flow goes on by itself; argo resume NAME is for a Workflow that was suspended"


def _is_about_rights(line: str) -> bool:
    """Whether a line says that somebody's Role, account or binding is there, or that we may not create one."""
    there = "(AlreadyExists)" in line or "(Forbidden)" in line
    return there and any(f"{kind.lower()}s{behind}" in line for kind in submitting.RIGHTS for behind in (".", " "))


def _one_by_one(documents: Sequence[Document]) -> list[Document]:
    """The objects of all files, the Workflow last."""
    found: list[Document] = []
    for document in (*documents[1:], *documents[:1]):
        data = cast("dict[str, Any]", plain(document.data))
        found += [replace(document, data=one) for one in (data["items"] if data["kind"] == "List" else [data])]
    return found


def _earlier(run: Object) -> Run:
    state = run["status"]
    since = text(state, "finishedAt") or text(state, "startedAt") or str(run["created"])
    return Run(str(run["name"]), _PHASES.get(text(state, "phase"), "unknown"), since)


def _nodes(run: Object) -> dict[str, Mapping[str, object]]:
    """The nodes of a Workflow by the names of their tasks; Argo packs them where they are many."""
    state = mapping(run["status"])
    nodes = mapping(state, "nodes") or _unpacked(text(state, "compressedNodes"))
    return {text(one, "displayName"): one for one in _maps(nodes)}


def _maps(nodes: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    return (found for name in nodes if (found := mapping(nodes, name)))


def _unpacked(packed: str) -> Mapping[str, object]:
    try:
        with gzip.GzipFile(fileobj=BytesIO(base64.b64decode(packed, validate=True))) as file:
            return mapping(json.loads(file.read(_LARGEST)))
    except (ValueError, OSError, EOFError, RecursionError):
        return {}
