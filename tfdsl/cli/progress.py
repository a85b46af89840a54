"""The progress of a command with many files: a bar on a terminal, one line in a log."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import TYPE_CHECKING, Final

from tfdsl.cli.streams import err

if TYPE_CHECKING:
    from typing import TypeVar

    Item = TypeVar("Item")

MANY: Final = 100
"""With fewer files nothing is shown: they are done before anyone wonders."""

_CELLS: Final = 16  # with the words around it, a bar for up to 9,999 files fits into 40 columns
_PAUSE: Final = 0.1  # seconds between two drawings; nobody sees more, and a remote terminal would slow down
_ERASE: Final = "\r\x1b[K"


class Progress:
    """Shows on standard error that ``count`` files are being processed.

    On a terminal a bar is drawn, and erased when the work is done, so that messages start in its place. Elsewhere one
    line says what has started, and the same files always give the same bytes.

    ``steps``: how many times all files are processed. ``quiet``: standard error is read by a program, so no line is
    written.
    """

    def __init__(self, verb: str, count: int, *, steps: int = 1, quiet: bool = False) -> None:
        self._verb, self._count, self._steps = verb, count, steps
        self._total = count * steps
        self._done = 0
        self._drawn: float | None = None
        many = count >= MANY
        self._bar = many and _draws()
        if self._bar:
            self._draw()
        elif many and not quiet:
            err(f"{verb} {count} files\n")

    def over(self, items: Iterable[Item]) -> Iterator[Item]:
        """The same items; each counts as done when the next one is requested."""
        for item in items:
            yield item
            self._done += 1
            if self._bar and (self._drawn is None or monotonic() - self._drawn >= _PAUSE):
                self._draw()

    def end(self) -> None:
        """Erase the bar."""
        if self._bar:
            self._bar = False
            err(_ERASE)

    def _draw(self) -> None:
        self._drawn = monotonic()
        full = _CELLS * self._done // self._total
        bar = "#" * full + "." * (_CELLS - full)
        err(f"\r{self._verb} {bar} {self._done // self._steps}/{self._count}")


def _draws() -> bool:
    """Whether standard error is a terminal that can redraw a line."""
    return os.environ.get("TERM") != "dumb" and bool(sys.stderr) and sys.stderr.isatty()
