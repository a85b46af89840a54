"""A flow on its cluster: its Workflow and the objects of its jobs, each job like a replica of the flow.

How a job is in detail is asked for by its own name, as ``tfjob/nightly-train-3e5a81a6``.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
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
    Sign,
    Step,
    reasons,
)
from tfdsl.backend.flow import FlowJob
from tfdsl.emit.located import plain
from tfdsl.record import replace
from tfdsl_backends.podspec.flows.manifests import FLOW_LABEL, RUN_LABEL, RUN_LENGTH
from tfdsl_backends.podspec.flows.workflow import task_name
from tfdsl_backends.podspec.objects import DIGEST, SUBMISSION
from tfdsl_backends.podspec.operating import submitting
from tfdsl_backends.podspec.operating.family import Family
from tfdsl_backends.podspec.operating.kubectl import NAME, STATE, Object, get, mapping, rows, text

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
_OF_JOBS: Final[Mapping[Phase, ReplicaPhase]] = {
    "waiting": "waiting",
    "starting": "preparing",
    "running": "running",
    "restarting": "running",
    "succeeded": "succeeded",
    "failed": "failed",
    "aborted": "failed",
    "suspended": "waiting",
    "unknown": "unknown",
}
_NOT_BEGUN: Final = ("absent", "stopped", "waiting")
_RIGHTS: Final = ("serviceaccounts", "roles", "rolebindings")
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
            get(place, _WORKFLOWS, STATE, "workflows", *label),
            get(place, own.resource, own.columns, own.resource.partition(".")[0], *label),
            get(place, _CRON, STATE, "cronworkflows", *label),
        ]

    def live(self, place: Place, answers: Sequence[Answer]) -> Live | None:
        """The run of ``place.id``, or the newest; a flow that has only a schedule waits."""
        assert place.flow is not None
        runs = [one for one in rows(answers[0], STATE) if place.id in ("", one["name"])]
        schedule = next(rows(answers[2], STATE), None)
        run = max(runs, key=lambda one: str(one["created"]), default=None)
        own = run or schedule
        if own is None:
            return None
        noted = text(own["annotations"], SUBMISSION) or (text(schedule["annotations"], SUBMISSION) if schedule else "")
        live = Live(
            self.target,
            place.name,
            text(own, "namespace") or place.namespace,
            str(own["uid"] if run is None else own["name"]),
            "waiting",
            str(own["created"]),
            submission=noted,
            digest=text(own["annotations"], DIGEST),
        )
        if run is None:
            return replace(live, notes=("no run has begun yet; the schedule is there",))
        state = run["status"]
        mark = str(run["uid"])[:RUN_LENGTH]
        objects = self._objects(answers[1], mark)
        nodes = _nodes(run)
        found = [
            self._job(job, self._name(job, place, mark), objects, nodes.get(task_name(job.run.job), {}))
            for job in place.flow.jobs
        ]
        signs = [sign for _, own_signs in found for sign in own_signs]
        signs.append(Sign("workflow", text(state, "phase"), text(state, "message"), f"workflow/{run['name']}"))
        phase = _PHASES.get(text(state, "phase"), "unknown")
        failed = [one.name for one, _ in found if one.phase == "failed" and one.name in objects]
        notes = [f"the run is Workflow {run['name']}"]
        notes += [f"tfdsl status {self.target}/{name} says more of it" for name in failed]
        notes += ["there are earlier runs: --id NAME shows another Workflow"] if len(runs) > 1 else []
        since = text(state, "finishedAt") or text(state, "startedAt") or str(run["created"])
        why = () if phase == "succeeded" else reasons(self.rows, signs)
        return replace(
            live, phase=phase, since=since, replicas=tuple(one for one, _ in found), reasons=why, notes=tuple(notes)
        )

    def _name(self, job: FlowJob, place: Place, mark: str) -> str:
        assert place.flow is not None
        return job.unit.job.name.replace(place.flow.mark, mark)

    def _objects(self, answer: Answer, mark: str) -> dict[str, Object]:
        """The objects of one run by the names of their jobs."""
        found = rows(answer, self.kinds[0].columns)
        return {self.job_of(one): one for one in found if text(one["labels"], RUN_LABEL) == mark}

    def _job(
        self, job: FlowJob, name: str, objects: Mapping[str, Object], node: Mapping[str, object]
    ) -> tuple[Replica, list[Sign]]:
        """A job as its object says; before there is one, and after it is gone, as its task says."""
        task = Replica(job.run.job, -1, "absent", name)
        one = objects.get(name)
        phase, message = text(node, "phase"), text(node, "message")
        if one is not None:
            facts = self.facts([[one]])
            there = _OF_JOBS[facts.phase or facts.hint]
            task = replace(task, phase=there)
            return task, [replace(sign, who=task) for sign in facts.signs] if there == "failed" else []
        if phase in ("Omitted", "Skipped"):
            return replace(task, name="", phase="stopped", end=End(why="did not run: its condition did not hold")), []
        if phase in ("Failed", "Error"):
            task = replace(task, phase="failed")
            return task, [Sign("node", phase, message, f"task {job.run.job}", task)]
        known: dict[str, ReplicaPhase] = {"Succeeded": "succeeded", "Running": "waiting", "Pending": "waiting"}
        return replace(task, phase=known.get(phase, "absent")), []

    def log(self, place: Place, live: Live, replica: Replica, container: str, options: LogOptions) -> str:
        """Each job has its own logs."""
        begun = [f"tfdsl logs {self.target}/{one.name}" for one in live.replicas if one.phase not in _NOT_BEGUN]
        return f"each job of a flow has its own logs: {', '.join(begun) or 'none has begun yet'}"

    # --- submitting and ending ---

    def asks(self, place: Place, documents: Sequence[Document], folder: str) -> list[Call]:
        """A dry run on the server, with its admission."""
        return submitting.asks(place, _one_by_one(documents))

    def steps(self, place: Place, documents: Sequence[Document], folder: str, submission: str) -> list[Step]:
        """What the run needs first, the Workflow last."""
        return submitting.steps(place, _one_by_one(documents), submission)

    def objection(self, answer: Answer, *, replaces: bool) -> str:
        """Its errors but those about what was applied before by somebody who may."""
        lines = [line for line in answer.err.splitlines() if not _is_about_rights(line)]
        left = replace(answer, err="\n".join(lines))
        return super().objection(left, replaces=replaces) if "".join(lines).strip() else ""

    def is_there(self, answer: Answer) -> bool:
        """Whether the server says so; who may not create Roles has them from somebody else."""
        return super().is_there(answer) or any(map(_is_about_rights, answer.err.splitlines()))

    def parts(self, place: Place) -> list[Call]:
        """The schedule, and the runs that have not ended; with them goes all that they own."""
        return [
            get(place, resource, STATE, resource.partition(".")[0], "-l", f"{FLOW_LABEL}={place.name}")
            for resource in (_CRON, _WORKFLOWS)
        ]

    def found(self, place: Place, answers: Sequence[Answer]) -> list[Part]:
        """All that the answers list, without the runs that a schedule has started and takes along."""
        return [
            part
            for resource, answer in zip((_CRON, _WORKFLOWS), answers, strict=True)
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
    return there and any(f"{kind}." in line or f"{kind} " in line for kind in _RIGHTS)


def _one_by_one(documents: Sequence[Document]) -> list[Document]:
    """The objects of all files, the Workflow last."""
    found: list[Document] = []
    for document in (*documents[1:], *documents[:1]):
        data = cast("dict[str, Any]", plain(document.data))
        found += [replace(document, data=one) for one in (data["items"] if data["kind"] == "List" else [data])]
    return found


def _nodes(run: Object) -> dict[str, Mapping[str, object]]:
    """The nodes of a Workflow by the names of their tasks; Argo packs them where they are many."""
    state = mapping(run["status"])
    nodes = mapping(state, "nodes") or _unpacked(text(state, "compressedNodes"))
    return {text(one, "displayName"): one for one in _maps(nodes)}


def _maps(nodes: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    return (found for name in nodes if (found := mapping(nodes, name)))


def _unpacked(packed: str) -> Mapping[str, object]:
    try:
        with gzip.GzipFile(fileobj=_bytes(packed)) as file:
            return mapping(json.loads(file.read(_LARGEST)))
    except (ValueError, OSError, EOFError, RecursionError):
        return {}


def _bytes(packed: str) -> Any:
    from io import BytesIO

    return BytesIO(base64.b64decode(packed, validate=True))
