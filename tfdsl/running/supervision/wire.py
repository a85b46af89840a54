"""Messages over a stream socket, with file descriptors: how the parts of a local run talk to each other.

A message is a tuple of what :mod:`marshal` writes. Both ends are processes of one Python, started by one another.
"""

from __future__ import annotations

import marshal
import os
import socket
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_LENGTH = 4
_AT_ONCE = 1 << 16
_MOST_DESCRIPTORS = 16
_SIZE_OF_DESCRIPTOR = 4


class Wire:
    """One end of a connection."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._bytes = bytearray()
        self._descriptors: list[int] = []

    def fileno(self) -> int:
        """The descriptor to wait for."""
        return self._end.fileno()

    def send(self, *message: Any, descriptors: Sequence[int] = ()) -> bool:
        """Send a message; false if nobody is left to read it."""
        body = marshal.dumps((len(descriptors), message))
        frame = memoryview(len(body).to_bytes(_LENGTH, "big") + body)
        packed = b"".join(descriptor.to_bytes(_SIZE_OF_DESCRIPTOR, sys.byteorder) for descriptor in descriptors)
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, packed)] if descriptors else []
        try:
            sent = self._end.sendmsg([frame], rights)
            self._end.sendall(frame[sent:])
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    def receive(self) -> list[tuple[tuple[Any, ...], list[int]]] | None:
        """The messages that have come, each with its descriptors; waits for the first bytes. ``None``: the end."""
        try:
            data, rights, _flags, _address = self._end.recvmsg(
                _AT_ONCE, socket.CMSG_SPACE(_MOST_DESCRIPTORS * _SIZE_OF_DESCRIPTOR)
            )
        except ConnectionResetError:
            return None
        for _level, _kind, packed in rights:
            for at in range(0, len(packed), _SIZE_OF_DESCRIPTOR):
                descriptor = int.from_bytes(packed[at : at + _SIZE_OF_DESCRIPTOR], sys.byteorder)
                os.set_inheritable(descriptor, False)
                self._descriptors.append(descriptor)
        if not data:
            return None
        self._bytes += data
        return list(self._whole())

    def _whole(self) -> list[tuple[tuple[Any, ...], list[int]]]:
        messages: list[tuple[tuple[Any, ...], list[int]]] = []
        while len(self._bytes) >= _LENGTH:
            end = _LENGTH + int.from_bytes(self._bytes[:_LENGTH], "big")
            if len(self._bytes) < end:
                break
            count, message = marshal.loads(self._bytes[_LENGTH:end])
            messages.append((message, self._descriptors[:count]))
            del self._bytes[:end], self._descriptors[:count]
        return messages

    def close(self) -> None:
        """Close this end, which the other one notices."""
        self._end.close()


def pair() -> tuple[Wire, Wire]:
    """Both ends of a new connection."""
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    return Wire(one), Wire(other)
