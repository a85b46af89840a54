"""Mounts and outputs: their paths, sources and destinations (language reference, "Statements")."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics import value_rules
from tfdsl.diagnostics.suggest import listing
from tfdsl.patterns import regex
from tfdsl.rules.broken import Broken, Place
from tfdsl.rules.policies import replica
from tfdsl.rules.values import UNKNOWN, has_index, pattern_of, quoted
from tfdsl.vocabulary import statements
from tfdsl.vocabulary.attributes import IN_MEMORY, IN_MEMORY_AT

if TYPE_CHECKING:
    from tfdsl.rules.protocols import Mount, Output, Role


_CONTROL = regex("[\0-\x1f\x7f]")


def path(at: str) -> Broken | None:
    """Whether something can be mounted at ``at``; the target decides whether relative paths are allowed."""
    problem = _path_problem(at)
    return None if problem is None else Broken(value_rules.MOUNT_PATH, (), {"path": f'"{at}"', "problem": problem})


def _path_problem(at: str) -> str | None:
    if not at:
        return "the path is empty"
    if _CONTROL.search(at):
        return "it contains a control character"
    if at.strip("/") == "":
        return "it would hide the whole file system"
    if ".." in at.split("/"):
        return ".. is not allowed in it"
    if at.startswith("~"):
        return "~ is not expanded in containers"
    if ":" in at:
        return "Kubernetes and Docker do not allow : in a mount path"
    return None


def source(kind: str, text: object) -> Broken | None:
    """The source of a mount, as written after the kind; anything that is not a text is not checked."""
    pattern = pattern_of(text)
    if pattern is None:
        return None
    problem = _source_problem(kind, pattern)
    if problem is not None:
        return _source(kind, problem)
    if kind == "archive" and not pattern.lower().endswith((*statements.ARCHIVE_ENDINGS, UNKNOWN)):
        return Broken(value_rules.ARCHIVE_ENDING, (), {"given": quoted(text)})
    return None


def _source_problem(kind: str, pattern: str) -> str | None:
    if kind == "host":
        if not pattern.startswith(("/", UNKNOWN)):
            return "needs an absolute path on the node"
        if ".." in pattern.split("/"):
            return "cannot have .. in its path"
    if kind == "nfs":
        server, colon, share = pattern.partition(":")
        if not colon or not server or UNKNOWN in server or not share.startswith("/"):
            return 'needs "server:/path"'
    if kind == "hdfs" and "://" not in pattern and not pattern.startswith(("/", UNKNOWN)):
        return "needs a URI such as hdfs:///data/mnist"
    return None


def inside(kind: str, text: object) -> Broken | None:
    """``sub_path`` and the file names of ``items`` must stay inside the volume (Kubernetes, validation of volumes)."""
    pattern = pattern_of(text)
    if pattern is not None and (pattern.startswith("/") or ".." in pattern.split("/")):
        return _source(kind, "needs a relative path without .. here")
    return None


def access_modes(modes: Sequence[object]) -> Broken | None:
    """The access modes of a claim (Kubernetes, validation of PersistentVolumeClaims)."""
    if not modes:
        return _source("claim", "needs at least one access mode")
    if "ReadWriteOncePod" in modes and len(modes) > 1:
        return _source("claim", "cannot combine ReadWriteOncePod with other access modes")
    return None


def _source(kind: str, problem: str) -> Broken:
    return Broken(value_rules.MOUNT_SOURCE, (), {"kind": kind, "problem": problem})


def apart(role: str, mounts: Sequence[Mount]) -> Iterator[Broken]:
    """A role cannot have two mounts at the same path."""
    first: dict[str, int] = {}
    for at, mount in enumerate(mounts):
        before = first.setdefault(mount.at, at)
        if before != at:
            yield twice(role, mount.at, (at, "at"), (before, "at"))


def twice(role: str, path: str, place: Place, before: Place) -> Broken:
    """A role has two mounts at the same path."""
    broken = Broken(value_rules.DUPLICATE_MOUNT_PATH, place, {"role": role, "path": path})
    broken = broken.note(before, "first mounted here").marked("mounted again here")
    return broken.help("give one of them another path")


def in_memory(role: Role) -> Iterator[Broken]:
    """An attribute that mounts memory leaves no place for another mount there."""
    for at, mount in enumerate(role.mounts):
        attribute = IN_MEMORY_AT.get(mount.at)
        if attribute is not None and getattr(role, attribute) is not None:
            yield in_memory_twice(role.name, attribute, ("mounts", at, "at"), (attribute,))


def in_memory_twice(role: str, attribute: str, place: Place, size: Place) -> Broken:
    """A mount is where ``attribute`` mounts memory."""
    values = {"role": role, "attribute": attribute, "path": IN_MEMORY[attribute]}
    return Broken(value_rules.SHM_TWICE, place, values).note(size, f"{attribute} is set here")


_URI = ("hdfs://", "viewfs://")


def paths(role: Role) -> Iterator[Broken]:
    """A destination cannot lead out of its folder, and no two replicas can write to the same one."""
    for at, output in enumerate(role.outputs):
        path = pattern_of(output.destination) or ""
        if ".." in path.split("/") and not path.startswith(_URI):
            yield _path(output, "cannot have .. in it").below("outputs", at)
        if output.index is None and role.replicas > 1 and not has_index(output.destination):
            values = {"role": role.name, "replicas": role.replicas}
            broken = Broken(value_rules.OUTPUT_FROM_MANY, ("outputs", at, "destination"), values)
            yield broken.help("put ${task.index} in the destination")


def durable(role: Role, lasting: Container[int]) -> Iterator[Broken]:
    """Every destination must outlive the job. ``lasting``: the positions of the mounts that do."""
    for at, output in enumerate(role.outputs):
        path = pattern_of(output.destination) or ""
        if path.startswith(_URI) or ".." in path.split("/"):
            continue
        holders = [place for place, mount in enumerate(role.mounts) if path.startswith(f"{mount.at}/")]
        holder = max(holders, key=lambda place: len(role.mounts[place].at), default=None)
        if holder is None or holder not in lasting or path.startswith("/dev/shm/"):
            kept = [mount.at for place, mount in enumerate(role.mounts) if place in lasting]
            yield _lost(role, output, kept).below("outputs", at)
        elif role.mounts[holder].readonly:
            broken = _path(output, "is in a readonly mount").below("outputs", at)
            yield broken.note(("mounts", holder, "readonly"), "readonly here")


def _lost(role: Role, output: Output, kept: list[str]) -> Broken:
    values = {"path": quoted(output.destination), "role": role.name}
    broken = Broken(value_rules.OUTPUT_NOT_DURABLE, ("destination",), values)
    if (pattern_of(output.destination) or "").rstrip("/") in kept:
        return broken.help("the destination is the name of the copy: add a name below the mount")
    if kept:
        return broken.help(f"write below a lasting mount: {listing(kept)}")
    return broken.help('mount a pvc, nfs, host or claim with keep = true, or write an "hdfs://…" URI')


def _path(output: Output, problem: str) -> Broken:
    values = {"path": quoted(output.destination), "problem": problem}
    return Broken(value_rules.OUTPUT_PATH, ("destination",), values)


def outputs_apart(role: Role) -> Iterator[Broken]:
    """There are no duplicate outputs, and each is of an existing replica."""
    first: dict[tuple[object, object], int] = {}
    for at, output in enumerate(role.outputs):
        before = first.setdefault((output.source, output.destination), at)
        if before != at:
            yield output_twice(("outputs", at, "destination"), ("outputs", before, "destination"))
        if output.index is not None:
            absent = replica(role.name, role.replicas, output.index, output.index)
            if absent is not None:
                yield absent.below("outputs", at)


def output_twice(place: Place, before: Place) -> Broken:
    """An output appears twice."""
    return Broken(value_rules.DUPLICATE_OUTPUT, place).note(before, "first here").marked("again here")
