"""Outputs: their destinations (language reference, "Statements": output)."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import value_rules
from tfdsl.diagnostics.suggest import listing
from tfdsl.rules.broken import Broken, Place
from tfdsl.rules.policies import replica
from tfdsl.rules.texts import has_index, pattern_of, quoted

if TYPE_CHECKING:
    from tfdsl.rules.protocols import Output, Role

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


def apart(role: Role) -> Iterator[Broken]:
    """There are no duplicate outputs, and each is of an existing replica."""
    first: dict[tuple[object, object], int] = {}
    for at, output in enumerate(role.outputs):
        before = first.setdefault((output.source, output.destination), at)
        if before != at:
            yield twice(("outputs", at, "destination"), ("outputs", before, "destination"))
        if output.index is not None:
            absent = replica(role.name, role.replicas, output.index, output.index)
            if absent is not None:
                yield absent.below("outputs", at)


def twice(place: Place, before: Place) -> Broken:
    """An output appears twice."""
    return Broken(value_rules.DUPLICATE_OUTPUT, place).note(before, "first here").marked("again here")
