"""``tfdsl run``: mounts, outputs and variables of files."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.skips import denied
from tests.unit.cli.shell import COMMAND, Ran, environment
from tests.unit.cli.test_run import ran, said
from tests.unit.running.runs import MARK, left
from tfdsl.running.preparing import denial

if TYPE_CHECKING:
    from pathlib import Path

mounts = denied(denial())
"""For what needs namespaces."""


def lines(done: Ran, task: str) -> list[str]:
    return [line.partition("| ")[2] for line in done.out.splitlines() if line.startswith(task)]


@mounts
def test_tasks_see_folders_at_the_paths_of_the_job(tmp_path: Path) -> None:
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets/images").write_text("many")
    done = ran(
        tmp_path,
        'mount pvc "sets" at "/tfdsl/sets" readonly',
        'mount pvc "shared" at "/tfdsl/shared"',
        'mount scratch at "/tfdsl/own"',
        "role worker { replicas = 2, command = \"cat /tfdsl/sets/images; echo; touch /tfdsl/sets/x || "
        "touch /tfdsl/shared/${task.index} /tfdsl/own/${task.index}; cd /tfdsl; "
        "while [ ! -e shared/0 ] || [ ! -e shared/1 ]; do sleep 0.05; done; echo shared/* own/*\" }",
        words=("--mount", "/tfdsl/sets=sets"),
    )  # fmt: skip
    assert done.status == 0, done.err
    for index in (0, 1):
        written = lines(done, f"worker[{index}]")
        assert "many" in written
        assert f"shared/0 shared/1 own/{index}" in written
    empty = "run-empty-mount: /tfdsl/shared is an empty folder of this run: the claim is not on this machine"
    assert f"{empty}; --mount /tfdsl/shared=DIR uses one of yours" in done.err
    assert os.listdir(tmp_path / "sets") == ["images"]


@mounts
def test_scratch_outlives_a_container_and_not_a_pod(tmp_path: Path) -> None:
    command = 'command = "ls /tfdsl/x; echo >> /tfdsl/x; test $(wc -l < /tfdsl/x) -ge 3"'
    role = f'role worker {{ mount scratch at "/tfdsl", {command}'
    kept = ran(tmp_path, f"{role}, on failed => restart container }}", words=("--restart-delay", "0s"))
    assert kept.status == 0, kept.err
    new = ran(tmp_path, f"{role}, on failed => restart pod }}")
    assert new.status == 1, new.out


@mounts
def test_outputs_are_copied_and_a_failed_copy_is_status_74(tmp_path: Path) -> None:
    job = (
        'mount pvc "out" at "/tfdsl/out"',
        'mount scratch at "/tfdsl/work"',
        'output "/tfdsl/work/model" to "/tfdsl/out/run/model"',
        'role chief { command = "mkdir /tfdsl/work/model; echo w > /tfdsl/work/model/weights" }',
    )
    (tmp_path / "out").mkdir()
    words = ("--mount", f"/tfdsl/out={tmp_path}/out")
    done = ran(tmp_path, *job, words=words)
    assert done.status == 0, done.err
    assert (tmp_path / "out/run/model/weights").read_text() == "w\n"
    again = ran(tmp_path, *job, words=words)
    assert again.status == 1
    assert "chief[0] exited with status 74 (the output could not be copied)" in again.err
    assert lines(again, "chief[0]")[0] == (
        "output: /tfdsl/out/run/model exists already; overwrite = true would replace it"
    )


def test_what_is_not_on_this_machine_is_said_before_anything_starts(tmp_path: Path) -> None:
    done = ran(
        tmp_path,
        'mount secret "db" at "/tfdsl/db"',
        'mount host "/tfdsl-no-such" at "/tfdsl/data"',
        'output "/tmp/x" to "hdfs:///x"',
        'role worker { command = "echo started" }',
    )
    assert done.status == 1
    assert done.out == ""
    assert "error[TFJ4851] run-no-object: this machine has no Secret db to mount at /tfdsl/db" in done.err
    assert "error[TFJ4852] run-no-source: /tfdsl-no-such does not exist on this machine" in done.err
    assert "help: name a folder of this machine: --mount /tfdsl/data=DIR" in done.err
    assert "warning[TFJ4856] run-not-copied: run does not copy /tmp/x: hdfs:///x is not on this machine" in done.err


def test_without_mounts_the_job_starts_anyway(tmp_path: Path) -> None:
    done = ran(
        tmp_path,
        'mount secret "db" at "/tfdsl/db"',
        'role worker { command = "ls -d /tfdsl 2>/dev/null || echo nothing" }',
        words=("--no-mounts",),
    )
    assert done.status == 0, done.err
    assert lines(done, "worker[0]") == ["nothing"]
    assert "nothing is mounted at /tfdsl/db: tasks see this machine's folders" in done.err


@mounts
def test_folders_of_the_run_are_kept_when_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    done = ran(
        tmp_path,
        'mount pvc "out" at "/tfdsl"',
        'role worker { command = "echo kept > /tfdsl/x" }',
        words=("--keep",),
        TMPDIR=str(tmp_path / "temporary"),
    )
    assert done.status == 0, done.err
    (folder,) = (line.partition(": ")[2] for line in said(done.err) if line.startswith("folders of the run: "))
    (file,) = (tmp_path / "temporary").rglob("x")
    assert str(file).startswith(folder)
    assert file.read_text() == "kept\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--mount", "/data"), "--mount needs PATH=DIR, not /data"),
        (("--mount", "/data=no"), "--mount /data=no: no does not exist"),
        (("--env-file", "no.env"), "--env-file no.env: there is no such file"),
        (("--env-file", "bad.env"), "--env-file bad.env: line 2: it is not KEY=VALUE"),
        (("--env-file", "binary.env"), "--env-file binary.env: it is not UTF-8"),
    ],
)
def test_wrong_options(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    (tmp_path / "bad.env").write_text("A=1\nhunter2\n")
    (tmp_path / "binary.env").write_bytes(b"A=\xff\n")
    done = ran(tmp_path, 'role worker { command = "true" }', words=words)
    assert done.status == 2
    assert message in done.err
    assert "hunter2" not in done.err


def test_variables_of_a_file_are_those_of_secrets(tmp_path: Path) -> None:
    (tmp_path / "one.env").write_text("# of the database\nPW=a=b\nBOTH=1\n")
    (tmp_path / "two.env").write_text("BOTH=2\nMORE=3\n")
    done = ran(
        tmp_path,
        'env = { PW = secret("db", "password"), BOTH = configmap("settings", "both") }',
        'env_from = [secret("all")]',
        'role worker { command = "echo $PW $BOTH $MORE" }',
        words=("--env-file", "one.env", "--env-file", "two.env"),
    )
    assert done.status == 0, done.err
    assert lines(done, "worker[0]") == ["a=b 2 3"]


@pytest.mark.slow
def test_nothing_is_left_when_it_is_killed_at_any_moment(tmp_path: Path) -> None:
    mark, value = MARK.split("=")
    (tmp_path / "demo.tfjob").write_text(
        'job demo {\n  image = "registry.example.com/mnist:1.4"\n  shm = 1Mi\n  on failed => restart pod\n'
        "  role worker { replicas = 2, command = \"trap '' TERM; (setsid setsid sleep 1000 &); sleep 0.2; exit 1\" }\n"
        "}\n"
    )
    for number, moment in enumerate((0.1, 0.25, 0.4, 0.5, 0.6, 0.8, 1.1)):
        folder = tmp_path / str(number)
        folder.mkdir()
        run = subprocess.Popen(
            [*COMMAND, "run", "demo.tfjob"],
            cwd=tmp_path,
            env=environment() | {mark: value, "TMPDIR": str(folder)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(moment)
        run.kill()
        run.wait()
        end = time.monotonic() + 20
        while left() or os.listdir(folder):
            assert time.monotonic() < end, (left(), os.listdir(folder))
            time.sleep(0.01)


DENIED = 'echo 0 > /proc/sys/user/max_user_namespaces; exec setpriv --bounding-set=-all --inh-caps=-all "$@"'
"""Runs a command on a machine that denies namespaces."""


def test_where_namespaces_are_denied_mounts_are_errors_at_their_places(tmp_path: Path) -> None:
    prefix = ["unshare", "--user", "--map-root-user", "sh", "-c", DENIED, "sh"]
    if subprocess.run([*prefix, "true"], check=False, capture_output=True).returncode:
        pytest.skip("the kernel denies it: nobody may deny namespaces")
    (tmp_path / "real").mkdir()
    (tmp_path / "demo.tfjob").write_text(
        'job demo {\n  image = "registry.example.com/mnist:1.4"\n  mount scratch at "/tfdsl/own"\n'
        f'  mount pvc "sets" at "{tmp_path}/real"\n  role worker {{ command = "ls -d {tmp_path}/real" }}\n}}\n'
    )

    def denied(*words: str) -> subprocess.CompletedProcess[str]:
        command = [*prefix, *COMMAND, "run", "demo.tfjob", *words]
        return subprocess.run(
            command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False, timeout=60
        )

    done = denied("--mount", f"{tmp_path}/real={tmp_path}/real")
    assert done.returncode == 1
    assert done.stdout == ""
    assert (
        "error[TFJ4850] run-mount-denied: /tfdsl/own cannot be mounted on this machine: "
        "user namespaces are turned off (user.max_user_namespaces = 0)\n  --> demo.tfjob:3:20" in done.stderr
    )
    assert done.stderr.count("run-mount-denied") == 1
    started = denied("--no-mounts")
    assert started.returncode == 0, started.stderr
    assert f"{tmp_path}/real" in started.stdout
