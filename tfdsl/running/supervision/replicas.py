"""The loop of the supervisor: starts replicas as tfdsl asks for them, and tells what becomes of them."""

from __future__ import annotations

import os
import select
import signal
import time

from tfdsl.running.supervision import kernel, namespaces, root, tree
from tfdsl.running.supervision.keeper import NOT_STARTED, Keeper, close_others, watch_children
from tfdsl.running.supervision.ports import Ports
from tfdsl.running.supervision.removal import empty, remove
from tfdsl.running.supervision.wire import pair

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from typing import Any, NoReturn

    from tfdsl.running.supervision.scratch import Scratch
    from tfdsl.running.supervision.wire import Wire

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
        if kernel.IS_LINUX and self._nested is None:
            kernel.adopt_orphans()
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
            root.Root(self._scratch.root, launch["cwd"], self._scratch.made).enter(launch["mounts"])
        else:
            root.mount_proc("/proc")

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
        """Kill keepers that have been told to and could not: what they keep may stop them again and again."""
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
            root.mount_memory(path, size)
            self._memory.add(path)

    def _clear(self, pod: str) -> None:
        """Remove the folder of a pod; memory is emptied first, for other replicas may still have the mount."""
        for path in [path for path in self._memory if path.startswith(f"{pod}/")]:
            empty(path)
            kernel.detach(path)
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
        if kernel.IS_LINUX and self._nested is None:
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
