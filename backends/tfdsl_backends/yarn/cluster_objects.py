"""What YARN has for a job: the applications that ``submit.sh`` submits, which is one unless the roles need several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfdsl.backend import Document, TargetObject, Unit
from tfdsl_backends.yarn.applications import Application, Size, applications
from tfdsl_backends.yarn.submission import appname


def objects(unit: Unit, documents: Sequence[Document]) -> list[TargetObject]:
    """The applications, and the files that submit them."""
    files = tuple(one.file for one in documents if one.file is not None)
    found = applications(unit)
    if len(found) == 1:
        return [_application(appname(unit, found[0]), found[0], "", files)]
    whole = TargetObject("YARN applications", unit.job.name, lines=files)
    return [whole, *(_application(appname(unit, one), one, one.name, ()) for one in found)]


def _application(name: str, one: Application, role: str, files: tuple[str, ...]) -> TargetObject:
    containers = "1 container" if one.containers == 1 else f"{one.containers:,} containers"
    return TargetObject("YARN application", name, role, (containers, *_size(one.size), *files))


def _size(size: Size) -> Iterator[str]:
    others = "".join(f", {count} {name}" for name, count in size.others)
    yield f"{size.memory} MB, {size.vcores} vcores{others}"
