"""What a run prints: each line of a task behind its name, and what happens to the tasks."""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING, Final, Protocol

from tfdsl.diagnostics.render.columns import visible
from tfdsl.running.output import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    """A file for each program in ``folder``, which exists. ``tell`` is called once when one cannot be written."""

    def __init__(self, folder: str, tell: Callable[[str], None]) -> None:
        self.folder = folder
        self._tell = tell
        self._files: dict[str, IO[bytes] | None] = {}

    def write(self, name: str, data: bytes) -> None:
        """Append what a program has written, byte for byte."""
        try:
            if name not in self._files:
                self._files[name] = open(self.path(name), "wb", buffering=0)  # noqa: SIM115  (close() closes it)
            file = self._files[name]
            if file is not None:
                file.write(data)
        except OSError as error:
            self._files[name] = None
            self._tell(f"cannot write {self.path(name)}: {error.strerror}; the output of {name} is not kept\n")

    def path(self, name: str) -> str:
        """The file of a program: ``worker-1.log`` for ``worker[1]``, ``worker-1-fetch.log`` for its step ``fetch``."""
        return os.path.join(self.folder, name.replace("[", "-").replace("]", "").replace("/", "-") + ".log")

    def close(self) -> None:
        """Close all files."""
        for file in self._files.values():
            if file is not None:
                file.close()
