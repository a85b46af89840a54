"""Which folder of this machine is what a job mounts."""

from __future__ import annotations

import os

_ESCAPES = {"\\040": " ", "\\011": "\t", "\\012": "\n", "\\134": "\\"}


def nfs_folder(server: str, share: str, mountinfo: str = "/proc/self/mountinfo") -> str | None:
    """Where this machine has mounted an NFS export, or what it is in."""
    try:
        with open(mountinfo, encoding="utf-8", errors="surrogateescape") as stream:
            lines = stream.read().splitlines()
    except OSError:
        return None
    best: tuple[int, str] | None = None
    for line in lines:
        before, _, after = line.partition(" - ")
        kind, source, *_ = after.split(" ")
        host, _, export = _unescaped(source).rpartition(":")
        export = export.rstrip("/")
        inside = share == export or share.startswith(f"{export}/")
        if kind in ("nfs", "nfs4") and host == server and inside and (best is None or len(export) > best[0]):
            best = len(export), _unescaped(before.split(" ")[4]) + share[len(export) :]
    return None if best is None else best[1]


def _unescaped(text: str) -> str:
    for escape, character in _ESCAPES.items():
        text = text.replace(escape, character)
    return text


def leads_to(path: str, source: str) -> bool:
    """Whether ``path`` is ``source`` already."""
    try:
        return os.path.samefile(path, source)
    except OSError:
        return False


def plain(text: str) -> str:
    """``text`` as a part of the name of a folder of this run, for people who look into it."""
    return "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "_" for char in text)[-60:]
