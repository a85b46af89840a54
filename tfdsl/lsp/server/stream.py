r"""Messages of the protocol out of a stream of bytes.

Source: Language Server Protocol 3.17, "Base Protocol": header fields that end in ``\r\n``, an empty line, and so many
bytes of JSON as ``Content-Length`` says. Names of header fields have no case, as in HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from io import RawIOBase

_PIECE = 65536
LARGEST_HEADER = 8192
"""Bytes; a client that sends more before the empty line does not speak the protocol."""


def bodies(stream: RawIOBase) -> Iterator[bytes]:
    """The bodies of the messages in ``stream`` until it ends.

    The stream is not buffered: a thread may wait in it while the process ends, and must not hold a lock then.
    """
    buffer = bytearray()
    while _fill(stream, buffer):
        end = _header_end(stream, buffer)
        if end is None:
            return
        length = _length(bytes(buffer[:end]))
        del buffer[:end]
        if length is None:  # nobody knows where its body ends; the next header may be a good one
            continue
        while len(buffer) < length:
            if not _more(stream, buffer):
                return
        body = bytes(buffer[:length])
        del buffer[:length]
        yield body


def _fill(stream: RawIOBase, buffer: bytearray) -> bool:
    """Whether there is anything left to read."""
    return bool(buffer) or _more(stream, buffer)


def _more(stream: RawIOBase, buffer: bytearray) -> bool:
    piece = stream.read(_PIECE)
    buffer += piece or b""
    return bool(piece)


def _header_end(stream: RawIOBase, buffer: bytearray) -> int | None:
    """The offset behind the empty line; ``None`` if the stream ends or does not follow the protocol."""
    while True:
        ends = [at + len(mark) for mark in (b"\r\n\r\n", b"\n\n") if (at := buffer.find(mark)) >= 0]
        if ends:
            return min(ends)
        if len(buffer) > LARGEST_HEADER or not _more(stream, buffer):
            return None


def _length(header: bytes) -> int | None:
    """What ``Content-Length`` says; ``None`` when it is missing or no number."""
    for line in header.splitlines():
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            return int(value)
    return None
