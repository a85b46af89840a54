"""The supervisor: starts the replicas of a run, and leaves nothing of them behind when tfdsl's end of it closes.

It gets a socket to tfdsl, and a pipe that stays open as long as any process of the supervisor lives.
"""

from __future__ import annotations

import os
import select
import socket

from tfdsl.running.supervision import kernel, tree
from tfdsl.running.supervision.keeper import NOT_STARTED, Keeper, close_others, watch_children
from tfdsl.running.supervision.ports import Ports
from tfdsl.running.supervision.wire import Wire, pair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KILLED = 137


class Replica:
    """A launch whose keeper runs."""

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
    """The replicas of a run, from the first message to the end of the last process."""

    def __init__(self, wire: Wire, scratch: str, gone: int) -> None:
        self._wire = wire
        self._scratch = scratch
        self._gone = gone
        self._ports = Ports()
        self._running: dict[int, Replica] = {}
        self._pods: dict[str, str] = {}
        self._over = False

    def serve(self) -> None:
        """Do what tfdsl asks for until it closes its end; then end everything."""
        wakeup = watch_children()
        if kernel.IS_LINUX and os.getpid() != 1:
            kernel.adopt_orphans()
        self._poll = select.poll()
        self._poll.register(self._wire, select.POLLIN)
        self._poll.register(wakeup, select.POLLIN)
        while not self._over:
            for descriptor, _ in self._poll.poll():
                if descriptor == wakeup:
                    os.read(wakeup, 4096)
                    self._reap()
                elif descriptor == self._wire.fileno():
                    self._obey()
                elif descriptor in self._running:
                    self._hear(self._running[descriptor])
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
            ours, theirs = pair()
            held = self._ports.take(launch["port"])
            pid = os.fork()
        except OSError as error:
            os.close(output)
            self._wire.send("ended", launch["name"], launch["generation"], NOT_STARTED, False, str(error))
            return
        if pid == 0:
            kept = {theirs.fileno(), output, self._gone}
            if held is not None:
                kept.add(held.fileno())
            close_others(kept)
            Keeper(launch, theirs, output, held, lambda: None).run()
        theirs.close()
        os.close(output)
        if held is not None:
            held.close()
        self._running[ours.fileno()] = Replica(launch, pid, ours)
        self._poll.register(ours, select.POLLIN)

    def _make_folders(self, launch: dict[str, Any]) -> None:
        """Make the folders that the launch mounts, and remove those of the pod before."""
        replica = launch["name"].partition("/")[0]
        pod = f"{self._scratch}/pods/{replica}/{launch['pod']}"
        before = self._pods.get(replica, pod)
        if before != pod:
            remove(before)
        self._pods[replica] = pod
        for mounted in launch["mounts"]:
            if not mounted["source"].startswith("/"):
                mounted["source"] = f"{self._scratch}/{mounted['source']}"
                os.makedirs(mounted["source"], exist_ok=True)

    def _signal(self, name: str, number: int) -> None:
        for replica in self._running.values():
            if replica.launch["name"] == name:
                replica.wire.send(number)

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
        replica.wire.close()
        self._reap()
        if not replica.ended:
            self._ports.hold_again(replica.launch["port"])
            self._wire.send("ended", *replica.key, _KILLED, True, "the process that kept it was killed")

    def _reap(self) -> None:
        """Wait for children that have ended; those that are not keepers were below one that was killed."""
        tree.reap({})
        if kernel.IS_LINUX:
            keepers = {replica.pid for replica in self._running.values()}
            tree.end_below([pid for pid in tree.children(os.getpid()) if pid not in keepers])

    def _end(self) -> None:
        """End everything: each keeper ends what is below it when its connection closes."""
        for replica in self._running.values():
            replica.wire.close()
        tree.wait_for_all()
        tree.end_all()


def make_scratch(folder: str) -> str:
    """A new folder that only its owner can enter."""
    scratch = f"{folder}/tfdsl-run-{os.urandom(4).hex()}"
    os.mkdir(scratch, 0o700)
    return scratch


def remove(folder: str) -> None:
    """Remove a folder with all that is in it, as far as that is possible."""
    import shutil  # as slow to import as all the rest

    shutil.rmtree(folder, ignore_errors=True)


def main(folder: str, descriptor: int, gone: int) -> None:
    """The program. ``folder``: where it makes its scratch folder."""
    for handed in (descriptor, gone):
        os.set_inheritable(handed, False)
    wire = Wire(socket.socket(fileno=descriptor))
    scratch = make_scratch(folder)
    try:
        wire.send("hello", scratch, False, "")
        Replicas(wire, scratch, gone).serve()
    finally:
        remove(scratch)
