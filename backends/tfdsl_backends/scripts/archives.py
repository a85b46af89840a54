"""Archives: which ones are the submitter's own files, and how they are packed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tfdsl.ir.model import Job, Text
from tfdsl_backends.scripts.texts import head, tail

SUFFIXES: Final = (".tar.gz", ".tgz", ".tar", ".zip")


def archive_suffix(source: Text) -> str:
    """The suffix that says how ``source`` is packed; empty if it is unknown."""
    return next((suffix for suffix in SUFFIXES if tail(source).endswith(suffix)), "")


def is_sent(source: Text) -> bool:
    """Whether ``source`` is a file of the submitter, not a URI that the task fetches."""
    return "://" not in head(source)


def sent_archives(job: Job, name: Callable[[int, str], str]) -> dict[str, str]:
    """The submitter's archives in order of first use: source → ``name(how many come before it, source)``."""
    names: dict[str, str] = {}
    for role in job.roles:
        for mount in role.mounts:
            if mount.kind == "archive" and isinstance(mount.source, str) and is_sent(mount.source):
                names.setdefault(mount.source, name(len(names), mount.source))
    return names
