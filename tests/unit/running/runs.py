"""Launches under a supervisor, and what they write."""

from __future__ import annotations

import os
import select
import sys
import time
from typing import TYPE_CHECKING

from tfdsl.running.launch import Ended, Launch, Running

if TYPE_CHECKING:
    from tfdsl.record import Record
    from tfdsl.running.supervisor import Supervisor

MARK = f"TFDSL_TEST={os.urandom(8).hex()}"
"""A variable of every process that a launch of these tests starts, so that what is left of them can be found."""

LONGEST = 30.0
"""Seconds after which a test gives up."""


def shell(text: str, name: str = "worker[0]", cwd: str = "/", **fields: object) -> Launch:
    """A launch of a shell program."""
    return python_free(("/bin/sh", "-c", text), name, cwd, **fields)


def python(text: str, name: str = "worker[0]", cwd: str = "/", **fields: object) -> Launch:
    """A launch of a Python program."""
    return python_free((sys.executable, "-I", "-S", "-c", text), name, cwd, **fields)


def python_free(argv: tuple[str, ...], name: str, cwd: str, **fields: object) -> Launch:
    mark, value = MARK.split("=")
    return Launch(name, argv, dict(os.environ) | {mark: value}, cwd, **fields)  # type: ignore[arg-type]


def left() -> list[str]:
    """The processes of these tests that are left."""
    return [name for name in os.listdir("/proc") if name.isdigit() and MARK.encode() in _environment(name)]


def _environment(pid: str) -> bytes:
    try:
        with open(f"/proc/{pid}/environ", "rb") as stream:
            return stream.read()
    except OSError:
        return b""


class Seen:
    """What a run has reported and written."""

    def __init__(self, supervisor: Supervisor) -> None:
        self.supervisor = supervisor
        self.events: list[Record] = []
        self.outputs: dict[str, bytes] = {}
        self._pipes: dict[int, str] = {}

    def start(self, launch: Launch, generation: int = 0) -> None:
        reading, writing = os.pipe()
        self._pipes[reading] = launch.name
        self.outputs.setdefault(launch.name, b"")
        self.supervisor.start(launch, generation, writing)
        os.close(writing)

    def until(self, kind: type[Running] | type[Ended], count: int = 1) -> list[Ended]:
        """Wait for ``count`` events of a kind."""
        end = time.monotonic() + LONGEST
        while sum(isinstance(event, kind) for event in self.events) < count:
            assert time.monotonic() < end, (self.events, self.outputs)
            self._listen()
        return [event for event in self.events if isinstance(event, Ended)]

    def written(self, name: str = "worker[0]", mark: bytes | None = None) -> str:
        """All that a launch has written when every process that could write more is gone, or up to ``mark``."""
        end = time.monotonic() + LONGEST
        while (mark is None and name in self._pipes.values()) or (mark is not None and mark not in self.outputs[name]):
            assert time.monotonic() < end, (self.events, self.outputs)
            self._listen()
        return self.outputs[name].decode()

    def _listen(self) -> None:
        ready, _, _ = select.select([self.supervisor, *self._pipes], [], [], 1)
        for one in ready:
            if isinstance(one, int):
                data = os.read(one, 65536)
                self.outputs[self._pipes[one]] += data
                if not data:
                    os.close(one)
                    del self._pipes[one]
            else:
                self.events += self.supervisor.events()
