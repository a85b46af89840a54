"""``tfdsl run``: what a task may do to the run, and what ends it from outside."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
from typing import TYPE_CHECKING
from unittest import mock

import pytest

from tests.unit.cli.shell import COMMAND, environment
from tests.unit.cli.test_run import IMAGE, ran, said, started
from tfdsl.running.supervisor import Supervisor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOGGED = ("--log-dir", "logs")


SUPERVISOR = "$(cut -d ' ' -f 4 /proc/$PPID/stat)"
"""What has started the process that keeps a command, where it is not in a namespace of its own."""


@pytest.fixture
def plain() -> Iterator[None]:
    """A machine without namespaces."""
    supervisor = functools.partial(Supervisor, plain=True)
    with mock.patch("tfdsl.running.preparing.Supervisor", supervisor):
        yield


def test_a_line_that_is_repeated_is_shown_once(tmp_path: Path) -> None:
    done = ran(tmp_path, 'role worker { command = "for i in 1 2 3 4 5; do echo x; done; echo y" }', words=LOGGED)
    assert done.out.splitlines() == ["worker[0] | x", "worker[0] | (repeated 4 times)", "worker[0] | y"]
    assert (tmp_path / "logs/worker-0.log").read_text() == "x\n" * 5 + "y\n"


def test_what_is_in_the_place_of_a_log_is_not_written_through(tmp_path: Path) -> None:
    """Neither through a link, nor into a pipe, for which nobody waits, nor into another name of a file."""
    logs, target = tmp_path / "logs", tmp_path / "target"
    logs.mkdir()
    target.write_text("text")
    (logs / "worker-0.log").symlink_to(target)
    os.mkfifo(logs / "worker-1.log")
    (logs / "worker-2.log").hardlink_to(target)
    done = ran(tmp_path, 'role worker { replicas = 3, command = "echo new" }', words=LOGGED)
    assert done.status == 2
    assert target.read_text() == "text"
    assert (logs / "worker-2.log").read_text() == "new\n"
    assert [line for line in sorted(said(done.err)) if line.startswith("cannot")] == [
        f"cannot write logs/worker-0.log: a link leads out of logs, to {target}; the output of worker[0] is not kept",
        "cannot write logs/worker-1.log: it is not a regular file; the output of worker[1] is not kept",
    ]


@pytest.mark.usefixtures("plain")
def test_a_task_that_stops_what_it_was_started_by_completes_all_the_same(tmp_path: Path) -> None:
    done = ran(tmp_path, f'role worker {{ command = "kill -STOP {SUPERVISOR} $PPID; sleep 0.1; echo done" }}')
    assert (done.status, done.out) == (0, "worker[0] | done\n")


@pytest.mark.usefixtures("plain")
def test_a_task_that_stops_it_over_and_over_is_ended_by_the_timeout(tmp_path: Path) -> None:
    lines = (
        "stop_grace = 100ms",
        f"role worker {{ command = \"trap '' TERM; s={SUPERVISOR}; while :; do kill -STOP $s $PPID; done\" }}",
    )
    with mock.patch("tfdsl.running.local_job.PATIENCE", 0.3):
        done = ran(tmp_path, *lines, words=("--timeout", "300ms"))
    assert done.status == 1
    assert said(done.err)[-1] == "job demo has failed after TIME: the timeout of 300ms has passed"


def test_sigquit_kills_at_once(tmp_path: Path) -> None:
    process = started(tmp_path, "trap '' TERM; touch there; while :; do sleep 0.05; done", stop_grace="1h")
    process.send_signal(signal.SIGQUIT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 131
    assert said(err)[-1] == "job demo was aborted after TIME: it was ended by SIGQUIT"


def test_an_output_that_cannot_be_written_ends_the_run(tmp_path: Path) -> None:
    (tmp_path / "demo.tfjob").write_text(
        f'job demo {{\n  {IMAGE}\n  role worker {{ command = "while :; do echo line; sleep 0.01; done" }}\n}}\n'
    )
    with open("/dev/full", "wb") as full:
        words = [*COMMAND, "run", "demo.tfjob"]
        done = subprocess.run(words, cwd=tmp_path, env=environment(), stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert b"tfdsl: cannot write to standard output: No space left on device" in done.stderr
