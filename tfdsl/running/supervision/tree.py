"""The processes below this one, and the end of all of them."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

from tfdsl.running.supervision import namespaces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_PATIENCE = 10.0
"""Seconds to wait for processes that were killed: one that hangs in the kernel may never end."""


def signal_all(number: int, group: int | None = None) -> None:
    """Send a signal to every process below this one; where they cannot be listed, to those of ``group``."""
    if os.getpid() == 1:
        _kill(-1, number)
    elif namespaces.IS_LINUX:
        for pid in descendants(os.getpid()):
            _kill(pid, number)
    elif group is not None:
        _kill(-group, number)


def end_all(group: int | None = None) -> dict[int, int]:
    """Kill every process below this one and wait for them; returns the wait statuses of the direct children.

    A process that starts another and ends is found again as a child of this one; its group, which the kernel kills as
    one, keeps it from doing so faster than it is found.
    """
    if os.getpid() == 1 or not namespaces.IS_LINUX:
        signal_all(signal.SIGKILL, group)
        return _reap_all(None if os.getpid() == 1 else group)
    ended: dict[int, int] = {}
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        below = descendants(os.getpid())
        _kill_all(below)
        if reap(ended):
            return ended
        if not below:  # they are ending
            time.sleep(0.001)
    return ended


def end_below(root: int) -> None:
    """Kill every process below a child of this one, which is stopped meanwhile so that it forgets none of them."""
    _kill(root, signal.SIGSTOP)
    until = time.monotonic() + _PATIENCE
    while namespaces.IS_LINUX and time.monotonic() < until:
        below = [pid for pid in descendants(root) if _stat(pid)[:1] not in ([], [b"Z"], [b"X"])]
        if not below:
            return
        for pid in below:
            _kill_below(root, pid)


def _kill_below(root: int, pid: int) -> None:
    """Kill the process ``pid``, if that is still one below ``root``."""
    with suppress(OSError, IndexError):
        handle = os.pidfd_open(pid)
        try:
            above = pid
            while above > 1 and above != root:
                above = int(_stat(above)[1])
            if above == root:
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        finally:
            os.close(handle)


def is_stopped(pid: int) -> bool:
    """Whether a process was stopped by a signal, or by somebody who traces it."""
    return _stat(pid)[:1] in ([b"T"], [b"t"])


def wait_for_all() -> None:
    """Wait until no child is left; not for ever."""
    until = time.monotonic() + _PATIENCE
    while not reap({}, wake=True) and time.monotonic() < until:
        time.sleep(0.001)


def end_others(kept: Collection[int], ended: dict[int, int]) -> None:
    """Kill every process below this one that is not in ``kept`` or below one of those."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        reap(ended)
        others = [pid for pid in children(os.getpid()) if pid not in kept]
        if not others:
            return
        _kill_all([*others, *(below for pid in others for below in descendants(pid))])
        time.sleep(0.001)


def reap(ended: dict[int, int], *, wake: bool = False) -> bool:
    """Note the wait statuses of children that have ended, ``wake`` those that were stopped; whether none is left."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG | (os.WUNTRACED if wake else 0))
        except ChildProcessError:
            return True
        if pid == 0:
            return False
        if os.WIFSTOPPED(status):
            _kill(pid, signal.SIGCONT)
        else:
            ended[pid] = status


def children(pid: int) -> list[int]:
    """The direct children of a process."""
    quick = _listed(pid)
    return quick if quick is not None else [child for child, parent in _parents() if parent == pid]


def descendants(root: int) -> list[int]:
    """Every process below ``root``, parents before their children."""
    if _listed(os.getpid()) is not None:
        first = _listed(root) or []
        for pid in first:
            first += _listed(pid) or ()
        return first
    below: dict[int, list[int]] = {}
    for child, parent in _parents():
        below.setdefault(parent, []).append(child)
    found = list(below.get(root, ()))
    for pid in found:
        found += below.pop(pid, ())
    return found


def _kill_all(pids: list[int]) -> None:
    """Kill processes, and their groups."""
    for group in _groups(pids):
        _kill(-group, signal.SIGKILL)
    for pid in pids:
        _kill(pid, signal.SIGKILL)


def _groups(pids: list[int]) -> set[int]:
    """The process groups of ``pids``, without that of this process."""
    groups: set[int] = set()
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            groups.add(os.getpgid(pid))
    return groups - {os.getpgid(0)}


def _listed(pid: int) -> list[int] | None:
    """The direct children of a process as the kernel lists them, where it does: far faster than a look at everybody."""
    children: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as stream:
                children += map(int, stream.read().split())
    except FileNotFoundError:
        return None if pid == os.getpid() else children
    except OSError:
        return children
    return children


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
        if name.isdigit() and (found := _stat(int(name))):
            yield int(name), int(found[1])


def _stat(pid: int) -> list[bytes]:
    """The state of a process, its parent, and what else follows its name; empty if it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            text = stream.read()
    except OSError:
        return []
    return text[text.rindex(b")") + 2 :].split(b" ", 2)


def _kill(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
