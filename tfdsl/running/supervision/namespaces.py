"""Namespaces of the kernel for a run: of processes, so that they end together, and of mounts.

Whoever is not root needs a user namespace for both, which containers, AppArmor and settings of the kernel can deny:
:func:`permitted` tries everything in a process of its own before anything depends on it.
"""

from __future__ import annotations

import os
import signal
import sys

from tfdsl.running.supervision import kernel, root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_SETTINGS = (
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor restricts user namespaces"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "user namespaces are for root only"),
    ("/proc/sys/user/max_user_namespaces", "0", "user namespaces are turned off"),
    ("/proc/sys/user/max_mnt_namespaces", "0", "mount namespaces are turned off"),
    ("/proc/sys/user/max_pid_namespaces", "0", "process namespaces are turned off"),
)
"""Settings that deny namespaces: the file, the value, and what it means."""


class Permission:
    """What the kernel lets this process do. ``denied``: why there are no namespaces; else empty."""

    def __init__(self, *, user: bool, denied: str) -> None:
        self.user = user
        self.denied = denied


def permitted(folder: str) -> Permission:
    """Try the namespaces of a run; ``folder``: any, at which a root is mounted where nobody else sees it."""
    if not kernel.IS_LINUX:
        return Permission(user=False, denied=f"{sys.platform} has no namespaces")
    denied = ""
    for user in (False, True) if os.geteuid() == 0 else (True,):
        denied = _tried(folder, user=user)
        if not denied:
            return Permission(user=user, denied="")
    return Permission(user=True, denied=_explained(denied))


def separate_processes(*, user: bool) -> None:
    """Let the next child of this process be the first of a process namespace; ``user``: in a new user namespace."""
    uid, gid = os.geteuid(), os.getegid()
    kernel.unshare(kernel.CLONE_NEWPID | (kernel.CLONE_NEWUSER if user else 0))
    if user:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{uid} {uid} 1")
        _write("/proc/self/gid_map", f"{gid} {gid} 1")


def separate_mounts() -> None:
    """Keep what this process mounts from everybody else."""
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)


class Nested:
    """The process namespaces of replicas, below that of the supervisor, which makes this object."""

    def __init__(self) -> None:
        self._own = os.open("/proc/self/ns/pid", os.O_RDONLY)

    def renew(self) -> None:
        """Let the next child be the first process of a new namespace."""
        kernel.enter(self._own, kernel.CLONE_NEWPID)
        kernel.unshare(kernel.CLONE_NEWPID)


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
                mounted = {"at": "/tfdsl", "source": "/proc", "readonly": True}
                root.Root(folder, "/").enter([mounted])
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


def die_with_parent() -> None:
    """Be killed when the parent is."""
    kernel.end_with_parent(signal.SIGKILL)
