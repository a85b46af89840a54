"""Calls of the Linux kernel that Python does not have, by ctypes. Each raises ``OSError``."""

from __future__ import annotations

import ctypes
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

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
    """``mount(2)``."""
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
