"""Signals that end the process, held back while something must not be left half done.

Python makes an exception of SIGINT at any instruction, and lets SIGTERM and SIGHUP end the process at once. Both would
leave files half written when a time limit of CI strikes, or when somebody presses Ctrl-C twice.
"""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import FrameType, TracebackType

_NAMES: Final = ("SIGINT", "SIGTERM", "SIGHUP")
_SIGNALS: Final = tuple(number for name in _NAMES if (number := getattr(signal, name, None)) is not None)
_FROM_SIGNAL: Final = 128
"""Added to a signal's number it is the exit status that shells show for it."""


class Orderly:
    """Within it a signal that ends the process waits for :meth:`check`, or for the end of the block.

    Then it is raised, SIGINT as ``KeyboardInterrupt``, another as ``SystemExit`` with the status that shells show for
    it. A signal that the caller ignores or handles stays so; outside of the main thread nothing changes.
    """

    def __init__(self) -> None:
        self._before: dict[int, object] = {}
        self._came: int | None = None
        self._waits = True

    def __enter__(self) -> Orderly:
        for number in _SIGNALS:
            before = signal.getsignal(number)
            if before in (signal.SIG_DFL, signal.default_int_handler):
                try:
                    signal.signal(number, self._note)
                except ValueError:  # only the main thread may
                    return self
                self._before[number] = before
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)  # type: ignore[arg-type]  # what getsignal gave
        if kind is None:
            self.check()

    def check(self) -> None:
        """Raise the first of the signals that have come."""
        if self._came is not None:
            raise KeyboardInterrupt if self._came == signal.SIGINT else SystemExit(_FROM_SIGNAL + self._came)

    @contextmanager
    def at_once(self) -> Generator[None]:
        """Within it signals do not wait: for what may take as long as somebody else wants."""
        self.check()
        self._waits = False
        try:
            yield
        finally:
            self._waits = True

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._came is None:
            self._came = number
        if not self._waits:
            self._waits = True  # a second one must not break into what the first has set going
            self.check()
