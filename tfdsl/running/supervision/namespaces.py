"""Namespaces of the kernel for a run: of processes, so that they end together, and of mounts.

Whoever is not root needs a user namespace for both, which containers, AppArmor and settings of the kernel can deny:
:func:`permitted` tries everything in a process of its own before anything depends on it.

A replica sees as its :class:`Root` a tmpfs with the top folders of this machine, and the mounts of the job. Nothing is
created on this machine that stays, but for what a cluster would create too: the place of a mount inside of another
mount.

The calls of the Linux kernel that Python does not have go through ctypes. Each raises ``OSError``.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, NoReturn


IS_LINUX: Final = sys.platform.startswith("linux")

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36

CLONE_NEWNS: Final = 0x00020000
CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWPID: Final = 0x20000000

MS_RDONLY: Final = 1
MS_NOSUID: Final = 2
MS_NODEV: Final = 4
MS_NOEXEC: Final = 8
MS_REMOUNT: Final = 32
MS_NOATIME: Final = 1024
MS_NODIRATIME: Final = 2048
MS_BIND: Final = 4096
MS_REC: Final = 16384
MS_UNBINDABLE: Final = 1 << 17
MS_PRIVATE: Final = 1 << 18
MS_RELATIME: Final = 1 << 21
_MNT_DETACH: Final = 2

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends."""
    _checked(_libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "PR_SET_CHILD_SUBREAPER")


def end_with_parent(number: int) -> None:
    """Get the signal ``number`` when the parent ends; it must be asked for again after a change of rights."""
    _checked(_libc.prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0), "PR_SET_PDEATHSIG")


def unshare(flags: int) -> None:
    """Leave the namespaces that ``flags`` name for new ones."""
    _checked(_libc.unshare(flags), "unshare")


def enter(descriptor: int, kind: int) -> None:
    """Enter the namespace of an open ``/proc/PID/ns/…``."""
    _checked(_libc.setns(descriptor, kind), "setns")


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """The system call ``mount(2)``; raises ``OSError``."""
    result = _libc.mount(
        os.fsencode(source),
        os.fsencode(target),
        None if kind is None else kind.encode(),
        ctypes.c_ulong(flags),
        options.encode() if options else None,
    )
    _checked(result, target)


def detach(target: str) -> None:
    """Take away the mount at ``target``, now from sight and with its last user in fact."""
    _checked(_libc.umount2(os.fsencode(target), _MNT_DETACH), target)


def pivot_root(new: str, old: str) -> None:
    """Make ``new`` the root of this process, and put the old one at ``old``."""
    _checked(_libc.pivot_root(os.fsencode(new), os.fsencode(old)), new)


_SIZE_OF_ROOT = "64m"
"""Of the tmpfs: a program that fills the root would fill the memory."""

_MOST_LINKS = 40
_MOST_ENTRIES = 4096
_KEPT_FLAGS = (
    ("ST_NOSUID", MS_NOSUID),
    ("ST_NODEV", MS_NODEV),
    ("ST_NOEXEC", MS_NOEXEC),
    ("ST_NOATIME", MS_NOATIME),
    ("ST_NODIRATIME", MS_NODIRATIME),
    ("ST_RELATIME", MS_RELATIME),
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
        self._mount_tmpfs(self._folder, f"mode=755,size={_SIZE_OF_ROOT}")
        mount("none", self._folder, None, MS_UNBINDABLE)  # or /tmp would show it within itself
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
        pivot_root(".", ".")
        detach(".")
        os.chdir("/")

    # --- the mounts of the job ---

    def _place(self, at: str, source: str, *, readonly: bool = False, **_: object) -> None:
        """Mount ``source`` at the path ``at`` of the new root."""
        is_folder = os.path.isdir(source)
        target = self._target(at, is_folder=is_folder)
        if os.path.isdir(target) != is_folder:
            number = 20 if is_folder else 21  # ENOTDIR, EISDIR
            raise OSError(number, f"cannot mount {'a folder' if is_folder else 'a file'} there", at)
        mount(source, target, None, MS_BIND | MS_REC)
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
            self._mount_tmpfs(folder, f"mode={mode:o},size={_SIZE_OF_ROOT}")
            for name in names:
                with suppress(OSError):
                    _show(f"/proc/self/fd/{below}/{name}", folder)
        finally:
            os.close(below)
        if not is_open:
            self._shut.append(folder)

    def _mount_tmpfs(self, at: str, options: str) -> None:
        mount("tmpfs", at, "tmpfs", MS_NOSUID | MS_NODEV, options)
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
        mount("proc", at, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    except PermissionError:
        if at != "/proc":
            mount("/proc", at, None, MS_BIND | MS_REC)


def mount_memory(at: str, size: int) -> None:
    """A tmpfs of ``size`` bytes."""
    mount("tmpfs", at, "tmpfs", MS_NOSUID | MS_NODEV, f"mode=1777,size={size}")


def _show(path: str, folder: str) -> None:
    """Show what is at ``path`` under the same name in ``folder``."""
    shown = f"{folder}/{os.path.basename(path)}"
    kind = os.lstat(path).st_mode
    if stat.S_ISLNK(kind):
        os.symlink(os.readlink(path), shown)
        return
    _make(shown, is_folder=stat.S_ISDIR(kind))
    try:
        mount(path, shown, None, MS_BIND | MS_REC)
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
    mount("none", path, None, MS_REMOUNT | MS_BIND | MS_RDONLY | kept)


_SETTINGS = (
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor restricts user namespaces"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "user namespaces are for root only"),
    ("/proc/sys/user/max_user_namespaces", "0", "user namespaces are turned off"),
    ("/proc/sys/user/max_mnt_namespaces", "0", "mount namespaces are turned off"),
    ("/proc/sys/user/max_pid_namespaces", "0", "process namespaces are turned off"),
)
"""Settings that deny namespaces: the file, the value, and what it means."""


def permitted(folder: str) -> tuple[bool, str]:
    """Whether the namespaces of a run need a user namespace, and why there are none; else empty.

    Each is tried. ``folder``: any, at which a root is mounted where nobody else sees it.
    """
    if not IS_LINUX:
        return False, f"{sys.platform} has no namespaces"
    denied = ""
    for user in (False, True) if os.geteuid() == 0 else (True,):
        denied = _tried(folder, user=user)
        if not denied:
            return user, ""
    return True, _explained(denied)


def separate_processes(*, user: bool) -> None:
    """Let the next child of this process be the first of a process namespace; ``user``: in a new user namespace."""
    uid, gid = os.geteuid(), os.getegid()
    unshare(CLONE_NEWPID | (CLONE_NEWUSER if user else 0))
    if user:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{uid} {uid} 1")
        _write("/proc/self/gid_map", f"{gid} {gid} 1")


def separate_mounts() -> None:
    """Keep what this process mounts from everybody else."""
    unshare(CLONE_NEWNS)
    mount("none", "/", None, MS_REC | MS_PRIVATE)


class Nested:
    """The process namespaces of replicas, below that of the supervisor, which makes this object."""

    def __init__(self) -> None:
        self._own = os.open("/proc/self/ns/pid", os.O_RDONLY)

    def renew(self) -> None:
        """Let the next child be the first process of a new namespace."""
        enter(self._own, CLONE_NEWPID)
        unshare(CLONE_NEWPID)


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


# --- the trial -----------------------------------------------------------------------------------------------------


def _tried(folder: str, *, user: bool) -> str:
    """What fails in the way from here to the command of a replica; empty if nothing does."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _try(folder, writing, user=user)
    os.close(writing)
    with open(reading, "rb") as stream:
        problem = stream.read().decode(errors="replace")
    _, status = os.waitpid(pid, 0)
    return problem or ("" if status == 0 else "the trial was killed")


def _try(folder: str, failure: int, *, user: bool) -> NoReturn:
    """The steps of the supervisor, and then those of a keeper."""
    try:
        separate_processes(user=user)
        pid = os.fork()
        if pid == 0:
            separate_mounts()
            Nested().renew()
            inner = os.fork()
            if inner == 0:
                separate_mounts()
                Root(folder, "/").enter([{"at": "/tfdsl", "source": "/proc", "readonly": True}])
                os._exit(0)
            pid = inner
        _, status = os.waitpid(pid, 0)
        if os.WIFSIGNALED(status):
            os._exit(1)
    except OSError as error:
        where = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        os.write(failure, f"{where}{error.strerror}".encode(errors="replace"))
    finally:
        os._exit(0)


def _explained(problem: str) -> str:
    """The setting that denies namespaces if there is one, else what the kernel said."""
    for path, value, meaning in _SETTINGS:
        try:
            with open(path, encoding="ascii") as stream:
                if stream.read().strip() == value:
                    return f"{meaning} ({path.removeprefix('/proc/sys/').replace('/', '.')} = {value})"
        except OSError:
            continue
    return problem
