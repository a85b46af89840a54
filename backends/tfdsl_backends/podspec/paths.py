"""Paths inside a container begin at its root.

A mount's path is absolute on Kubernetes (language reference, "Mounts"): the kubelet would take a relative one from the
root, not from the working folder as YARN and Slider do. A relative working folder is refused by the container runtime
when it starts the process (runc: "Cwd must be an absolute path"), long after the API server has taken the pod.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.emit.located import child
from tfdsl.record import replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Unit
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.text import Span
    from tfdsl_backends.podspec.rules import PodRules

FETCHED: Final = ("hdfs", "archive")
"""Kinds of mounts that the support table refuses whatever their path."""


def check_paths(unit: Unit, rules: PodRules) -> Iterator[Diagnostic]:
    """An error for each relative path, once for all roles that inherit it."""
    told: set[Span] = set()
    for what, path, text in _paths(unit):
        span = unit.origins.span(path)
        if not text.startswith("/") and span not in told:
            told.add(span)
            found = rules.relative_path(span, what=what, path=text)
            whole = text.removeprefix("./").strip("./")
            advice = f"write /{whole}" if whole else "name the whole path, e.g. /app"
            yield replace(found.help(advice), target=unit.target)


def _paths(unit: Unit) -> Iterator[tuple[str, str, str]]:
    """What each path is, its place, and its text; run-time values are the support table's matter."""
    for role in unit.job.roles:
        for mount in role.mounts:
            if mount.kind not in FETCHED:
                yield "a mount", child(mount.path, "at"), mount.at
        if isinstance(role.workdir, str) and role.workdir:
            yield "workdir", child(role.path, "workdir"), role.workdir
