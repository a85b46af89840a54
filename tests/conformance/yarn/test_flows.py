"""A flow on the real YARN: its jobs run in order, and one branch follows a failure."""

from __future__ import annotations

import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import tfdsl

if TYPE_CHECKING:
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
        (folder / "meet").mkdir()
        (folder / "nightly.tfjob").write_text(FLOW.replace("FOLDER", str(folder)).replace("COMMAND", command))
        done = tfdsl("compile", "nightly.tfjob", "-t", "yarn", "-o", "out", cwd=folder)
        assert done.status == 0, done.err

    def start(self, *words: str) -> subprocess.Popen[str]:
        with (self.folder / "flow.log").open("a") as log:
            return subprocess.Popen(
                [self.folder / "out/nightly/flow.sh", *words], cwd=self.folder, env=self.cluster.work.environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, text=True,
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
    end = time.monotonic() + LIMIT
    while "train" not in flow.ran:
        assert time.monotonic() < end, flow.log
        time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    assert process.wait(LIMIT) == 130, flow.log
    assert "nightly-train: interrupted; ended the job" in flow.log
    assert flow.ran == ["fetch", "train"]
