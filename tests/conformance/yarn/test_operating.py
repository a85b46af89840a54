"""``tfdsl submit``, ``status``, ``logs`` and ``cancel`` on the real Hadoop."""

from __future__ import annotations

import os
import re
import secrets
import shutil
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
LIMIT = 240
"""Seconds for one command, and for a job to get on: each question starts a Java machine."""


class Operated(OnCluster):
    """Jobs in a folder, through the commands, with the client of the lab on the path."""

    patience = LIMIT

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self.folder = folder
        self.environment = {**cluster.work.environment, "PYTHONPATH": str(ROOT)}
        self.cluster = cluster
        self.started: list[subprocess.Popen[str]] = []
        self.mark = secrets.token_hex(2)  # the cluster may remember earlier runs

    def run(self, *words: str, **variables: str) -> Ran:
        if words[0] == "status" and "--timeout" not in words:
            words = (*words, "--timeout", f"{LIMIT}s")  # a single reading may take all of it
        return self.end(self.start(*words, **variables))

    def end(self, process: subprocess.Popen[str]) -> Ran:
        """What a command has said when it has ended; one that takes too long is a failure that shows what it does."""
        try:
            out, err = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            does = "\n".join(_below(process.pid))
            process.kill()
            out, err = process.communicate()
            pytest.fail(f"{process.args} has not ended after {LIMIT} s\n{out}\n{err}\nit runs:\n{does}")
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

    def running(self, name: str, submitting: subprocess.Popen[str] | None = None, attempt: int = 1) -> str:
        """The id of the job's latest application, once all its tasks run; ``submitting`` must not end before that."""
        end = time.monotonic() + LIMIT
        while True:
            found = [one for one in self.cluster.applications().values() if one.name == self.named(name)]
            last = max(found, key=lambda one: one.id, default=None)
            tasks = [one for one in last.containers if f"_{attempt:02}_" in one] if last is not None else []
            if last is not None and last.state == "RUNNING" and len(tasks) == 3:
                return last.id
            if submitting is not None and submitting.poll() is not None:
                pytest.fail(f"submit has ended: {self.end(submitting)}")
            assert time.monotonic() < end, f"not running after {LIMIT} s: {found}"
            time.sleep(0.3)

    def kill_master(self, number: str, attempt: int) -> None:
        """End the application master of an attempt: what runs in its container."""
        (path,) = self.cluster.run.glob(f"node*/local/nmPrivate/{number}/container_*_{attempt:02}_000001/*.pid")
        os.killpg(int(path.read_text()), signal.SIGKILL)


def _below(pid: int) -> list[str]:
    """The command lines of what a process has started, with their seconds."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,etimes=,args="], capture_output=True, text=True).stdout
    rows = [line.split(None, 3) for line in listed.splitlines()]
    found, new = list[str](), {str(pid)}
    while new:
        those = [row for row in rows if row[1] in new]
        found += [f"{row[2]} s: {row[3][:2000]}" for row in those]
        new = {row[0] for row in those}
    return found


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
    number = operated.running("life", submitting)
    job = operated.until("running", file, "-t", "yarn")
    assert (job["id"], job["submission"]) == (number, number)
    assert [one["phase"] for one in job["replicas"]] == ["running", "running"]
    refused = operated.run("logs", file, "-t", "yarn")
    assert refused.status == 1
    assert "YARN has the logs when the job has ended" in refused.err
    ended = operated.run("cancel", f"yarn/{operated.named('life')}")
    assert ended.out == f"ended application/{number}\nstays: the logs of {number}\n", ended.err
    submitted = operated.end(submitting)
    assert submitted.status == 1
    assert f"{operated.named('life')}: job is {number}" in submitted.err
    assert f"submitted application/{number}" in submitted.out
    assert "why: it was ended by user" in submitted.out
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
    number = operated.running("stays", submitting)
    submitting.send_signal(signal.SIGINT)
    submitted = operated.end(submitting)
    assert submitted.status == 130
    assert "the job keeps running, and nothing enforces its deadline" in submitted.err
    assert f"yarn application -kill {number}" in submitted.err
    following = operated.start("logs", file, "-t", "yarn", "--follow")
    assert operated.status(file, "-t", "yarn")["phase"] == "running"
    assert following.poll() is None
    following.send_signal(signal.SIGINT)
    assert operated.end(following).status == 130
    assert operated.cluster.applications()[number].state == "RUNNING"
    assert operated.run("cancel", file, "-t", "yarn").status == 0


@pytest.mark.long
def test_a_submission_that_is_killed_is_named_by_the_next_one(operated: Operated) -> None:
    file = operated.write("killed", "sleep 300")
    submitting = operated.start("submit", file, "-t", "yarn")
    number = operated.running("killed", submitting)
    submitting.kill()
    submitting.wait()
    assert operated.until("running", file, "-t", "yarn")["submission"] == number
    again = operated.start("submit", file, "-t", "yarn")
    other = number
    end = time.monotonic() + LIMIT
    while other == number:
        other = operated.running("killed", again)
        assert time.monotonic() < end, f"no second run of {number} after {LIMIT} s"
        time.sleep(0.3)
    notes = operated.status(file, "-t", "yarn")["notes"]
    assert notes == ["YARN knows 1 more applications of this name; this is the latest run, --id names another"]
    ended = operated.run("cancel", file, "-t", "yarn")
    assert ended.out.splitlines()[0] == f"ended application/{number}, application/{other}"
    assert (
        f"{operated.named('killed')} waits or runs already as application/{number}; this is" in operated.end(again).err
    )


FULL = "gpu = 4"
"""Of each of two tasks: all that the two nodes have."""


@pytest.mark.long
def test_a_job_that_waits_for_room_says_so_until_it_has_some(operated: Operated) -> None:
    first = operated.write("first", "sleep 300", FULL)
    submitting = operated.start("submit", first, "-t", "yarn")
    operated.running("first", submitting)
    file = operated.write("waits", "echo at last", FULL)
    waiting = operated.start("submit", file, "-t", "yarn", "--follow")
    assert operated.until_there(file, "-t", "yarn")["phase"] in ("waiting", "starting")
    end = time.monotonic() + LIMIT
    while not (found := operated.status(file, "-t", "yarn"))["reasons"] or found["phase"] == "waiting":
        assert time.monotonic() < end, f"no reason after {LIMIT} s: {found}"
        time.sleep(0.3)
    assert found["reasons"][0]["sentence"] == "0 of 2 containers have a place, and the tasks wait for each other"
    assert found["reasons"][0]["place"] == f"{file}:6"
    assert [one["phase"] for one in found["replicas"]] == ["waiting", "waiting"]
    assert operated.run("cancel", first, "-t", "yarn").status == 0
    done = operated.end(waiting)
    assert done.status == 0, done.err
    assert "worker[0] | at last" in done.out
    assert operated.end(submitting).status == 1


@pytest.mark.long
def test_a_job_whose_application_master_ends(operated: Operated) -> None:
    file = operated.write("master", "echo one; sleep 300")
    submitting = operated.start("submit", file, "-t", "yarn")
    number = operated.running("master", submitting)
    operated.kill_master(number, 1)
    operated.running("master", submitting, attempt=2)
    assert operated.status(file, "-t", "yarn")["notes"] == [
        "its application master was started again: all tasks are those of attempt 2"
    ]
    operated.kill_master(number, 2)
    submitted = operated.end(submitting)
    assert submitted.status == 1
    assert "why: its application master ended 2 times, the last time with status 137" in submitted.out


def test_a_cluster_or_a_client_that_is_not_there(operated: Operated, tmp_path: Path) -> None:
    conf = tmp_path / "conf"
    conf.mkdir()
    for name in ("core-site.xml", "yarn-site.xml", "hdfs-site.xml", "log4j.properties"):
        text = (operated.cluster.work.conf / name).read_text()
        (conf / name).write_text(re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:9", text))
    ran = operated.run("status", "yarn/any", "--timeout", "5s", HADOOP_CONF_DIR=str(conf))
    assert ran.status == 124
    assert "cannot read applications: no answer within 5 s" in ran.err
    file = operated.write("away", "true")
    for words in (
        ("status", "yarn/any"),
        ("logs", "yarn/any"),
        ("cancel", file, "-t", "yarn"),
        ("submit", file, "-t", "yarn"),
    ):
        away = operated.run(*words, PATH=os.defpath)
        assert away.status == 1
        assert "run this where the client of Hadoop is" in away.err


@pytest.mark.long
def test_nothing_is_submitted_to_a_manager_that_does_not_answer(operated: Operated, tmp_path: Path) -> None:
    """HDFS answers. By itself, the client would go on trying for a quarter of an hour."""
    conf = tmp_path / "conf"
    shutil.copytree(operated.cluster.work.conf, conf)
    there = operated.cluster.setting("yarn-site", "yarn.resourcemanager.address")
    site = (conf / "yarn-site.xml").read_text()
    (conf / "yarn-site.xml").write_text(site.replace(there, "127.0.0.1:9"))
    file = operated.write("away", "true", "deadline = 1h")
    ran = operated.run("submit", file, "-t", "yarn", HADOOP_CONF_DIR=str(conf))
    assert ran.status == 1
    assert "cannot read applications: no answer within 30 s" in ran.err
    assert "help: nothing was submitted" in ran.err
    compiled = subprocess.run(
        [sys.executable, "-m", "tfdsl", "compile", file, "-t", "yarn", "-o", "out"],
        cwd=tmp_path,
        env=operated.environment,
    )
    assert compiled.returncode == 0
    said = tmp_path / "said"
    with said.open("wb") as out:
        script = subprocess.Popen(
            ["bash", str(tmp_path / "out" / operated.named("away") / "submit.sh")],
            env={**operated.environment, "HADOOP_CONF_DIR": str(conf)},
            stdout=out,
            stderr=subprocess.STDOUT,
            text=True,
        )
    operated.started.append(script)
    end = time.monotonic() + LIMIT
    while "no answer from localhost/127.0.0.1:9; the client of job keeps trying" not in said.read_text():
        assert time.monotonic() < end, f"nothing of it after {LIMIT} s: {said.read_text()}"
        time.sleep(0.3)
    script.terminate()
    assert operated.end(script).status == 130, said.read_text()
    assert "interrupted, and YARN does not say what is running" in said.read_text()
