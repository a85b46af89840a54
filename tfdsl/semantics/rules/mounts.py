"""Mounts of one role that meet (language reference, "Statements": mount)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import value_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.semantics import resolved


def check(job: resolved.Job, report: Callable[[Diagnostic], None]) -> None:
    """``shm`` counts as a mount at /dev/shm."""
    for role in job.roles:
        if "shm" not in role.settings:
            continue
        for mount in role.mounts:
            if mount.at == "/dev/shm":
                found = value_rules.SHM_TWICE(mount.at_span, role=role.name)
                report(found.note(role.settings["shm"].key, "shm is set here"))
