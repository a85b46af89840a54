"""What a run prints: each line of a task behind its name, and what happens to the tasks."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from typing import IO, TYPE_CHECKING, Final, Protocol

from tfdsl.diagnostics.render.columns import visible
from tfdsl.running.output import shown
from tfdsl.writing import File, write_all

if TYPE_CHECKING:
    from tfdsl.lifecycle.events import Task
    from tfdsl.running.plan import Program

COLOURS: Final = (36, 33, 35, 32, 34, 96, 93, 95, 92, 94)
"""Of ANSI terminals, none of them red: a task is not wrong because it is the fifth."""


class Screen(Protocol):
    """Where a job shows itself."""

    def output(self, program: Program, task: Task, data: bytes, lines: Sequence[bytes]) -> None:
        """``data`` was written by ``program``; it completes ``lines``."""
        ...

    def notice(self, text: str) -> None:
        """Something has happened."""
        ...

    def changed(self) -> None:
        """The phases of the tasks may be others now."""
        ...


class Lines:
    """A screen without a table.

    ``names`` of all programs of the job; ``prefix`` before them when several jobs share the screen. ``write`` takes the
    lines of tasks, ``tell`` what the run says itself.
    """

    def __init__(
        self,
        names: Sequence[str],
        write: Callable[[str], None],
        tell: Callable[[str], None],
        *,
        prefix: str = "",
        colour: bool = False,
        logs: Logs | None = None,
        redraw: Callable[[], None] = lambda: None,
    ) -> None:
        width = max(map(len, names), default=0)
        self._labels = {
            name: _label(f"{prefix}{name:<{width}} |", COLOURS[at % len(COLOURS)] if colour else None)
            for at, name in enumerate(names)
        }
        self._write = write
        self._tell = tell
        self._prefix = prefix
        self._logs = logs
        self._redraw = redraw

    def output(self, program: Program, task: Task, data: bytes, lines: Sequence[bytes]) -> None:
        """Write the lines behind the name of the program, and ``data`` as it is into its file."""
        if self._logs is not None:
            self._logs.write(program.name, data)
        if lines:
            label = self._labels[program.name]
            self._write("".join([f"{label} {shown(line)}\n" for line in lines]))

    def notice(self, text: str) -> None:
        """Say it in a line of its own."""
        self._tell(f"{self._prefix}{visible(text)}\n")

    def changed(self) -> None:
        """Draw the table again, if there is one."""
        self._redraw()


def _label(text: str, colour: int | None) -> str:
    return text if colour is None else f"\x1b[{colour}m{text}\x1b[0m"


class Logs:
    """A file for each program in ``folder``, which exists. ``tell`` is called once when one cannot be written.

    ``lost``: whether that has happened, as on a disk that is full. ``root``: the folder that the user has named, which
    no link may lead out of; it is ``folder`` or above it.
    """

    def __init__(self, folder: str, root: str, tell: Callable[[str], None]) -> None:
        self.folder = folder
        self._root = root
        self._tell = tell
        self._files: dict[str, IO[bytes] | None] = {}
        self.lost = False

    def write(self, name: str, data: bytes) -> None:
        """Append what a program has written, byte for byte."""
        try:
            if name not in self._files:
                self._files[name] = self._opened(self.path(name))
            file = self._files[name]
            while file is not None and data:
                data = data[file.write(data) :]
        except OSError as error:
            self._files[name] = None
            self.lost = True
            self._tell(f"cannot write {self.path(name)}: {error.strerror}; the output of {name} is not kept\n")

    def _opened(self, path: str) -> IO[bytes]:
        """A new file in the place of what is there, unless that is no file, or a link that leads out of the folder."""
        failure = write_all([File(path, "", root=self._root)])
        if failure is not None:
            raise OSError(0, failure.reason)
        flags = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
        handle = os.open(os.path.realpath(path), flags)
        if not stat.S_ISREG(os.fstat(handle).st_mode):  # a task was faster
            os.close(handle)
            raise OSError(0, "it is not a regular file")
        return open(handle, "wb", buffering=0)

    def path(self, name: str) -> str:
        """The file of a program: ``worker-1.log`` for ``worker[1]``, ``worker-1-fetch.log`` for its step ``fetch``."""
        return os.path.join(self.folder, name.replace("[", "-").replace("]", "").replace("/", "-") + ".log")

    def close(self) -> None:
        """Close all files."""
        for file in self._files.values():
            if file is not None:
                file.close()
