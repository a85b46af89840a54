"""How far a command with many files is: a bar on a terminal, one line in a log."""

from __future__ import annotations

import os
import sys
from time import monotonic
from typing import TYPE_CHECKING, Final

from tfdsl.cli.streams import err

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeVar

    Item = TypeVar("Item")

MANY: Final = 100
"""Files below which nothing is said: they are done before anybody wonders."""

_CELLS: Final = 16  # with the words around it a bar fits into 40 columns, up to 9,999 files
_PAUSE: Final = 0.1  # seconds between two drawings; more are not seen and would slow down a remote terminal
_ERASE: Final = "\r\x1b[K"


class Progress:
    """Tells on standard error that ``count`` files are being worked on.

    On a terminal a bar is drawn, and erased when the work is done, so that messages begin where it stood. Elsewhere
    nothing moves: one line says what has begun, and the same files always give the same bytes.

    ``steps``: how often the files are gone through. ``quiet``: standard error is read by a program, which gets no
    line of ours.
    """

    def __init__(self, verb: str, count: int, *, steps: int = 1, quiet: bool = False) -> None:
        self._verb, self._count, self._steps = verb, count, steps
        self._total = count * steps
        self._done = 0
        self._drawn: float | None = None
        told = count >= MANY
        self._bar = told and _draws()
        if self._bar:
            self._draw()
        elif told and not quiet:
            err(f"{verb} {count} files\n")

    def over(self, items: Iterable[Item]) -> Iterator[Item]:
        """The same items; each counts as done when the next one is asked for."""
        for item in items:
            yield item
            self._done += 1
            if self._bar and (self._drawn is None or monotonic() - self._drawn >= _PAUSE):
                self._draw()

    def end(self) -> None:
        """Take the bar away."""
        if self._bar:
            self._bar = False
            err(_ERASE)

    def _draw(self) -> None:
        self._drawn = monotonic()
        full = _CELLS * self._done // self._total
        bar = "#" * full + "." * (_CELLS - full)
        err(f"\r{self._verb} {bar} {self._done // self._steps}/{self._count}")


def _draws() -> bool:
    """Whether standard error is a terminal on which a line can be drawn again."""
    return os.environ.get("TERM") != "dumb" and bool(sys.stderr) and sys.stderr.isatty()
