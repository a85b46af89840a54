"""``tfdsl submit``, ``status``, ``logs`` and ``cancel`` on the real Hadoop."""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conformance.operated import OnCluster
from tests.unit.cli.shell import ROOT, Ran

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conformance.yarn.cluster import Cluster

JOB = """\
job NAME {
  command = ["sh", "-c", "COMMAND"]
  cpu = 1, memory = 128Mi
  role chief { }
  role worker { }
  MORE
  target yarn { store = "STORE" }
}
"""
LIMIT = 200
"""Seconds for one command."""


class Operated(OnCluster):
    """Jobs in a folder, through the commands, with the client of the lab on the path."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self.folder = folder
        self.environment = {**cluster.work.environment, "PYTHONPATH": str(ROOT)}
        self.cluster = cluster
        self.started: list[subprocess.Popen[str]] = []
        self.mark = secrets.token_hex(2)  # the cluster may remember earlier runs

    def run(self, *words: str, **variables: str) -> Ran:
        process = self.start(*words, **variables)
        out, err = process.communicate(timeout=LIMIT)
        return Ran(process.returncode, out, err)

    def start(self, *words: str, **variables: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "tfdsl", *words],
            cwd=self.folder,
            env={**self.environment, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        return process

    def write(self, name: str, command: str, more: str = "") -> str:
        store = self.folder / "meet"
        name = self.named(name)
        text = JOB.replace("NAME", name).replace("COMMAND", command).replace("MORE", more).replace("STORE", str(store))
        (self.folder / f"{name}.tfjob").write_text(text)
        return f"{name}.tfjob"

    def named(self, name: str) -> str:
        """The job's name in the cluster."""
        return f"{name}-{self.mark}"

    def running(self, name: str) -> str:
        """The id of the job's application, once all its tasks run."""
        end = time.monotonic() + LIMIT
        while True:
            found = [one for one in self.cluster.applications().values() if one.name == self.named(name)]
            if found and found[-1].state == "RUNNING" and len(found[-1].containers) == 3:
                return found[-1].id
            assert time.monotonic() < end, found
            time.sleep(0.3)


@pytest.fixture
def operated(cluster: Cluster, tmp_path: Path) -> Iterator[Operated]:
    found = Operated(cluster, tmp_path)
    yield found
    for process in found.started:
        if process.poll() is None:
            process.kill()
            process.wait()


def test_a_job_from_submit_to_cancel(operated: Operated) -> None:
    file = operated.write("life", "echo hello; sleep 300")
    submitting = operated.start("submit", file, "-t", "yarn")
    number = operated.running("life")
    job = operated.until("running", file, "-t", "yarn")
    assert (job["id"], job["submission"]) == (number, number)
    assert [one["phase"] for one in job["replicas"]] == ["running", "running"]
    refused = operated.run("logs", file, "-t", "yarn")
    assert refused.status == 1
    assert "YARN has the logs when the job has ended" in refused.err
    ended = operated.run("cancel", f"yarn/{operated.named('life')}")
    assert ended.out == f"ended application/{number}\nstays: the logs of {number}\n", ended.err
    out, err = submitting.communicate(timeout=LIMIT)
    assert submitting.returncode == 1
    assert f"{operated.named('life')}: job is {number}" in err
    assert f"submitted application/{number}" in out
    assert "why: it was ended by user" in out
    assert operated.run("cancel", f"yarn/{operated.named('life')}").status == 3
    rows = [line.split() for line in operated.run("status", "-t", "yarn").out.splitlines()]
    assert [operated.named("life"), number, "aborted"] in [row[:3] for row in rows]


@pytest.mark.long
def test_the_logs_of_a_job_that_has_succeeded(operated: Operated) -> None:
    file = operated.write("talks", "echo I am $TFJOB_ROLE")
    ran = operated.run("submit", file, "-t", "yarn", "--follow")
    assert ran.status == 0, ran.out + ran.err
    assert {"chief[0]  | I am chief", "worker[0] | I am worker"} <= set(ran.out.splitlines())
    one = operated.run("logs", file, "worker", "-t", "yarn")
    assert "\nI am worker\n" in one.out
    assert [one["phase"] for one in operated.status(file, "-t", "yarn")["replicas"]] == ["succeeded", "succeeded"]


EAT = "test $TFJOB_ROLE = worker && exec python3 -c 'x = bytearray(300 << 20); import time; time.sleep(60)'; sleep 60"


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "command", "more", "sentence", "line"),
    [
        ("exits", "echo one; test $TFJOB_ROLE = worker || sleep 60; exit 3", "", "worker[0] exited with status 3", 2),
        ("nothing", "no-such-program", "", "exited with status 127: its program was not found", 2),
        ("eats", EAT, "", "worker[0] needed more memory than the limit", 3),
        ("never", "true", "gpu = 5", "no container was given to the job", 6),
    ],
)
def test_why_it_has_failed(operated: Operated, name: str, command: str, more: str, sentence: str, line: int) -> None:
    file = operated.write(name, command, more)
    ran = operated.run("submit", file, "-t", "yarn")
    assert ran.status == 1, ran.out + ran.err
    assert f"{operated.named(name)} (yarn application_" in ran.out
    first = operated.status(file, "-t", "yarn")["reasons"][0]
    assert sentence in first["sentence"]
    assert first["place"] == f"{file}:{line}"
    if name == "exits":
        assert first["log"] == ["one"]


def test_what_yarn_refuses_and_who_may_not(operated: Operated) -> None:
    file = operated.write("refused", "true", 'queue = "nowhere"')
    ran = operated.run("submit", file, "-t", "yarn")
    assert ran.status == 1
    assert f"yarn/{operated.named('refused')} is refused: there is no such queue" in ran.err
    assert f"asked for at {file}:6" in ran.err
    assert operated.run("status", file, "-t", "yarn").status == 3


@pytest.mark.long
def test_ctrl_c_leaves_the_job_and_says_how_to_end_it(operated: Operated) -> None:
    file = operated.write("stays", "sleep 300")
    submitting = operated.start("submit", file, "-t", "yarn")
    number = operated.running("stays")
    submitting.send_signal(signal.SIGINT)
    _, err = submitting.communicate(timeout=LIMIT)
    assert submitting.returncode == 130
    assert "the job keeps running, and nothing enforces its deadline" in err
    assert f"yarn application -kill {number}" in err
    assert operated.status(file, "-t", "yarn")["phase"] == "running"
    assert operated.run("cancel", file, "-t", "yarn").status == 0


@pytest.mark.long
def test_a_submission_that_is_killed_is_found_again(operated: Operated) -> None:
    file = operated.write("killed", "sleep 300")
    submitting = operated.start("submit", file, "-t", "yarn")
    operated.running("killed")
    submitting.kill()
    submitting.wait()
    assert operated.until("running", file, "-t", "yarn")["submission"]
    assert operated.run("cancel", file, "-t", "yarn").status == 0


@pytest.mark.long
def test_a_cluster_that_is_not_there(operated: Operated, tmp_path: Path) -> None:
    conf = tmp_path / "conf"
    conf.mkdir()
    for name in ("core-site.xml", "yarn-site.xml", "hdfs-site.xml", "log4j.properties"):
        text = (operated.cluster.work.conf / name).read_text()
        (conf / name).write_text(re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:9", text))
    ran = operated.run("status", "yarn/any", "--timeout", "20s", HADOOP_CONF_DIR=str(conf))
    assert ran.status in (1, 124)
    assert "cannot read applications" in ran.err
    away = operated.run("status", "yarn/any", PATH=os.defpath)
    assert away.status == 1
    assert "run this where the client of Hadoop is" in away.err
