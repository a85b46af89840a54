"""The scratch folder of a run, and everything else on this machine that has to go when the run has ended.

A run that was killed together with its supervisor leaves its folder behind; a later run of the same user removes it.

Limits of cpu and memory are control groups (version 2). The groups of a run are beside that of tfdsl, in one that
passes the controllers on: that of a user's service manager, or any as root. Nothing that runs already is moved, and no
setting of a group that exists is changed.

:func:`remove` removes a folder, whatever a hostile program has put into it. Folders may be nested deeper than the stack
of Python, the longest path or the limit of open files reach; they may be closed to their owner, or be links to
somewhere else. So it goes from folder to folder by descriptors, of which it has three at most, and follows no link.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_PREFIX = "tfdsl-run-"
_LOCK, _MADE, _KEEP, _ROOT, _GROUP = "lock", "made", "keep", "root", "group"
_YOUNG = 60.0
"""Seconds in which a folder without a lock may be one that is being made."""


class Scratch:
    """The folder of this run, a new one that only its owner can enter. It is locked as long as a process has it."""

    def __init__(self, folder: str, *, keep: bool) -> None:
        """Make it. Raises ``OSError``, and then nothing is left of it."""
        self._beside = folder
        self.path = f"{folder}/{_PREFIX}{os.urandom(4).hex()}"
        os.mkdir(self.path, 0o700)
        try:
            self._lock = os.open(f"{self.path}/{_LOCK}", os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            os.mkdir(self.root)
            if keep:
                os.close(os.open(f"{self.path}/{_KEEP}", os.O_WRONLY | os.O_CREAT, 0o600))
        except OSError:
            remove(self.path)
            raise

    @property
    def root(self) -> str:
        """An empty folder to mount roots at."""
        return f"{self.path}/{_ROOT}"

    @property
    def made(self) -> str:
        """The file of what is created elsewhere and has to go: paths, each with a zero byte after it."""
        return f"{self.path}/{_MADE}"

    def group(self) -> Group | None:
        """The control group of the run, where one can be made."""
        parent, _ = group_place()
        if not parent:
            return None
        group = Group(parent, os.path.basename(self.path))
        with open(f"{self.path}/{_GROUP}", "wb") as stream:
            stream.write(os.fsencode(group.path))
        return group

    def leave(self) -> None:
        """Remove what has to go, also of runs that could not do it.

        Another run may have mounted something at the same place: the places of mounts are left to the last run.
        """
        fcntl.flock(self._lock, fcntl.LOCK_UN)  # of two that end at once, the later one sees that both have ended
        others = _others(self._beside, self.path)
        ended = [self.path, *(other for other in others if not _is_live(other))]
        is_last = len(ended) > len(others)
        for one in ended:
            if is_last:
                _remove_made(one)
            _remove_rest(one)


def _others(folder: str, own: str) -> list[str]:
    """The scratch folders of this user's other runs."""
    others: list[str] = []
    with suppress(OSError):
        for name in os.listdir(folder):
            path = f"{folder}/{name}"
            if name.startswith(_PREFIX) and path != own:
                with suppress(FileNotFoundError):  # it is being removed
                    status = os.lstat(path)
                    if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid():
                        others.append(path)
    return others


def _is_live(scratch: str) -> bool:
    """Whether a process of the run of ``scratch`` is left."""
    try:
        lock = os.open(f"{scratch}/{_LOCK}", os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        with suppress(OSError):
            return time.time() - os.stat(scratch).st_mtime < _YOUNG
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def _remove_rest(scratch: str) -> None:
    """Remove the control group of a run, and its folder unless it is to be kept or names places of mounts."""
    with suppress(OSError), open(f"{scratch}/{_GROUP}", "rb") as stream:
        remove(os.fsdecode(stream.read()))
    if os.path.exists(f"{scratch}/{_KEEP}"):
        return
    with suppress(OSError):
        for name in set(os.listdir(scratch)) - {_LOCK, _MADE}:  # without its lock it would look like a new one
            remove(f"{scratch}/{name}")
    if not os.path.exists(f"{scratch}/{_MADE}"):
        remove(scratch)


def _remove_made(scratch: str) -> None:
    """Remove the places of mounts that a run has created, the last first, if nothing is in them."""
    try:
        with open(f"{scratch}/{_MADE}", "rb") as stream:
            made = stream.read().split(b"\0")[:-1]
    except OSError:
        return
    for path in reversed(made):
        with suppress(OSError):
            if os.path.isdir(path):
                os.rmdir(path)
            elif os.stat(path).st_size == 0:
                os.remove(path)
    with suppress(OSError):
        os.remove(f"{scratch}/{_MADE}")


_CONTROLLERS = {"cpu", "memory"}
_PERIOD = 100_000
"""Microseconds over which the processor time is counted, as in Kubernetes."""


def group_place(proc: str = "/proc/self") -> tuple[str, str]:
    """The group in which a run can make its own, or an empty text and why there is none."""
    mounted = _mounted(proc)
    if mounted is None:
        return "", "this machine has no control groups of version 2"
    folder, path = mounted
    own = os.path.normpath(f"{folder}/{path}")
    why = "no control group passes cpu and memory on to its children"
    for candidate in ([os.path.dirname(own)] if own != folder else []) + [own]:
        if not set(_read(f"{candidate}/cgroup.subtree_control").split()) >= _CONTROLLERS:
            continue
        if os.access(candidate, os.W_OK) and os.access(f"{candidate}/cgroup.procs", os.W_OK):
            return candidate, ""
        why = "the control group belongs to somebody else"
    return "", why


class Group:
    """The group of a run, made in ``parent`` when the first limit is asked for."""

    def __init__(self, parent: str, name: str) -> None:
        self.path = f"{parent}/{name}"
        self._count = 0

    def limited(self, limits: dict[str, Any]) -> str | None:
        """A new group with limits, or ``None`` without any. Raises ``OSError``.

        A process that writes ``0`` into its ``cgroup.procs`` joins it.
        """
        cpu, memory = limits["cpu"], limits["memory"]
        if cpu is None and memory is None:
            return None
        if not os.path.isdir(self.path):
            os.mkdir(self.path)
            _write(f"{self.path}/cgroup.subtree_control", "+cpu +memory")
        self._count += 1
        group = f"{self.path}/{self._count}"
        os.mkdir(group)
        if cpu is not None:
            _write(f"{group}/cpu.max", f"{max(cpu * _PERIOD // 1000, 1000)} {_PERIOD}")
        if memory is not None:
            _write(f"{group}/memory.max", str(memory))
            with suppress(OSError):  # without swap; all processes end together when the memory is used up
                _write(f"{group}/memory.swap.max", "0")
                _write(f"{group}/memory.oom.group", "1")
        return group


def _mounted(proc: str) -> tuple[str, str] | None:
    """Where control groups are mounted, and the path of this process's own below that."""
    own = [line[3:] for line in _read(f"{proc}/cgroup").splitlines() if line.startswith("0::/")]
    for line in _read(f"{proc}/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        if own and after.startswith("cgroup2 "):
            root, folder = before.split(" ")[3:5]
            inside = own[0].startswith(f"{root.rstrip('/')}/")
            return folder, own[0][len(root.rstrip("/")) :].strip("/") if inside else ""
    return None


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read()
    except OSError:
        return ""


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as stream:
        stream.write(text)


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove(path: str) -> bool:
    """Remove what is at ``path``, as far as that is possible; whether nothing is left of it. Raises nothing."""
    with suppress(OSError):
        os.unlink(path)
    empty(path)
    with suppress(OSError):
        os.rmdir(path)
    return not os.path.lexists(path)


def empty(path: str) -> None:
    """Remove what is in the folder ``path``, as far as that is possible. Raises nothing."""
    with suppress(OSError):
        here = _opened(path, None)
        try:
            device, number = _identity(here)
            above: list[tuple[int, str, list[str]]] = []  # folders above: inode, name below, what is left to remove
            names = _folders_in(here)
            while names or above:
                if names:
                    name = names.pop()
                    below = None if _is_removed(name, here) else _entered(name, here, device)
                    if below is not None:
                        above.append((number, name, names))
                        os.close(here)
                        here = below
                        number, names = _identity(here)[1], _folders_in(here)
                    continue
                number, name, names = above.pop()
                up = os.open("..", _FOLDER, dir_fd=here)
                os.close(here)
                here = up
                if _identity(here) != (device, number):
                    return  # somebody has moved it
                _is_removed(name, here)
        finally:
            os.close(here)


def _is_removed(name: str, above: int) -> bool:
    """Remove a folder that is empty."""
    try:
        os.rmdir(name, dir_fd=above)
    except OSError:
        return False
    return True


def _folders_in(folder: int) -> list[str]:
    """The folders in a folder, when everything else in it is removed."""
    names: list[str] = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in list(entries):
            if entry.is_dir(follow_symlinks=False):
                names.append(entry.name)
                continue
            with suppress(OSError):
                os.unlink(entry.name, dir_fd=folder)
    return names


def _entered(name: str, above: int, device: int) -> int | None:
    """A folder in ``above``, unless it cannot be entered or is on another file system."""
    with suppress(OSError):
        folder = _opened(name, above)
        if _identity(folder)[0] == device:
            return folder
        os.close(folder)
    return None


def _opened(name: str, above: int | None) -> int:
    """Open a folder, and let its owner read and change it. Raises ``OSError``."""
    if hasattr(os, "O_PATH"):
        place = os.open(name, _FOLDER | os.O_PATH, dir_fd=above)
        try:
            if os.fstat(place).st_mode & 0o700 != 0o700:
                with suppress(OSError):
                    os.chmod(f"/proc/self/fd/{place}", 0o700)
        finally:
            os.close(place)
    return os.open(name, _FOLDER, dir_fd=above)


def _identity(folder: int) -> tuple[int, int]:
    status = os.fstat(folder)
    return status.st_dev, status.st_ino
