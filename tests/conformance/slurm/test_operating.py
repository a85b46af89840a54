"""``tfdsl submit``, ``status``, ``logs``, ``cancel`` and ``resume`` on the real Slurm, with and without accounting."""

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
from tests.conformance.slurm.cluster import Large
from tests.unit.cli.shell import Ran, tfdsl

if TYPE_CHECKING:
    from tests.conformance.slurm.cluster import Accounted, Cluster

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
        self.ask = cluster.ask

    def run(self, *words: str, **variables: str) -> Ran:
        environment = {"SLURM_CONF": self.settings, **variables}
        return tfdsl(*words, cwd=self.folder, stdin=b"", onto=None, **environment)

    def with_client(self, name: str, text: str) -> str:
        """A path on which the client ``name`` is a script with this ``text``."""
        folder = self.folder / "clients"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"#!/bin/bash\n{text}\n")
        (folder / name).chmod(0o755)
        return f"{folder}:{os.environ['PATH']}"

    def write(self, name: str, command: str, more: str = "") -> str:
        text = JOB.replace("NAME", name).replace("COMMAND", command).replace("MORE", more)
        (self.folder / f"{name}.tfjob").write_text(text)
        return f"{name}.tfjob"


def once(name: str) -> str:
    """A name that no other run of the tests has used: the queue remembers jobs."""
    return f"{name}-{secrets.token_hex(3)}"


@pytest.fixture
def operated(cluster: Cluster, tmp_path: Path) -> Operated:
    return Operated(cluster, tmp_path)


def test_a_job_from_submit_to_its_end(operated: Operated) -> None:
    file = operated.write("life", "echo hello; sleep 300")
    ran = operated.run("submit", file, "-t", "slurm", "--", "--nice=7")
    assert ran.status == 0, ran.err
    running = operated.until("running", file, "-t", "slurm")
    assert " Nice=7 " in operated.ask("scontrol", "show", "job", running["id"])
    assert ran.out.startswith(f"submitted job/{running['id']}\n")
    end = time.monotonic() + 30
    while [one["phase"] for one in operated.status(file, "-t", "slurm")["replicas"]] != ["running"] * 3:
        assert time.monotonic() < end
        time.sleep(0.3)
    while operated.run("logs", file, "worker[1]", "-t", "slurm").out != "hello\n":
        assert time.monotonic() < end
        time.sleep(0.3)
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


@pytest.mark.long  # Slurm lets a job that was queued again wait for two minutes
def test_aborted_and_resumed(operated: Operated) -> None:
    file = operated.write("stops", "test -e again || exit 5; sleep 1", "on exit 5 => abort job")
    assert operated.run("submit", file, "-t", "slurm").status == 0
    job = operated.until("aborted", file, "-t", "slurm")
    assert [(one["slug"], one["place"]) for one in job["reasons"]] == [
        ("aborted", f"{file}:2"),
        ("policy", f"{file}:6"),
    ]
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
        ("gpu = 9", "no node of the cluster can take what the job asks for"),
        ("memory = 999Gi", "no node of the cluster can take what the job asks for"),
    ],
)
def test_what_slurm_refuses_leaves_nothing(operated: Operated, more: str, said: str) -> None:
    name = once("never")
    file = operated.write(name, "true")
    text = JOB.replace("  memory  = 100Mi\n", "") if "memory" in more else JOB
    text = text.replace("NAME", name).replace("COMMAND", "true").replace("MORE", more)
    (operated.folder / file).write_text(text)
    ran = operated.run("submit", file, "-t", "slurm")
    assert ran.status == 1
    assert f"slurm/{name} is refused: {said}" in ran.err
    line = text[: text.index(more)].count("\n") + 1
    assert f"asked for at {file}:{line}" in ran.err
    assert operated.run("status", file, "-t", "slurm").status == 3
    assert not (operated.folder / "tfjob-runs").exists()


def test_a_step_that_fails_is_named_with_its_line(operated: Operated) -> None:
    more = 'prepare "fetch" {\n    command = ["sh", "-c", "echo cannot fetch; exit 4"]\n  }'
    file = operated.write("fetches", "true", more)
    ran = operated.run("submit", file, "-t", "slurm", "--wait", "--timeout", "60s")
    assert ran.status == 1, ran.err
    assert "could not run its command: prepare fetch exited with 4" in ran.out
    assert f"  at {file}:6\n" in ran.out
    assert "    cannot fetch\n" in ran.out


@pytest.mark.parametrize("command", ["submit", "status", "logs", "cancel"])
def test_a_controller_that_does_not_answer(operated: Operated, command: str) -> None:
    settings = operated.folder / "slurm.conf"
    text = re.sub(r"(?m)^SlurmctldPort=.*$", "SlurmctldPort=9", Path(operated.settings).read_text())
    settings.write_text(re.sub(r"(?m)^(SlurmctldTimeout|MessageTimeout)=.*$", r"\1=1", text))
    file = operated.write("nobody", "true")
    ran = operated.run(command, file, "-t", "slurm", SLURM_CONF=str(settings))
    assert (ran.status, ran.out) == (1, "")
    assert "Unable to contact slurm controller" in ran.err, ran.err
    ran = operated.run(command, file, "-t", "slurm", PATH=str(operated.folder))
    assert (ran.status, ran.out) == (1, "")
    assert "on the path" in ran.err or "there is no" in ran.err, ran.err


def test_a_job_of_another_user_is_read_and_not_ended(operated: Operated) -> None:
    file = operated.write("others", "sleep 300")
    assert operated.run("submit", file, "-t", "slurm").status == 0
    number = operated.until("running", file, "-t", "slurm")["id"]
    nobody = "exec setpriv --reuid=65534 --regid=65534 --clear-groups /usr/bin/"
    path = operated.with_client("squeue", f'{nobody}squeue "$@"')
    operated.with_client("scancel", f'{nobody}scancel "$@"')
    operated.with_client("sacct", "exit 1")
    assert operated.run("status", "slurm/others", PATH=path).status == 3
    assert operated.run("status", "slurm/others", "--id", number, PATH=path).out.startswith(f"others (slurm {number})")
    ran = operated.run("cancel", "slurm/others", "--id", number, PATH=path)
    assert ran.status == 1
    assert "Access/permission denied" in ran.err, ran.err
    assert operated.run("cancel", file, "-t", "slurm").status == 0


def test_killed_while_it_submits(operated: Operated) -> None:
    name = once("half")
    file = operated.write(name, "sleep 300")
    path = operated.with_client(
        "sbatch", '/usr/bin/sbatch "$@"; touch submitted; case "$*" in *test-only*) ;; *) sleep 60 ;; esac'
    )
    words = [sys.executable, "-m", "tfdsl", "submit", file, "-t", "slurm"]
    variables = {**os.environ, "SLURM_CONF": operated.settings, "PATH": path}
    process = subprocess.Popen(words, cwd=operated.folder, env=variables, stderr=subprocess.PIPE, text=True)
    job = operated.until_there(file, "-t", "slurm")
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert "may be there" in err
    assert job["submission"].startswith(f"{name}-")
    assert operated.run("cancel", file, "-t", "slurm").out == f"ended job/{job['id']}\n"


def test_wait_is_for_the_run_that_was_submitted(operated: Operated) -> None:
    name = once("twice")
    file = operated.write(name, "sleep 3")
    words = [sys.executable, "-m", "tfdsl", "submit", file, "-t", "slurm", "--wait", "--timeout", "60s"]
    variables = {**os.environ, "SLURM_CONF": operated.settings}
    process = subprocess.Popen(words, cwd=operated.folder, env=variables, stdout=subprocess.PIPE, text=True)
    first = operated.until_there(file, "-t", "slurm")["id"]
    assert operated.run("submit", operated.write(name, "sleep 300"), "-t", "slurm").status == 0
    out, _ = process.communicate(timeout=60)
    assert f"{name} (slurm {first}): succeeded" in out
    assert process.returncode == 0
    assert operated.run("cancel", f"slurm/{name}").status == 0


@pytest.mark.long
def test_watch_over_a_requeue(operated: Operated) -> None:
    command = "test -e second || { echo begun; sleep 300; }; until test -e go; do sleep 0.2; done"
    file = operated.write("queued", command, "retries = 1\n  on evicted => restart job")
    assert operated.run("submit", file, "-t", "slurm").status == 0
    number = operated.until("running", file, "-t", "slurm")["id"]
    end = time.monotonic() + 60
    while operated.run("logs", file, "-t", "slurm").out.count("begun") < 3:  # it is running before its commands are
        assert time.monotonic() < end
        time.sleep(0.3)
    (operated.folder / "second").touch()
    operated.ask("scontrol", "requeue", number)
    words = [sys.executable, "-m", "tfdsl", "status", file, "-t", "slurm", "--watch", "--timeout", "300s"]
    variables = {**os.environ, "SLURM_CONF": operated.settings}
    process = subprocess.Popen(words, cwd=operated.folder, env=variables, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    out = list[str]()
    for line in process.stdout:
        out.append(line.rstrip())
        if out.count("queued: waiting") and out[-1] == "queued: running":
            (operated.folder / "go").touch()  # not before that was seen
    assert process.wait(60) == 0
    phases = [line for line in out if line.startswith("queued: ")]
    phases = phases[phases[0] == "queued: running" :]  # it may not have been taken back yet
    assert phases == ["queued: waiting", "queued: running", "queued: succeeded"], out
    assert "why: it is to start later" in "\n".join(out)


# --- with accounting ---


@pytest.mark.long
def test_a_job_that_the_queue_has_forgotten(accounted: Accounted, tmp_path: Path) -> None:
    operated = Operated(accounted, tmp_path)
    command = "sleep 2; python3 -c 'x = bytearray(400 << 20)'"
    file = operated.write("greedy", command)
    ran = operated.run("submit", file, "-t", "slurm", "--wait", "--timeout", "120s")
    assert ran.status == 1, ran.err
    end = time.monotonic() + 150
    while operated.ask("squeue", "--noheader", "--states=all", "--name=greedy"):
        assert time.monotonic() < end
        time.sleep(1)
    job = operated.status(file, "-t", "slurm")
    assert job["phase"] == "failed"
    assert (job["reasons"][0]["slug"], job["reasons"][0]["place"]) == ("out-of-memory", f"{file}:3")
    assert operated.status("slurm/greedy", "--id", job["id"])["submission"] == job["submission"]
    assert operated.run("logs", "slurm/greedy", "chief[0]").status == 0
    ran = operated.run("cancel", "slurm/greedy")
    assert ran.status == 3
    assert "no run waits or runs" in ran.err
    assert operated.run("status", "slurm/greedy", "--id", "99999").status == 3


@pytest.mark.long
def test_200_replicas(folder: Path, tmp_path: Path) -> None:
    large = Large(folder / "large")
    text = JOB.replace("NAME", "many").replace("COMMAND", "echo here; sleep 600").replace("MORE", "")
    (tmp_path / "many.tfjob").write_text(text.replace("= 2 }", "= 200 }").replace("100Mi", "32Mi"))
    try:
        large.start()
        operated = Operated(large, tmp_path)
        assert operated.run("submit", "many.tfjob", "-t", "slurm").status == 0
        end = time.monotonic() + 300
        while "worker: 200 running" not in (out := operated.run("status", "slurm/many").out):
            assert time.monotonic() < end, out
            time.sleep(3)
        assert "worker[" not in out
        while (said := operated.run("logs", "slurm/many").out.count("here")) < 201:  # they begin after they are running
            assert time.monotonic() < end, said
            time.sleep(3)
        assert said == 201
        assert operated.run("cancel", "slurm/many").status == 0
    finally:
        large.stop()
