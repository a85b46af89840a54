"""submit.sh beside what goes wrong: Ctrl-C at any moment, clients that die, a deaf YARN, folders that are not there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.backends.jobs import job, time as duration, unit
from tests.unit.backends.yarn.cluster import Cluster, native
from tests.unit.backends.yarn.containers import until
from tfdsl.ir.model import ArchiveMount

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.ir.model import Job

pytestmark = pytest.mark.slow

WAITS = 'echo up >up; while [ ! -e "$STUB_FOLDER/done" ]; do sleep 0.05; done'


class Submission:
    """A ``submit.sh`` that runs in a process group of its own, as from a terminal."""

    def __init__(self, cluster: Cluster, made: Job, *arguments: str, version: str = "3.4", **env: str) -> None:
        self.cluster = cluster
        place = cluster.write(unit(made, "yarn", version))
        (cluster.folder / "tmp").mkdir()
        self.process = subprocess.Popen(
            ["bash", str(place / "submit.sh"), *arguments],
            env=cluster.env | {"TMPDIR": str(cluster.folder / "tmp"), "TFJOB_ASK": "1", "STUB_VERSION": version} | env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    @property
    def applications(self) -> dict[str, str]:
        """Application -> its state."""
        places = (self.cluster.folder / "applications").glob("application_*[0-9]")
        return {place.name: json.loads(place.read_text())["state"] for place in places}

    def clients(self) -> list[int]:
        """The processes of the clients."""
        found: list[int] = []
        for entry in Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
                mine = words and os.getpgid(int(entry.name)) == self.process.pid
            except OSError:
                continue
            if mine and str(self.cluster.jar).encode() in words:
                found.append(int(entry.name))
        return found

    def running(self, count: int) -> None:
        """Wait until the commands of so many tasks run."""
        until(lambda: len(list((self.cluster.folder / "containers").glob("*/*/up"))) == count)

    def interrupt(self) -> None:
        """Ctrl-C."""
        os.killpg(self.process.pid, signal.SIGINT)

    def end(self) -> str:
        """Wait for its end; gives what it has said."""
        return self.process.communicate(timeout=30)[0]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path)
    yield made
    (tmp_path / "done").touch()


ONE = job(native("worker", 1, WAITS))
TWO = job(native("ps", 1, "echo up >up; sleep 60"), native("worker", 1, WAITS, gpu=1))


@pytest.mark.parametrize("version", ["2.10", "3.1", "3.4"])
def test_ctrl_c_before_the_client_has_said_anything_ends_the_job(cluster: Cluster, version: str) -> None:
    going = Submission(cluster, ONE, "--cancel-on-interrupt", version=version, STUB_SILENT="4")
    until(lambda: going.applications)
    going.interrupt()
    said = going.end()
    assert going.process.returncode == 130
    assert "ended the job" in said
    assert list(going.applications.values()) == ["KILLED"]


def test_ctrl_c_alone_names_an_application_that_the_client_has_not(cluster: Cluster) -> None:
    going = Submission(cluster, ONE, STUB_SILENT="4")
    until(lambda: going.applications)
    going.interrupt()
    said = going.end()
    (name,) = going.applications
    assert "the job keeps running" in said
    assert f"yarn application -kill {name}" in said
    assert going.applications[name] in ("ACCEPTED", "RUNNING")


@pytest.mark.parametrize("arguments", [(), ("--cancel-on-interrupt",)])
def test_ctrl_c_before_the_submission_says_that_nothing_was_submitted(
    cluster: Cluster, arguments: tuple[str, ...]
) -> None:
    going = Submission(cluster, ONE, *arguments, STUB_BEFORE="3")
    until(going.clients)
    going.interrupt()
    said = going.end()
    assert going.process.returncode == 130
    assert "interrupted; nothing was submitted" in said
    assert "runs on" not in said
    time.sleep(3.2)
    assert going.applications == {}


def test_ctrl_c_in_the_middle_of_a_submission_leaves_no_half_job(cluster: Cluster) -> None:
    going = Submission(cluster, TWO, STUB_BEFORE_GPUS="5")
    until(lambda: len(going.applications) == 1)
    going.interrupt()
    said = going.end()
    assert "interrupted before the whole job was submitted" in said
    assert "ended the job" in said
    assert list(going.applications.values()) == ["KILLED"]


@pytest.mark.parametrize(("tries", "reason"), [("0", "java.net.ConnectException"), ("60", "no answer within 0.3 s")])
def test_ctrl_c_while_yarn_does_not_answer_claims_nothing(cluster: Cluster, tries: str, reason: str) -> None:
    patience = {"TFJOB_PATIENCE": "0.3"} if tries == "60" else {}
    going = Submission(
        cluster, ONE, "--cancel-on-interrupt", STUB_DEAF=tries, STUB_BEFORE="1", TFJOB_POLL="0.1", **patience
    )
    going.running(1)
    going.interrupt()
    said = going.end()
    assert going.process.returncode == 130
    assert said.count("no answer from localhost/127.0.0.1:9; the client of job keeps trying") == 1
    assert f"YARN does not say what is running: {reason}" in said
    assert "yarn application -list -appTags mnist-" in said
    assert "is ended" not in said


def test_a_killed_client_does_not_end_a_healthy_job(cluster: Cluster) -> None:
    going = Submission(cluster, TWO, TFJOB_GRACE="1")
    going.running(2)
    os.kill(going.clients()[0], signal.SIGKILL)
    time.sleep(3)
    assert list(going.applications.values()) == ["RUNNING"] * 2
    (cluster.folder / "done").touch()
    said = going.end()
    assert going.process.returncode == 0, said
    assert "exited with 137, but application_" in said
    assert "SUCCEEDED" in said
    assert "FAILED" not in said


@pytest.mark.parametrize(("ends", "status", "word"), [("exit 0", 0, "SUCCEEDED"), ("exit 3", 2, "FAILED")])
def test_the_end_of_a_job_is_yarn_s_word_not_its_client_s(cluster: Cluster, ends: str, status: int, word: str) -> None:
    going = Submission(cluster, job(native("worker", 1, f"{WAITS}; {ends}")))
    going.running(1)
    os.kill(going.clients()[0], signal.SIGTERM)
    time.sleep(0.5)
    (cluster.folder / "done").touch()
    said = going.end()
    assert going.process.returncode == status, said
    assert f"has ended: FINISHED, {word}; client status 143" in said
    assert said.splitlines()[-1] == f"mnist: {word}"


def test_without_its_client_the_deadline_holds(cluster: Cluster) -> None:
    going = Submission(cluster, job(native("worker", 1, WAITS), deadline=duration("5s")))
    going.running(1)
    os.kill(going.clients()[0], signal.SIGKILL)
    said = going.end()
    assert "the deadline has passed" in said
    assert going.process.returncode == 2
    assert list(going.applications.values()) == ["KILLED"]


def test_the_log_of_the_client_does_not_grow_while_nothing_happens(cluster: Cluster) -> None:
    going = Submission(cluster, ONE)  # its client reports ten times in a second
    going.running(1)
    time.sleep(1)
    (log,) = (cluster.folder / "tmp").glob("*/job.log")
    size = log.stat().st_size
    time.sleep(2)
    assert log.stat().st_size == size
    assert log.read_text().count("yarnAppState=RUNNING") == 1
    (cluster.folder / "done").touch()
    going.end()


# --- folders, links, archives --------------------------------------------------------------------------------------


def test_nobody_else_reads_job_sh_while_the_job_runs(cluster: Cluster) -> None:
    going = Submission(cluster, TWO)
    going.running(2)
    home = cluster.folder / "hdfs/user/alice"
    modes = {place.name: oct(place.stat().st_mode & 0o777) for place in home.iterdir() if place.name != ".tfjobs"}
    assert modes == {"mnist-ps": "0o700", "mnist-worker": "0o700"}
    assert [oct(place.stat().st_mode & 0o777) for place in (home / ".tfjobs").iterdir()] == ["0o700"]
    (cluster.folder / "done").touch()
    assert "others may read" not in going.end()


def test_a_folder_of_the_submitter_s_stays_as_it_is(cluster: Cluster) -> None:
    folder = cluster.folder / "hdfs/user/alice/mnist"
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    done = cluster.submit(unit(job(native("worker", 1, "true")), "yarn"))
    assert done.returncode == 0
    assert "others may read job.sh in your folder mnist of HDFS while the job runs; its mode is 755" in done.stderr
    assert folder.stat().st_mode & 0o777 == 0o755
    folder.chmod(0o700)
    assert "others may read" not in cluster.submit(unit(job(native("worker", 1, "true")), "yarn")).stderr


@pytest.mark.parametrize("replicas", [1, 2])
def test_a_missing_home_folder_is_named(cluster: Cluster, replicas: int) -> None:
    done = cluster.submit(unit(job(native("worker", replicas, "true")), "yarn"), STUB_NO_HOME="1")
    assert done.returncode == 1
    assert "your home folder of HDFS" in done.stderr
    assert ("the option store names another folder" in done.stderr) == (replicas > 1)
    assert not (cluster.folder / "clients").exists()


def test_the_store_is_where_hdfs_says_that_home_is(cluster: Cluster) -> None:
    """Not where the name of the operating system's user would put it: a proxy or a principal has another."""
    done = cluster.submit(unit(job(native("worker", 2, "true")), "yarn"), HADOOP_PROXY_USER="bob", USER="carol")
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    places = [word for call in cluster.hdfs_calls() for word in call if "tfjobs" in word]
    assert places
    assert all(place.startswith(".tfjobs/mnist-") for place in places)


def test_submit_may_be_called_through_a_link(cluster: Cluster) -> None:
    place = cluster.write(unit(job(native("worker", 1, "true")), "yarn"))
    (cluster.folder / "links").mkdir()
    link = cluster.folder / "links/run-mnist"
    link.symlink_to("../job/submit.sh")
    done = subprocess.run([str(link)], env=cluster.env, cwd=cluster.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert cluster.clients()[0]["shell_script"] == [str(place / "job.sh")]


@pytest.mark.parametrize(
    ("version", "options", "line"),
    [
        ("3.4", {}, "cp -- code.tar /"),
        ("3.1", {}, "hdfs dfs -put code.tar .tfjobs/mnist-"),
        ("3.1", {"store": "/shared"}, "cp -- code.tar /shared/mnist-"),
    ],
)
def test_print_needs_no_archives(cluster: Cluster, version: str, options: dict[str, Any], line: str) -> None:
    mount = ArchiveMount(at="code", source="code.tar")
    made = unit(job(native("worker", 2, "true", mounts=(mount,))), "yarn", version, **options)
    done = cluster.submit(made, "--print")
    assert done.returncode == 0, done.stderr
    assert [words for words in done.stdout.splitlines() if words.startswith(line)]
    assert done.stdout.splitlines()[-1].startswith("yarn jar ")
    assert done.stderr == "mnist: code.tar does not exist, seen from this folder\n"
    assert cluster.submit(made).returncode == 1
