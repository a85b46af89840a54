"""SIGTERM and SIGHUP as an exception, so that what is half done can be taken back.

Python makes an exception of SIGINT only; the other two would end the process at once, and a time limit of CI or a
closed terminal would leave files half written.
"""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import FrameType, TracebackType

_SIGNALS: Final = tuple(number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None)
_FROM_SIGNAL: Final = 128
"""Added to a signal's number it is the exit status that shells show for it."""


class Orderly:
    """Within it a signal that ends the process raises ``SystemExit`` with the status that shells show for it.

    A signal that the caller ignores or handles stays so; outside of the main thread nothing changes.
    """

    def __init__(self) -> None:
        self._changed: list[signal.Signals] = []

    def __enter__(self) -> None:
        for number in _SIGNALS:
            if signal.getsignal(number) is signal.SIG_DFL:
                try:
                    signal.signal(number, _end)
                except ValueError:  # only the main thread may
                    return
                self._changed.append(number)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in self._changed:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(_FROM_SIGNAL + number)
