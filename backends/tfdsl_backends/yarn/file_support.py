"""What the yarn target does with mounts, outputs and values that are known only when a task runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import conditions as asked
from tfdsl.backend import approximated, kept, refused, translated
from tfdsl.vocabulary.statements import RUN_TIME_MARKS
from tfdsl_backends.yarn import conditions as when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Row

DATA = "put the data on HDFS (mount hdfs) or in a folder that every node has (mount host)"
KUBERNETES_MOUNTS = {
    "pvc": ("YRN050", "YARN has no volume claims", DATA),
    "claim": ("YRN051", "YARN has no volume claims", "mount scratch, or " + DATA),
    "nfs": ("YRN052", "YARN mounts no file systems", "mount the export on the nodes and write mount host"),
    "configmap": ("YRN053", "there are no ConfigMaps on YARN", "send the file as a mount archive"),
    "secret": ("YRN054", "there are no Secrets on YARN", "put it into a folder of the nodes (mount host)"),
}
"""Kind -> code, why not, what instead."""


def _refused_kinds() -> Iterator[Row]:
    for kind, (code, why, instead) in KUBERNETES_MOUNTS.items():
        yield refused(f"mounts[{kind}]", why, code, instead=instead)


def _native_path(kind: str) -> Row:
    return refused(
        f"mounts[{kind}]",
        "a native task cannot have something else at {value}",
        "YRN055",
        "path-native",
        instead="name a relative path, which is made in the task's work folder, or run in docker",
        when=when.native_elsewhere if kind == "host" else when.native_absolute,
    )


def _readonly(kind: str) -> Iterator[Row]:
    key = f"mounts[{kind}].readonly"
    yield kept(key, "", when=asked.off)
    if kind == "host":
        yield kept(key, "YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS …:ro", when=when.docker)
    yield approximated(key, "", "nothing keeps a task from writing there", "YRN056", "readonly", default="silent")


def _host() -> Iterator[Row]:
    yield refused(
        "mounts[host]",
        "Hadoop 2's docker runtime mounts no folders",
        "YRN057",
        "docker-mounts-version",
        instead='version = "3.1", or runtime = "native"',
        when=when.docker_without_mounts,
    )
    yield _native_path("host")
    yield translated(
        "mounts[host]",
        "job.sh, YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS",
        "a link in the work folder, or a docker mount, which the cluster has to allow for images of a trusted registry",
    )
    yield from _readonly("host")
    yield translated("mounts[host].type", "job.sh", "checked when the task starts", when=when.checked_type)
    yield approximated(
        "mounts[host].type",
        "job.sh",
        "the source has to be there; it is neither made nor told apart as {value}",
        "YRN058",
        "host-type",
    )


def _temporary() -> Iterator[Row]:
    yield _native_path("scratch")
    yield approximated(
        "mounts[scratch]",
        "job.sh",
        "the folder at {value} is on the node's disk for the container's life; its size is not limited",
        "YRN059",
        "scratch-size",
        when=asked.sized,
    )
    yield translated("mounts[scratch]", "job.sh", "a folder on the node's disk, which YARN removes with the container")
    yield from _readonly("scratch")
    yield _native_path("memory")
    yield refused(
        "mounts[memory]",
        "this version's docker runtime mounts no tmpfs",
        "YRN060",
        "tmpfs-version",
        instead='version = "3.3", or a relative path, which is made in /dev/shm',
        when=when.docker_without_tmpfs,
    )
    yield approximated(
        "mounts[memory]",
        "job.sh, YARN_CONTAINER_RUNTIME_DOCKER_TMPFS_MOUNTS",
        "{value} is in memory, but its size is not limited; in the work folder it is a link into /dev/shm, which is "
        "left behind when the task is killed",
        "YRN061",
        "memory-size",
    )
    yield from _readonly("memory")


def _fetched() -> Iterator[Row]:
    for kind in ("hdfs", "archive"):
        yield _native_path(kind)
        how = "unpacked" if kind == "archive" else "fetched"
        yield translated(f"mounts[{kind}]", "job.sh", f"{how} before the command starts; a relaunch finds it there")
        yield translated(f"mounts[{kind}].readonly", "", "a copy of the task's own")


def _known_at_run_time() -> Iterator[Row]:
    for value in RUN_TIME_MARKS:
        yield refused(
            f"mounts[host]{value}",
            "docker mounts are fixed when the job is submitted, so {value} has no value yet",
            "YRN062",
            "docker-run-time",
            instead="mount the folder above it, and name the rest in the command",
            when=when.docker,
        )
    places = ["mounts[host]", "mounts[hdfs]", "mounts[archive]"]
    places += [f"roles[].{field}" for field in ("env", "command", "args", "workdir")]
    places += ["outputs[].source", "outputs[].destination"]
    for place in places:
        for value in RUN_TIME_MARKS:
            yield translated(f"{place}{value}", "job.sh", "a variable of the script")


FILES: tuple[Row, ...] = (
    *_refused_kinds(),
    *_host(),
    *_temporary(),
    *_fetched(),
    translated("outputs[]", "job.sh", "copied beside the destination, then renamed"),
    kept("outputs[].when", "job.sh"),
    kept("outputs[].index", "job.sh"),
    kept("outputs[].overwrite", "job.sh"),
    *_known_at_run_time(),
)
