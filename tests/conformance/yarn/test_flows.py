"""A flow on the real YARN: its jobs run in order, and one branch follows a failure."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.cli.shell import ROOT, Ran, tfdsl

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conformance.yarn.cluster import Cluster

pytestmark = pytest.mark.long

LIMIT = 900
FLOW = """\
job fetch {
  command = ["bash", "-c", "echo fetch >>FOLDER/ran"]
  cpu = 1, memory = 128Mi
  role worker { }
  target yarn { store = "FOLDER/meet" }
}
job train {
  command = ["bash", "-c", "echo train >>FOLDER/ran; COMMAND"]
  cpu = 1, memory = 128Mi
  role worker { }
  target yarn { store = "FOLDER/meet" }
}
job export {
  command = ["bash", "-c", "echo export >>FOLDER/ran"]
  cpu = 1, memory = 128Mi
  role worker { }
  target yarn { store = "FOLDER/meet" }
}
job notify {
  command = ["bash", "-c", "echo notify >>FOLDER/ran"]
  cpu = 1, memory = 128Mi
  role worker { }
  target yarn { store = "FOLDER/meet" }
}
flow nightly {
  run fetch
  run train  after fetch
  run export after train
  run notify after train failed
}
"""


class Called:
    """A flow in a folder of its own."""

    def __init__(self, cluster: Cluster, folder: Path, command: str) -> None:
        self.cluster, self.folder = cluster, folder
        self.name = f"nightly-{secrets.token_hex(2)}"  # a flow is one of its user, wherever it was submitted
        (folder / "meet").mkdir()
        text = FLOW.replace("FOLDER", str(folder)).replace("COMMAND", command).replace("nightly", self.name)
        (folder / "nightly.tfjob").write_text(text)
        done = tfdsl("compile", "nightly.tfjob", "-t", "yarn", "-o", "out", cwd=folder)
        assert done.status == 0, done.err

    def run(self, word: str, *more: str) -> Ran:
        """A command of tfdsl about the flow."""
        every = self.cluster.work.environment
        own: dict[str, Any] = {name: value for name, value in every.items() if name == "PATH" or name not in os.environ}
        return tfdsl(word, "nightly.tfjob", "-t", "yarn", *more, cwd=self.folder, **own)

    def submit(self) -> subprocess.Popen[str]:
        """``tfdsl submit``."""
        environment = {**self.cluster.work.environment, "PYTHONPATH": str(ROOT)}
        with (self.folder / "flow.log").open("a") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "tfdsl", "submit", "nightly.tfjob", "-t", "yarn"], cwd=self.folder,
                env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, text=True,
            )  # fmt: skip

    def status(self) -> dict[str, Any]:
        """What ``tfdsl status`` says of the flow, and in ``phases`` of each job."""
        ran = self.run("status", "--format", "json")
        assert ran.status == 0, ran.err
        (found,) = json.loads(ran.out)["jobs"]
        return {**found, "phases": {one["role"]: one["phase"] for one in found["replicas"]}}

    def until(self, what: Callable[[], object]) -> None:
        end = time.monotonic() + LIMIT
        while not what():
            assert time.monotonic() < end, self.log
            time.sleep(0.5)

    def start(self, *words: str) -> subprocess.Popen[str]:
        with (self.folder / "flow.log").open("a") as log:
            return subprocess.Popen(
                [self.folder / "out" / self.name / "flow.sh", *words], cwd=self.folder,
                env=self.cluster.work.environment, stdin=subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT, text=True,
            )  # fmt: skip

    @property
    def log(self) -> str:
        return (self.folder / "flow.log").read_text()

    @property
    def ran(self) -> list[str]:
        """The jobs whose commands have begun, in their order."""
        path = self.folder / "ran"
        return path.read_text().split() if path.exists() else []


def test_a_failed_job_and_its_second_run(cluster: Cluster, tmp_path: Path) -> None:
    flow = Called(cluster, tmp_path, f"test -e {tmp_path}/data")
    assert flow.start().wait(LIMIT) == 2, flow.log
    assert flow.ran == ["fetch", "train", "notify"]
    (tmp_path / "data").touch()
    assert flow.start("--from", "train").wait(LIMIT) == 0, flow.log
    assert flow.ran[3:] == ["train", "export"]


def test_the_running_job_ends_with_the_flow(cluster: Cluster, tmp_path: Path) -> None:
    flow = Called(cluster, tmp_path, "sleep 300")
    process = flow.start()
    flow.until(lambda: "train" in flow.ran)
    process.send_signal(signal.SIGTERM)
    assert process.wait(LIMIT) == 130, flow.log
    assert f"{flow.name}-train: interrupted; ended the job" in flow.log
    assert flow.ran == ["fetch", "train"]


def test_a_flow_is_one_thing(cluster: Cluster, tmp_path: Path) -> None:
    """Submitted, read while it runs, and ended: what comes after a failure does not begin then."""
    flow = Called(cluster, tmp_path, "sleep 300")
    submitting = flow.submit()
    flow.until(lambda: "train" in flow.ran)
    found = flow.status()
    assert found["phases"] == {"fetch": "succeeded", "train": "running", "export": "waiting", "notify": "waiting"}
    assert [one["waits_for"] for one in found["replicas"]] == [[], [], ["train"], ["train"]]
    again = flow.run("submit")
    assert again.status == 1
    assert "nothing was run, because an earlier run is not over" in again.err
    ended = flow.run("cancel")
    assert ended.status == 0, ended.err
    assert ended.out.startswith(f"ended flow/{found['id']}, application/")
    assert submitting.wait(LIMIT) == 1
    after = flow.status()
    assert (after["phase"], after["id"]) == ("failed", found["id"])
    assert after["phases"] == {"fetch": "succeeded", "train": "aborted", "export": "not run", "notify": "not run"}
    assert flow.ran == ["fetch", "train"]
    assert flow.run("cancel").status == 3
    logs = flow.run("logs", "fetch")
    assert (logs.status, "[tfjob worker[0]] exits with 0" in logs.out) == (0, True), logs.err


def test_what_a_kill_leaves(cluster: Cluster, tmp_path: Path) -> None:
    """The flow goes on without tfdsl; without flow.sh the job goes on that runs, and cancel ends it."""
    flow = Called(cluster, tmp_path, "sleep 300")
    submitting = flow.submit()
    flow.until((tmp_path / f"tfjob-runs/{flow.name}.lock").exists)
    submitting.kill()
    submitting.wait(LIMIT)
    flow.until(lambda: "train" in flow.ran)
    _, number = (tmp_path / f"tfjob-runs/{flow.name}.lock").read_text().split()
    os.kill(int(number), signal.SIGKILL)
    flow.until(lambda: flow.status()["reasons"])
    found = flow.status()
    assert found["phases"] == {"fetch": "succeeded", "train": "running", "export": "not run", "notify": "not run"}
    assert (found["phase"], found["reasons"][0]["slug"]) == ("running", "flow-script-gone")
    ended = flow.run("cancel")
    assert (ended.status, ended.out.count("application/")) == (0, 1), ended.err
    assert flow.status()["phases"]["train"] == "aborted"
    assert flow.ran == ["fetch", "train"]
