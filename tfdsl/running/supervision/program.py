"""The supervisor: starts the replicas of a run, and leaves nothing of them behind when tfdsl's end of it closes.

Where namespaces are permitted there are two processes: the first process of a process namespace, with which the kernel
ends everything in it, and its parent, which cleans up behind it. Elsewhere one process does both. :class:`Replicas` is
the loop: it starts replicas as tfdsl asks for them, and tells what becomes of them; :class:`Ports` are held for them
until they start.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import socket
import sys
import time

from tfdsl.running.supervision import namespaces, tree
from tfdsl.running.supervision.keeper import NOT_STARTED, Keeper, close_others, watch_children
from tfdsl.running.supervision.scratch import Scratch, empty, remove
from tfdsl.running.supervision.wire import Wire, pair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


_BUG = 70


def main(folder: str, options: str, descriptor: int, gone: int) -> None:
    """The program.

    Args:
        folder: Where it makes its scratch folder.
        options: Words: ``keep`` the scratch folder, ``plain`` without namespaces.
        descriptor: A socket to tfdsl.
        gone: A pipe that stays open as long as any process of the supervisor lives.
    """
    for handed in (descriptor, gone):
        os.set_inheritable(handed, False)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    wire = Wire(socket.socket(fileno=descriptor))
    try:
        scratch = Scratch(folder, keep="keep" in options.split())
    except OSError as error:
        wire.send("failed", folder, error.errno)
        return
    try:
        _serve(wire, scratch, gone, plain="plain" in options.split())
    finally:
        scratch.leave()


def _serve(wire: Wire, scratch: Scratch, gone: int, *, plain: bool) -> None:
    user, denied = (False, "--plain") if plain else namespaces.permitted(scratch.root)
    if denied:
        wire.send("hello", scratch.path, False, denied)
        Replicas(wire, scratch, gone, None, None).serve()
        return
    closes, parent = os.pipe()
    namespaces.separate_processes(user=user)
    pid = os.fork()
    if pid == 0:
        os.close(parent)
        _serve_inside(wire, scratch, gone, closes)
    wire.close()
    os.waitpid(pid, 0)


def _serve_inside(wire: Wire, scratch: Scratch, gone: int, parent: int) -> NoReturn:
    """As the first process of the namespace."""
    try:
        namespaces.end_with_parent(signal.SIGKILL)
        namespaces.separate_mounts()
        wire.send("hello", scratch.path, True, "")
        Replicas(wire, scratch, gone, parent, namespaces.Nested()).serve()
        os._exit(0)
    except BaseException as error:  # a bug; the code of the parent must not go on in this process
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        os._exit(_BUG)


_KILLED = 137
_PATIENCE = 10.0
"""Seconds that a keeper has to end everything that it keeps, before it is killed itself."""


class Replica:
    """A launch whose keeper runs. ``pid``: 0 when that has ended."""

    def __init__(self, launch: dict[str, Any], pid: int, wire: Wire) -> None:
        self.launch = launch
        self.pid = pid
        self.wire = wire
        self.ended = False

    @property
    def key(self) -> tuple[str, int]:
        """What tfdsl knows it by."""
        return self.launch["name"], self.launch["generation"]


class Replicas:
    """The replicas of a run, from the first message to the end of the last process.

    ``gone``: a pipe that every process of the supervisor has. ``parent``: one that closes when the parent ends, which
    ends the run. ``nested``: the namespaces of replicas, where there are any.
    """

    def __init__(
        self, wire: Wire, scratch: Scratch, gone: int, parent: int | None, nested: namespaces.Nested | None
    ) -> None:
        self._wire = wire
        self._scratch = scratch
        self._gone = gone
        self._parent = parent
        self._nested = nested
        self._ports = Ports()
        self._group = scratch.group()
        self._running: dict[int, Replica] = {}
        self._pods: dict[str, str] = {}
        self._memory: set[str] = set()
        self._killed: list[tuple[float, Replica]] = []
        self._over = False
        self._poll = select.poll()

    def serve(self) -> None:
        """Do what tfdsl asks for until it closes its end; then end everything."""
        wakeup = watch_children()
        if namespaces.IS_LINUX and self._nested is None:
            namespaces.adopt_orphans()
        for descriptor in (self._wire.fileno(), wakeup, self._parent):
            if descriptor is not None:
                self._poll.register(descriptor, select.POLLIN)
        while not self._over:
            for descriptor, _ in self._poll.poll(self._until_late()):
                if descriptor == wakeup:
                    os.read(wakeup, 4096)
                    self._reap()
                elif descriptor == self._wire.fileno():
                    self._obey()
                elif descriptor == self._parent:
                    self._over = True
                elif descriptor in self._running:
                    self._hear(self._running[descriptor])
            self._end_late()
        self._end()

    # --- what tfdsl asks for ---

    def _obey(self) -> None:
        messages = self._wire.receive()
        if messages is None:
            self._over = True
            return
        for (order, *details), descriptors in messages:
            if order == "hold":
                self._hold(*details)
            elif order == "start":
                self._start(details[0], descriptors[0])
            elif order == "signal":
                self._signal(*details)

    def _hold(self, count: int) -> None:
        try:
            self._wire.send("held", self._ports.hold(count))
        except OSError as error:
            self._wire.send("held", str(error))

    def _start(self, launch: dict[str, Any], output: int) -> None:
        try:
            self._make_folders(launch)
            if self._nested is not None:
                self._nested.renew()
            group = self._limited(launch)
            ours, theirs = pair()
            held = self._ports.take(launch["port"])
            pid = os.fork()
        except OSError as error:
            os.close(output)
            self._wire.send("ended", launch["name"], launch["generation"], NOT_STARTED, False, str(error))
            return
        if pid == 0:
            self._keep(launch, theirs, output, held, group)
        theirs.close()
        os.close(output)
        if group is not None:
            os.close(group)
        if held is not None:
            held.close()
        self._running[ours.fileno()] = Replica(launch, pid, ours)
        self._poll.register(ours, select.POLLIN)

    def _limited(self, launch: dict[str, Any]) -> int | None:
        """The open list of processes of a new control group with the limits of the launch."""
        group = None if self._group is None else self._group.limited(launch["limits"])
        return None if group is None else os.open(f"{group}/cgroup.procs", os.O_WRONLY)

    def _keep(
        self, launch: dict[str, Any], wire: Wire, output: int, held: socket.socket | None, group: int | None
    ) -> NoReturn:
        """In the child: be the keeper."""
        kept = {wire.fileno(), output, self._gone}
        if held is not None:
            kept.add(held.fileno())
        if group is not None:
            kept.add(group)
        close_others(kept)
        Keeper(launch, wire, output, held, lambda: self._enter(launch), group).run()

    def _enter(self, launch: dict[str, Any]) -> None:
        """In the keeper: see what the replica sees."""
        if self._nested is None:
            return
        namespaces.separate_mounts()
        if launch["mounts"]:
            namespaces.Root(self._scratch.root, launch["cwd"], self._scratch.made).enter(launch["mounts"])
        else:
            namespaces.mount_proc("/proc")

    def _signal(self, name: str, number: int) -> None:
        for replica in self._running.values():
            if replica.launch["name"] == name:
                replica.wire.send(number)
                if number == signal.SIGKILL:
                    self._killed.append((time.monotonic() + _PATIENCE, replica))

    def _until_late(self) -> float | None:
        """Milliseconds until a keeper is late."""
        return max(0.0, self._killed[0][0] - time.monotonic()) * 1000 if self._killed else None

    def _end_late(self) -> None:
        """Kill keepers that were asked to end and could not: what they keep may stop them again and again."""
        while self._killed and self._killed[0][0] <= time.monotonic():
            _, replica = self._killed.pop(0)
            if replica.pid:
                os.kill(replica.pid, signal.SIGKILL)

    # --- folders ---

    def _make_folders(self, launch: dict[str, Any]) -> None:
        """Make the folders that the launch mounts, and remove those of the pod before."""
        replica = launch["name"].partition("/")[0]
        pod = f"{self._scratch.path}/pods/{replica}/{launch['pod']}"
        before = self._pods.get(replica, pod)
        self._pods[replica] = pod
        if before != pod:
            self._clear(before)
        for mounted in launch["mounts"]:
            if not mounted["source"].startswith("/"):
                mounted["source"] = f"{self._scratch.path}/{mounted['source']}"
                os.makedirs(mounted["source"], exist_ok=True)
                self._mount_memory(mounted["source"], mounted["memory"])

    def _mount_memory(self, path: str, size: int | None) -> None:
        if size is not None and self._nested is not None and path not in self._memory:
            namespaces.mount_memory(path, size)
            self._memory.add(path)

    def _clear(self, pod: str) -> None:
        """Remove the folder of a pod; memory is emptied first, for other replicas may still have the mount."""
        for path in [path for path in self._memory if path.startswith(f"{pod}/")]:
            empty(path)
            namespaces.detach(path)
            self._memory.discard(path)
        remove(pod)

    # --- what happens to replicas ---

    def _hear(self, replica: Replica) -> None:
        messages = replica.wire.receive()
        for (what, *details), _ in messages or ():
            if what == "ended":
                replica.ended = True
                self._ports.hold_again(replica.launch["port"])
            self._wire.send(what, *replica.key, *details)
        if messages is None:
            self._forget(replica)

    def _forget(self, replica: Replica) -> None:
        """Its keeper has ended; of one that was killed, end what was below it."""
        self._poll.unregister(replica.wire)
        del self._running[replica.wire.fileno()]
        replica.pid = 0
        replica.wire.close()
        self._reap()
        if not replica.ended:
            self._ports.hold_again(replica.launch["port"])
            self._wire.send("ended", *replica.key, _KILLED, True, "the process that kept it was killed")

    def _reap(self) -> None:
        """Wait for children that have ended; those that are not keepers were below one that was killed."""
        ended: dict[int, int] = {}
        tree.reap(ended, wake=True)  # without namespaces, what they keep may stop them
        if namespaces.IS_LINUX and self._nested is None:
            tree.end_others({replica.pid for replica in self._running.values()}, ended)
        for replica in self._running.values():
            if replica.pid in ended:
                replica.pid = 0  # another process may have it from now on

    def _end(self) -> None:
        """End everything: each keeper ends what is below it when its connection closes."""
        for replica in self._running.values():
            replica.wire.close()
        tree.wait_for_all()
        tree.end_all()


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
