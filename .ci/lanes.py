"""Run lanes of steps side by side: each lane its steps in order, the output of each step whole, a table at the end.

What a step writes is printed when the step ends, so two of them never mix theirs. What a step leaves running becomes a
child of this process, and is ended at the end. Processor times are those of a step's own processes, without daemons.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

Lanes = Mapping[str, Sequence["Step"]]

SUBREAPER = 36
"""``PR_SET_CHILD_SUBREAPER`` of Linux."""
ENDINGS = ((signal.SIGINT, 20), (signal.SIGTERM, 10), (signal.SIGKILL, 60))
"""How everything that still runs is ended: a signal, and for how many seconds it is waited for."""
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
DEFAULTS = (*STOPS, signal.SIGPIPE, signal.SIGXFSZ)


@dataclass
class Step:
    """A command of a lane, and what became of it.

    Attributes:
        name: What the output and the table call it.
        command: A line for the shell.
        again: The line that is tried if the first one fails.
        needed: Whether the rest of the lane cannot do without it.
        nice: How far it stands back behind the other lanes.
        environment: What it has in its environment besides.
    """

    name: str
    command: str
    again: str = ""
    needed: bool = False
    nice: int = 0
    environment: Mapping[str, str] = field(default_factory=dict)

    lane: str = ""
    began: float = 0
    seconds: float = 0
    processor: float = 0
    tries: int = 0
    outcome: str = "not run"

    @property
    def passed(self) -> bool:
        """Whether one of its tries has succeeded."""
        return self.outcome.startswith("passed")


class StoppedError(Exception):
    """The run ends now; the text says why."""


class Run:
    """Phases, one after the other, of lanes, side by side."""

    def __init__(self, phases: Sequence[Lanes], logs: Path) -> None:
        self._phases = phases
        self._logs = logs
        self._steps = [step for lanes in phases for steps in lanes.values() for step in steps]
        self._running: dict[int, Step] = {}
        self._start = time.monotonic()
        for lanes in phases:
            for name, steps in lanes.items():
                for step in steps:
                    step.lane = name

    def run(self, limit: int) -> int:
        """Run everything; gives the exit status. What is not done after ``limit`` seconds has failed."""
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
        signal.signal(signal.SIGALRM, lambda *_: _stop(f"not done after {limit / 60:.0f} minutes"))
        for number in STOPS:
            signal.signal(number, lambda got, _: _stop(f"stopped by {signal.Signals(got).name}"))
        signal.alarm(limit)
        why = "lost"
        try:
            for lanes in self._phases:
                self._side_by_side({name: list(steps) for name, steps in lanes.items()})
                if any(step.needed and not step.passed for steps in lanes.values() for step in steps):
                    break
        except StoppedError as stopped:
            why = str(stopped)
        finally:
            signal.alarm(0)
            for number in STOPS:
                signal.signal(number, signal.SIG_IGN)
            _end_children(self._running)
            for step in list(self._running.values()):
                self._show(step, why)
            self._table()
        return int(not all(step.passed for step in self._steps))

    def _side_by_side(self, waiting: dict[str, list[Step]]) -> None:
        for steps in waiting.values():
            self._begin(steps)
        while self._running:
            process, status, usage = os.wait4(-1, 0)
            step = self._running.get(process)
            if step is None:  # it was left behind by a step
                continue
            step.processor += usage.ru_utime + usage.ru_stime
            code = os.waitstatus_to_exitcode(status)
            if code and step.again and step.tries == 1:
                self._begin([step])
                del self._running[process]
                continue
            self._show(step, f"failed with {code}" if code else "passed" if step.tries == 1 else "passed, second try")
            if step.passed or not step.needed:
                self._begin(waiting[step.lane])

    def _begin(self, steps: list[Step]) -> None:
        """Start the first of the steps that a lane still has."""
        if not steps:
            return
        step = steps.pop(0)
        step.tries += 1
        step.began = step.began or time.monotonic()
        _print(f"-- {step.name}{', once more' if step.tries > 1 else ''}")
        line = step.command if step.tries == 1 else step.again
        with self._log(step).open("ab") as log, _undisturbed():
            process = os.posix_spawnp(
                "nice",
                ["nice", "-n", str(step.nice), "sh", "-ec", line],
                {**os.environ, **step.environment},
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_DUP2, log.fileno(), 1),
                    (os.POSIX_SPAWN_DUP2, log.fileno(), 2),
                ],
                setsid=True,
                setsigdef=DEFAULTS,
                setsigmask=(),
            )
            self._running[process] = step

    def _log(self, step: Step) -> Path:
        return self._logs / step.name.replace(" ", "-")

    def _show(self, step: Step, outcome: str) -> None:
        """Print what a step has written, now that it has ended."""
        step.outcome = outcome
        step.seconds = time.monotonic() - step.began
        self._running = {process: one for process, one in self._running.items() if one is not step}
        _print(f"\n== {step.name}: {step.command}")
        with self._log(step).open("rb") as log:
            shutil.copyfileobj(log, sys.stdout.buffer)
        _print(f"== {step.name}: {outcome}, {_minutes(step.seconds)}\n")

    def _table(self) -> None:
        width = max(len(step.name) for step in self._steps)
        _print(f"\n{'step':{width}}  {'lane':10} {'from':>6} {'took':>6} {'processor':>9}")
        for step in self._steps:
            times = (step.began and step.began - self._start, step.seconds, step.processor)
            shown = "{:>6} {:>6} {:>9}".format(*map(_minutes, times))
            _print(f"{step.name:{width}}  {step.lane:10} {shown}  {step.outcome}")
        total, processor = time.monotonic() - self._start, sum(step.processor for step in self._steps)
        _print(f"{'all':{width}}  {'':10} {'':6} {_minutes(total):>6} {_minutes(processor):>9}")
        bad = ", ".join(f"{step.name} ({step.lane})" for step in self._steps if not step.passed)
        _print(f"\nnot good: {bad}" if bad else "\nall good")


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """What stops the run waits, so that no step begins of which nobody knows."""
    signal.pthread_sigmask(signal.SIG_BLOCK, (*STOPS, signal.SIGALRM))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (*STOPS, signal.SIGALRM))


def _stop(why: str) -> NoReturn:
    raise StoppedError(why)


def _print(line: str) -> None:
    print(line, flush=True)


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def _children() -> list[int]:
    """The processes that are children of this one; after their parents' end these are all that steps have left."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(entry.read_text().rpartition(")")[2].split()[1]) == os.getpid():
                found.append(int(entry.parent.name))
    return found


def _end_children(groups: Mapping[int, Step]) -> None:
    """End what the steps have left, and with their groups the steps that still run."""
    for number, patience in ENDINGS:
        end = time.monotonic() + patience
        told: set[int] = set()
        while time.monotonic() < end:
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return
            for process in set(_children()) - told:
                told.add(process)
                with contextlib.suppress(OSError):
                    os.killpg(process, number) if process in groups else os.kill(process, number)
            time.sleep(0.05)


def remove(folder: Path) -> None:
    """Remove a folder, and before it whatever an ended step has left mounted below it."""
    mounts = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    for place in sorted((place for place in mounts if Path(place).is_relative_to(folder)), reverse=True):
        subprocess.run(["umount", "--lazy", place], check=True)
    if os.getuid():  # Go's modules cannot be written
        subprocess.run(["chmod", "-R", "u+rwX", folder], check=False)
    shutil.rmtree(folder)
