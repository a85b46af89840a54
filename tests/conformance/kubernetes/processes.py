"""Programs that run beside the tests: started, awaited, and stopped by their process id."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.conformance.kubernetes.work import Work


PATIENCE = 4
"""Limits are for a quiet machine; one that also builds something may take so many times as long."""


class NotStartedError(Exception):
    """A program ended too early or does not get ready; the message ends with the last lines of its log."""


class Processes:
    """The programs of one work folder, also those that an earlier run has left running."""

    def __init__(self, work: Work) -> None:
        self.run = work.sub("run")
        self.logs = work.sub("log")

    def start(self, name: str, command: Sequence[str | Path], environment: dict[str, str] | None = None) -> None:
        """Start a program; standard output and error go to ``log/NAME.log``."""
        with (self.logs / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**os.environ, **(environment or {})},
            )
        (self.run / f"{name}.pid").write_text(f"{process.pid} {_started(process.pid)}")

    def running(self, name: str) -> bool:
        """Whether the program that was started as ``name`` is still there."""
        return self._pid(name) is not None

    def names(self) -> list[str]:
        """The programs that are running, in the order in which they were started."""
        files = sorted(self.run.glob("*.pid"), key=lambda path: path.stat().st_mtime_ns)
        return [path.stem for path in files if self.running(path.stem)]

    def wait(self, name: str, ready: Callable[[], bool], seconds: float = 120) -> None:
        """Return when ``ready`` is true; raise when the program has ended or the time is over."""
        end = time.monotonic() + PATIENCE * seconds
        while not ready():
            if not self.running(name):
                raise NotStartedError(f"{name} has ended:\n{self.tail(name)}")
            if time.monotonic() > end:
                raise NotStartedError(f"{name} is not ready after {seconds:.0f} s:\n{self.tail(name)}")
            time.sleep(0.1)

    def tail(self, name: str, lines: int = 20) -> str:
        """The last lines of a program's log."""
        return "\n".join((self.logs / f"{name}.log").read_text(errors="replace").splitlines()[-lines:])

    def stop(self, *names: str, seconds: float = 5) -> None:
        """End programs: TERM, and KILL for those that have not ended in time."""
        pids = {name: pid for name in names if (pid := self._pid(name)) is not None}
        for number in (signal.SIGTERM, signal.SIGKILL):
            for pid in pids.values():
                _send(pid, number)
            end = time.monotonic() + seconds
            while any(self.running(name) for name in pids) and time.monotonic() < end:
                time.sleep(0.05)
        for name in names:
            (self.run / f"{name}.pid").unlink(missing_ok=True)

    def _pid(self, name: str) -> int | None:
        """The process id, unless the process has ended or the id belongs to another one by now."""
        try:
            pid, started = (self.run / f"{name}.pid").read_text().split()
        except (FileNotFoundError, ValueError):
            return None
        _reap(int(pid))
        return int(pid) if _started(int(pid)) == started else None


def _started(pid: int) -> str:
    """When a process was started, in ticks since the machine was; empty when there is none or it is a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return "" if fields[0] == "Z" else fields[19]


def _reap(pid: int) -> None:
    with suppress(ChildProcessError):  # started by another run
        os.waitpid(pid, os.WNOHANG)


def _send(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):  # it has ended
        os.kill(pid, number)
