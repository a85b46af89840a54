"""Limits of cpu and memory, by control groups (version 2).

The groups of a run are beside that of tfdsl, in one that passes the controllers on: that of a user's service manager,
or any as root. Nothing that runs already is moved, and no setting of a group that exists is changed.
"""

from __future__ import annotations

import os
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CONTROLLERS = {"cpu", "memory"}
_PERIOD = 100_000
"""Microseconds over which the processor time is counted, as in Kubernetes."""


def place(proc: str = "/proc/self") -> tuple[str, str]:
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
