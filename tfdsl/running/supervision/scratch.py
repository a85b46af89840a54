"""The scratch folder of a run, and everything else on this machine that has to go when the run has ended.

A run that was killed together with its supervisor leaves its folder behind; a later run of the same user removes it.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from contextlib import suppress

from tfdsl.running.supervision import cgroups
from tfdsl.running.supervision.removal import remove

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

    def group(self) -> cgroups.Group | None:
        """The control group of the run, where one can be made."""
        parent, _ = cgroups.place()
        if not parent:
            return None
        group = cgroups.Group(parent, os.path.basename(self.path))
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
                    found = os.lstat(path)
                    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid():
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
