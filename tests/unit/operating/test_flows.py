"""Flows on a cluster with Argo: submitted, read and ended as one thing."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tfdsl.backend.cluster import Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.unit.operating.conftest import Kubectl
    from tfdsl.backend.cluster import Call

UID = "3e5a81a6-0000-4000-8000-000000000000"
FLOW = """\
job fetch {
  image = "x:1"
  namespace = "ml"
  role worker {
    command = ["fetch"]
    mount claim 1Gi at "/data" { keep = true }
  }
}
job train {
  image = "x:1"
  namespace = "ml"
  role worker {
    command = ["train"]
  }
}
job notify {
  image = "x:1"
  namespace = "ml"
  role worker {
    command = ["notify"]
  }
}
flow nightly {
  service_account = "flows"
  run fetch
  run train after fetch
  run notify after train failed
}
"""
RIGHTS = {"ServiceAccount/flows", "Role/flows", "RoleBinding/flows"}
MADE = {"Workflow/nightly-x7k2p", "PersistentVolumeClaim/nightly-fetch-data", *RIGHTS}
FILE = ("nightly.tfjob", "-t", "tfjob")


@pytest.fixture
def flows(kubectl: Kubectl) -> Kubectl:
    """A folder with a flow."""
    (kubectl.folder / "nightly.tfjob").write_text(FLOW)
    return kubectl


def begun(flows: Kubectl, phase: str, nodes: dict[str, Any], *jobs: tuple[str, str], packed: bool = False) -> None:
    """Submit the flow, and let it have come to ``phase``; ``jobs``: the TFJobs that are there, with a condition."""
    assert flows.run("submit", *FILE).status == 0
    objects = flows.objects
    run = next(one for one in objects if one["kind"] == "Workflow")
    run["metadata"]["uid"] = UID
    found = {f"id-{name}": {"displayName": name, "type": "Retry", **node} for name, node in nodes.items()}
    nested: dict[str, Any] = {"nodes": found}
    if packed:
        nested = {"compressedNodes": base64.b64encode(gzip.compress(json.dumps(found).encode())).decode()}
    run["status"] = {"phase": phase, "startedAt": "2026-11-29T10:00:01Z", **nested}
    labels = {"tfdsl/flow": "nightly", "tfdsl/flow-run": UID[:8]}
    for name, kind in jobs:
        condition = {"type": kind, "status": "True", "reason": "Why", "message": "its words"}
        metadata = {"name": f"nightly-{name}-{UID[:8]}", "namespace": "ml", "uid": f"u-{name}", "labels": labels}
        status = {"conditions": [condition]}
        objects.append({"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "metadata": metadata, "status": status})
    flows.put(objects)


def test_all_is_submitted_or_nothing(flows: Kubectl) -> None:
    ran = flows.run("submit", *FILE)
    assert (ran.status, flows.names()) == (0, MADE), ran.err
    assert "workflow/nightly-x7k2p" in ran.out
    assert "tfdsl status nightly.tfjob -t tfjob" in ran.out
    flows.put([])
    flows.odd(("create -f - -o jsonpath.*", {}))
    flows.odd(("create -f", {"status": 1, "err": "Error from server (Forbidden): no\n"}))
    assert (flows.run("submit", *FILE).status, flows.names()) == (1, set())


def test_what_may_not_be_created_but_is_there_is_used(flows: Kubectl) -> None:
    flows.run("submit", *FILE)
    flows.put([one for one in flows.objects if one["kind"] != "Workflow"])
    ran = flows.run("submit", *FILE)
    assert (ran.status, flows.names()) == (0, MADE), ran.err
    assert "used as it is: serviceaccount/flows, role/flows, rolebinding/flows" in ran.out.replace(
        "used as it is: persistentvolumeclaim/nightly-fetch-data, ", "used as it is: "
    )


@pytest.mark.parametrize("packed", [False, True])
def test_each_job_is_shown_as_its_object_or_its_task_says(flows: Kubectl, packed: bool) -> None:
    nodes = {"fetch": {"phase": "Succeeded"}, "train": {"phase": "Running"}}
    begun(flows, "Running", nodes, ("fetch", "Succeeded"), ("train", "Running"), packed=packed)
    ran = flows.run("status", *FILE)
    assert ran.out.splitlines()[:4] == [
        "nightly (tfjob, namespace ml): running since 2026-11-29T10:00:01Z",
        "  fetch   succeeded  -",
        "  train   running    -",
        "  notify  waiting    -  waits for train, which is running",
    ], ran.err
    assert "note: the run is Workflow nightly-x7k2p" in ran.out


POD = {
    "apiVersion": "v1", "kind": "Pod",
    "metadata": {
        "name": f"nightly-fetch-{UID[:8]}-worker-0", "namespace": "ml", "uid": "p",
        "creationTimestamp": "2026-11-29T10:00:02Z",
        "labels": {
            f"training.kubeflow.org/{key}": value
            for key, value in (
                ("job-name", f"nightly-fetch-{UID[:8]}"), ("replica-type", "worker"), ("replica-index", "0")
            )
        },
    },
    "spec": {"nodeName": "node1"},
    "status": {
        "phase": "Failed",
        "containerStatuses": [{"name": "tensorflow", "state": {"terminated": {"exitCode": 3, "reason": "Error"}}}],
    },
}  # fmt: skip


def test_why_a_flow_has_failed_is_why_its_first_job_has(flows: Kubectl) -> None:
    """In the words of ``tfdsl simulate``, with the line of the job."""
    nodes = {"fetch": {"phase": "Failed"}, "train": {"phase": "Omitted"}, "notify": {"phase": "Omitted"}}
    begun(flows, "Failed", nodes, ("fetch", "Failed"))
    flows.put([*flows.objects, POD])
    (flows.cluster / f"nightly-fetch-{UID[:8]}-worker-0-tensorflow.log").write_text("no data\n")
    ran = flows.run("status", *FILE, "--wait")
    assert ran.status == 1
    assert ran.out.splitlines()[1:4] == [
        "  fetch   failed   -",
        "  train   not run  -  fetch has failed",
        "  notify  not run  -  train did not run",
    ]
    assert "why: fetch has failed: worker[0] exited with status 3\n  at nightly.tfjob:5\n" in ran.out
    assert "the last lines of fetch/worker[0]:\n    no data\n" in ran.out
    first = json.loads(flows.run("status", *FILE, "--format", "json").out)["jobs"][0]["reasons"][0]
    assert (first["slug"], first["task"], first["place"]) == ("exited", "fetch/worker[0]", "nightly.tfjob:5")


def test_the_logs_of_a_flow_are_one(flows: Kubectl) -> None:
    nodes = {"fetch": {"phase": "Failed"}, "train": {"phase": "Omitted"}, "notify": {"phase": "Omitted"}}
    begun(flows, "Failed", nodes, ("fetch", "Failed"))
    pod = json.dumps(POD)
    second = json.loads(pod.replace("-worker-0", "-ps-0").replace('"worker"', '"ps"').replace('"p"', '"q"'))
    train = json.loads(pod.replace("fetch", "notify"))
    flows.put([*flows.objects, POD, second, train])
    for task in ("worker", "ps"):
        (flows.cluster / f"nightly-fetch-{UID[:8]}-{task}-0-tensorflow.log").write_text(f"I am {task}\n")
    ran = flows.run("logs", *FILE)
    assert (ran.status, sorted(ran.out.splitlines())) == (0, [
        "fetch/ps[0]      | I am ps",
        "fetch/worker[0]  | I am worker",
    ]), ran.err  # fmt: skip
    assert ran.err == "train: did not run: fetch has failed\nnotify: did not run: train did not run\n"
    one = flows.run("logs", *FILE, "fetch/worker[0]")
    assert (one.status, one.out, one.err) == (0, "I am worker\n", "")
    followed = flows.run("logs", *FILE, "--follow")
    assert followed.status == 1
    assert "flow nightly: failed: fetch has failed: ps[0] and worker[0] exited with status 3" in followed.err


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["train"], 1, "there is nothing to show: flow nightly is failed"),
        (["nosuch"], 1, "job nightly has no task nosuch"),
        (["train/ps"], 1, "job nightly has no task train/ps"),
        (["ps[0]"], 1, "job nightly has no task ps[0]"),
    ],
)
def test_what_has_no_logs(flows: Kubectl, words: list[str], status: int, said: str) -> None:
    nodes = {"fetch": {"phase": "Failed"}, "train": {"phase": "Omitted"}, "notify": {"phase": "Omitted"}}
    begun(flows, "Failed", nodes, ("fetch", "Failed"))
    ran = flows.run("logs", *FILE, *words)
    assert (ran.status, ran.out) == (status, "")
    assert said in ran.err


@pytest.mark.parametrize("change", ["added", "removed", "renamed"])
def test_a_file_that_has_changed_since(flows: Kubectl, change: str) -> None:
    """The run has the jobs that it was submitted with."""
    nodes = {"fetch": {"phase": "Succeeded"}, "train": {"phase": "Running"}}
    begun(flows, "Running", nodes, ("fetch", "Succeeded"), ("train", "Running"))
    text = FLOW
    if change == "added":
        text = FLOW.replace("  run notify", "  run clean after train\n  run notify")
        text += FLOW.split("job train")[0].replace("fetch", "clean")
    elif change == "removed":
        text = FLOW.replace("  run notify after train failed\n", "")
    else:
        text = FLOW.replace("flow nightly", "flow hourly")
    (flows.folder / "nightly.tfjob").write_text(text)
    ran = flows.run("status", *FILE)
    if change == "renamed":
        assert ran.status == 3
        assert "there is no flow hourly in namespace ml" in ran.err
        assert "there is nightly: a flow that was renamed is found by the name that it had" in ran.err
        return
    assert "note: the flow was submitted from another text, so no lines are shown" in ran.out
    jobs = {line.split()[0]: line.split(maxsplit=2)[1:] for line in ran.out.splitlines() if line.startswith("  ")}
    assert [jobs[name][0] for name in ("fetch", "train", "notify")] == ["succeeded", "running", "waiting"]
    if change == "added":
        assert jobs["clean"] == ["absent", "-  this run was submitted without it"]
    assert flows.run("cancel", *FILE).out == "ended workflow/nightly-x7k2p\n"


def test_two_flows_with_one_job(flows: Kubectl) -> None:
    text = FLOW.replace('mount claim 1Gi at "/data" { keep = true }', "") + "flow hourly {\n  run fetch\n}\n"
    (flows.folder / "nightly.tfjob").write_text(text)
    ran = flows.run("submit", *FILE)
    assert (ran.status, {name for name in flows.names() if "Workflow" in name}) == (
        0, {"Workflow/nightly-x7k2p", "Workflow/hourly-x7k2p"}
    ), ran.err  # fmt: skip
    heads = [line for line in flows.run("status", *FILE).out.splitlines() if "(tfjob" in line]
    assert [head.split()[0] for head in heads] == ["nightly", "hourly"]
    assert "choose one" in flows.run("logs", *FILE).err
    assert flows.run("cancel", *FILE, "--flow", "hourly").out == "ended workflow/hourly-x7k2p\n"
    assert flows.run("status", *FILE, "--flow", "hourly").status == 3


def test_earlier_runs_and_the_next(flows: Kubectl) -> None:
    schedule = 'flow nightly {\n  schedule = "30 2 * * *"\n  time_zone = "Europe/Berlin"'
    (flows.folder / "nightly.tfjob").write_text(FLOW.replace("flow nightly {", schedule))
    assert flows.run("submit", *FILE).status == 0
    labels = {"tfdsl/flow": "nightly", "workflows.argoproj.io/cron-workflow": "nightly"}
    ends = [("Succeeded", "2026-11-28"), ("Failed", "2026-11-29"), ("Running", "2026-11-30")]
    runs = [
        {
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow",
            "metadata": {
                "name": f"nightly-{day}", "namespace": "ml", "uid": day, "labels": labels,
                "creationTimestamp": f"{day}T01:30:00Z",
            },
            "status": {"phase": phase, "startedAt": f"{day}T01:30:00Z"},
        }
        for phase, day in ends
    ]  # fmt: skip
    flows.put([*flows.objects, *runs])
    out = flows.run("status", *FILE).out
    assert "earlier run: nightly-2026-11-29 failed since 2026-11-29T01:30:00Z\n" in out
    assert "earlier run: nightly-2026-11-28 succeeded since" in out
    (due,) = re.findall(r"^next run: (\S+)$", out, re.MULTILINE)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT02:30\+0[12]:00", due)
    one = flows.run("status", *FILE, "--id", "nightly-2026-11-28")
    assert ": succeeded since" in one.out
    objects = flows.objects
    next(each for each in objects if each["kind"] == "CronWorkflow")["spec"]["suspend"] = True
    flows.put(objects)
    stopped = flows.run("status", *FILE).out
    assert "note: the schedule is suspended: argo cron resume nightly lets it go on" in stopped
    assert "next run" not in stopped


NO_KIND = 'error: the server doesn\'t have a resource type "workflows"\n'
NO_MATCH = (
    'error: resource mapping not found for name: "" namespace: "ml" from "STDIN": no matches for kind "Workflow" in '
    'version "argoproj.io/v1alpha1"\nensure CRDs are installed first\n'
)
NOT_LISTED = (
    'Error from server (Forbidden): workflows.argoproj.io is forbidden: User "eve" cannot list resource "workflows" in '
    'API group "argoproj.io" in the namespace "ml"\n'
)
NO_ROLE = (
    'Error from server (Forbidden): error when creating "STDIN": roles.rbac.authorization.k8s.io is forbidden: User '
    '"eve" cannot create resource "roles" in API group "rbac.authorization.k8s.io" in the namespace "ml"\n'
)


@pytest.mark.parametrize("command", ["status", "logs", "cancel", "submit"])
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (NO_KIND, "this cluster has no Argo Workflows: install it, or choose the cluster"),
        (NOT_LISTED, "you may not list workflows here: ask for a Role that lets you list workflows of argoproj.io"),
    ],
)
def test_what_cannot_be_read_says_what_to_do(flows: Kubectl, command: str, answer: str, said: str) -> None:
    """As kubectl 1.34 says it."""
    flows.odd(("get workflows", {"status": 1, "err": answer}))
    if command == "submit":
        flows.odd(
            ("create -f", {"status": 1, "err": NO_MATCH if answer == NO_KIND else NOT_LISTED.replace("list", "create")})
        )
        said = said.replace(" list ", " create ").partition(":")[0]
    ran = flows.run(command, *FILE)
    assert (ran.status, ran.out) == (1, "")
    assert said in ran.err


@pytest.mark.parametrize(
    ("look", "status", "said"),
    [
        ({"status": 0, "out": "role.rbac.authorization.k8s.io/flows\n"}, 0, ""),
        ({"status": 1, "err": NO_ROLE.replace("create", "get")}, 0, "role/flows can neither be created nor seen"),
        (
            {"status": 1, "err": 'Error from server (NotFound): roles "flows" not found\n'},
            1,
            "you may not create the rights that the flow needs, and nobody has applied them",
        ),
    ],
)
def test_rights_that_somebody_else_has_to_create(flows: Kubectl, look: dict[str, Any], status: int, said: str) -> None:
    """Those that are there are used; what is not there is an error, and nothing is made."""
    with pytest.MonkeyPatch.context() as patch:
        plain = flows.ask

        def ask(calls: Sequence[Call], patience: float) -> list[Answer]:
            (call, *_) = calls
            if call.about == "role/flows":
                one = {"status": 1, "err": NO_ROLE} if call.stdin else look
                return [Answer(one["status"], one.get("out", ""), one.get("err", ""))]
            return plain(calls, patience)

        patch.setattr(flows, "ask", ask)
        ran = flows.run("submit", *FILE)
    assert ran.status == status, ran.err
    assert said in ran.err
    if status:
        assert "apply the file NAME.rbac.yaml" in ran.err
        assert flows.names() <= {"PersistentVolumeClaim/nightly-fetch-data"}
    else:
        assert "role/flows" in ran.out.partition("used as it is: ")[2]


def test_rights_that_are_missing_are_named(flows: Kubectl) -> None:
    message = (
        'main: Error (exit code 64): no more retries Error from server (Forbidden): tfjobs.kubeflow.org "x" is '
        'forbidden: User "system:serviceaccount:ml:flows" cannot patch resource "tfjobs" in API group "kubeflow.org"'
    )
    begun(flows, "Failed", {"fetch": {"phase": "Failed", "message": message}})
    out = flows.run("status", *FILE).out
    assert "why: fetch could not be created: system:serviceaccount:ml:flows cannot patch tfjobs" in out


def test_a_flow_is_ended_with_all_its_runs(flows: Kubectl) -> None:
    begun(flows, "Running", {})
    ran = flows.run("cancel", *FILE)
    assert (ran.status, ran.out) == (0, "ended workflow/nightly-x7k2p\n"), ran.err
    assert flows.names() == MADE - {"Workflow/nightly-x7k2p"}
    assert flows.run("cancel", *FILE).status == 3
    assert flows.run("status", *FILE).status == 3


def test_a_schedule_is_ended_and_takes_its_runs_along(flows: Kubectl) -> None:
    (flows.folder / "nightly.tfjob").write_text(FLOW.replace("flow nightly {", 'flow nightly {\n  schedule = "@daily"'))
    assert flows.run("submit", *FILE).status == 0
    assert "nightly (tfjob, namespace ml): waiting" in flows.run("status", *FILE).out
    again = flows.run("submit", *FILE)
    assert again.status == 1
    assert "already exists" in again.err
    assert flows.run("submit", *FILE, "--replace").status == 0
    labels = {"tfdsl/flow": "nightly", "workflows.argoproj.io/cron-workflow": "nightly"}
    run = {"name": "nightly-1764410400", "namespace": "ml", "uid": UID, "labels": labels}
    workflow = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": run,
        "status": {"phase": "Running"},
    }
    flows.put([*flows.objects, workflow])
    assert flows.run("cancel", *FILE).out == "ended cronworkflow/nightly\n"


@pytest.mark.parametrize("target", ["slurm", "volcano"])
def test_a_flow_can_be_named(flows: Kubectl, target: str) -> None:
    ran = flows.run("status", "nightly.tfjob", "-t", target, "--flow", "nightly")
    assert ran.status == (3 if target == "volcano" else 1), ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("schedule", "shown"), [("", "the run is Workflow nightly-x7k2p"), ('schedule = "@daily"', "no run has begun yet")]
)
def test_what_was_submitted_is_waited_for(flows: Kubectl, schedule: str, shown: str) -> None:
    """The run, not what it needs; of a schedule the run that comes next."""
    (flows.folder / "nightly.tfjob").write_text(FLOW.replace("flow nightly {", f"flow nightly {{\n{schedule}"))
    ran = flows.run("submit", *FILE, "--context", "a b", "--wait", "--timeout", "0s")
    assert ran.status == 124, ran.err
    assert f"note: {shown}" in ran.out
    assert "  tfdsl status nightly.tfjob -t tfjob -n ml --context 'a b'\n" in ran.out
