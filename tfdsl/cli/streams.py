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


_chosen = "auto"


def choose_colour(when: str) -> None:
    """Take what ``--color`` says: ``auto``, ``always`` or ``never``; it holds for all that this run writes."""
    global _chosen
    _chosen = when


def err_takes_colour() -> bool:
    """Whether what is written to standard error is in colour.

    ``--color`` comes first, then the variables NO_COLOR (no-color.org) and FORCE_COLOR (force-color.org), and at last
    whether a terminal is there that shows colours.
    """
    if _chosen in ("always", "never"):
        return _chosen == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and bool(sys.stderr) and sys.stderr.isatty()


def err_columns() -> int | None:
    """The columns of the terminal that standard error is; ``None`` where it is none."""
    return _columns(sys.stderr)


def out_columns() -> int | None:
    """The columns of the terminal that standard output is; ``None`` where it is none."""
    return _columns(sys.stdout)


def _columns(stream: TextIO | None) -> int | None:
    try:
        return os.get_terminal_size(stream.fileno()).columns or None if stream is not None else None
    except (OSError, ValueError):  # no terminal, or no file at all
        return None


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
