"""The table of tasks below the lines of a run, on a terminal. Only this module loads rich."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TextIO

from rich.console import Console
from rich.live import Live
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from tfdsl.lifecycle.behaviour import State
from tfdsl.running.local_job import Timers
from tfdsl.running.screen import length, table_lines

PAUSE: Final = 0.1
"""Seconds between two drawings, so that a task that writes much does not wait for the terminal."""
_SECOND: Final = 1.0
_STYLES: Final = {"running": "green", "completed": "bold green", "failed": "bold red", "evicted": "bold red"}


class LiveTable:
    """Draws the table, and writes lines above it. ``states`` gives the jobs that run, each with a prefix."""

    def __init__(
        self, stream: TextIO, timers: Timers, states: Callable[[], Sequence[tuple[str, State]]], *, colour: bool
    ) -> None:
        self._timers = timers
        self._states = states
        self._began = timers.now()
        self._waiting: list[str] = []
        self._due: float | None = None
        console = Console(
            file=stream, highlight=False, markup=False, emoji=False, force_terminal=True, no_color=not colour
        )
        self._live = Live(console=console, auto_refresh=False, transient=True, get_renderable=self._table)
        self._live.start()
        self._later(0.0)

    def write(self, text: str) -> None:
        """Write lines above the table, soon."""
        self._waiting.append(text)
        self._later(PAUSE)

    def changed(self) -> None:
        """Draw the table again, soon."""
        self._later(PAUSE)

    def close(self) -> None:
        """Write what has not been written, and take the table away."""
        self._timers.clear(self)
        self._write()
        self._live.stop()

    def _later(self, seconds: float) -> None:
        when = self._timers.now() + seconds
        if self._due is None or when < self._due:
            self._due = when
            self._timers.set(self, seconds, self._draw)

    def _draw(self) -> None:
        self._due = None
        self._write()
        self._live.refresh()
        self._later(_SECOND)

    def _write(self) -> None:
        text, self._waiting = "".join(self._waiting), []
        if text:  # its colours and its line ends are what they are to be
            self._live.console.print(Segments([Segment(text)]), end="", crop=False, soft_wrap=True)

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False, show_header=False)
        for line in table_lines(self._states()):
            style = _STYLES.get(line.phase, "")
            restarts = f"{line.restarts} restart{'s' * (line.restarts != 1)}" if line.restarts else ""
            table.add_row(Text(line.name), Text(line.phase, style=style), Text(restarts, style="yellow"))
        table.add_row(Text(length(self._timers.now() - self._began), style="dim"))
        return table
