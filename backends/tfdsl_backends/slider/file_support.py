"""What the slider target does with mounts, outputs and values that are known only when a task runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import conditions as asked
from tfdsl.backend import approximated, kept, refused, translated
from tfdsl_backends.slider import conditions as when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Row

DATA = "put the data on HDFS (mount hdfs) or on a folder that every node has (mount host)"
CREDENTIALS = "put the file on a folder of the nodes that only the user can read (mount host)"

KUBERNETES_MOUNTS = {
    "pvc": ("SLI050", "YARN has no volume claims", DATA),
    "claim": ("SLI051", "YARN has no volume claims", "mount scratch, or " + DATA),
    "nfs": ("SLI052", "YARN mounts no file systems", "mount the export on the nodes and write mount host"),
    "configmap": ("SLI053", "there are no ConfigMaps on YARN", "files = [...] sends files along"),
    "secret": ("SLI054", "there are no Secrets on YARN", CREDENTIALS),
}
"""Kind → code, why not, what instead."""


def _refused_kinds() -> Iterator[Row]:
    for kind, (code, why, instead) in KUBERNETES_MOUNTS.items():
        yield refused(f"mounts[{kind}]", why, code, instead=instead)


def _writable_natively(kind: str) -> Iterator[Row]:
    key = f"mounts[{kind}].readonly"
    yield kept(key, "docker run --volume …:ro", when=when.docker)
    yield kept(key, "", when=asked.off)
    yield approximated(
        key, "", "nothing keeps a native task from writing there", "SLI055", "readonly-native", default="silent"
    )


def _known_at_run_time() -> Iterator[Row]:
    places = ["mounts[host]", "mounts[hdfs]", "mounts[archive]"]
    places += [f"roles[].{field}" for field in ("env", "command", "args", "workdir")]
    places += ["outputs[].source", "outputs[].destination"]
    for place in places:
        yield translated(f"{place}{{task.index}}", "package/files/job.json", "put in by the script")
        yield approximated(
            f"{place}{{env}}",
            "package/files/job.json",
            "the script puts in variables of the role's env and of the node; one that only the image sets is empty",
            "SLI056",
            "env-of-image",
            instead="set the variable in env, or read it in the command itself",
            when=when.unknown_variable,
        )
        yield translated(f"{place}{{env}}", "package/files/job.json", "put in by the script")


def _native_path(kind: str) -> Row:
    return refused(
        f"mounts[{kind}]",
        "a native task cannot have something else at {value}",
        "SLI057",
        "path-native",
        instead="name a relative path, which is made in the task's work folder, or run in docker",
        when=when.native_elsewhere if kind == "host" else when.native_absolute,
    )


FILES: tuple[Row, ...] = (
    *_refused_kinds(),
    _native_path("host"),
    translated("mounts[host]", "", "a link in the work folder, or a docker volume"),
    *_writable_natively("host"),
    translated("mounts[host].type", "package/files/job.json", "checked, or made, before the command starts"),
    _native_path("scratch"),
    approximated(
        "mounts[scratch]",
        "",
        "the folder at {value} is on the node's disk for the container's life; its size is not limited",
        "SLI058",
        "scratch-size",
        when=asked.sized,
    ),
    kept("mounts[scratch]", "a folder in the container's own folder"),
    *_writable_natively("scratch"),
    kept("mounts[memory]", "docker run --tmpfs", when=when.docker),
    refused(
        "mounts[memory]",
        "a native task can mount no tmpfs",
        "SLI059",
        "memory-native",
        instead="mount scratch, or run in docker",
    ),
    kept("mounts[memory].readonly", ""),
    _native_path("hdfs"),
    translated("mounts[hdfs]", "hadoop fs -get", "fetched once for each container, with the node's client"),
    translated("mounts[hdfs].readonly", "", "each task has its own copy; HDFS is never written"),
    _native_path("archive"),
    translated("mounts[archive]", "package/files, or hadoop fs -get", "unpacked once for each container"),
    *_writable_natively("archive"),
    translated("outputs[]", "package/files/job.json", "copied by the script, to HDFS with the node's client"),
    translated("outputs[].when", "package/files/job.json", "decided by the script"),
    translated("outputs[].index", "package/files/job.json", "decided by the script"),
    translated("outputs[].overwrite", "package/files/job.json", "done by the script"),
    *_known_at_run_time(),
)
