"""Flows as Workflows of Argo. What Argo replaces, when and where, was seen on its controller and executor 4.0.5."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.flows import flow_of
from tests.unit.backends.structural import schema, violations
from tfdsl.compiling import pipeline
from tfdsl.emit.located import plain
from tfdsl.record import replace
from tfdsl.targets import find
from tfdsl.vocabulary.quantities import Duration

if TYPE_CHECKING:
    from tfdsl.backend.flow import FlowUnit

FAMILY = ("jobset", "kubernetes", "tfjob", "volcano")
UID = "3e5a81a6-0000-4000-8000-000000000000"
VALUES = {"workflow.name": "nightly-x7k2p", "workflow.uid": UID, "=workflow.uid[0:8]": UID[:8]}
OWNER = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "name": "nightly-x7k2p", "uid": UID}

Runs = "Iterable[tuple[str, tuple[str, ...], str]]"


def job(name: str, more: str = "", role: str = "") -> str:
    """A job of one role and one replica, which every target takes."""
    return f'job {name} {{\n  image = "x:1"\n  {more}\n  role worker {{\n    command = ["run"]\n    {role}\n  }}\n}}\n'


def flow(target: str, jobs: str, runs: Runs = (), **fields: object) -> FlowUnit:
    """A flow; without ``runs`` the only one is ``train``."""
    return flow_of(jobs, runs or [("train", (), "succeeded")], target, **fields)


def made(unit: FlowUnit) -> dict[str | None, Any]:
    """The documents by file."""
    lowering = find(unit.target).load_flows()
    return {one.file: plain(one.data) for one in lowering.generate(unit)}


def main(unit: FlowUnit) -> dict[str, Any]:
    """The Workflow or CronWorkflow, which the server takes."""
    files = made(unit)
    found = files.get(None) or files["nightly.yaml"]
    cron = found["kind"] == "CronWorkflow"
    whole = schema("argo-workflow")
    if cron:
        spec = whole["properties"]["spec"]
        whole = schema("argo-cronworkflow")
        whole["properties"]["spec"]["properties"]["workflowSpec"] = spec
    assert violations(found, whole) == []
    return found


def templates(unit: FlowUnit) -> dict[str, dict[str, Any]]:
    """The templates by name, each name once."""
    found = main(unit)["spec"]["templates"]
    names = {one["name"]: one for one in found}
    assert len(names) == len(found)
    return names


def arrived(text: str) -> dict[str, Any]:
    """The object that a manifest becomes: Argo replaces three times, the kubelet what begins with ``$``.

    Argo reads it as YAML, which has no pairs of surrogates.
    """
    assert "$" not in text
    assert not re.search(r"\\ud[89a-f]", text)
    for _ in range(3):
        text = re.sub(r"\{\{(.*?)\}\}", lambda tag: VALUES[tag[1]], text, flags=re.DOTALL)
    return json.loads(text)


def manifests(unit: FlowUnit) -> list[dict[str, Any]]:
    """All objects as they arrive."""
    found = [one["resource"].get("manifest") for one in templates(unit).values() if "resource" in one]
    return [arrived(text) for text in found if text is not None]


def said(unit: FlowUnit) -> dict[str, str]:
    """What the target says: level and message by the end of the code."""
    lowering = find(unit.target).load_flows()
    return {one.rule.code[3:]: f"{one.level}: {one.message}" for one in lowering.check(unit)}


# --- the graph ---

JOBS = "".join(map(job, ("fetch", "train", "evaluate", "notify")))
RUNS = [
    ("fetch", (), "succeeded"),
    ("train", ("fetch",), "succeeded"),
    ("evaluate", ("fetch", "train"), "ended"),
    ("notify", ("train",), "failed"),
]


@pytest.mark.parametrize("target", FAMILY)
def test_each_job_is_a_task_and_a_target_of_the_dag(target: str) -> None:
    dag = templates(flow(target, JOBS, RUNS))["flow"]["dag"]
    assert dag["failFast"] is False
    assert dag["target"] == "fetch train evaluate notify"
    assert {task["name"]: task.get("depends") for task in dag["tasks"]} == {
        "fetch": None,
        "train": "fetch.Succeeded",
        "evaluate": "(fetch.Succeeded || fetch.Failed || fetch.Errored) && "
        "(train.Succeeded || train.Failed || train.Errored)",
        "notify": "(train.Failed || train.Errored)",
    }


def test_names_of_templates_and_tasks_are_free_and_allowed() -> None:
    names = ["flow", "stop", "exit", "flow-2", "flow-job", "last"]
    runs = [(name, ("last",) if name != "last" else (), "succeeded") for name in names]
    unit = flow("kubernetes", "".join(map(job, names)), runs, deadline=Duration("1h"))
    steps = [one.run.but(job=one.run.job.replace("last", "2024")) for one in unit.jobs]
    steps = [one.but(after=("2024",)) if one.after else one for one in steps]
    jobs = tuple(replace(one, run=run) for one, run in zip(unit.jobs, steps, strict=True))
    unit = replace(unit, flow=unit.flow.but(runs=tuple(steps)), jobs=jobs)
    spec = main(unit)["spec"]
    entry = templates(unit)[spec["entrypoint"]]["dag"]
    assert spec["entrypoint"] == "flow-3"
    assert [task["name"] for task in entry["tasks"]] == ["flow", "stop", "exit", "flow-2", "flow-job", "J2024"]
    assert entry["tasks"][0]["depends"] == "J2024.Succeeded"
    assert templates(unit)[spec["onExit"]]["steps"][0][0]["template"] in templates(unit)


# --- what is watched ---

CONDITIONS = {
    "kubernetes": ("Job", "status.completionTime", [f"status.conditions.{n}.type = Failed" for n in range(4)]),
    "tfjob": ("TFJob", "status.completionTime", [f"status.conditions.{n}.type = Failed" for n in range(1, 6)]),
    "jobset": ("JobSet", "status.terminalState = Completed", ["status.terminalState = Failed"]),
    "volcano": (
        "Job",
        "status.state.phase = Completed",
        ["status.state.phase in (Failed, Terminated, Aborted)"],
    ),
}


@pytest.mark.parametrize("target", FAMILY)
def test_only_the_object_of_the_job_is_waited_for_and_it_comes_last(target: str) -> None:
    kind, success, failure = CONDITIONS[target]
    found = templates(flow(target, job("train", role='mount claim 1Gi at "/a"')))
    steps = found["train"].get("steps", [[{"template": "train"}]])
    order = [step["template"] for group in steps for step in group]
    waits = [name for name in order if "successCondition" in found[name]["resource"]]
    assert waits == order[-1:]
    resource = found[order[-1]]["resource"]
    assert arrived(resource["manifest"])["kind"] == kind
    assert (resource["successCondition"], resource["failureCondition"]) == (success, ", ".join(failure))
    assert {one["resource"]["action"] for name, one in found.items() if name in order} == {"apply"}
    assert {one["retryStrategy"]["retryPolicy"] for name, one in found.items() if name in order} == {"Always"}


# --- manifests ---

HOSTILE = (
    r'''"{{workflow.name}}", "{{=1+1}}", "}}", "{{{", "a{", "$(HOME) $$", "\\", "\"", "ünï😀", "{{\"{{\"", "a\nb"'''
)


def without(item: dict[str, Any]) -> dict[str, Any]:
    """An object without what a flow adds to it."""
    metadata = dict(item["metadata"])
    assert metadata.pop("ownerReferences") == [OWNER]
    labels = dict(metadata.pop("labels"))
    assert (labels.pop("tfdsl/flow"), labels.pop("tfdsl/flow-run")) == ("nightly", UID[:8])
    return {**item, "metadata": metadata | ({"labels": labels} if labels else {})}


@pytest.mark.parametrize("target", FAMILY)
def test_what_arrives_is_what_the_job_is_alone_under_its_name(target: str) -> None:
    text = job(
        "train",
        'labels = { team = "a" }',
        f'replicas = 2\n    args = [{HOSTILE}]\n    env = {{ A = "{{{{workflow.uid}}}}", B = "$(C)" }}',
    )
    unit = flow(target, text)
    alone = unit.jobs[0].unit
    named = replace(alone, job=alone.job.but(name=f"nightly-train-{UID[:8]}"))
    expected = [plain(one.data) for one in find(target).load().generate(named)]
    found = [without(one) for one in manifests(unit)]
    assert sorted(found, key=json.dumps) == sorted(expected, key=json.dumps)


@pytest.mark.parametrize(("word", "flags"), [("\\u{1}", True), ("\\u{7F}", False), ("\\u{9F}", False), ("é😀", True)])
def test_what_the_server_cannot_apply_is_applied_by_the_client(word: str, flags: bool) -> None:
    """Seen: with DEL, which kubectl sends as it is, the server says that control characters are not allowed."""
    (made,) = [
        one for one in templates(flow("tfjob", job("train", f'args = ["{word}"]'))).values() if "resource" in one
    ]
    assert ("--server-side" in made["resource"].get("flags", [])) == flags


@pytest.mark.parametrize("target", FAMILY)
def test_claims_that_stay_are_made_once_beside_the_flow(target: str) -> None:
    unit = flow(target, job("train", role='mount claim 1Gi at "/a" { keep = true }'))
    claims = made(unit)["nightly.claims.yaml"]
    assert (claims["kind"], claims["metadata"]["name"]) == ("PersistentVolumeClaim", "nightly-train-a")
    assert unit.mark not in json.dumps(claims)
    everything = json.dumps(manifests(unit))
    assert '"claimName": "nightly-train-a"' in everything.replace("volumeClaimName", "claimName")
    assert '"PersistentVolumeClaim"' not in everything


@pytest.mark.parametrize("target", FAMILY)
def test_tensorboard_is_left_out_with_a_note(target: str) -> None:
    board = '  role tensorboard {\n    logdir = "/logs"\n  }\n}\n'
    unit = flow(
        target, job("train", 'image = "x:1"').removesuffix("}\n").replace('image = "x:1"\n  image', "image") + board
    )
    assert "tensorboard" not in json.dumps(manifests(unit))
    assert said(unit)["191"] == "info: the TensorBoard of job train is left out of the flow"


@pytest.mark.parametrize("target", FAMILY)
def test_every_line_of_a_manifest_knows_where_it_comes_from(target: str) -> None:
    unit = flow(target, job("fetch") + job("train"), [("fetch", (), "succeeded"), ("train", ("fetch",), "succeeded")])
    (document,) = find(target).load_flows().generate(unit)
    written = pipeline.written(document)
    lines = dict(zip(written.text.splitlines(), written.lines, strict=True))
    image = [path for line, path in lines.items() if '"image": "x:1"' in line]
    origins, inner = unit.place_of(image[-1])
    start = origins.span(inner).start  # just behind the second word
    assert origins is unit.jobs[-1].unit.origins
    assert origins.span(inner).source.text[:start].count("image") == 2
    depends = next(path for line, path in lines.items() if "depends" in line)
    assert unit.place_of(depends) == (unit.origins, "runs[1].after")


# --- the flow's own fields ---


@pytest.mark.parametrize(
    ("argo", "field", "value"),
    [("3.5", "schedule", "0 2 * * *"), ("3.6", "schedules", ["0 2 * * *"]), ("4.1", "schedules", ["0 2 * * *"])],
)
def test_a_schedule_makes_a_cronworkflow(argo: str, field: str, value: object) -> None:
    unit = flow("tfjob", job("train"), schedule="0 2 * * *", time_zone="Europe/Berlin", overlap="allow")
    jobs = tuple(replace(one, unit=replace(one.unit, options={**one.unit.options, "argo": argo})) for one in unit.jobs)
    found = made(replace(unit, jobs=jobs))[None]
    assert (found["kind"], found["metadata"]["name"]) == ("CronWorkflow", "nightly")
    spec = {key: one for key, one in found["spec"].items() if not key.startswith("workflow")}
    assert spec == {field: value, "timezone": "Europe/Berlin", "concurrencyPolicy": "Allow"}


def test_a_run_that_replaces_another_deletes_its_objects_first() -> None:
    unit = flow("tfjob", JOBS, RUNS, schedule="@daily", overlap="replace", service_account="flows")
    found = main(unit)["spec"]["workflowSpec"]["templates"]
    tasks = {one["name"]: one.get("depends") for one in found[0]["dag"]["tasks"]}
    assert tasks["REPLACE"] is None
    assert tasks["fetch"] == "REPLACE.Succeeded"
    assert tasks["train"] == "fetch.Succeeded"
    deletion = next(one["resource"] for one in found if one["name"] == found[0]["dag"]["tasks"][0]["template"])
    selector = "tfdsl/flow=nightly,tfdsl/flow-run!={{=workflow.uid[0:8]}}"
    flags = ["tfjobs.kubeflow.org", "--selector", selector, "--wait=false"]
    assert deletion == {"action": "delete", "flags": flags}
    (role,) = (one for one in made(unit)["nightly.rbac.yaml"]["items"] if one["kind"] == "Role")
    assert role["rules"][-1]["verbs"] == ["create", "get", "patch", "list", "delete"]


@pytest.mark.parametrize(("overlap", "policy"), [("skip", "Forbid"), ("allow", "Allow"), ("replace", "Replace")])
def test_overlap(overlap: str, policy: str) -> None:
    found = main(flow("jobset", job("train"), schedule="@daily", overlap=overlap))
    assert found["spec"]["concurrencyPolicy"] == policy


def test_without_a_schedule_every_run_has_a_name_of_its_own() -> None:
    found = main(flow("jobset", job("train", 'namespace = "ml"')))
    assert found["metadata"] == {"generateName": "nightly-", "namespace": "ml", "labels": {"tfdsl/flow": "nightly"}}


@pytest.mark.parametrize(
    ("target", "resource"),
    [
        ("jobset", "jobsets.jobset.x-k8s.io"),
        ("kubernetes", "jobs.batch"),
        ("tfjob", "tfjobs.kubeflow.org"),
        ("volcano", "jobs.batch.volcano.sh"),
    ],
)
def test_after_the_deadline_the_objects_of_the_run_are_deleted(target: str, resource: str) -> None:
    unit = flow(target, job("train"), deadline=Duration("90m"), service_account="flows", namespace="ml")
    spec = main(unit)["spec"]
    assert (spec["activeDeadlineSeconds"], spec["serviceAccountName"]) == (5400, "flows")
    (step,) = templates(unit)[spec["onExit"]]["steps"][0]
    assert step["when"] == "{{workflow.duration}} >= 5400"
    deletion = templates(unit)[step["template"]]["resource"]
    run = "{{=workflow.uid[0:8]}}"
    flags = [resource, "--selector", f"tfdsl/flow-run={run}", "--wait=false"]
    assert deletion == {"action": "delete", "flags": flags}
    plural, _, group = resource.partition(".")
    account, role, binding = made(unit)["nightly.rbac.yaml"]["items"]
    assert [one["metadata"]["name"] for one in (account, role, binding)] == ["flows"] * 3
    assert {one["metadata"]["namespace"] for one in (account, role, binding)} == {"ml"}
    rules = {(*one["apiGroups"], *one["resources"]): one["verbs"] for one in role["rules"]}
    services = {("", "services"): ["create", "get", "patch"]} if target == "kubernetes" else {}
    assert rules == {
        (group, plural): ["create", "get", "patch", "list", "delete"],
        **services,
    }
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "flows", "namespace": "ml"}]


# --- what it refuses and says ---

TWO = [("a", (), "succeeded"), ("b", ("a",), "succeeded")]
SAID = {
    "180": (
        'target TARGET { argo = "4.0" }',
        "",
        {},
        "error: the jobs of a flow need one version of Argo: a has 4.1 and b has 4.0",
    ),
    "183": (
        "",
        "",
        {"schedule": "@daily", "overlap": "replace"},
        "info: each run deletes the objects of all earlier runs, also of those that have ended",
    ),
    "187": (
        "",
        "",
        {"deadline": Duration("1h")},
        "info: after the deadline the objects of the run are deleted, also of jobs that have ended",
    ),
    "188": (
        "",
        "",
        {},
        "info: Argo's pods use the service account default, which usually cannot create the objects of the jobs",
    ),
    "189": (
        "",
        "",
        {"schedule": "@daily"},
        "info: without time_zone, the schedule is in the time zone of Argo's controller, usually UTC",
    ),
}


@pytest.mark.parametrize("target", FAMILY)
@pytest.mark.parametrize("code", SAID)
def test_what_is_said(code: str, target: str) -> None:
    more, role, fields, message = SAID[code]
    jobs = job("a") + job("b", more.replace("TARGET", target), role)
    assert said(flow(target, jobs, TWO, **fields))[code] == message.replace("volcano", target)


@pytest.mark.parametrize("target", FAMILY)
def test_a_suspended_job_would_be_waited_for_for_ever(target: str) -> None:
    unit = flow(target, job("train"))
    (its,) = unit.jobs
    suspended = replace(its, unit=replace(its.unit, job=its.unit.job.but(suspend=True)))
    found = said(replace(unit, jobs=(suspended,)))
    assert found["182"] == "error: job train starts suspended, so its flow would wait for it forever"


def test_several_jobs_have_no_end() -> None:
    ps = job("train").removesuffix("}\n") + '  role ps {\n    command = ["run"]\n  }\n}\n'
    found = said(flow("kubernetes", ps))
    assert found["192"] == "error: job train becomes 2 Jobs, but a flow can only wait for one"
    assert "192" not in said(flow("jobset", ps))


@pytest.mark.parametrize("target", FAMILY)
def test_limits_of_names_templates_and_size(target: str) -> None:
    many = [f"j{number}" for number in range(201)]
    runs = [(name, (), "succeeded") for name in many]
    unit = flow(target, "".join(map(job, many)), runs)
    count = 604 if target == "kubernetes" else 202  # there each has a Service, and both a template
    assert said(unit)["185"] == f"error: the Workflow has {count} templates; from 4.0 on Argo takes at most 200"
    large = flow(target, job("train", role=f"args = [{', '.join(3 * [chr(34) + 60000 * 'é' + chr(34)])}]"))
    assert said(large)["184"].startswith("error: the Workflow has 1")
    for schedule, limit, kind in ((None, 57, "Workflow"), ("@daily", 52, "CronWorkflow")):
        for length in (limit, limit + 1):
            unit = flow(target, job("t"), [("t", (), "succeeded")], schedule=schedule)
            unit = replace(unit, flow=unit.flow.but(name="n" * length))
            message = f"error: the name of a {kind} has at most {limit} characters, this one has {length}"
            assert said(unit).get("186") == (message if length > limit else None)


@pytest.mark.parametrize("target", FAMILY)
def test_every_key_of_a_flow_has_a_row(target: str) -> None:
    from tfdsl.ir.flow import FLOW_KEYS

    support = find(target).load_flows().SUPPORT
    assert {row.key for row in support.rows} == set(FLOW_KEYS)
