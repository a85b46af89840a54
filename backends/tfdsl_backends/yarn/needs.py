"""Which parts of the task program and of the job's store a job needs; its scripts have no others."""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl.backend import Unit
from tfdsl.ir.model import Job, Text
from tfdsl_backends.hadoop.options import files
from tfdsl_backends.scripts import texts
from tfdsl_backends.scripts.texts import archive_suffix, head, is_sent
from tfdsl_backends.yarn.options import features, is_yarn_tf, store_in_hdfs
from tfdsl_backends.yarn.programs.plan import way_of

PACKED_FILES = "tfjob-files.tar"
"""The archive in which submit.sh sends ``files``: the client itself takes no folders, and not every name."""

AT_HOME = "hdfs:"
"""Before a path that HDFS reads from the user's home folder."""

WAYS_IN = ("client", "http", "path", "webhdfs")
WAYS_OUT = ("client", "webhdfs")


def has_rendezvous(unit: Unit) -> bool:
    """Whether tasks have to find each other: a single task has no peers, and the modified client passes the addresses.

    Before Hadoop 3.0 a container does not know its number, so even a single task claims its place in the store.
    """
    roles = unit.job.roles
    alone = [role.replicas for role in roles] == [1] and not roles[0].is_board
    return not (is_yarn_tf(unit) or (alone and features(unit.version).numbers))


def uses_store(unit: Unit) -> bool:
    """Whether submit.sh creates a folder for the job: for the rendezvous, or archives that the client cannot send."""
    return has_rendezvous(unit) or sends_through_store(unit)


def sends_through_store(unit: Unit) -> bool:
    """Whether what the submitter sends travels through the store."""
    return bool(sent_archives(unit.job) or files(unit)) and not features(unit.version).localize


def sent_archives(job: Job) -> dict[str, str]:
    """The submitter's archives: the file, and the name under which the tasks find it, in order of first use."""
    return texts.sent_archives(job, lambda before, source: f"tfjob-{before + 1}{archive_suffix(source)}")


def needs_hdfs(unit: Unit) -> list[str]:
    """What in the job uses HDFS, in words."""
    job = unit.job
    uses = ["the tasks' rendezvous"] if store_in_hdfs(unit) and uses_store(unit) else []
    mounts = [mount for role in job.roles for mount in role.mounts]
    uses += ["mount hdfs"] if any(mount.kind == "hdfs" for mount in mounts) else []
    sources = [mount.source for mount in mounts if mount.kind == "archive"]
    uses += ["mount archive"] if any(head(source).startswith("hdfs:") for source in sources) else []
    destinations = [output.destination for role in job.roles for output in role.outputs]
    uses += ["output"] if any("://" in head(destination) for destination in destinations) else []
    return uses


def store_place(unit: Unit) -> str:
    """Where the folders of all jobs are; by default in the home folder, which HDFS knows best (principals, proxies)."""
    return unit.text("store").rstrip("/") or f"{AT_HOME}.tfjobs"


def entries(unit: Unit) -> frozenset[str]:
    """The entries of the task program that the job needs (:mod:`tfdsl_backends.yarn.assembly`)."""
    return frozenset((*_start(unit), *_fetches(unit), *_puts(unit)))


def _start(unit: Unit) -> Iterator[str]:
    if has_rendezvous(unit):
        yield from ("COMMANDS.run", f"STORES.{way_of(store_place(unit), unit.text('webhdfs'))}")
    else:
        yield "COMMANDS.given" if is_yarn_tf(unit) else "COMMANDS.alone"


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
    if files(unit):
        place = store_place(unit) if sends_through_store(unit) else ""
        yield from (f"FETCH.{way}" for way in ways(place, webhdfs, WAYS_IN))
    if files(unit) or any(mount.kind in ("hdfs", "archive") for mount in mounts):
        yield "COMMANDS.fetch"


def _puts(unit: Unit) -> Iterator[str]:
    if is_yarn_tf(unit):  # that client copies the outputs itself
        return
    outputs = [output for role in unit.job.roles for output in role.outputs]
    if any(not output.overwrite and "://" not in head(output.destination) for output in outputs):
        yield from ("COMMANDS.copied", "COMMANDS.mark")
    destinations = [output.destination for output in outputs]
    needed = {way for place in destinations for way in ways(place, unit.text("webhdfs"), WAYS_OUT)}
    yield from (f"PUT.{way}" for way in needed)
    if needed:
        yield "COMMANDS.put"


def ways(place: Text, webhdfs: str, known: tuple[str, ...]) -> Iterator[str]:
    """Those of the ``known`` ways that may reach ``place``; all of them if only the task knows it."""
    begin = head(place)
    if isinstance(place, str) or "/" in begin:
        yield from (way for way in (way_of(begin, webhdfs),) if way in known)
    else:
        yield from known
