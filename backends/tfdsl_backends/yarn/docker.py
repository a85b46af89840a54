"""The docker runtime of YARN: image, mounts, and the variables that ask for them.

These variables are the only values of the job that pass through ``-shell_env``, where the client, the application
master's shell and the NodeManager's shell read them. So only characters that survive all three are let through.
Source: DockerLinuxContainerRuntime.
"""

from __future__ import annotations

from typing import Final

from tfdsl.backend import Unit
from tfdsl.ir.model import Role
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl_backends.hadoop.roles import in_docker
from tfdsl_backends.scripts.texts import head
from tfdsl_backends.yarn.features import features
from tfdsl_backends.yarn.needs import uses_store
from tfdsl_backends.yarn.options import store_in_hdfs

SAFE_PATH: Final = regex(r"[A-Za-z0-9_./=@%+-]+\Z")
"""Paths that pass: without ``,`` and ``:``, which separate mounts, and without anything that a shell reads."""

IMAGE: Final = regex(r"(?:[A-Za-z0-9.-]+(?::[0-9]+)?/)?[a-z0-9_./-]+(?::[A-Za-z0-9_.-]+|@sha256:[a-z0-9]{12,64})?\Z")
"""Image names that the NodeManager accepts."""

PREFIX = "YARN_CONTAINER_RUNTIME_"


class Mount(Record):
    """``source:target:mode`` of a docker mount; ``path`` is the IR path it comes from."""

    source: str
    target: str
    mode: str
    path: str

    def __str__(self) -> str:
        return f"{self.source}:{self.target}:{self.mode}"


def docker_mounts(unit: Unit, role: Role) -> tuple[Mount, ...]:
    """What docker must mount for ``role``; a host folder that is linked is mounted at its own path."""
    mounts: dict[str, Mount] = {}
    for mount in role.mounts:
        if mount.kind == "host":
            source = _clean(head(mount.source))
            target = _clean(mount.at) if mount.at.startswith("/") else source
            mounts[target] = Mount(source, target, "ro" if mount.readonly else "rw", mount.path)
    home = unit.text("hadoop_home")
    if home:
        mounts.setdefault(_clean(home), Mount(_clean(home), _clean(home), "ro", "hadoop_home"))
    store = unit.text("store")
    if uses_store(unit) and not store_in_hdfs(unit):
        mounts.setdefault(_clean(store), Mount(_clean(store), _clean(store), "rw", "store"))
    return tuple(mounts.values())


def tmpfs_mounts(role: Role) -> tuple[str, ...]:
    """Paths at which docker must mount a tmpfs."""
    paths = [_clean(mount.at) for mount in role.mounts if mount.kind == "memory" and mount.at.startswith("/")]
    return (*paths, "/dev/shm") if role.shm is not None else tuple(paths)


def runtime_variables(unit: Unit, roles: tuple[Role, ...]) -> list[tuple[str, str]]:
    """Name and value of each variable for an application that runs ``roles``."""
    if not in_docker(unit, roles[0]):
        return []
    have = features(unit.version)
    mounts = dict.fromkeys(str(mount) for role in roles for mount in docker_mounts(unit, role))
    tmpfs = dict.fromkeys(path for role in roles for path in tmpfs_mounts(role))
    variables = [("TYPE", "docker"), ("DOCKER_IMAGE", roles[0].image or "")]
    if any(role.privileged for role in roles):
        variables.append(("DOCKER_RUN_PRIVILEGED_CONTAINER", "true"))
    if have.docker_mounts:
        variables += [("DOCKER_CONTAINER_NETWORK", "host")]
        variables += [("DOCKER_MOUNTS", ",".join(mounts))] if mounts else []
    if have.docker_tmpfs and tmpfs:
        variables.append(("DOCKER_TMPFS_MOUNTS", ",".join(tmpfs)))
    return [(PREFIX + name, value) for name, value in variables]


def _clean(path: str) -> str:
    return path.rstrip("/") or "/"
