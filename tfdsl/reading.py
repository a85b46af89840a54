"""Reading a file or standard input into a :class:`~tfdsl.text.Source`."""

from __future__ import annotations

import os
import stat
import sys
from typing import Final

from tfdsl.text import Source

STDIN: Final = "-"
LARGEST: Final = 32 * 1024 * 1024
"""Bytes; more than that is no job, but a device or a mistake."""


def read(path: str) -> Source | str:
    """The text of ``path`` (``-`` is standard input), or the reason why it cannot be read.

    The text is UTF-8, a byte order mark is dropped, line ends stay as they are. ``origin`` of the source is the path,
    so that includes are found beside it; standard input has none.
    """
    if path == STDIN:
        data = _standard_input()
        return data if isinstance(data, str) else decode(data, "<stdin>", None)
    data = _contents(path)
    return data if isinstance(data, str) else decode(data, path, path)


def _standard_input() -> bytes | str:
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]  (started with standard input closed)
        return "standard input is closed"
    try:
        data = sys.stdin.buffer.read(LARGEST + 1)
    except OSError as error:
        return error.strerror or str(error)
    return data if len(data) <= LARGEST else _too_large()


def _contents(path: str) -> bytes | str:
    try:
        if stat.S_ISDIR(os.stat(path).st_mode):
            return "it is a folder"
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        return "there is no such file"
    except OSError as error:
        return (error.strerror or str(error)).lower()
    except ValueError:  # a zero byte in the path
        return "it is not a file name"
    return data if len(data) <= LARGEST else _too_large()


def _too_large() -> str:
    return f"it is larger than {LARGEST // 1024 // 1024} MiB"


def decode(data: bytes, shown: str, origin: str | None) -> Source | str:
    """The text of ``data`` as a source, or why it is none. ``shown``: the name that messages show for it."""
    try:
        return Source(shown, data.decode("utf-8-sig"), origin)
    except UnicodeDecodeError as error:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return "it is UTF-16, not UTF-8"
        line = data.count(b"\n", 0, error.start) + 1
        return f"it is not UTF-8 (byte 0x{data[error.start]:02x} in line {line})"
