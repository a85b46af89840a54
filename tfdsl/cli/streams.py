"""Standard output and standard error, byte for byte the same in every locale."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


class OutputFailed(Exception):  # noqa: N818  (it is an ending of the program, not a mistake in it)
    """Standard output cannot be written, e.g. because the disk behind it is full."""


def out(text: str) -> None:
    r"""Write to standard output in UTF-8, ``\n`` as it is; raises :class:`OutputFailed` or ``BrokenPipeError``."""
    try:
        _write(sys.stdout, text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFailed(error.strerror or str(error)) from error


def err(text: str) -> None:
    """Write to standard error; when that cannot be written there is nobody left to tell."""
    try:
        _write(sys.stderr, text)
    except OSError:
        forget(sys.stderr)


def err_takes_colour() -> bool:
    """Whether standard error is a terminal that shows colours and the user wants them (no-color.org)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(sys.stderr) and sys.stderr.isatty()


def forget(stream: TextIO | None) -> None:
    """Let the interpreter's last flush of a broken stream go nowhere instead of failing again."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if stream is not None:
            os.dup2(nowhere, stream.fileno())
    except (OSError, ValueError):
        return


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:  # started with the stream closed
        raise OSError("the stream is closed")
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        stream.write(text)
    else:
        stream.flush()
        buffer.write(text.encode("utf-8", "backslashreplace"))
    stream.flush()
