"""Flows on a cluster with Argo: submitted, read and ended as one thing."""

from __future__ import annotations

import base64
import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.unit.operating.conftest import Kubectl

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
        "  notify  absent     -",
    ], ran.err
    assert "note: the run is Workflow nightly-x7k2p" in ran.out


def test_a_failed_job_says_where_more_is_said(flows: Kubectl) -> None:
    nodes = {"fetch": {"phase": "Failed"}, "train": {"phase": "Omitted"}, "notify": {"phase": "Omitted"}}
    begun(flows, "Failed", nodes, ("fetch", "Failed"))
    ran = flows.run("status", *FILE, "--wait")
    assert ran.status == 1
    assert "fetch   failed" in ran.out
    assert "train   stopped  -  did not run: its condition did not hold" in ran.out
    assert "note: tfdsl status tfjob/nightly-fetch-3e5a81a6 says more of it" in ran.out


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


def test_each_job_has_its_own_logs(flows: Kubectl) -> None:
    begun(flows, "Running", {"fetch": {"phase": "Succeeded"}}, ("fetch", "Succeeded"))
    ran = flows.run("logs", *FILE)
    assert "tfdsl logs tfjob/nightly-fetch-3e5a81a6" in ran.err


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
