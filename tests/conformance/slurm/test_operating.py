"""``tfdsl submit``, ``status``, ``logs``, ``cancel`` and ``resume`` on the real Slurm, without accounting."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.conformance.operated import OnCluster
from tests.unit.cli.shell import Ran, tfdsl

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conformance.slurm.cluster import Cluster

JOB = """\
job NAME {
  command = ["sh", "-c", "COMMAND"]
  memory  = 100Mi
  role chief  { }
  role worker { replicas = 2 }
  MORE
}
"""


class Operated(OnCluster):
    """Jobs in a folder, through the commands."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self.folder = folder
        self.settings = cluster.environment["SLURM_CONF"]

    def run(self, *words: str) -> Ran:
        return tfdsl(*words, cwd=self.folder, SLURM_CONF=self.settings)

    def write(self, name: str, command: str, more: str = "") -> str:
        text = JOB.replace("NAME", name).replace("COMMAND", command).replace("MORE", more)
        (self.folder / f"{name}.tfjob").write_text(text)
        return f"{name}.tfjob"


@pytest.fixture
def operated(cluster: Cluster, tmp_path: Path) -> Operated:
    return Operated(cluster, tmp_path)


def test_a_job_from_submit_to_its_end(operated: Operated) -> None:
    file = operated.write("life", "echo hello; sleep 300")
    ran = operated.run("submit", file, "-t", "slurm", "--", "--nice=7")
    assert ran.status == 0, ran.err
    running = operated.until("running", file, "-t", "slurm")
    assert ran.out.startswith(f"submitted job/{running['id']}\n")
    end = time.monotonic() + 30
    while [one["phase"] for one in operated.status(file, "-t", "slurm")["replicas"]] != ["running"] * 3:
        assert time.monotonic() < end
        time.sleep(0.3)
    assert operated.run("logs", file, "worker[1]", "-t", "slurm").out == "hello\n"
    replaced = operated.run("submit", file, "-t", "slurm", "--replace")
    assert replaced.status == 0, replaced.err
    second = operated.until("running", file, "-t", "slurm")
    assert int(second["id"]) > int(running["id"])
    assert operated.status("slurm/life", "--id", running["id"])["phase"] == "aborted"
    assert operated.run("cancel", "slurm/life").out == f"ended job/{second['id']}\n"
    assert operated.status(file, "-t", "slurm")["reasons"][0]["slug"] == "cancelled"


@pytest.mark.parametrize(
    ("name", "command", "more", "sentence", "line"),
    [
        ("exits", "echo one; sleep 1; exit 3", "", "exited with status 3", 2),
        (
            "again",
            "sleep 1; exit 3",
            "retries = 1\n  on failed => restart pod",
            "exited with status 3, and no retry",
            6,
        ),
        ("nothing", "no-such-program", "", "exited with status 127: its program was not found", 2),
        ("late", "sleep 300", "deadline = 5s", "the time limit of the job has passed", 6),
    ],
)
def test_why_it_has_failed(operated: Operated, name: str, command: str, more: str, sentence: str, line: int) -> None:
    file = operated.write(name, command, more)
    ran = operated.run("submit", file, "-t", "slurm", "--wait", "--timeout", "60s")
    assert ran.status == 1, ran.out + ran.err
    first = operated.status(file, "-t", "slurm")["reasons"][0]
    assert sentence in first["sentence"]
    assert first["place"] == f"{file}:{line}"
    if name == "exits":
        assert first["log"] == ["one"]


def test_aborted_and_resumed(operated: Operated) -> None:
    file = operated.write("stops", "test -e again || exit 5; sleep 1", "on exit 5 => abort job")
    assert operated.run("submit", file, "-t", "slurm").status == 0
    job = operated.until("aborted", file, "-t", "slurm")
    assert [one["slug"] for one in job["reasons"]] == ["aborted", "policy"]
    (operated.folder / "again").touch()
    assert operated.run("resume", file, "-t", "slurm").status == 0
    end = operated.run(
        "status", file, "-t", "slurm", "--wait", "--timeout", "200s"
    )  # Slurm lets it wait for two minutes
    assert end.status == 0, end.out


def test_follow_until_the_end(operated: Operated) -> None:
    file = operated.write("talks", "echo first; sleep 3; echo last")
    ran = operated.run("submit", file, "-t", "slurm", "--follow", "--timeout", "60s")
    assert ran.status == 0, ran.err
    assert {f"{name:<9} | {word}" for name in ("chief[0]", "worker[1]") for word in ("first", "last")} <= set(
        ran.out.splitlines()
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('queue = "nowhere"', "there is no such partition"),
        ('node_label = "nothere"', "no node has the feature"),
    ],
)
def test_what_slurm_refuses_leaves_nothing(operated: Operated, more: str, said: str) -> None:
    file = operated.write("never", "true", more)
    ran = operated.run("submit", file, "-t", "slurm")
    assert ran.status == 1
    assert said in ran.err or "refused" in ran.err
    assert operated.run("status", file, "-t", "slurm").status == 3
    assert not (operated.folder / "tfjob-runs").exists()
