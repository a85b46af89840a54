"""How the tasks find each other: the address of each, and its port while the command does not use it.

Slider numbers the containers of a component 1 to N and gives a replacement the number of the container it replaces
(the tag), so a task takes its index from the tag; the order of an export list changes.

Before the command starts, the door keeps other processes from taking the port. After the command has ended, whoever
connects receives the state of the task: this is how the replicas of a role learn that all of them are done, without
a second port.
"""

import socket
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tfdsl_backends.slider.programs.task_master import Master


def addresses(master, roles):
    # type: (Master, dict[str, int]) -> dict[str, dict[int, str]]
    """``{role: {index: "host:port"}}`` of what is exported now; ``roles`` is ``{role: replicas}``."""
    cluster = {}  # type: dict[str, dict[int, str]]
    for role, replicas in roles.items():
        cluster[role] = {}
        for entry in master.exported(role):
            tag = str(entry.get("tag") or "")
            value = str(entry.get("value") or "")
            # Until the agent has resolved the port, the value ends in a placeholder.
            if tag.isdigit() and 1 <= int(tag) <= replicas and value.rpartition(":")[2].isdigit():
                cluster[role][int(tag) - 1] = value
    return cluster


def missing(cluster, roles):
    # type: (dict[str, dict[int, str]], dict[str, int]) -> list[str]
    """The tasks without an address, as ``role[index]``, in order."""
    return [
        "%s[%d]" % (role, index)
        for role in sorted(roles)
        for index in range(roles[role])
        if index not in cluster.get(role, {})
    ]


def spec(cluster):
    # type: (dict[str, dict[int, str]]) -> dict[str, list[str]]
    """Role to addresses, ordered by index; every task has one."""
    return dict((role, [tasks[index] for index in sorted(tasks)]) for role, tasks in cluster.items())


MARK = "tfdsl-task"


class Door(object):
    """Listens on the task's port and sends the state of the task."""

    def __init__(self, port, who):
        # type: (int, str) -> None
        self.port = port
        self.who = who
        self.state = "waiting"
        self.listener = None  # type: socket.socket | None

    def open(self):
        # type: () -> bool
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
        # type: () -> None
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
        # type: (socket.socket) -> None
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
    # type: (str, str) -> str
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
