"""Archives: which are files of the submitter that have to be sent, and how they are packed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl_backends.yarn.words import head, tail

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.model import Text

SUFFIXES = (".tar.gz", ".tgz", ".tar", ".zip")


def archive_suffix(source: Text) -> str:
    """The ending that says how ``source`` is packed; empty for an unknown one."""
    return next((suffix for suffix in SUFFIXES if tail(source).endswith(suffix)), "")


def is_sent(source: Text) -> bool:
    """Whether ``source`` is a file of the submitter, not a URI that the task fetches."""
    return "://" not in head(source)


def sent_archives(unit: Unit) -> dict[str, str]:
    """File of the submitter -> the name under which the task finds it, in order of first use."""
    found: dict[str, str] = {}
    for role in unit.job.roles:
        for mount in role.mounts:
            if mount.kind == "archive" and isinstance(mount.source, str) and is_sent(mount.source):
                found.setdefault(mount.source, f"tfjob-{len(found) + 1}{archive_suffix(mount.source)}")
    return found
