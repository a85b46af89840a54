"""Removing a folder, whatever a hostile program has put into it.

Folders may be nested deeper than the stack of Python, the longest path or the limit of open files reach; they may be
closed to their owner, or be links to somewhere else. So it goes from folder to folder by descriptors, of which it has
three at most, and follows no link.
"""

from __future__ import annotations

import os
from contextlib import suppress

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
    found = os.fstat(folder)
    return found.st_dev, found.st_ino
