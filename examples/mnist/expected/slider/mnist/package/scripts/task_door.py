"""Holds the task's port while its command does not use it.

Before the command starts, this keeps other processes from taking the port. After the command has ended, whoever
connects receives the state of the task: this is how the replicas of a role learn that all of them are done, without
a second port.
"""

import socket
import threading

MARK = "tfdsl-task"


class Door(object):
    """Listens on the task's port and sends the state of the task."""

    def __init__(self, port, who):
        self.port = port
        self.who = who
        self.state = "waiting"
        self.listener = None

    def open(self):
        """Start to listen; false if the port is taken."""
        if self.listener is not None or not self.port:
            return self.listener is not None
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("", self.port))
            listener.listen(64)
        except (OSError, socket.error):
            listener.close()
            return False
        self.listener = listener
        thread = threading.Thread(target=self.answer, args=(listener,))
        thread.daemon = True
        thread.start()
        return True

    def close(self):
        """Free the port for the command."""
        listener, self.listener = self.listener, None
        if listener is None:
            return
        try:
            listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits in accept
        except (OSError, socket.error):
            pass
        listener.close()

    def answer(self, listener):
        """Send the state to everyone who connects, until the door is closed."""
        while self.listener is listener:
            try:
                caller = listener.accept()[0]
            except (OSError, socket.error):
                return
            try:
                caller.settimeout(3)
                caller.sendall(("%s %s %s\n" % (MARK, self.who, self.state)).encode("ascii", "replace"))
                caller.recv(1)  # the caller hangs up first, so the port is not left waiting for late packets
            except (OSError, socket.error):
                pass
            finally:
                caller.close()


def ask(address, who):
    """The state that the task ``who`` at ``host:port`` sends; ``running`` if nobody or another program answers."""
    host, _, port = address.rpartition(":")
    try:
        caller = socket.create_connection((host, int(port)), 5)
    except (OSError, socket.error):
        return "running"
    text = b""
    try:
        caller.settimeout(3)
        while not text.endswith(b"\n") and len(text) < 200:
            more = caller.recv(200)
            if not more:
                break
            text += more
    except (OSError, socket.error):
        pass
    finally:
        caller.close()
    words = text.decode("ascii", "replace").split()
    return words[2] if len(words) == 3 and words[0] == MARK and words[1] == who else "running"
