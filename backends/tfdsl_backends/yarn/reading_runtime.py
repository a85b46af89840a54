"""The variables of YARN's docker runtime, and the other variables of a container."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tfdsl.draft import Block, Mount
from tfdsl.record import Record
from tfdsl.text import Span
from tfdsl_backends.hadoop.reading import Notes, memory
from tfdsl_backends.yarn.reading_options import PREFIX

DOCKER_LEFT_OUT: Final = {
    "DOCKER_RUN_OVERRIDE_DISABLE": "the command of the role replaces the image's",
    "DOCKER_CONTAINER_HOSTNAME": "a task is found by its node",
    "DOCKER_DELAYED_REMOVAL": "it is for looking into ended containers",
    "DOCKER_CONTAINER_PID_NAMESPACE": "a task has its own processes",
    "DOCKER_PORTS_MAPPING": "each task takes a free port of its node",
    "DOCKER_RUNTIME": "the NodeManager chooses the runtime of devices",
    "DOCKER_SERVICE_MODE": "tfdsl starts the command itself",
    "DOCKER_CLIENT_CONFIG": "the nodes log in to the registry",
    "DOCKER_LOCAL_RESOURCE_MOUNTS": "the work folder is mounted by YARN",
    "YARN_SYSFS_ENABLE": "it is for YARN Services",
}


class Runtime(Record):
    """``variables``: name, value and place of each; ``memory``: that of the container, in MB or with a unit.

    ``sent``: the files that YARN puts into the work folder: their name there → where they are in HDFS.
    """

    variables: tuple[tuple[str, str, Span], ...]
    memory: str = ""
    sent: Mapping[str, str] = {}

    @property
    def mounted(self) -> set[str]:
        """Those of ``sent`` that docker mounts at another place."""
        said = self.docker.get("DOCKER_MOUNTS", ("", None))[0]
        return {part.partition(":")[0] for part in said.split(",")} & self.sent.keys()

    @property
    def docker(self) -> dict[str, tuple[str, Span]]:
        """Those of the runtime, without their common beginning."""
        return {
            name.removeprefix(PREFIX): (text, span) for name, text, span in self.variables if name.startswith(PREFIX)
        }


def read_runtime(block: Block, runtime: Runtime, notes: Notes, image: str = "") -> None:
    """Image, mounts and variables of a role; ``image``: one that is said elsewhere."""
    for name, text, span in runtime.variables:
        if not name.startswith(PREFIX):
            block.entry("env", name, text, span)
    docker = runtime.docker
    kind = docker.get("TYPE")
    if not image and kind is not None and kind[0] not in ("docker", "default"):
        notes.left_out(kind[1], f"{PREFIX}TYPE={kind[0]}", "tasks run in docker or as processes of the node")
    asked = docker.get("DOCKER_IMAGE")
    if asked is not None and not image:
        if kind is not None and kind[0] == "docker":
            block.set("image", asked[0], asked[1])
        else:
            notes.left_out(asked[1], f"{PREFIX}DOCKER_IMAGE", f"without {PREFIX}TYPE=docker nothing reads it")
    privileged = docker.get("DOCKER_RUN_PRIVILEGED_CONTAINER")
    if privileged is not None and privileged[0].lower() == "true":
        block.set("privileged", True, privileged[1])
    network = docker.get("DOCKER_CONTAINER_NETWORK")
    if network is not None and network[0] != "host":
        notes.left_out(network[1], f"network {network[0]}", "tasks find each other in the network of their nodes, host")
    _mounts(block, docker, notes, runtime.sent)
    _tmpfs(block, docker, runtime.memory)
    for name, (_, span) in docker.items():
        if name in DOCKER_LEFT_OUT:
            notes.left_out(span, f"{PREFIX}{name}", DOCKER_LEFT_OUT[name])


def _mounts(block: Block, docker: dict[str, tuple[str, Span]], notes: Notes, sent: Mapping[str, str]) -> None:
    said = docker.get("DOCKER_MOUNTS")
    for part in said[0].split(",") if said is not None else []:
        assert said is not None
        source, _, rest = part.partition(":")
        at = rest.partition(":")[0]
        if source in sent and at.startswith("/"):
            block.add(Mount("hdfs", sent[source], at, span=said[1]))
        else:
            read_mount(block, part, said[1], notes)


def read_mount(block: Block, text: str, span: Span, notes: Notes) -> None:
    """``SOURCE:AT[:MODE]`` as a mount."""
    words = text.split(":")
    source, at = words[0], words[1] if len(words) > 1 else ""
    mode = words[2] if len(words) > 2 else "rw"
    if len(words) not in (2, 3) or not source or not at:
        notes.refused(span, f"the mount {text}", "a mount is SOURCE:TARGET, with :ro or :rw behind it")
    elif not source.startswith("/"):
        notes.left_out(
            span, f"the mount {text}", "its source is a file that YARN sends; target yarn { files } sends one"
        )
    elif not at.startswith("/"):
        notes.refused(span, f"the mount {text}", "the target must be an absolute path")
    else:
        block.add(Mount("host", source, at, mode.startswith("ro"), span=span))


def _tmpfs(block: Block, docker: dict[str, tuple[str, Span]], size: str) -> None:
    said = docker.get("DOCKER_TMPFS_MOUNTS")
    amount = memory(size)
    for path in said[0].split(",") if said is not None and amount is not None else []:
        assert said is not None
        if path == "/dev/shm":
            block.set("shm", amount, said[1])
        elif path:
            block.add(Mount("memory", amount, path, span=said[1]))
