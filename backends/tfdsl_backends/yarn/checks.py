"""What the yarn target checks beyond its table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tfdsl.ir.model import ConfigMapRef, SecretRef
from tfdsl.record import replace
from tfdsl.vocabulary.attributes import SHELL_NAME
from tfdsl_backends.yarn import rules
from tfdsl_backends.yarn.applications import DEFAULT_MEMORY, Size, applications, differences, per_role, size_of, waste
from tfdsl_backends.yarn.archives import archive_suffix, is_sent
from tfdsl_backends.yarn.features import features
from tfdsl_backends.yarn.job_script import hides_gpus
from tfdsl_backends.yarn.limits import check_addresses, check_strings
from tfdsl_backends.yarn.options import in_docker, is_yarn_tf
from tfdsl_backends.yarn.runtime import IMAGE, SAFE_PATH, docker_mounts, tmpfs_mounts
from tfdsl_backends.yarn.task_plan import needs_hdfs, rendezvous_seconds
from tfdsl_backends.yarn.words import literals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Unit
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.ir.model import BaseMount, Role, Text
    from tfdsl.text import Span

LEAST_MEMORY = 4096
"""MB. Without a GPU TensorFlow was seen to reserve 7 GB of addresses; 2.1 times this is enough."""


def check(unit: Unit) -> Iterator[Diagnostic]:
    """Everything, the job first, then role by role."""
    yield from client_words(unit)
    yield from port_range(unit)
    yield from layout(unit)
    yield from hdfs_client(unit)
    yield from pending_limits(unit)
    yield from check_addresses(unit)
    yield from default_memory(unit)
    yield from hidden_gpus(unit)
    yield from virtual_memory(unit)
    for role in unit.job.roles:
        yield from command(unit, role)
        yield from environment(unit, role)
        yield from check_strings(unit, role)
        yield from memory(unit, role)
        yield from resources(unit, role)
        yield from docker(unit, role)
        yield from mounts(unit, role)
        yield from archives(unit, role)
    if is_yarn_tf(unit):
        yield from yarn_tf(unit)


def option_place(unit: Unit, name: str) -> Span:
    """Where an option was written, else the job's name."""
    return unit.option_spans.get(name, unit.origins.job)


def default_memory(unit: Unit) -> Iterator[Diagnostic]:
    """Memory that nobody named: told once, at the first such role."""
    without = [role for role in unit.job.roles if role.memory is None]
    if without:
        names = ", ".join(role.name for role in without)
        found = rules.DEFAULT_MEMORY(unit.origins.span(without[0].path), roles=names, memory=DEFAULT_MEMORY)
        yield found.help("write memory, e.g. memory = 4Gi")


def hidden_gpus(unit: Unit) -> Iterator[Diagnostic]:
    """Roles from which the script hides the devices of their node."""
    hidden = [role for role in unit.job.roles if hides_gpus(unit, role)]
    if hidden:
        names = ", ".join(role.name for role in hidden)
        found = rules.GPUS_HIDDEN(unit.origins.span(hidden[0].path), roles=names)
        yield found.help("set CUDA_VISIBLE_DEVICES or NVIDIA_VISIBLE_DEVICES in env of the role to leave it out")


def virtual_memory(unit: Unit) -> Iterator[Diagnostic]:
    """Roles that need more virtual memory than a NodeManager with Hadoop's own settings allows them.

    CUDA reserves addresses for all memory of the node and its devices; without it TensorFlow takes some GB, most of
    it for its threads.
    """
    roles = [role for role in unit.job.roles if role.name != "tensorboard"]
    short = [role for role in roles if role.gpu or size_of(unit, role).memory < LEAST_MEMORY]
    if short:
        names = ", ".join(role.name for role in short)
        found = rules.VIRTUAL_MEMORY(unit.origins.span(f"{short[0].path}.memory"), roles=names)
        yield found.help("set yarn.nodemanager.vmem-check-enabled to false on the nodes")


def client_words(unit: Unit) -> Iterator[Diagnostic]:
    """The client reads what begins with ``-`` as an option, wherever it stands (commons-cli GnuParser)."""
    queue = unit.job.queue
    if queue is not None and (queue.startswith("-") or not queue.isprintable()):
        yield rules.QUEUE_NAME(unit.origins.span("queue"), what="the queue", value=repr(queue))
    for role in unit.job.roles:
        label = role.node_label
        if label is not None and (label.startswith("-") or not label.isprintable()):
            place = unit.origins.span(f"{role.path}.node_label")
            yield rules.QUEUE_NAME(place, what="the node label", value=repr(label))


def port_range(unit: Unit) -> Iterator[Diagnostic]:
    """There are enough ports even if all tasks land on one node."""
    first, last = (int(number) for number in unit.text("ports").split("-"))
    tasks = sum(role.replicas for role in unit.job.roles)
    if not 1024 <= first <= last <= 65535 or last - first + 1 < tasks:
        yield rules.PORT_RANGE(option_place(unit, "ports"), value=unit.text("ports"))


def layout(unit: Unit) -> Iterator[Diagnostic]:
    """How many applications the job becomes, and what that costs."""
    found = differences(unit)
    place = option_place(unit, "applications")
    if is_yarn_tf(unit):
        if unit.text("applications") == "per-role":
            yield rules.YARN_TF_SIZES(place)
    elif per_role(unit):
        if not unit.text("applications"):
            told = rules.PER_ROLE(place, what=", ".join(found))
            yield told.help('applications = "one" gives all containers the largest size')
        return
    if len(unit.job.roles) == 1:
        return
    for what in ("runtime", "image", "docker mounts", "node label"):
        if what in found and what != "node label":
            values = sorted({_value(unit, role, what) for role in unit.job.roles})
            told = rules.ONE_IMAGE(place, what=what, found=" and ".join(values))
            yield told.help('applications = "per-role" gives each role its own')
    lost = waste(unit)
    if lost != Size(0, 0):
        size = applications(unit)[0].size
        told = rules.WASTE(place, size=_shown(size), waste=_shown(lost))
        yield replace(told.help('applications = "per-role" asks for what each role needs'), approximation=True)


def _value(unit: Unit, role: Role, what: str) -> str:
    if what == "image":
        return str(role.image)
    if what == "runtime":
        return "docker" if in_docker(unit, role) else "native"
    return ",".join(map(str, docker_mounts(unit, role))) or "none"


def _shown(size: Size) -> str:
    parts = [f"{size.memory} MB"] if size.memory else []
    parts += [f"{size.vcores} vcores"] if size.vcores else []
    return ", ".join([*parts, *(f"{count} {name}" for name, count in size.others)])


def hdfs_client(unit: Unit) -> Iterator[Diagnostic]:
    """Docker containers use the image's Hadoop client, a folder of the node, or WebHDFS; something must say which."""
    job = unit.job
    built = job.build is not None and job.build.hadoop is not None
    if unit.text("hadoop_home") or unit.text("webhdfs") or built or is_yarn_tf(unit):
        return
    used = needs_hdfs(unit)
    if used and any(in_docker(unit, role) for role in job.roles):
        told = rules.NO_CLIENT(option_place(unit, "runtime"), what=", ".join(used))
        told = told.help('an image with a client: build { hadoop = "3.4.1" }')
        told = told.help('the nodes\' client: target yarn { hadoop_home = "/opt/hadoop" }')
        told = told.help('no client: target yarn { webhdfs = "http://namenode:9870" }')
        yield replace(told, approximation=True)


def pending_limits(unit: Unit) -> Iterator[Diagnostic]:
    """Several ``pending`` policies share one limit."""
    delays = [policy for policy in unit.job.policies if policy.event == "pending" and policy.delay is not None]
    if len({policy.delay for policy in delays}) > 1:
        place = unit.origins.span(f"{delays[-1].path}.delay")
        yield rules.PENDING_LIMIT(place, limit=f"{rendezvous_seconds(unit):g} s")


def command(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    """A task is started by the script, which cannot know an image's entrypoint."""
    build = unit.job.build
    if role.server or role.name == "tensorboard" or role.command or (build is not None and build.entrypoint):
        return
    yield rules.NO_COMMAND(unit.origins.span(role.path), role=role.name).help('command = ["python", "/app/train.py"]')


def environment(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    """References to Kubernetes objects, and text that no process can take."""
    for name, value in role.env.items():
        if re.fullmatch(SHELL_NAME, name) is None:
            yield rules.VARIABLE_NAME(unit.origins.span(f"{role.path}.env[{name}].key"), name=name)
        place = unit.origins.span(f"{role.path}.env[{name}]")
        if isinstance(value, SecretRef | ConfigMapRef):
            told = rules.SECRET_VALUE(place, name=name)
            yield told.help("read it from a file in a folder of the nodes (mount host)")
    texts = {"env": list(literals(role.env.values())), "args": list(literals(role.args))}
    words = role.command if isinstance(role.command, tuple) else (role.command,)
    texts["command"] = list(literals(words))
    texts["workdir"] = list(literals(() if role.workdir is None else (role.workdir,)))
    for field, pieces in texts.items():
        if any("\0" in piece for piece in pieces):
            yield rules.NUL(unit.origins.span(f"{role.path}.{field}"), what=field, role=role.name)


def memory(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    """Memory that YARN would lower."""
    asked = size_of(unit, role).memory
    place = unit.origins.span(f"{role.path}.memory")
    maximum = unit.options["max_container_memory"]
    if isinstance(maximum, int) and asked > maximum:
        yield rules.MEMORY_LOWERED(place, role=role.name, memory=asked, maximum=maximum)


def resources(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    """Names of resources travel through the application master's shell."""
    if not features(unit.version).resources:
        return
    names = [(name, f"{role.path}.resources") for name in role.resources]
    names += [(role.gpu_resource, f"{role.path}.gpu_resource")] if role.gpu_resource else []
    for name, path in names:
        if not all(char.isascii() and (char.isalnum() or char in "._/-") for char in name):
            yield rules.RESOURCE_NAME(unit.origins.span(path), name=name)


def docker(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    """The image's name and the paths of docker mounts, which pass through three shells and YARN's own syntax."""
    if not in_docker(unit, role):
        return
    if role.image is not None and not IMAGE.match(role.image):
        yield rules.IMAGE_NAME(unit.origins.span(f"{role.path}.image"), image=role.image)
    if is_yarn_tf(unit):
        return
    for mount in docker_mounts(unit, role):
        for path in dict.fromkeys((mount.source, mount.target)):
            if not SAFE_PATH.match(path):
                place = option_place(unit, mount.path) if mount.path in unit.options else unit.origins.span(mount.path)
                yield rules.DOCKER_PATH(place, path=path, characters=unsafe(path))
    for path in tmpfs_mounts(role):
        if not SAFE_PATH.match(path):
            yield rules.DOCKER_PATH(unit.origins.span(role.path), path=path, characters=unsafe(path))


def unsafe(path: str) -> str:
    """The characters of ``path`` that cannot be expressed, in order."""
    return " ".join(repr(char) for char in dict.fromkeys(path) if not SAFE_PATH.match(char)) or "nothing"


def mounts(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    """Places in which the script makes a link or a folder."""
    for mount in role.mounts:
        why = misplaced(mount)
        if why:
            yield rules.LINK_PLACE(unit.origins.span(mount.path), at=mount.at, why=why)
        for outer in role.mounts:
            if outer.kind == "host" and not outer.at.startswith("/") and mount.at.startswith(outer.at + "/"):
                source = outer.source if isinstance(outer.source, str) else "the mounted folder"
                found = rules.MOUNT_INSIDE(unit.origins.span(mount.path), at=mount.at, source=source, outer=outer.at)
                yield found.help(f"mount it at a path outside of {outer.at}")


def misplaced(mount: BaseMount) -> str:
    """Why a link or folder must not be made at the mount's path; empty when it may."""
    steps = mount.at.split("/")
    if ".." in steps:
        return "it leads out of the folder"
    if mount.at.startswith("~"):
        return "~ is not replaced by anything"
    if mount.at == "/":
        return "it is the root of the node"
    if mount.at in ("", ".") and getattr(mount, "kind", "") != "archive":
        return "it is the work folder itself"
    if steps[0] == ".tfjob":
        return "the task program has its files there"
    source = getattr(mount, "source", "")
    inside = isinstance(source, str) and source.startswith(mount.at.rstrip("/") + "/")
    return f"{source} lies inside it" if inside and mount.at.startswith("/") else ""


def archives(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    """An archive's kind is in its name; a file that is sent has a name when the job is submitted."""
    for mount in role.mounts:
        if mount.kind != "archive":
            continue
        place = unit.origins.span(mount.path)
        if is_sent(mount.source) and not isinstance(mount.source, str):
            yield rules.SENT_ARCHIVE(place).help('an "hdfs://..." URI may hold ${task.index}')
        elif not archive_suffix(mount.source):
            yield rules.ARCHIVE_KIND(place, source=mount.source if isinstance(mount.source, str) else "the archive")


def yarn_tf(unit: Unit) -> Iterator[Diagnostic]:
    """The modified client knows two roles, and pairs without ``,`` and ``:`` in them."""
    for role in unit.job.roles:
        if role.name not in ("ps", "worker"):
            yield rules.YARN_TF_ROLE(unit.origins.span(role.path), role=role.name)
        pairs: list[tuple[str, tuple[Text, ...]]]
        pairs = [(m.path, (m.source, m.at)) for m in role.mounts if m.kind == "host"]
        pairs += [(o.path, (o.source, o.destination)) for o in role.outputs]
        for path, texts in pairs:
            for text in texts:
                shown = text if isinstance(text, str) else "a value that is known when the task runs"
                if not isinstance(text, str):
                    yield rules.YARN_TF_PAIR(unit.origins.span(path), path="the path", characters=shown)
                elif not SAFE_PATH.match(text.replace("hdfs://", "").replace(":", "", text.count("hdfs://"))):
                    yield rules.YARN_TF_PAIR(unit.origins.span(path), path=text, characters=unsafe(text))
