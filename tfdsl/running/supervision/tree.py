"""The processes below this one, and the end of all of them."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

from tfdsl.running.supervision import kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_PATIENCE = 10.0
"""Seconds to wait for processes that were killed: one that hangs in the kernel may never end."""


def signal_all(number: int, group: int | None = None) -> None:
    """Send a signal to every process below this one; where they cannot be listed, to those of ``group``."""
    if os.getpid() == 1:
        _kill(-1, number)
    elif kernel.IS_LINUX:
        for pid in descendants(os.getpid()):
            _kill(pid, number)
    elif group is not None:
        _kill(-group, number)


def end_all(group: int | None = None) -> dict[int, int]:
    """Kill every process below this one and wait for them; returns the wait statuses of the direct children.

    Processes that start others while they are killed are stopped first, generation by generation.
    """
    if os.getpid() == 1 or not kernel.IS_LINUX:
        signal_all(signal.SIGKILL, group)
        return _reap_all(None if os.getpid() == 1 else group)
    ended: dict[int, int] = {}
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        for pid in _stopped():
            _kill(pid, signal.SIGKILL)
        if reap(ended):
            return ended
        time.sleep(0.001)
    return ended


def wait_for_all() -> None:
    """Wait until no child is left; not for ever."""
    until = time.monotonic() + _PATIENCE
    while not reap({}) and time.monotonic() < until:
        time.sleep(0.001)


def end_below(roots: Collection[int]) -> None:
    """Kill the processes of ``roots`` and below them."""
    for root in roots:
        for pid in [root, *descendants(root)]:
            _kill(pid, signal.SIGKILL)


def reap(ended: dict[int, int]) -> bool:
    """Note the wait statuses of children that have ended; whether no child is left."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return True
        if pid == 0:
            return False
        ended[pid] = status


def children(pid: int) -> list[int]:
    """The direct children of a process."""
    return [child for child, parent in _parents() if parent == pid]


def descendants(root: int) -> list[int]:
    """Every process below ``root``, parents before their children."""
    below: dict[int, list[int]] = {}
    for child, parent in _parents():
        below.setdefault(parent, []).append(child)
    found = list(below.get(root, ()))
    for pid in found:
        found += below.pop(pid, ())
    return found


def _stopped() -> list[int]:
    """Stop every process below this one, until no new one appears."""
    stopped: dict[int, None] = {}
    while True:
        new = [pid for pid in descendants(os.getpid()) if pid not in stopped]
        if not new:
            return list(stopped)
        for pid in new:
            _kill(pid, signal.SIGSTOP)
            stopped[pid] = None


def _reap_all(group: int | None) -> dict[int, int]:
    ended: dict[int, int] = {}
    until = time.monotonic() + _PATIENCE
    while not reap(ended) and time.monotonic() < until:
        time.sleep(0.001)
        if group is not None:
            _kill(-group, signal.SIGKILL)
    return ended


def _parents() -> Iterator[tuple[int, int]]:
    """Each process with its parent."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as stream:
                    text = stream.read()
            except OSError:
                continue
            yield int(name), int(text[text.rindex(b")") + 2 :].split(b" ", 2)[1])


def _kill(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
