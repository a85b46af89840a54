"""Checks of mounts, outputs and files that are sent along."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tfdsl.emit.located import child
from tfdsl.ir.model import ArchiveMount, HostMount, RunTimeText
from tfdsl_backends.slider import rules
from tfdsl_backends.slider.file_data import REMOTE, files
from tfdsl_backends.slider.file_support import KUBERNETES_MOUNTS
from tfdsl_backends.slider.options import in_docker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Unit
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.ir.model import BaseMount, Output, Role, Text

OURS: Final = re.compile(r"(?:archives|job\.json|server\.py|\.mounts|\.outputs)(?:/|\Z)")
"""Names that the package's files and the work folder have already."""


def check_files(unit: Unit) -> Iterator[Diagnostic]:
    """The ``files`` option: every file has a name of its own in the work folder."""
    span = unit.option_spans.get("files", unit.origins.job)
    names: set[str] = set()
    for source, name in files(unit):
        if not name or "\0" in source:
            yield rules.BAD_FILE(span, name=source)
        elif name in names or OURS.match(name):
            yield rules.SAME_FILE(span, name=name).help("rename one of them")
        names.add(name)


def check_mounts(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    """Places of links, paths that docker can mount, archives that can be sent."""
    for mount in role.mounts:
        span = unit.origins.span(mount.path)
        if not mount.at.startswith("/") and not _is_safe(mount):
            yield rules.UNSAFE_PATH(span, at=mount.at)
        if isinstance(mount, HostMount):
            source = mount.source if isinstance(mount.source, str) else ""
            if in_docker(unit, role):
                for path in (source, mount.at):
                    if ":" in path:
                        yield rules.DOCKER_PATH(span, path=path)
        if isinstance(mount, ArchiveMount) and _begins_unknown(mount.source):
            yield rules.ARCHIVE_SOURCE(span, source=_shown(mount.source)).help("begin with hdfs:// or name the file")


def check_nesting(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    """Nothing is made inside a folder of the node, which is only a link in the work folder."""
    hosts = [mount for mount in role.mounts if isinstance(mount, HostMount) and not mount.at.startswith("/")]
    for mount in role.mounts:
        for outer in hosts:
            if _within(mount.at, outer.at):
                found = rules.MOUNT_INSIDE(
                    unit.origins.span(mount.path), at=mount.at, source=_shown(outer.source), outer=outer.at
                )
                yield found.help(f"mount it at a path outside of {outer.at}")


def check_outputs(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    """Destinations are durable: HDFS, or a folder of the node that is mounted."""
    # A Kubernetes mount is refused itself, which is reason enough.
    hosts = [
        mount.at
        for mount in role.mounts
        if (isinstance(mount, HostMount) and not mount.readonly) or mount.kind in KUBERNETES_MOUNTS
    ]
    for output in role.outputs:
        begin = _literal_begin(output.destination)
        if not begin.startswith("hdfs://") and not any(_within(begin, at) for at in hosts):
            yield _place(unit, role, output)


def _place(unit: Unit, role: Role, output: Output) -> Diagnostic:
    span = unit.origins.span(child(output.path, "destination"))
    found = rules.OUTPUT_PLACE(span, destination=_shown(output.destination), role=role.name)
    return found.help('mount host "/shared/runs" at "/shared/runs" and write below it, or name an hdfs:// URI')


def _is_safe(mount: BaseMount) -> bool:
    parts = mount.at.split("/")
    if mount.at == ".":
        return isinstance(mount, ArchiveMount)
    return bool(mount.at) and not {"", ".", "..", "~"} & set(parts) and not OURS.match(mount.at)


def _within(path: str, at: str) -> bool:
    return path.startswith(at + "/") and len(path) > len(at) + 1


def _literal_begin(text: Text) -> str:
    if isinstance(text, str):
        return text
    first = text.parts[0] if text.parts else ""
    return first if isinstance(first, str) else ""


def _begins_unknown(source: Text) -> bool:
    return isinstance(source, RunTimeText) and not _literal_begin(source).startswith(REMOTE)


def _shown(text: Text) -> str:
    if isinstance(text, str):
        return text
    return "".join(part if isinstance(part, str) else "${…}" for part in text.parts)
