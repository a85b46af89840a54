"""A flow as a Workflow or CronWorkflow of Argo, top to bottom in the order of the manifest.

Each job is a task of one DAG. All of them are its targets, because a DAG that names none has the end of its leaves: a
job that failed would not count if one that runs ``after`` its failure succeeds (seen).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, cast

from tfdsl.backend import Document
from tfdsl.backend.flow import FlowJob, FlowUnit
from tfdsl.emit.located import Data, Located, at, changed, child, plain, unwrap
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.vocabulary import versions
from tfdsl_backends.podspec.flows.manifests import (
    API_VERSION,
    FLOW_LABEL,
    RUN,
    RUN_LABEL,
    manifest,
    shared_name,
)
from tfdsl_backends.podspec.objects import claim_name

SCHEDULES: Final = "3.6"
"""From here a CronWorkflow has ``schedules``; ``schedule`` is gone in 4.0."""
LIMITED: Final = "4.0"
"""From here the CRDs take at most :data:`MOST` templates and tasks."""
REPLACE: Final = "REPLACE"
"""The task that comes first where a run replaces the one before; no job has capitals in its name."""
MOST: Final = 200
POLICIES: Final = {"skip": "Forbid", "allow": "Allow", "replace": "Replace"}
CONFLICTS: Final = ("--server-side", "--force-conflicts")
"""``apply`` without the annotation of the client, which holds the whole manifest and at most 256 KiB."""
NOT_IN_YAML: Final = regex(r"\\u(007f|00[89].|fff[ef])")
"""Control characters, which the server refuses in what is applied on its side: it reads that as YAML (seen)."""
RETRY: Final[Data] = {
    "limit": "10",
    "retryPolicy": "Always",
    "expression": "lastRetry.status == 'Error' || lastRetry.exitCode != '64'",
    "backoff": {"duration": "10s"},
}
"""The pod that watches an object may be evicted, which is Failed for Argo, not Error. With 64 its program itself ends:
the job has failed, or there is no such object (seen)."""


class Awaited(Record):
    """The object of a job that decides how it ends.

    ``success`` and ``failure``: selectors over the object as Argo reads them, of which all and any have to hold.
    """

    kind: str
    api: str
    success: str
    failure: str

    @property
    def resource(self) -> str:
        """As ``kubectl`` names the kind, with its group."""
        group, plural = _resource(self.api, self.kind)
        return f"{plural}.{group}"


def generate(unit: FlowUnit, awaited: Awaited, templates: list[Data]) -> list[Document]:
    """The Workflow or CronWorkflow; claims that all runs share, and the rights of its pods, in files of their own."""
    name = unit.flow.name
    beside = {"claims": _claims(unit), "rbac": _rights(unit, awaited)}
    files = [Document(_list(objects), f"{name}.{kind}.yaml") for kind, objects in beside.items() if objects]
    return [Document(workflow(unit, templates), f"{name}.yaml" if files else None), *files]


def _list(objects: Sequence[Data]) -> Data:
    return objects[0] if len(objects) == 1 else {"apiVersion": "v1", "kind": "List", "items": list(objects)}


def workflow(unit: FlowUnit, templates: list[Data]) -> Data:
    """The main document."""
    flow = unit.flow
    labels: Data = {FLOW_LABEL: flow.name, **unit.labels}
    namespace = {"namespace": at(flow, "namespace")}
    if flow.schedule is None:
        metadata: Data = {"generateName": f"{flow.name}-", **namespace, "labels": labels}
        return {"apiVersion": API_VERSION, "kind": "Workflow", "metadata": metadata, "spec": _spec(unit, templates)}
    schedule = at(flow, "schedule")
    listed = at_least(unit, SCHEDULES)
    return {
        "apiVersion": API_VERSION,
        "kind": "CronWorkflow",
        "metadata": {"name": flow.name, **namespace, "labels": labels},
        "spec": {
            "schedules": [schedule] if listed else None,
            "schedule": None if listed else schedule,
            "timezone": at(flow, "time_zone"),
            "concurrencyPolicy": Located(POLICIES[flow.overlap], "overlap"),
            "workflowMetadata": {"labels": labels},
            "workflowSpec": _spec(unit, templates),
        },
    }


def at_least(unit: FlowUnit, version: str) -> bool:
    """Whether Argo has this version or a newer one."""
    return versions.key(unit.jobs[0].unit.text("argo")) >= versions.key(version)


def _spec(unit: FlowUnit, templates: list[Data]) -> Data:
    flow, names = unit.flow, Names(unit)
    deadline = None if flow.deadline is None else Located(flow.deadline.seconds, "deadline")
    return {
        "entrypoint": names.entry,
        "podMetadata": {"labels": unit.labels} if unit.labels else None,
        "serviceAccountName": at(flow, "service_account"),
        "activeDeadlineSeconds": deadline,
        "onExit": names.exit if deadline else None,
        "templates": templates,
    }


def templates(unit: FlowUnit, awaited: Awaited) -> list[Data]:
    """The DAG, what applies the objects of each job, and what happens after the deadline."""
    names = Names(unit)
    return [
        {"name": names.entry, "dag": _dag(unit, names)},
        *(
            [_deletion(names.replace, awaited, f"{FLOW_LABEL}={unit.flow.name},{RUN_LABEL}!={RUN}")]
            if replaces(unit)
            else ()
        ),
        *(template for number in range(len(unit.jobs)) for template in _job(unit, number, awaited, names)),
        *(_stop(names, awaited, unit.flow.deadline.seconds) if unit.flow.deadline is not None else ()),
    ]


class Names:
    """Names of templates that no job has; a template of a job is called like it."""

    def __init__(self, unit: FlowUnit) -> None:
        self._taken = {job.run.job for job in unit.jobs}
        self.entry = self.free("flow")
        self.exit = self.free("exit")
        self.stop = self.free("stop")
        self.replace = self.free("replace")

    def free(self, name: str) -> str:
        """``name``, or what is free of those that begin with it."""
        wanted, number = name, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}-{number}"
        self._taken.add(name)
        return name


def task_name(job: str) -> str:
    """The name of a task, which begins with a letter; no job has a capital in its name."""
    return job if job[0].isalpha() else f"J{job}"


def job_named(task: str) -> str:
    """The job of a task."""
    return task.removeprefix("J")


def replaces(unit: FlowUnit) -> bool:
    """Whether a run ends the one before. Argo ends the pods of that, so the objects are deleted first (seen)."""
    return unit.flow.schedule is not None and unit.flow.overlap == "replace"


def _dag(unit: FlowUnit, names: Names) -> Data:
    first = f"{REPLACE}.Succeeded" if replaces(unit) else None
    tasks: list[Data] = [{"name": REPLACE, "template": names.replace}] if first else []
    tasks += [
        Located(
            {"name": task_name(job.run.job), "template": job.run.job, "depends": _depends(job) or first},
            job.run.path,
        )
        for job in unit.jobs
    ]
    return {"failFast": False, "target": " ".join(task_name(job.run.job) for job in unit.jobs), "tasks": tasks}


_ENDS: Final = {
    "succeeded": "{0}.Succeeded",
    "failed": "({0}.Failed || {0}.Errored)",
    "ended": "({0}.Succeeded || {0}.Failed || {0}.Errored)",
}
"""Which end of a task lets the next one run. A bare name would also mean one that was skipped."""


def _depends(job: FlowJob) -> Data:
    run = job.run
    parts = [_ENDS[run.ending].format(task_name(before)) for before in run.after]
    return Located(" && ".join(parts), child(run.path, "after")) if parts else None


def _job(unit: FlowUnit, number: int, awaited: Awaited, names: Names) -> Iterator[Data]:
    """The templates of a job: one, or the steps and one for each object; that which decides how it ends is the last."""
    job = unit.jobs[number]
    kept, place = _kept(job), unit.path_in(number, "")
    objects = sorted(_objects(job), key=lambda data: _is_awaited(data, awaited))
    called = [job.run.job]
    if len(objects) > 1:
        kinds = [_SHORT.get(_kind(data)[1], _kind(data)[1].lower()) for data in objects]
        called = [names.free(f"{job.run.job}-{kind}") for kind in kinds]
        steps: list[Data] = [[{"name": called_, "template": called_}] for called_ in called]
        yield Located({"name": job.run.job, "steps": steps}, place)
    for name, data in zip(called, objects, strict=True):
        waits = _is_awaited(data, awaited)
        text = manifest(unit, number, data, kept)
        resource: Data = {
            "action": "apply",
            "flags": None if NOT_IN_YAML.search(text) else list(CONFLICTS),
            "successCondition": awaited.success if waits else None,
            "failureCondition": awaited.failure if waits else None,
            "manifest": text,
        }
        yield Located({"name": name, "retryStrategy": RETRY, "resource": resource}, place)


_SHORT: Final = {"PersistentVolumeClaim": "claim"}


def awaited_objects(job: FlowJob, awaited: Awaited) -> list[Data]:
    """The objects of a job that decide how it ends: one, unless it becomes several Jobs."""
    return [data for data in _objects(job) if _is_awaited(data, awaited)]


def _objects(job: FlowJob) -> list[Data]:
    """The objects that belong to a run."""
    kept = _kept(job)
    return [one.data for one in job.documents if _name(one.data) not in kept]


def _kept(job: FlowJob) -> list[str]:
    """The names of the claims that outlive a run."""
    return [claim_name(job.unit.job, claim) for claim in job.unit.job.claims if claim.keep]


def _fields(data: Data) -> Mapping[str, Data]:
    return cast("Mapping[str, Data]", unwrap(data))


def _name(data: Data) -> str:
    return str(plain(_fields(_fields(data)["metadata"])["name"]))


def _kind(data: Data) -> tuple[str, str]:
    """API version and kind of an object."""
    return str(plain(_fields(data)["apiVersion"])), str(plain(_fields(data)["kind"]))


def _is_awaited(data: Data, awaited: Awaited) -> bool:
    return _kind(data) == (awaited.api, awaited.kind)


def _claims(unit: FlowUnit) -> list[Data]:
    """The claims that outlive a run; all runs share them."""
    return [
        changed(one.data, partial(shared_name, unit), partial(unit.path_in, number))
        for number, job in enumerate(unit.jobs)
        for one in job.documents
        if _name(one.data) in _kept(job)
    ]


def _stop(names: Names, awaited: Awaited, seconds: int) -> Iterator[Data]:
    """After the deadline Argo ends its own pods only, so the objects of the run are deleted."""
    late = f"{{{{workflow.duration}}}} >= {seconds}"
    yield {"name": names.exit, "steps": [[{"name": "stop", "template": names.stop, "when": Located(late, "deadline")}]]}
    yield _deletion(names.stop, awaited, f"{RUN_LABEL}={RUN}")


def _deletion(name: str, awaited: Awaited, selector: str) -> Data:
    flags: list[Data] = [awaited.resource, "--selector", selector, "--wait=false"]
    return {"name": name, "resource": {"action": "delete", "flags": flags}}


def _rights(unit: FlowUnit, awaited: Awaited) -> list[Data]:
    """A service account for the pods that Argo starts, with what they need and no more."""
    flow = unit.flow
    if flow.service_account is None:
        return []
    account = at(flow, "service_account")
    labels: Data = {FLOW_LABEL: flow.name, **unit.labels}
    metadata: Data = {"name": account, "namespace": at(flow, "namespace"), "labels": labels}
    group = "rbac.authorization.k8s.io"
    subject: Data = {"kind": "ServiceAccount", "name": account, "namespace": at(flow, "namespace")}
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata},
        {"apiVersion": f"{group}/v1", "kind": "Role", "metadata": metadata, "rules": rules(unit, awaited)},
        {
            "apiVersion": f"{group}/v1",
            "kind": "RoleBinding",
            "metadata": metadata,
            "subjects": [subject],
            "roleRef": {"apiGroup": group, "kind": "Role", "name": account},
        },
    ]


def rules(unit: FlowUnit, awaited: Awaited) -> list[Data]:
    """What the pods that Argo starts have to be allowed.

    They get none on ``workflowtaskresults``, which Argo's own role has: the controller would wait forever for the
    result of a pod that is killed or reaches the deadline (seen), and there is nothing in it that a flow needs.
    """
    kinds = {_kind(data): None for job in unit.jobs for data in _objects(job)}
    made: list[Data] = []
    deletes = unit.flow.deadline is not None or replaces(unit)
    for api, kind in kinds:
        stops = ("list", "delete") if deletes and (api, kind) == (awaited.api, awaited.kind) else ()
        group, plural = _resource(api, kind)
        verbs = ["create", "get", "patch", *stops]
        made.append({"apiGroups": [group], "resources": [plural], "verbs": verbs})
    return made


def _resource(api: str, kind: str) -> tuple[str, str]:
    """The group of an API version, and what a kind is called in it."""
    return api.rpartition("/")[0], f"{kind.lower()}s"
