"""TCP between the tasks: one JSON object of texts per line; and ports for TensorFlow."""

from __future__ import print_function

import errno
import json
import random
import select
import socket

LONGEST_LINE = 1 << 20


class Line(object):
    """One connection. ``open`` becomes false once the other side is gone or is not a task."""

    def __init__(self, connection):
        # type: (socket.socket) -> None
        self.connection = connection
        self.open = True
        self._rest = b""
        connection.settimeout(10)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        # This detects a silent node in about a minute.
        for name, seconds in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
            if hasattr(socket, name):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), seconds)

    def send(self, **message):
        # type: (**str) -> None
        """Send one message; a broken connection shows here or at the next read."""
        try:
            self.connection.sendall((json.dumps(message, sort_keys=True) + "\n").encode("ascii"))
        except (OSError, socket.error):
            self.open = False

    def receive(self):
        # type: () -> list[dict[str, str]]
        """The messages that have arrived; call it when the connection is readable."""
        try:
            data = self.connection.recv(65536)
        except socket.timeout:
            return []
        except (OSError, socket.error) as error:
            if error.errno in (errno.EINTR, errno.EAGAIN):
                return []
            data = b""
        if not data or len(self._rest) > LONGEST_LINE:
            self.open = False
            return []
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        try:
            return [{str(key): str(value) for key, value in json.loads(line.decode("ascii")).items()} for line in lines]
        except (ValueError, AttributeError, RuntimeError):  # not a task: a port scanner, a browser, [[[[
            self.open = False
            return []

    def close(self):
        # type: () -> None
        """Close the connection."""
        self.open = False
        self.connection.close()


def readable(sockets, seconds):
    # type: (list[socket.socket], float) -> list[socket.socket]
    """Those of ``sockets`` that have something to read, after at most ``seconds``."""
    poll = select.poll()
    by_number = {}  # type: dict[int, socket.socket]
    for one in sockets:
        by_number[one.fileno()] = one
        poll.register(one.fileno(), select.POLLIN | select.POLLHUP | select.POLLERR)
    try:
        return [by_number[number] for number, _event in poll.poll(int(seconds * 1000))]
    except (OSError, select.error):  # a signal, under Python 2
        return []


def reserve_port(first, last, reuse):
    # type: (int, int, bool) -> tuple[socket.socket, int]
    """A free port between ``first`` and ``last``, held by the socket until that is closed.

    ``reuse``: a program that sets SO_REUSEPORT (TensorFlow with TF_GRPC_REUSE_PORT) may listen on it meanwhile.
    """
    ports = list(range(first, last + 1))
    random.shuffle(ports)
    for port in ports:
        try:
            holder = _bound(port, False)
            if reuse:  # only now, or two tasks of one user could hold the same port
                holder.close()
                holder = _bound(port, True)
        except (OSError, socket.error):
            continue
        return holder, port
    raise SystemExit("no free port between %d and %d on this node" % (first, last))


def _bound(port, reuse):
    # type: (int, bool) -> socket.socket
    made = socket.socket()
    try:
        if reuse:
            made.setsockopt(socket.SOL_SOCKET, getattr(socket, "SO_REUSEPORT", 15), 1)
        made.bind(("", port))
    except (OSError, socket.error):
        made.close()
        raise
    return made


def listener():
    # type: () -> tuple[socket.socket, int]
    """A socket that listens on a port that the system chooses."""
    made = socket.socket()
    made.bind(("", 0))
    made.listen(1024)
    return made, int(made.getsockname()[1])
