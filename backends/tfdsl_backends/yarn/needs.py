"""What a job needs of the task program and of the job's store; everything else stays out of its scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl_backends.yarn.archives import archive_suffix, is_sent, sent_archives
from tfdsl_backends.yarn.features import features
from tfdsl_backends.yarn.options import is_yarn_tf
from tfdsl_backends.yarn.programs.ways import way_of
from tfdsl_backends.yarn.words import head

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Unit
    from tfdsl.ir.model import Text

AT_HOME = "hdfs:"
"""In front of a path that HDFS reads from the user's home folder."""

WAYS_IN = ("client", "http", "path", "webhdfs")
WAYS_OUT = ("client", "webhdfs")


def meets(unit: Unit) -> bool:
    """Whether tasks have to find each other: one alone has nobody, and the modified client passes the addresses.

    Before Hadoop 3.0 a container does not know its number, so even an only task claims its place in the store.
    """
    roles = unit.job.roles
    alone = [role.replicas for role in roles] == [1] and roles[0].name != "tensorboard"
    return not (is_yarn_tf(unit) or (alone and features(unit.version).numbers))


def uses_store(unit: Unit) -> bool:
    """Whether the job has a folder that submit.sh makes: to meet in, or for archives that the client cannot send."""
    return meets(unit) or sends_through_store(unit)


def sends_through_store(unit: Unit) -> bool:
    """Whether archives of the submitter's travel through the store."""
    return bool(sent_archives(unit)) and not features(unit.version).localize


def store_place(unit: Unit) -> str:
    """Where the folders of all jobs are; by default at home in HDFS, which HDFS knows best (principals, proxies)."""
    return unit.text("store").rstrip("/") or f"{AT_HOME}.tfjobs"


def entries(unit: Unit) -> frozenset[str]:
    """The entries of the task program that the job needs (:mod:`tfdsl_backends.yarn.assembly`)."""
    return frozenset((*_start(unit), *_fetches(unit), *_puts(unit)))


def _start(unit: Unit) -> Iterator[str]:
    if meets(unit):
        yield from ("COMMANDS.run", f"STORES.{way_of(store_place(unit), unit.text('webhdfs'))}")
    else:
        yield "COMMANDS.given" if is_yarn_tf(unit) else "COMMANDS.alone"
    if any(role.server for role in unit.job.roles):
        yield "COMMANDS.server"


def _fetches(unit: Unit) -> Iterator[str]:
    webhdfs = unit.text("webhdfs")
    mounts = [mount for role in unit.job.roles for mount in role.mounts]
    for mount in mounts:
        if mount.kind == "hdfs":
            yield from (f"FETCH.{way}" for way in ways(mount.uri, webhdfs, WAYS_IN))
        elif mount.kind == "archive":
            sent = isinstance(mount.source, str) and is_sent(mount.source)
            place = (store_place(unit) if sends_through_store(unit) else "") if sent else mount.source
            yield from (f"FETCH.{way}" for way in ways(place, webhdfs, WAYS_IN))
            if archive_suffix(mount.source) == ".zip":
                yield "COMMANDS.unzip"
    if any(mount.kind in ("hdfs", "archive") for mount in mounts):
        yield "COMMANDS.fetch"


def _puts(unit: Unit) -> Iterator[str]:
    if is_yarn_tf(unit):  # that client copies the outputs itself
        return
    outputs = [output for role in unit.job.roles for output in role.outputs]
    if any(not output.overwrite and "://" not in head(output.destination) for output in outputs):
        yield from ("COMMANDS.copied", "COMMANDS.mark")
    destinations = [output.destination for output in outputs]
    found = {way for place in destinations for way in ways(place, unit.text("webhdfs"), WAYS_OUT)}
    yield from (f"PUT.{way}" for way in found)
    if found:
        yield "COMMANDS.put"


def ways(place: Text, webhdfs: str, known: tuple[str, ...]) -> Iterator[str]:
    """Those of the ``known`` ways on which ``place`` may be reached; all of them when only the task knows."""
    begin = head(place)
    if isinstance(place, str) or "/" in begin:
        yield from (way for way in (way_of(begin, webhdfs),) if way in known)
    else:
        yield from known
