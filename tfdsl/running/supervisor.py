"""tfdsl's side of the supervisor of a local run.

The supervisor is a process of its own, so that nothing of a run is left when tfdsl is killed. It talks over a socket;
:meth:`Supervisor.fileno` is for a selector, and :meth:`Supervisor.events` for when that is readable.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, cast

from tfdsl.record import fields_of
from tfdsl.running.launch import Ended, Launch, Running
from tfdsl.running.supervision import tree, wire
from tfdsl.running.supervision.scratch import remove

_PROGRAM: Final = """\
import sys
sys.path.append(sys.argv[1])
from tfdsl.running.supervision.program import main
main(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
"""
_ROOT: Final = Path(__file__).parents[2]
"""Where the package is."""

_WAS_KILLED: Final = "the supervisor of the run was killed"
_PATIENCE_MS: Final = 15_000
"""How long :meth:`Supervisor.close` waits for the last process."""
_PATIENCE_WITH_ORDERS: Final = 15.0
"""Seconds that a supervisor may be stopped before it takes the next order."""


class NoTemporaryFolderError(OSError):
    """Nothing can be written to the folder for temporary files."""

    def __init__(self, folder: str, number: int) -> None:
        number = errno.EACCES if os.path.isdir(folder) and number == errno.ENOENT else number  # as /proc says
        why = _WHY.get(number) or f"cannot be used: {os.strerror(number).lower()}"
        super().__init__(f"the temporary folder {folder} {why}")


_WHY = {
    errno.ENOENT: "does not exist",
    errno.ENOTDIR: "is not a folder",
    errno.EACCES: "cannot be written to",
    errno.EPERM: "cannot be written to",
    errno.EROFS: "is on a file system that is read-only",
    errno.ENOSPC: "is full",
    errno.EDQUOT: "is full: the quota is used up",
}
"""What is wrong with the folder, by the error of the system."""


class Supervisor:
    """The supervisor of one run, which it starts.

    ``scratch`` is the folder of the run, which the supervisor removes at the end. ``namespaced``: replicas see their
    mounts; if not, ``denied`` says why.
    """

    def __init__(self, folder: str | None = None, *, keep: bool = False, plain: bool = False) -> None:
        """Start it. Raises ``OSError``.

        Args:
            folder: Where it makes the scratch folder; else where temporary files are.
            keep: Leave the scratch folder there at the end.
            plain: Use no namespaces.
        """
        ours, theirs = wire.pair()
        self._wire = ours
        self._gone, gone = os.pipe()
        self._live: dict[tuple[str, int], None] = {}
        self._events: list[Running | Ended] = []
        self._answers: list[list[int] | str] = []
        self._lost = False
        self._keep = keep
        options = " ".join(word for word, is_set in (("keep", keep), ("plain", plain)) if is_set)
        handed = (theirs.fileno(), gone)
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-I",
                "-S",
                "-c",
                _PROGRAM,
                str(_ROOT),
                folder or _temporary(),
                options,
                *map(str, handed),
            ],
            pass_fds=handed,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for tfdsl to answer
        )
        theirs.close()
        os.close(gone)
        self.scratch = ""
        try:
            self.scratch, self.namespaced, self.denied = self._greeting()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Supervisor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _greeting(self) -> tuple[str, bool, str]:
        while True:
            messages = self._wire.receive()
            if messages is None:
                raise OSError("the supervisor of the run has not started")
            for (what, *details), _ in messages:
                if what == "failed":
                    raise NoTemporaryFolderError(*details)
                if what == "hello":
                    scratch, namespaced, denied = details
                    return scratch, namespaced, denied

    # --- orders ---

    def hold(self, count: int) -> list[int]:
        """The numbers of ``count`` free ports, which are held until launches with them start."""
        self._answers.clear()
        self._wire.send("hold", count)
        while not self._answers and not self._lost:
            self._listen()
        answer = self._answers.pop() if self._answers else _WAS_KILLED
        if isinstance(answer, str):
            raise OSError(answer)
        return answer

    def start(self, launch: Launch, generation: int, output: int) -> None:
        """Start a process; ``output``, the write end of a pipe for what it writes, can be closed afterwards."""
        self._live[launch.name, generation] = None
        data = _data(launch) | {"generation": generation}
        self._wait_for_room()
        if self._lost or not self._wire.send("start", data, descriptors=(output,)):
            self._lose()

    def signal(self, name: str, number: int) -> None:
        """Send a signal to every process of a launch."""
        self._wait_for_room()
        if not self._lost:
            self._wire.send("signal", name, int(number))

    def wake(self) -> None:
        """Let it go on if it was stopped: without namespaces, what it has started may do that."""
        with suppress(OSError):
            self._process.send_signal(signal.SIGCONT)

    def is_stopped(self) -> bool:
        """Whether it was stopped, and was not woken for long enough to do anything."""
        return tree.is_stopped(self._process.pid)

    def end(self) -> None:
        """Kill it and everything below it, because it does not answer."""
        if self._process.poll() is None:
            tree.end_below(self._process.pid)
            self._process.kill()
            self._process.wait()
        self._lose()

    def _wait_for_room(self) -> None:
        """Hear the supervisor until it can be told more: with both waiting to be read, neither would go on.

        A socket counts as writable when three quarters of its buffer are free, which is more than any launch needs.
        """
        poll = select.poll()
        poll.register(self._wire.fileno(), select.POLLIN | select.POLLOUT)
        until = time.monotonic() + _PATIENCE_WITH_ORDERS
        while not self._lost:
            ready = sum(ready for _, ready in poll.poll(1000))
            if ready & ~select.POLLOUT:
                self._listen()
            if ready & select.POLLOUT:
                return
            if not ready:
                self.wake()
            if time.monotonic() > until and self.is_stopped():
                self.end()

    # --- what happens ---

    def fileno(self) -> int:
        """A descriptor that is readable when there is something to ask :meth:`events` for."""
        return self._wire.fileno()

    def events(self) -> list[Running | Ended]:
        """What has happened; does not wait."""
        while not self._lost and _readable(self._wire.fileno(), 0):
            self._listen()
        events, self._events = self._events, []
        return events

    def _listen(self) -> None:
        messages = self._wire.receive()
        if messages is None:
            self._lose()
        for (what, *details), _ in messages or ():
            if what == "held":
                self._answers += details
            elif what == "running":
                self._events.append(Running(*details))
            elif what == "ended":
                ended = Ended(*details)
                self._live.pop((ended.name, ended.generation), None)
                self._events.append(ended)

    def _lose(self) -> None:
        """The supervisor was killed; with it goes everything that it has started."""
        self._lost = True
        killed = 128 + signal.SIGKILL
        for name, generation in self._live:
            self._events.append(Ended(name, generation, killed, True, _WAS_KILLED))
        self._live.clear()

    # --- the end ---

    def close(self) -> None:
        """End everything that is left; returns when it is gone."""
        if self._gone < 0:
            return
        self._wire.close()
        self.wake()
        _readable(self._gone, _PATIENCE_MS)
        os.close(self._gone)
        self._gone = -1
        try:
            self._process.wait(_PATIENCE_MS / 1000)
        except subprocess.TimeoutExpired:
            self.end()
        if self._process.returncode != 0 and self.scratch and not self._keep:  # it was killed and could not do it
            remove(self.scratch)


def _temporary() -> str:
    """Where temporary files are; :mod:`tempfile` takes as long to import as the supervisor to start."""
    return os.path.abspath(os.environ.get("TMPDIR") or "/tmp")


def _data(value: object) -> Any:
    """A record as what can be sent."""
    if isinstance(value, tuple):
        return [_data(item) for item in cast("tuple[object, ...]", value)]
    names = fields_of(type(value))
    if names:
        return {name: _data(getattr(value, name)) for name in names}
    return dict(cast("Mapping[str, object]", value)) if isinstance(value, Mapping) else value


def _readable(descriptor: int, milliseconds: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(milliseconds))
