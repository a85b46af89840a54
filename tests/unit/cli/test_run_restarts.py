"""``tfdsl run``: restarts in place, programs that are not there, and addresses."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from tests.unit.cli.test_run import ran, said

if TYPE_CHECKING:
    from pathlib import Path


def test_a_program_that_is_not_there_is_not_started_again(tmp_path: Path) -> None:
    """Neither by a policy, which would use up the retries, nor for ever as TensorBoard on a cluster."""
    (tmp_path / "closed").write_text("no program")
    for command, why in (("no-such-program", "No such file or directory"), ("./closed", "Permission denied")):
        done = ran(tmp_path, f'role worker {{ command = ["{command}"] }}', "on failed => restart container")
        assert done.status == 1
        assert said(done.err) == [
            f"worker[0] could not be started: {command}: {why}",
            "job demo has failed after TIME: worker[0] could not be started",
        ]
    done = ran(
        tmp_path,
        'role worker { command = "sleep 0.5" }',
        'role tensorboard { logdir = "/tmp", env = { PATH = "/nowhere" } }',
    )
    assert done.status == 0
    assert [line for line in said(done.err) if line.startswith("tensorboard")] == [
        "tensorboard[0] could not be started: tensorboard: No such file or directory;"
        " install it: pip install tensorboard"
    ]
    assert "http://" not in done.err


def test_restarts_in_place_wait_ever_longer(tmp_path: Path) -> None:
    """The first is at once; --restart-delay says how long the second waits."""
    lines = ('role worker { command = "exit 4" }', "retries = 4", "on exit 4 => restart container")
    done = ran(tmp_path, *lines, words=("--restart-delay", "1ms"))
    assert [line for line in done.err.splitlines() if "restarts" in line] == [
        "worker[0] restarts in place (1 of 4 retries used)",
        "worker[0] restarts in place in 1 ms (2 of 4 retries used)",
        "worker[0] restarts in place in 2 ms (3 of 4 retries used)",
        "worker[0] restarts in place in 4 ms (4 of 4 retries used)",
    ]
    done = ran(
        tmp_path,
        'role worker { command = "test -e first && touch second; touch first; exit 4" }',
        'role chief { command = "until test -e second; do sleep 0.05; done; sleep 0.5" }',
        *lines[1:],
    )
    assert done.status == 0
    assert [line for line in done.err.splitlines() if "restarts" in line] == [
        "worker[0] restarts in place (1 of 4 retries used)",
        "worker[0] restarts in place in 10 s (2 of 4 retries used)",
    ]


def test_an_address_is_told_when_something_listens_there(tmp_path: Path) -> None:
    """A program that stands in for TensorBoard, slowly."""
    (tmp_path / "tensorboard").write_text(
        f"#!{sys.executable}\n"
        "import os, socket, sys, time\n"
        "time.sleep(0.5)\n"
        "open('listens', 'w').close()\n"
        "with socket.create_server(('127.0.0.1', int(sys.argv[sys.argv.index('--port') + 1]))) as server:\n"
        "    server.accept()\n"
        "    open('seen', 'w').close()\n"
        "    time.sleep(60)\n"
    )
    (tmp_path / "tensorboard").chmod(0o755)
    done = ran(
        tmp_path,
        'role worker { command = "until test -e seen; do sleep 0.05; done; sleep 0.5" }',
        'role tensorboard { logdir = "/tmp" }',
        PATH=f"{tmp_path}:{os.environ['PATH']}",
    )
    assert done.status == 0, done.err
    assert len(re.findall(r"^TensorBoard: http://127\.0\.0\.1:[0-9]+$", done.err, re.MULTILINE)) == 1
    assert (tmp_path / "listens").exists()
