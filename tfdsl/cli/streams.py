"""Standard output and standard error, with the same bytes in every locale."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


class OutputFailed(Exception):  # noqa: N818  (it is an ending of the program, not a mistake in it)
    """Standard output cannot be written, for example because the disk is full."""


class Ended(Exception):  # noqa: N818  (so is this)
    """The command has said why it cannot go on. ``status``: what it ends with."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def out(text: str | bytes) -> None:
    r"""Write to standard output in UTF-8, ``\n`` as it is; raises :class:`OutputFailed` or ``BrokenPipeError``."""
    try:
        _write(sys.stdout, text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFailed(error.strerror or str(error)) from error


def err(text: str) -> None:
    """Write to standard error; a failure is ignored, because there is nowhere left to report it."""
    try:
        _write(sys.stderr, text)
    except OSError:
        forget(sys.stderr)


_chosen = "auto"


def choose_colour(when: str) -> None:
    """Set ``--color``: ``auto``, ``always`` or ``never``; it applies to everything that this run writes."""
    global _chosen
    _chosen = when


def takes_colour(stream: TextIO | None) -> bool:
    """Whether to use colour on standard output or standard error.

    ``--color`` decides first, then the variables NO_COLOR (no-color.org) and FORCE_COLOR (force-color.org), and last
    whether there is a terminal that shows colours.
    """
    if _chosen in ("always", "never"):
        return _chosen == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and stream is not None and stream.isatty()


def columns(stream: TextIO | None) -> int | None:
    """The width of the terminal that a stream goes to, or ``None`` if it is not a terminal."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or None if stream is not None else None
    except (OSError, ValueError):  # not a terminal, or not even a file
        return None


def forget(stream: TextIO | None) -> None:
    """Send the interpreter's last flush of a broken stream to nowhere, so that it does not fail again."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if stream is not None:
            os.dup2(nowhere, stream.fileno())
    except (OSError, ValueError):
        return


def _write(stream: TextIO | None, text: str | bytes) -> None:
    if stream is None:  # started with the stream closed
        raise OSError("the stream is closed")
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        stream.write(text if isinstance(text, str) else text.decode("utf-8", "replace"))
    else:
        stream.flush()
        buffer.write(text.encode("utf-8", "backslashreplace") if isinstance(text, str) else text)
    stream.flush()
