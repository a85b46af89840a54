"""The supervisor: starts the replicas of a run, and leaves nothing of them behind when tfdsl's end of it closes.

Where namespaces are permitted there are two processes: the first process of a process namespace, with which the kernel
ends everything in it, and its parent, which cleans up behind it. Elsewhere one process does both.
"""

from __future__ import annotations

import os
import signal
import socket
import sys

from tfdsl.running.supervision import namespaces
from tfdsl.running.supervision.replicas import Replicas
from tfdsl.running.supervision.scratch import Scratch
from tfdsl.running.supervision.wire import Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

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
    permission = namespaces.Permission(user=False, denied="--plain") if plain else namespaces.permitted(scratch.root)
    if permission.denied:
        wire.send("hello", scratch.path, False, permission.denied)
        Replicas(wire, scratch, gone, None, None).serve()
        return
    closes, parent = os.pipe()
    namespaces.separate_processes(user=permission.user)
    pid = os.fork()
    if pid == 0:
        os.close(parent)
        _serve_inside(wire, scratch, gone, closes)
    wire.close()
    os.waitpid(pid, 0)


def _serve_inside(wire: Wire, scratch: Scratch, gone: int, parent: int) -> NoReturn:
    """As the first process of the namespace."""
    try:
        namespaces.die_with_parent()
        namespaces.separate_mounts()
        wire.send("hello", scratch.path, True, "")
        Replicas(wire, scratch, gone, parent, namespaces.Nested()).serve()
        os._exit(0)
    except BaseException as error:  # a bug; the code of the parent must not go on in this process
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        os._exit(_BUG)
