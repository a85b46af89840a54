"""Ports that are held for the replicas until they start."""

from __future__ import annotations

import errno
import os
import socket

_FIRST, _LAST = 1024, 65535
_ATTEMPTS = 200


class Ports:
    """Sockets that keep other processes from the ports they are bound to; nobody can connect to them."""

    def __init__(self) -> None:
        self._held: dict[int, socket.socket] = {}

    def hold(self, count: int) -> list[int]:
        """The numbers of ``count`` ports that were free."""
        return [self._hold_one() for _ in range(count)]

    def take(self, port: int | None) -> socket.socket | None:
        """The socket that holds ``port``, for the process that is to close it; ``None`` if it is not held."""
        return None if port is None else self._held.pop(port, None)

    def hold_again(self, port: int | None) -> None:
        """Hold a port whose replica has ended, unless somebody has it."""
        if port is not None and port not in self._held:
            held = _bound(port) or _bound(port, beside_closed=True)
            if held is not None:
                self._held[port] = held

    def _hold_one(self) -> int:
        """A port that the kernel does not give to connections, if one of those is free."""
        first, last = _given_out()
        below, above = range(_FIRST * 10, first), range(last + 1, _LAST + 1)
        numbers = list(below) + list(above)
        for _ in range(_ATTEMPTS if numbers else 0):
            port = numbers[_random(len(numbers))]
            held = None if port in self._held else _bound(port)
            if held is not None:
                self._held[port] = held
                return port
        held = _bound(0)
        if held is None:
            raise OSError("no port is free")
        port = int(held.getsockname()[1])
        self._held[port] = held
        return port


def _random(limit: int) -> int:
    """A number below ``limit``; :mod:`random` takes as long to import as all the rest."""
    return int.from_bytes(os.urandom(4), "big") % limit


def _given_out() -> tuple[int, int]:
    """The first and last of the ports that the kernel gives to connections."""
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as stream:
            first, last = map(int, stream.read().split())
    except (OSError, ValueError):
        return 49152, _LAST
    return first, last


def _bound(port: int, *, beside_closed: bool = False) -> socket.socket | None:
    """A socket bound to ``port`` on every address of this machine, so that nobody else listens on any of them.

    ``beside_closed``: also while connections of an earlier server are being closed; then a server that does the same
    may take the port.
    """
    for family, address in ((socket.AF_INET6, "::"), (socket.AF_INET, "0.0.0.0")):
        try:
            held = socket.socket(family, socket.SOCK_STREAM)
        except OSError:
            continue
        try:
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, beside_closed)
            if family == socket.AF_INET6:
                held.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            held.bind((address, port))
        except OSError as error:
            held.close()
            if family == socket.AF_INET6 and _is_without(error):
                continue
            return None
        return held
    return None


def _is_without(error: OSError) -> bool:
    """Whether this machine has no IPv6."""
    return error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.ENOPROTOOPT)
