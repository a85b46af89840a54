"""``tfdsl.run``: real processes, how each has ended, and nothing printed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import tfdsl

JOB = """
param status: int = 0
job a {
  image = "a:1"
  role chief  { command = "echo hello $NAME; exit ${status}" }
  role worker { replicas = 2, command = "exec sleep 60" }
  on failed => fail job
}
"""
WAITS = 'job a { image = "a:1", role worker { command = ["sh", "-c", "echo up; exec sleep 60"] } }'


@pytest.mark.slow
def test_a_job_runs_and_says_how_each_replica_has_ended(capfd: pytest.CaptureFixture[str]) -> None:
    (good,) = tfdsl.run(text=JOB, scale={"worker": 1})
    assert (good.job, good.outcome, good.succeeded) == ("a", "succeeded", True)
    assert set(good.replicas) == {"chief[0]", "worker[0]"}
    assert good.replicas["chief[0]"] == tfdsl.ReplicaRun("succeeded", 0, 1, 0)
    assert good.replicas["worker[0]"].phase == "gone"
    assert "run-not-used" in {one.slug for one in good.diagnostics}
    (bad,) = tfdsl.run(text=JOB, params={"status": 3}, env={"NAME": "you"})
    assert (bad.outcome, bad.succeeded, bad.last) == ("failed", False, ("hello you",))
    assert bad.replicas["chief[0]"] == tfdsl.ReplicaRun("failed", 3, 1, 0)
    assert bad.cause == "chief[0] exited 3"
    assert capfd.readouterr() == ("", "")
    tfdsl.run(text=JOB, env={"NAME": "all"}, show=True)
    out, err = capfd.readouterr()
    assert ("hello all" in out, "job a has completed" in err) == (True, True)


@pytest.mark.slow
def test_a_job_made_in_python_with_a_mount_and_a_limit(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("data")
    job = tfdsl.ir.job(
        name="a",
        roles=[tfdsl.ir.role(name="worker", image="a:1", command=f"cat {tmp_path}/f; exec sleep 60", replicas=2)],
    )
    (ran,) = tfdsl.run(job, scale={"worker": 1}, timeout="1s")
    assert (ran.outcome, list(ran.replicas)) == ("failed", ["worker[0]"])
    assert "timeout of 1s has passed" in ran.cause


@pytest.mark.slow
def test_ctrl_c_ends_the_processes_and_is_a_keyboard_interrupt(tmp_path: Path) -> None:
    program = (
        f"import tfdsl\ntry:\n tfdsl.run(text={WAITS!r}, show=True)\nexcept KeyboardInterrupt:\n print('interrupted')\n"
    )
    with subprocess.Popen(
        [sys.executable, "-u", "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=tmp_path,
    ) as ran:
        assert ran.stdout is not None
        assert "up" in ran.stdout.readline()
        os.kill(ran.pid, signal.SIGINT)
        assert ran.stdout.read().endswith("interrupted\n")
    assert ran.returncode == 0


def test_what_cannot_run_is_an_error_before_anything_starts() -> None:
    with pytest.raises(tfdsl.CompileError, match="unknown-attribute"):
        tfdsl.run(text='job a { image = "a:1", role worker { comand = "true" } }')
    with pytest.raises(tfdsl.CompileError, match="does not exist"):
        tfdsl.run(text=WAITS, mounts={"/data": "/nowhere/at/all"})
    with pytest.raises(tfdsl.UsageError, match="the file has a flow"):
        tfdsl.run(text=f"{WAITS}\nflow f {{ run a }}")
    with pytest.raises(tfdsl.UsageError, match="timeout must be a duration"):
        tfdsl.run(text=WAITS, timeout="soon")
    with pytest.raises(TypeError, match="argument 'mount'"):
        tfdsl.run(text=WAITS, mount={})  # type: ignore[call-arg]


def test_another_thread_gets_no_signals() -> None:
    said: list[str] = []

    def try_it() -> None:
        try:
            tfdsl.run(text=WAITS)
        except tfdsl.UsageError as error:
            said.append(str(error))

    thread = threading.Thread(target=try_it)
    thread.start()
    thread.join()
    assert said == ["run() works in the main thread only, because it listens to signals"]
