"""What is left when tfdsl, its supervisor, or both are killed at any moment."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import ROOT
from tests.unit.running.conftest import ROOT as AS_ROOT, as_user
from tests.unit.running.runs import MARK, left
from tfdsl.running.supervisor import Supervisor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TFDSL = """
import os, sys
from tfdsl.running.launch import Launch, Mounted, pod_folder
from tfdsl.running.supervisor import Supervisor
scratch, plain, source = sys.argv[1:]
supervisor = Supervisor(scratch, plain=plain == "plain")
ports = supervisor.hold(3)
print(*ports, flush=True)
text = "trap '' TERM; (setsid setsid sh -c 'trap \\"\\" TERM; while :; do sleep 0.1; done' &); sleep 0.05; exit 1"
writing = os.open(os.devnull, os.O_WRONLY)
for generation in range(10**6):
    for index, port in enumerate(ports):
        name, folder = f"worker[{index}]", pod_folder(f"worker[{index}]", generation)
        mounts = Mounted("/tfdsl-a/b", source), Mounted("/tfdsl-ram", folder + "/ram", memory=1 << 20)
        argv = ("sh", "-c", text)
        supervisor.start(Launch(name, argv, dict(os.environ), "/", port, generation, mounts), generation, writing)
    ended = 0
    while ended < 3:
        ended += sum(hasattr(event, "status") for event in supervisor.events())
    print(generation, flush=True)
"""
"""A tfdsl that starts three replicas over and over."""

LONGEST = 20.0


class Killed:
    """A run in another process."""

    def __init__(self, folder: Path, mode: str) -> None:
        self.scratch, self.source = folder / "scratch", folder / "source"
        self.scratch.mkdir()
        self.source.mkdir()
        mark, value = MARK.split("=")
        environment = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], mark: value}
        prefix = as_user() if mode == "user" else ()
        self.process = subprocess.Popen(
            [*prefix, sys.executable, "-c", TFDSL, str(self.scratch), mode, str(self.source)],
            env=environment,
            stdout=subprocess.PIPE,
        )

    def line(self) -> list[int]:
        """The next line that it writes."""
        assert self.process.stdout is not None
        return [int(word) for word in self.process.stdout.readline().split()]

    def supervisors(self) -> list[int]:
        """The processes of its supervisor, parents first, without its replicas."""
        return sorted(int(pid) for pid in left() if b"supervision.program" in _command_line(pid))

    def ends(self) -> None:
        """Wait for the end, and see that nothing is left but folders."""
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        end = time.monotonic() + LONGEST
        while left():
            assert time.monotonic() < end, [_command_line(pid) for pid in left()]
            time.sleep(0.01)
        with open("/proc/self/mountinfo", encoding="utf-8") as stream:
            assert str(self.scratch) not in stream.read()


def _command_line(pid: str) -> bytes:
    with suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as stream:
        return stream.read()
    return b""


@pytest.fixture(params=["plain", AS_ROOT, "user"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Killed]]:
    mode = request.param
    if mode == "user":
        as_user()
    runs: list[Killed] = []

    def begin() -> Killed:
        folder = tmp_path / str(len(runs))
        folder.mkdir()
        runs.append(Killed(folder, mode))
        return runs[-1]

    yield begin
    for one in runs:
        one.process.kill()


MOMENTS = [*(number / 250 for number in range(14)), 0.08, 0.12, 0.17, 0.25, 0.4, 0.6]


@pytest.mark.slow
def test_nothing_is_left_when_tfdsl_is_killed_at_any_moment(run: Callable[[], Killed]) -> None:
    for moment in MOMENTS:
        one = run()
        time.sleep(moment)
        one.process.kill()
        one.ends()
        _emptied(one.scratch)


def test_nothing_is_left_when_tfdsl_is_killed_while_replicas_run(run: Callable[[], Killed]) -> None:
    for moment in (0.0, 0.001, 0.003, 0.01, 0.03):
        one = run()
        ports = one.line()
        one.line()
        time.sleep(moment)
        one.process.kill()
        one.ends()
        _emptied(one.scratch)
        assert [port for port in ports if not _is_free(port)] == []
        assert list(one.source.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("which", [0, 1, 2])
def test_nothing_is_left_when_the_supervisor_is_killed(run: Callable[[], Killed], which: int) -> None:
    for moment in (0.0, 0.002, 0.01):
        one = run()
        one.line()
        one.line()
        time.sleep(moment)
        pids = one.supervisors()
        with suppress(ProcessLookupError):
            os.kill(pids[min(which, len(pids) - 1)], signal.SIGKILL)
        time.sleep(0.05)
        one.process.kill()
        one.ends()


def test_no_process_is_left_when_both_are_killed_and_the_next_run_removes_the_folder(
    run: Callable[[], Killed],
) -> None:
    one = run()
    one.line()
    one.line()
    for pid in (one.supervisors()[0], one.process.pid):
        os.kill(pid, signal.SIGKILL)
    one.ends()
    assert len(os.listdir(one.scratch)) == 1
    Supervisor(str(one.scratch), plain=True).close()
    assert os.listdir(one.scratch) == []


def _emptied(folder: Path) -> None:
    """The scratch folder goes when all processes have gone."""
    end = time.monotonic() + LONGEST
    while os.listdir(folder):
        assert time.monotonic() < end, os.listdir(folder)
        time.sleep(0.01)


def _is_free(port: int) -> bool:
    with socket.socket() as one, suppress(OSError):
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind(("127.0.0.1", port))
        one.listen()
        return True
    return False
