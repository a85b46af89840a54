"""The parts of job.json about files: mounts, outputs, files that are sent along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.emit.located import Located, child
from tfdsl.ir.model import ArchiveMount, HdfsMount, HostMount, MemoryMount, ScratchMount
from tfdsl_backends.slider.options import in_docker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tfdsl.backend import Unit
    from tfdsl.emit.located import Data
    from tfdsl.ir.model import BaseMount, Role, Text

    TextData = Callable[[Text], Data]

REMOTE = ("hdfs://", "http://", "https://", "viewfs://", "webhdfs://", "s3a://", "file://")
"""Sources of archives that the node fetches; anything else is a file that is sent along."""


def files(unit: Unit) -> list[tuple[str, str]]:
    """Files of the ``files`` option: the source, and the name in the work folder."""
    return [(source, last_name(source)) for source in unit.texts("files")]


def last_name(path: str) -> str:
    """The last part of a path; empty for ``/``, ``.`` and ``..``."""
    name = path.rstrip("/").rpartition("/")[2]
    return "" if name in (".", "..") else name


def sent_archives(unit: Unit) -> dict[str, str]:
    """Local archives of all roles, each once: the source, and its place in the package's files."""
    found: dict[str, str] = {}
    for role in unit.job.roles:
        for mount in role.mounts:
            if isinstance(mount, ArchiveMount) and is_sent(mount):
                source = str(mount.source)
                found.setdefault(source, f"archives/{len(found)}/{last_name(source)}")
    return found


def is_sent(mount: ArchiveMount) -> bool:
    """Whether the archive is a local file, which submit.sh puts into the package."""
    return isinstance(mount.source, str) and not mount.source.startswith(REMOTE)


def mounts(unit: Unit, role: Role, text: TextData) -> list[Data]:
    """The mounts that the script makes, in order."""
    sent = sent_archives(unit)
    return [Located({**entry}, mount.path) for mount in role.mounts for entry in _mount(mount, sent, text)]


def _mount(mount: BaseMount, sent: dict[str, str], text: TextData) -> Iterator[dict[str, Data]]:
    base: dict[str, Data] = {"kind": getattr(mount, "kind", ""), "at": mount.at, "readonly": mount.readonly}
    match mount:
        case HostMount():
            yield {**base, "source": text(mount.source), "type": mount.type}
        case HdfsMount():
            yield {**base, "source": text(mount.uri)}
        case ArchiveMount() if is_sent(mount):
            yield {**base, "file": sent[str(mount.source)]}
        case ArchiveMount():
            yield {**base, "source": text(mount.source)}
        case ScratchMount():
            yield base
        case MemoryMount():
            yield {**base, "size": mount.size.whole}
        case _:
            return  # a Kubernetes mount, which the table has refused


def outputs(role: Role, text: TextData) -> list[Data]:
    """The copies that the script makes when the command has ended."""
    return [
        Located(
            {
                "source": Located(text(output.source), child(output.path, "source")),
                "destination": Located(text(output.destination), child(output.path, "destination")),
                "when": output.when,
                "index": -1 if output.index is None else output.index,
                "overwrite": output.overwrite,
            },
            output.path,
        )
        for output in role.outputs
    ]


def work_folder(unit: Unit, role: Role) -> bool:
    """Whether a docker role starts in the task's work folder, because something of the job lies there."""
    relative = any(not mount.at.startswith("/") for mount in role.mounts)
    return in_docker(unit, role) and role.workdir is None and (relative or bool(unit.texts("files")))
