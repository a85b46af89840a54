"""``tfdsl submit``, ``status``, ``cancel`` and ``resume`` with the real kubectl on the real API server and operator.

The phases of pods are set by the stand-in for the kubelet. Objects of Volcano and JobSet, recorded from their
controllers, are replayed into the server: what the real kubectl reads of them is what the unit tests read.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.kubernetes.stand_in_kubelet import StandInKubelet
from tests.conformance.operated import OnCluster
from tests.unit.cli.shell import Ran, tfdsl
from tests.unit.operating import recorded

if TYPE_CHECKING:
    from tests.conformance.kubernetes.api import Api
    from tests.conformance.kubernetes.work import Work

JOB = """\
job NAME {
  image   = "registry.example.com/mnist:1.4"
  command = ["python", "train.py"]
  mount claim 1Gi at "/data"
  role chief { cpu = 4, memory = 16Gi }
  role worker { replicas = 2, cpu = 4, memory = 16Gi }
  MORE
}
"""


class Operated(OnCluster):
    """Jobs of a namespace of its own, through the commands."""

    def __init__(self, api: Api, work: Work, folder: Path, namespace: str) -> None:
        self.api, self.folder, self.namespace = api, folder, namespace
        self.settings = work.kubeconfig
        api.call("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})

    def run(self, *words: str, settings: Path | None = None) -> Ran:
        return tfdsl(*words, "-n", self.namespace, "--kubeconfig", str(settings or self.settings), cwd=self.folder)

    def write(self, name: str, more: str = "") -> str:
        (self.folder / f"{name}.tfjob").write_text(JOB.replace("NAME", name).replace("MORE", more))
        return f"{name}.tfjob"


@pytest.fixture
def operated(api: Api, work: Work, tmp_path: Path, request: pytest.FixtureRequest) -> Operated:
    return Operated(api, work, tmp_path, f"o{abs(hash(request.node.name)) % 10**8}")


@pytest.mark.parametrize("target", ["tfjob", "kubernetes"])
def test_a_job_from_submit_to_its_end(operated: Operated, target: str) -> None:
    file = operated.write("life", "on failed => fail job")
    versioned = f"{target}@1.8" if target == "tfjob" else target
    assert operated.run("submit", file, "-t", versioned).status == 0
    kubelet = StandInKubelet(operated.api, "life-", operated.namespace)
    kubelet.held |= {"chief[0]", "worker[0]", "worker[1]"}
    assert operated.until("waiting", file, "-t", versioned)["retries"] == 0
    kubelet.held.clear()
    kubelet.until(lambda: len(kubelet.phases()) == 3, "three pods")
    kubelet.until_running(3)
    running = operated.until("running", file, "-t", versioned)
    assert [one["phase"] for one in running["replicas"]] == ["running"] * 3
    exists = operated.run("submit", file, "-t", versioned)
    assert exists.status == 1
    assert "which is running" in exists.err
    name = next(name for name in kubelet.phases() if name.startswith("life-worker-1"))
    kubelet.exit(name, 3)
    kubelet.until(lambda: operated.status(file, "-t", versioned)["phase"] == "failed", "the job has failed", 60)
    failed = operated.status(file, "-t", versioned)
    assert failed["reasons"][0]["sentence"] == "worker[1] exited with status 3"
    policy = next(one for one in failed["reasons"] if one["slug"] == "policy")
    assert policy["place"] == f"{file}:7"
    first = {one["uid"]: one for one in kubectl_claims(operated)}
    kubelet.until(lambda: True, "a step")
    done: list[Ran] = []
    _beside(kubelet, lambda: done.append(operated.run("submit", file, "-t", versioned, "--replace")))
    assert done[0].status == 0, done[0].err
    assert {one["uid"] for one in kubectl_claims(operated)} == set(first)
    _beside(kubelet, lambda: done.append(operated.run("cancel", f"{target}/life")))
    assert done[1].status == 0, done[1].err
    assert "stays: persistentvolumeclaim/life-data" in done[1].out or "ended" in done[1].out
    assert operated.run("status", f"{target}/life").status == 3


def _beside(kubelet: StandInKubelet, what: Any) -> None:
    """Do something while pods that are deleted end."""
    from threading import Thread

    thread = Thread(target=what)
    thread.start()
    kubelet.until(lambda: not thread.is_alive(), "it is done", 90)


def kubectl_claims(operated: Operated) -> list[dict[str, Any]]:
    found = operated.api.items(f"/api/v1/namespaces/{operated.namespace}/persistentvolumeclaims")
    return [one["metadata"] for one in found]


def test_all_or_none(operated: Operated) -> None:
    """The third of the objects is refused when it is created; what the dry run lets through."""
    file = operated.write("none", 'role tensorboard { }\n  checkpoint = "/data/run"')
    service = {"metadata": {"name": "none-tensorboard"}, "spec": {"ports": [{"port": 1}]}}
    operated.api.post(f"/api/v1/namespaces/{operated.namespace}/services", service)
    ran = operated.run("submit", file, "-t", "tfjob@1.8")
    assert ran.status == 1
    assert "already exists" in ran.err
    assert operated.run("status", "tfjob/none").status == 3
    assert kubectl_claims(operated) == []


def test_suspended_and_resumed(operated: Operated) -> None:
    file = operated.write("later", "suspend = true")
    assert operated.run("submit", file, "-t", "kubernetes").status == 0
    job = operated.until("suspended", file, "-t", "kubernetes")
    assert job["reasons"][0]["slug"] == "suspended"
    assert operated.run("resume", file, "-t", "kubernetes").status == 0
    operated.until("waiting", "kubernetes/later")


REPLAYED = [
    *(("volcano", state) for state in ("failed.end", "no-room.state", "out-of-memory.state", "claim-missing.state")),
    *(("jobset", state) for state in ("no-room.state", "crash-loop.state", "deadline.end", "suspended.state")),
]


@pytest.mark.parametrize(("target", "state"), REPLAYED, ids=lambda value: str(value))
def test_recorded_objects_read_the_same_from_the_server(operated: Operated, target: str, state: str) -> None:
    objects = recorded.states(target)[state]
    expected = recorded.live(target, objects)
    uids = Replay(operated).put(objects)
    found = operated.status(f"{target}/train")
    assert found["phase"] == expected.phase
    shown = [(one["role"], one["index"], one["phase"], one["restarts"]) for one in found["replicas"]]
    assert shown == [(one.role, one.index, one.phase, one.restarts) for one in expected.replicas]
    wanted = [one for one in expected.reasons if one.basis != "event"]  # events of a replay are younger
    sentences = [one["sentence"] for one in found["reasons"]]
    assert [one.sentence for one in wanted] == [one for one in sentences if one in {each.sentence for each in wanted}]
    assert uids


class Replay:
    """Creates recorded objects, with the uids that this server gives."""

    def __init__(self, operated: Operated) -> None:
        self.api, self.namespace = operated.api, operated.namespace
        self.uids: dict[str, str] = {}

    def put(self, objects: list[dict[str, Any]]) -> dict[str, str]:
        for one in objects:
            if one["kind"] != "Event":
                self._create(one)
        return self.uids

    def _create(self, one: dict[str, Any]) -> None:
        text = json.dumps(one)
        for old, new in self.uids.items():
            text = text.replace(old, new)
        made = json.loads(text)
        metadata, status = made["metadata"], made.get("status", {})
        if made["kind"] == "Job" and made["apiVersion"] == "batch/v1":
            status.setdefault("startTime", "2026-11-29T10:00:00Z")
        old = metadata.pop("uid")
        for key in ("creationTimestamp", "deletionTimestamp"):
            metadata.pop(key, None)
        metadata["namespace"] = self.namespace
        metadata["ownerReferences"] = [
            {**owner, "apiVersion": "example.com/v1"} for owner in metadata.get("ownerReferences", [])
        ]
        made["spec"] = self._spec(made)
        path = self.api.place(made["apiVersion"], made["kind"], self.namespace)
        created = self.api.post(path, made)
        self.uids[old] = created["metadata"]["uid"]
        place = f"{path}/{metadata['name']}"
        answer = self.api.call("PUT", f"{place}/status", {**created, "status": status})
        while answer.status == 409:  # a controller was faster
            created = self.api.get(place)
            answer = self.api.call("PUT", f"{place}/status", {**created, "status": status})
        assert answer.fine or answer.status == 404, answer.message  # a PodGroup has no status of its own

    def _spec(self, one: dict[str, Any]) -> dict[str, Any]:
        """The parts of a spec that the server insists on, beside those that were recorded."""
        given = dict(one.get("spec", {}))
        container = {"name": "tensorflow", "image": "lab.invalid/bb:1"}
        template = {"spec": {"containers": [container], "restartPolicy": "Never"}}
        if one["kind"] == "Pod":
            return {**template["spec"], **given}
        if one["kind"] == "JobSet":
            jobs = [
                {**job, "template": {"spec": {**job["template"]["spec"], "template": template}}}
                for job in given["replicatedJobs"]
            ]
            return {**given, "replicatedJobs": jobs}
        if one["kind"] == "Job" and "tasks" in given:
            return {**given, "tasks": [{**task, "template": template} for task in given["tasks"]]}
        if one["kind"] == "Job":
            return {"template": template, "suspend": True, "managedBy": "example.com/replay"}
        return given


def test_two_hundred_replicas(operated: Operated) -> None:
    file = operated.write("many").replace(".tfjob", "") + ".tfjob"
    path = operated.folder / file
    path.write_text(path.read_text().replace("replicas = 2", "replicas = 200"))
    assert operated.run("submit", file, "-t", "kubernetes").status == 0
    end = time.monotonic() + 90
    while (shown := operated.run("status", file, "-t", "kubernetes").out).count("200 waiting") != 1:
        assert time.monotonic() < end, shown
        time.sleep(1)
    assert len(shown.splitlines()) < 40
    assert operated.run("cancel", file, "-t", "kubernetes").status == 0
