"""The applications that a job becomes, and the size of their containers.

All containers of a DistributedShell application have one size, one docker image and one list of mounts.

The variables that ask the docker runtime for image and mounts are the only values of the job that pass through
``-shell_env``, where the client, the application master's shell and the NodeManager's shell read them. So only
characters that survive all three are let through. Source: DockerLinuxContainerRuntime.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfdsl.backend import Unit
from tfdsl.ir.model import Role, in_memory
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl_backends.hadoop.when import in_docker
from tfdsl_backends.scripts.roles import megabytes
from tfdsl_backends.scripts.texts import head
from tfdsl_backends.yarn.needs import uses_store
from tfdsl_backends.yarn.options import features, is_yarn_tf, store_in_hdfs

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
    return (*paths, *(memory.at for memory in in_memory(role)))


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


DEFAULT_MEMORY = 2048
"""MB, for a role without memory."""

GPU = "yarn.io/gpu"


class Size(Record):
    """One container: memory in MB, processors, and (name, count) of other resources in order of names."""

    memory: int
    vcores: int
    others: tuple[tuple[str, int], ...] = ()


class Application(Record):
    """One submission. ``name`` is empty if it is the only one; ``roles`` are those whose tasks it runs."""

    name: str
    roles: tuple[Role, ...]
    size: Size

    @property
    def containers(self) -> int:
        """How many containers it requests."""
        return sum(role.replicas for role in self.roles)


def applications(unit: Unit) -> list[Application]:
    """The applications of the job, roles in order."""
    roles = unit.job.roles
    if per_role(unit):
        return [Application(role.name, (role,), size_of(unit, role)) for role in roles]
    return [Application("", roles, largest([size_of(unit, role) for role in roles]))]


def per_role(unit: Unit) -> bool:
    """Whether each role is an application of its own."""
    if len(unit.job.roles) == 1 or is_yarn_tf(unit):
        return False
    chosen = unit.text("applications")
    return chosen == "per-role" if chosen else bool(differences(unit))


def differences(unit: Unit) -> list[str]:
    """The differences between the roles that one application cannot have, in words."""
    roles = unit.job.roles
    shapes = [shape(unit, role) for role in roles]
    differing = [what for what in shapes[0] if len({shape[what] for shape in shapes}) > 1]
    placed = unit.entries("placement").keys() & {role.name for role in roles}
    if len(roles) > 1 and (placed or any(role.spread == "node" and role.replicas > 1 for role in roles)):
        differing.append("placement")
    return differing


def shape(unit: Unit, role: Role) -> dict[str, object]:
    """What all containers of an application share, each named in words."""
    size = size_of(unit, role)
    docker = in_docker(unit, role)
    return {
        "memory": size.memory,
        "processors": size.vcores,
        "devices": size.others,
        "runtime": docker,
        "image": role.image if docker else None,
        "docker mounts": (*map(str, docker_mounts(unit, role)), *tmpfs_mounts(role)) if docker else (),
        "privileges": docker and role.privileged,
        "node label": role.node_label,
    }


def size_of(unit: Unit, role: Role) -> Size:
    """What one container of ``role`` requests; amounts are rounded up."""
    memory = megabytes(role.memory) if role.memory is not None else DEFAULT_MEMORY
    vcores = role.cpu.whole if role.cpu is not None else 1
    others: dict[str, int] = {}
    if features(unit.version).resources:
        if role.gpu:
            others[role.gpu_resource or GPU] = role.gpu
        others.update({name: amount.whole for name, amount in role.resources.items()})
    return Size(memory, max(vcores, 1), tuple(sorted(others.items())))


def largest(sizes: Sequence[Size]) -> Size:
    """The smallest size that holds each of ``sizes``."""
    others: dict[str, int] = {}
    for size in sizes:
        for name, count in size.others:
            others[name] = max(count, others.get(name, 0))
    memory = max(size.memory for size in sizes)
    return Size(memory, max(size.vcores for size in sizes), tuple(sorted(others.items())))


def waste(unit: Unit) -> Size:
    """What one application for all roles requests beyond what the roles need, over all containers."""
    roles = unit.job.roles
    sizes = [size_of(unit, role) for role in roles]
    top = largest(sizes)
    others = {
        name: sum(r.replicas * (count - dict(s.others).get(name, 0)) for r, s in zip(roles, sizes, strict=True))
        for name, count in top.others
    }
    return Size(
        sum(role.replicas * (top.memory - size.memory) for role, size in zip(roles, sizes, strict=True)),
        sum(role.replicas * (top.vcores - size.vcores) for role, size in zip(roles, sizes, strict=True)),
        tuple((name, count) for name, count in others.items() if count),
    )
