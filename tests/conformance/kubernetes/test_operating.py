"""``tfdsl submit``, ``status``, ``cancel`` and ``resume`` with the real kubectl on the real API server and operator.

The phases of pods are set by the stand-in for the kubelet. Objects of Volcano and JobSet, recorded from their
controllers, are replayed into the server: what the real kubectl reads of them is what the unit tests read.
"""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.kubernetes.operated import Operated
from tests.conformance.kubernetes.stand_in_kubelet import StandInKubelet
from tests.unit.operating import recorded

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conformance.kubernetes.api import Api
    from tests.conformance.kubernetes.work import Work
    from tests.unit.cli.shell import Ran


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
    first = {one["uid"]: one for one in operated.items("persistentvolumeclaims")}
    kubelet.until(lambda: True, "a step")
    done: list[Ran] = []
    _beside(kubelet, lambda: done.append(operated.run("submit", file, "-t", versioned, "--replace")))
    assert done[0].status == 0, done[0].err
    assert {one["uid"] for one in operated.items("persistentvolumeclaims")} == set(first)
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


def test_all_or_none(operated: Operated) -> None:
    """The third of the objects is refused when it is created; what the dry run lets through."""
    file = operated.write("none", 'role tensorboard { }\n  checkpoint = "/data/run"')
    service = {"metadata": {"name": "none-tensorboard"}, "spec": {"ports": [{"port": 1}]}}
    operated.api.post(f"/api/v1/namespaces/{operated.namespace}/services", service)
    ran = operated.run("submit", file, "-t", "tfjob@1.8")
    assert ran.status == 1
    assert "already exists" in ran.err
    assert operated.run("status", "tfjob/none").status == 3
    assert operated.items("persistentvolumeclaims") == []


def test_refused_in_the_middle(operated: Operated) -> None:
    """A quota that lets only the first Job be created: each alone passes the dry run."""
    file = operated.write("half")
    whole = {"count/jobs.batch": "1"}
    quotas = f"/api/v1/namespaces/{operated.namespace}/resourcequotas"
    operated.api.post(quotas, {"metadata": {"name": "few"}, "spec": {"hard": whole}})
    creator = operated.account("creator", get_list_create="*")

    def submitted(settings: Path | None) -> Ran:
        status = {"hard": whole, "used": {"count/jobs.batch": "0"}}  # the controller that counts does not run here
        operated.api.patch(f"{quotas}/few/status", {"status": status})
        return operated.run("submit", file, "-t", "kubernetes", settings=settings)

    ran = submitted(None)
    assert ran.status == 1
    assert "exceeded quota: few" in ran.err
    assert "could not be deleted" not in ran.err
    operated.until_gone("jobs", "/apis/batch/v1")
    assert submitted(creator).status == 1
    (left,) = operated.items("jobs", "/apis/batch/v1")
    ran = submitted(None)
    assert (ran.status, "there is a job half already" in ran.err) == (1, True)
    ran = operated.run("cancel", file, "-t", "kubernetes", settings=creator)
    assert ran.status == 1
    assert f"cannot delete job/{left['name']}" in ran.err
    assert "cannot delete resource" in ran.err
    assert operated.run("cancel", file, "-t", "kubernetes").status == 0
    assert operated.items("jobs", "/apis/batch/v1") == []


def test_what_is_left_is_named(operated: Operated) -> None:
    """The same with an account that may not delete: what stays is named."""
    file = operated.write("stays")
    creator = operated.account("creator", get_list_create="jobs persistentvolumeclaims", get_list="services")
    ran = operated.run("submit", file, "-t", "kubernetes", settings=creator)
    assert (ran.status, "services" in ran.err) == (1, True)  # the dry run finds this
    assert operated.items("jobs", "/apis/batch/v1") == []


COMMANDS = [
    ("submit", "FILE", "-t", "TARGET"),
    ("submit", "FILE", "-t", "TARGET", "--replace"),
    ("status", "FILE", "-t", "TARGET"),
    ("status", "TARGET/may"),
    ("status", "-t", "TARGET"),
    ("logs", "TARGET/may"),
    ("cancel", "TARGET/may"),
    ("resume", "TARGET/may"),
]


@pytest.mark.parametrize("target", ["kubernetes", "tfjob"])
def test_without_rights(operated: Operated, target: str) -> None:
    """Every command says what may not be done, changes nothing, and shows what may be read."""
    file = operated.write("may")
    nobody = operated.account("nobody")
    reader = operated.account("reader", get_list="jobs tfjobs")

    def run(words: tuple[str, ...], settings: Path | None) -> Ran:
        given = (
            word.replace("FILE", file).replace("TARGET", versioned if word == "TARGET" else target) for word in words
        )
        return operated.run(*given, settings=settings)

    versioned = f"{target}@1.8" if target == "tfjob" else target
    assert operated.run("submit", file, "-t", versioned).status == 0
    for words in COMMANDS:
        ran = run(words, nobody)
        assert (ran.status, ran.out) == (1, ""), words
        assert "Error from server (Forbidden)" in ran.err
        assert f"cannot {'create' if '--replace' in words else 'list'} resource" in ran.err, ran.err
    for words in COMMANDS[2:4]:
        ran = run(words, reader)
        assert ran.status == 0, ran.err
        assert "may (" in ran.out
        assert "waiting since" in ran.out
        for what in ("pods", "events"):
            assert f"note: {what} could not be read: Error from server (Forbidden)" in ran.out
    assert "may" in run(COMMANDS[4], reader).out
    cannot = {0: "which is waiting", 1: "cannot", 5: "no log of it", 6: "nothing is deleted", 7: "not suspended"}
    for at, said in cannot.items():
        ran = run(COMMANDS[at], reader)
        assert (ran.status, said in ran.err) == (1, True), ran.err
    assert operated.status(f"{target}/may")["phase"] == "waiting"
    assert operated.run("cancel", file, "-t", versioned).status == 0


@pytest.mark.parametrize("target", ["volcano", "jobset"])
def test_submitted_replaced_and_ended(operated: Operated, target: str) -> None:
    """Their controllers do not run here, so nothing becomes of it."""
    file = operated.write("asked")
    ran = operated.run("submit", file, "-t", target)
    assert ran.status == 0, ran.err
    assert operated.status(file, "-t", target)["phase"] == "waiting"
    first = operated.status(f"{target}/asked")["id"]
    assert "which is waiting" in operated.run("submit", file, "-t", target).err
    assert operated.run("submit", file, "-t", target, "--replace").status == 0
    assert operated.status(f"{target}/asked")["id"] != first
    assert "asked" in operated.run("status", "-t", target).out
    assert operated.run("cancel", f"{target}/asked").status == 0
    assert operated.run("status", file, "-t", target).status == 3


def test_suspended_and_resumed(operated: Operated) -> None:
    file = operated.write("later", "suspend = true")
    assert operated.run("submit", file, "-t", "kubernetes").status == 0
    job = operated.until("suspended", file, "-t", "kubernetes")
    assert job["reasons"][0]["slug"] == "suspended"
    assert operated.run("resume", file, "-t", "kubernetes").status == 0
    operated.until("waiting", "kubernetes/later")


FEW = {
    "volcano": ("failed.end", "no-room.state", "out-of-memory.state", "claim-missing.state"),
    "jobset": ("no-room.state", "crash-loop.state", "deadline.end", "suspended.state"),
}
REPLAYED = [
    pytest.param(target, state, marks=() if state in few else pytest.mark.long, id=f"{target}-{state}")
    for target, few in FEW.items()
    for state in recorded.states(target)
]


@pytest.mark.parametrize(("target", "state"), REPLAYED)
def test_recorded_objects_read_the_same_from_the_server(operated: Operated, target: str, state: str) -> None:
    """Every state has its phase, its replicas and its reasons, with the events that the controllers wrote."""
    objects = recorded.states(target)[state]
    expected = recorded.live(target, objects)
    Replay(operated).put(objects)
    found = operated.status(f"{target}/train")
    assert found["phase"] == expected.phase
    shown = [(one["role"], one["index"], one["phase"], one["restarts"]) for one in found["replicas"]]
    assert shown == [(one.role, one.index, one.phase, one.restarts) for one in expected.replicas]
    assert [one["sentence"] for one in found["reasons"]] == [one.sentence for one in expected.reasons]
    assert operated.run("cancel", f"{target}/train").status == 1  # tfdsl has not submitted it


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


class Replay:
    """Creates recorded objects, with the uids that this server gives."""

    def __init__(self, operated: Operated) -> None:
        self.api, self.namespace = operated.api, operated.namespace
        self.uids: dict[str, str] = {}

    def put(self, objects: list[dict[str, Any]]) -> dict[str, str]:
        for one in objects:
            if one["kind"] != "Event":
                self._create(one)
        events = [one for one in objects if one["kind"] == "Event"]
        first = min(one["metadata"]["creationTimestamp"] for one in objects if one not in events)
        for one in events:
            self._happen(one, datetime.now(UTC) - _time(first))
        return self.uids

    def _happen(self, one: dict[str, Any], later: timedelta) -> None:
        """An event, as much later as the objects are younger here."""
        text = json.dumps(one)
        for old, new in self.uids.items():
            text = text.replace(old, new)
        made = json.loads(text)
        at = made.pop("eventTime", None) or made["lastTimestamp"]  # which would need more than was recorded
        made["lastTimestamp"] = (_time(at) + later).strftime("%Y-%m-%dT%H:%M:%SZ")
        made.pop("firstTimestamp", None)
        made["metadata"] = {"generateName": "replayed-", "namespace": self.namespace}
        made["involvedObject"]["namespace"] = self.namespace
        self.api.post(f"/api/v1/namespaces/{self.namespace}/events", made)

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
        metadata["finalizers"] = ["example.com/replay"] if "deletionTimestamp" in one["metadata"] else []
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
        if "deletionTimestamp" in one["metadata"]:
            evicted = any(each["type"] == "DisruptionTarget" for each in status.get("conditions", ()))
            eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": metadata["name"]}}
            self.api.post(f"{place}/eviction", eviction) if evicted else self.api.delete(place)

    def _spec(self, one: dict[str, Any]) -> dict[str, Any]:
        """The parts of a spec that the server insists on, beside those that were recorded."""
        given = dict(one.get("spec", {}))
        container = {"name": "tensorflow", "image": "lab.invalid/bb:1"}
        template = {"spec": {"containers": [container], "restartPolicy": "Never"}}
        if one["kind"] == "Pod":
            return {**template["spec"], **given, "schedulerName": "replay"}  # the scheduler that runs here has no say
        if one["kind"] == "JobSet":
            jobs = [
                {**job, "template": {"spec": {**job["template"]["spec"], "template": template}}}
                for job in given["replicatedJobs"]
            ]
            return {**given, "replicatedJobs": jobs}
        if one["kind"] == "Job" and "tasks" in given:
            return {**given, "tasks": [{**task, "template": template} for task in given["tasks"]]}
        if one["kind"] == "Job":
            indexed = {"completionMode": "Indexed", "completions": 9, "parallelism": 9}
            return {"template": template, "suspend": True, "managedBy": "example.com/replay", **indexed}
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
