"""What a replica sees as the root: a tmpfs with the top folders of this machine, and the mounts of the job.

Nothing is created on this machine that stays, but for what a cluster would create too: the place of a mount inside of
another mount.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from tfdsl.running.supervision import kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SIZE = "64m"
"""Of the tmpfs: a program that fills the root would fill the memory."""

_MOST_LINKS = 40
_MOST_ENTRIES = 4096
_KEPT_FLAGS = (
    ("ST_NOSUID", kernel.MS_NOSUID),
    ("ST_NODEV", kernel.MS_NODEV),
    ("ST_NOEXEC", kernel.MS_NOEXEC),
    ("ST_NOATIME", kernel.MS_NOATIME),
    ("ST_NODIRATIME", kernel.MS_NODIRATIME),
    ("ST_RELATIME", kernel.MS_RELATIME),
)
"""Flags of a mount that a user namespace has to keep when it makes the mount read-only; not all systems have them."""


class Root:
    """The root of one replica, made at ``folder``, an empty one; ``cwd`` is where its command will be.

    ``made``: a file that gets the path of each folder that is created on this machine and has to go at the end.
    """

    def __init__(self, folder: str, cwd: str, made: str | None = None) -> None:
        self._folder = folder
        self._cwd = os.path.realpath(cwd)
        self._made = made
        self._placed: list[str] = []
        self._own: set[int] = set()
        self._shut: list[str] = []

    def enter(self, mounts: list[dict[str, Any]]) -> None:
        """Make it the root of this process, which has mounts of its own. Raises ``OSError``."""
        self._mount_tmpfs(self._folder, f"mode=755,size={_SIZE}")
        kernel.mount("none", self._folder, None, kernel.MS_UNBINDABLE)  # or /tmp would show it within itself
        for entry in os.scandir("/"):
            if entry.name == "proc":
                mount_proc(f"{self._folder}/proc")
            else:
                with suppress(OSError):  # one that cannot be shown is not missed by most
                    _show(entry.path, self._folder)
        for mounted in in_order(mounts, self._cwd):
            self._place(**mounted)
        for path in self._shut:
            _make_readonly(path)
        os.chdir(self._folder)
        kernel.pivot_root(".", ".")
        kernel.detach(".")
        os.chdir("/")

    # --- the mounts of the job ---

    def _place(self, at: str, source: str, *, readonly: bool = False, **_: object) -> None:
        """Mount ``source`` at the path ``at`` of the new root."""
        is_folder = os.path.isdir(source)
        target = self._target(at, is_folder=is_folder)
        if os.path.isdir(target) != is_folder:
            number = 20 if is_folder else 21  # ENOTDIR, EISDIR
            raise OSError(number, f"cannot mount {'a folder' if is_folder else 'a file'} there", at)
        kernel.mount(source, target, None, kernel.MS_BIND | kernel.MS_REC)
        if readonly:
            _make_readonly(target)
        self._placed.append(target)

    def _target(self, at: str, *, is_folder: bool) -> str:
        """Where ``at`` leads within the new root, created if it is missing."""
        here, steps, links = self._folder, at.strip("/").split("/"), 0
        while steps:
            step = steps.pop(0)
            if step in ("", "."):
                continue
            if step == "..":
                here = os.path.dirname(here) if here != self._folder else here
                continue
            path = f"{here}/{step}"
            if os.path.islink(path):
                links += 1
                if links > _MOST_LINKS:
                    raise OSError(40, os.strerror(40), at)  # ELOOP
                to = os.readlink(path)
                here = self._folder if to.startswith("/") else here
                steps = to.strip("/").split("/") + steps
                continue
            if not os.path.lexists(path):
                self._create(here, step, is_folder=is_folder or any(steps))
            here = path
        return here

    def _create(self, folder: str, name: str, *, is_folder: bool) -> None:
        """Create the place of a mount in a folder of the new root."""
        path = f"{folder}/{name}"
        if os.stat(folder).st_dev in self._own:
            _make(path, is_folder=is_folder)
        elif any(folder == one or folder.startswith(f"{one}/") for one in self._placed):
            try:
                _make(path, is_folder=is_folder)  # as on a cluster, and it stays there
            except OSError:
                self._shadow(folder)
                _make(path, is_folder=is_folder)
        elif self._is_worked_in(folder) and self._made is not None:
            with open(self._made, "ab") as stream:
                stream.write(os.fsencode(path.removeprefix(self._folder)) + b"\0")
            with suppress(FileExistsError):  # another replica was faster
                _make(path, is_folder=is_folder)
        else:
            self._shadow(folder)
            _make(path, is_folder=is_folder)

    def _is_worked_in(self, folder: str) -> bool:
        """Whether files that the command creates in ``folder`` have to stay: that of the user, not of the system."""
        seen = folder.removeprefix(self._folder)
        inside = self._cwd != "/" and f"{seen}/".startswith(f"{self._cwd}/")
        public = bool(os.stat(folder).st_mode & stat.S_ISVTX)
        return (inside or public or os.geteuid() != 0) and os.access(folder, os.W_OK)

    def _shadow(self, folder: str) -> None:
        """Hide a folder that nothing can be created in under a tmpfs with the same entries."""
        mode, is_open = stat.S_IMODE(os.stat(folder).st_mode), os.access(folder, os.W_OK)
        below = os.open(folder, os.O_PATH | os.O_DIRECTORY)
        try:
            names = os.listdir(folder)
            if len(names) > _MOST_ENTRIES:
                raise OSError(28, f"has {len(names)} entries, too many to mount something beside them", folder)
            self._mount_tmpfs(folder, f"mode={mode:o},size={_SIZE}")
            for name in names:
                with suppress(OSError):
                    _show(f"/proc/self/fd/{below}/{name}", folder)
        finally:
            os.close(below)
        if not is_open:
            self._shut.append(folder)

    def _mount_tmpfs(self, at: str, options: str) -> None:
        kernel.mount("tmpfs", at, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)
        self._own.add(os.stat(at).st_dev)


def in_order(mounts: list[dict[str, Any]], cwd: str) -> list[dict[str, Any]]:
    """The mounts with absolute paths, those that others are in first."""
    absolute = [mounted | {"at": os.path.normpath(os.path.join(cwd, mounted["at"]))} for mounted in mounts]
    return sorted(absolute, key=lambda mounted: str(mounted["at"]).count("/"))


def mount_proc(at: str) -> None:
    """Show the processes of this process's namespace; in a container, which may deny that, all that there are."""
    if not os.path.isdir(at):
        os.mkdir(at)
    try:
        kernel.mount("proc", at, "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    except PermissionError:
        if at != "/proc":
            kernel.mount("/proc", at, None, kernel.MS_BIND | kernel.MS_REC)


def mount_memory(at: str, size: int) -> None:
    """A tmpfs of ``size`` bytes."""
    kernel.mount("tmpfs", at, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, f"mode=1777,size={size}")


def _show(path: str, folder: str) -> None:
    """Show what is at ``path`` under the same name in ``folder``."""
    shown = f"{folder}/{os.path.basename(path)}"
    kind = os.lstat(path).st_mode
    if stat.S_ISLNK(kind):
        os.symlink(os.readlink(path), shown)
        return
    _make(shown, is_folder=stat.S_ISDIR(kind))
    try:
        kernel.mount(path, shown, None, kernel.MS_BIND | kernel.MS_REC)
    except OSError:
        os.rmdir(shown) if stat.S_ISDIR(kind) else os.remove(shown)
        raise


def _make(path: str, *, is_folder: bool) -> None:
    if is_folder:
        os.mkdir(path)
    else:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))


def _make_readonly(path: str) -> None:
    flags = os.statvfs(path).f_flag
    kept = sum(flag for name, flag in _KEPT_FLAGS if flags & getattr(os, name, 0))
    kernel.mount("none", path, None, kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | kept)
