"""Reading a file or standard input into a :class:`~tfdsl.text.Source`.

Only regular files are opened, and never in a way that can block: a FIFO, socket or device in a folder must not block
the command or the language server. A descriptor that the caller has opened (``-``, ``/dev/stdin``, ``/dev/fd/63`` of a
shell's ``<(command)``) is read whatever it is.
"""

from __future__ import annotations

import os
import stat
import sys
from typing import Final

from tfdsl.patterns import regex
from tfdsl.text import Source

STDIN: Final = "-"
STANDARD_INPUT: Final = "<stdin>"
"""What messages call it."""
LARGEST: Final = 16 * 1024 * 1024
"""Bytes of one text. A job is a few kilobytes; more than this is a device or a mistake."""

_DESCRIPTOR = regex(r"/dev/(?:stdin|fd/[0-9]+)|/proc/(?:self|[0-9]+)/fd/[0-9]+")
_QUIET: Final = (
    getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
)


def read(path: str) -> Source | str:
    """The text of ``path`` (``-`` is standard input), or the reason why it cannot be read.

    The text is UTF-8, a byte order mark is dropped, line ends are kept. ``origin`` of the source is the path, so that
    includes are relative to it; standard input has none.
    """
    if path == STDIN:
        data = _standard_input()
        return data if isinstance(data, str) else decode(data, STANDARD_INPUT, None)
    data = contents(path)
    return data if isinstance(data, str) else decode(data, path, path)


def origin_of(path: str) -> str | None:
    """The file that a path of a command line names; standard input is none."""
    return None if path == STDIN else path


def is_file_name(path: str) -> bool:
    """Whether ``path`` can be a file name: not empty, no zero byte, nothing that the system cannot encode."""
    try:
        return bool(path) and b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can produce
        return False


def is_descriptor(path: str) -> bool:
    """Whether ``path`` names a descriptor that the caller has opened."""
    return _DESCRIPTOR.fullmatch(path) is not None


def contents(path: str, largest: int = LARGEST) -> bytes | str:
    """The bytes of a regular file of at most ``largest`` bytes, or the reason why it cannot be read."""
    if path and not is_file_name(path):
        return "it is not a file name"
    try:
        handle = _opened(path)
        if isinstance(handle, str):
            return handle
        with os.fdopen(handle, "rb") as file:
            data = file.read(largest + 1)
    except FileNotFoundError:
        return "there is no such file"
    except OSError as error:
        return (error.strerror or str(error)).lower()
    if data is None:  # pyright: ignore[reportUnnecessaryComparison]  (what /proc/kmsg gives when it has nothing to say)
        return "it is not a regular file"
    return data if len(data) <= largest else _too_large(largest)


def beginning(path: str, size: int) -> bytes:
    """The first bytes of a regular file, at most ``size``; none where it cannot be read."""
    try:
        handle = _opened(path)
        if isinstance(handle, str):
            return b""
        with os.fdopen(handle, "rb") as file:
            return file.read(size)
    except OSError:
        return b""


def _opened(path: str) -> int | str:
    """A descriptor of ``path``, or why it is not opened."""
    if is_descriptor(path):
        return os.open(path, os.O_RDONLY | (_QUIET & ~getattr(os, "O_NONBLOCK", 0)))
    problem = _kind_problem(os.stat(path).st_mode)  # before opening, which has an effect on some devices
    if problem is not None:
        return problem
    handle = os.open(path, os.O_RDONLY | _QUIET)
    problem = _kind_problem(os.fstat(handle).st_mode)  # it may have been replaced in between
    if problem is not None:
        os.close(handle)
        return problem
    return handle


def _kind_problem(mode: int) -> str | None:
    if stat.S_ISREG(mode):
        return None
    return "it is a folder" if stat.S_ISDIR(mode) else "it is not a regular file"


def _standard_input() -> bytes | str:
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]  (started with standard input closed)
        return "standard input is closed"
    try:
        data = sys.stdin.buffer.read(LARGEST + 1)
    except OSError as error:
        return error.strerror or str(error)
    return data if len(data) <= LARGEST else _too_large(LARGEST)


def _too_large(largest: int) -> str:
    return f"it is larger than {largest // 1024 // 1024} MiB"


def decode(data: bytes, shown: str, origin: str | None) -> Source | str:
    """The text of ``data`` as a source, or why it is not a text. ``shown``: its name in messages."""
    try:
        return Source(shown, data.decode("utf-8-sig"), origin)
    except UnicodeDecodeError as error:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return "it is UTF-16, not UTF-8"
        line = data.count(b"\n", 0, error.start) + 1
        return f"it is not UTF-8 (byte 0x{data[error.start]:02x} in line {line})"
