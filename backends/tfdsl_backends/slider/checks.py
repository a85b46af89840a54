"""What Slider, docker or the scripts would refuse or do wrong.

Of Slider's own checks (``Metainfo.validate``, ``AgentClientProvider.validateInstanceDefinition``) only those are here
that a job can fail; the others hold by construction: unique priorities from 1, members of the metainfo, prefixed keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfdsl.backend import Unit
from tfdsl.diagnostics import Diagnostic
from tfdsl.emit.located import child
from tfdsl.emit.xml import refused as not_in_xml
from tfdsl.ir.model import BaseMount, HostMount, Role
from tfdsl.patterns import regex
from tfdsl.text import Span
from tfdsl_backends.hadoop.checks import (
    LEAST_MEMORY,
    check_addresses,
    check_environment,
    check_files,
    check_hidden_gpus,
    check_nesting,
    check_role_options,
    check_strings,
    check_virtual_memory,
    mounted_names,
)
from tfdsl_backends.hadoop.options import files
from tfdsl_backends.hadoop.support import KUBERNETES_MOUNTS
from tfdsl_backends.hadoop.when import in_docker
from tfdsl_backends.scripts.roles import megabytes
from tfdsl_backends.scripts.texts import head, is_sent, shown
from tfdsl_backends.slider import messages
from tfdsl_backends.slider.config_files import check_config_files
from tfdsl_backends.slider.documents import INTEGER, am_heap
from tfdsl_backends.slider.job_file import starts_in_work_folder, web_address

NAME: Final = regex(r"[a-z][a-z0-9_-]*\Z")
PORT_LIST: Final = regex(r"[0-9]{1,5}(?:-[0-9]{1,5})?(?: *, *[0-9]{1,5}(?:-[0-9]{1,5})?)*\Z")
ADDRESS: Final = regex(r"https?://[A-Za-z0-9._-]+(?::[0-9]{1,5})?(?:/[A-Za-z0-9._/-]*)?\Z")
TAKEN: Final = regex(r"(?:archives|job\.json|server\.py|\.mounts|\.outputs)(?:/|\Z)")
"""Names that the package's files and the work folder already use."""

MASTER_MEMORY: Final = 1024
"""MB of Slider's application master without ``am_memory``."""


def check(unit: Unit) -> Iterator[Diagnostic]:
    """The job first, then role by role."""
    job = unit.job
    if not NAME.match(job.name):
        yield messages.APPLICATION_NAME(unit.origins.named_at, name=job.name)
    yield from _options(unit)
    yield from _master(unit)
    yield from check_role_options(unit, messages.SHARED, "placement", "escalate_seconds")
    yield from _placement(unit)
    yield from check_files(unit, messages.SHARED, TAKEN)
    yield from check_config_files(unit, TAKEN, {name for _, name in files(unit)} | mounted_names(unit))
    yield from _work_folders(unit)
    yield from check_hidden_gpus(unit, messages.SHARED)
    little = [role for role in job.roles if role.memory is not None and megabytes(role.memory) < LEAST_MEMORY]
    yield from check_virtual_memory(unit, messages.SHARED, little)
    yield from check_addresses(unit, messages.SHARED)
    for role in job.roles:
        yield from check_strings(unit, messages.SHARED, role)
        yield from _command(unit, role)
        yield from check_environment(unit, messages.SHARED, role)
        yield from _amounts(unit, role)
        yield from _mounts(unit, role)
        yield from check_nesting(unit, messages.SHARED, role)
        yield from _outputs(unit, role)


def _options(unit: Unit) -> Iterator[Diagnostic]:
    ports = unit.text("allowed_ports")
    if ports and not _are_ports(ports):
        yield messages.PORTS(unit.option_place("allowed_ports"), value=ports)
    for address in unit.texts("resourcemanager"):
        if not ADDRESS.match(web_address(address)):
            yield messages.ADDRESS(unit.option_place("resourcemanager"), value=address)
    version = unit.text("app_version")
    if unit.text("metainfo") == "xml" and not_in_xml(version) is not None:
        yield messages.XML_TEXT(unit.option_place("app_version"), value="app_version")


def _master(unit: Unit) -> Iterator[Diagnostic]:
    """The application master's heap, which must be smaller than its container."""
    heap, memory = am_heap(unit), unit.options["am_memory"]
    most = memory if isinstance(memory, int) else MASTER_MEMORY
    if heap is not None and heap >= most:
        diagnostic = messages.MASTER_HEAP(unit.option_place("am_heap"), heap=heap, memory=most)
        yield diagnostic.help(f"write am_memory = {heap * 4 // 3}")


def _placement(unit: Unit) -> Iterator[Diagnostic]:
    """Placement that Slider overrules: anti-affinity decides alone, and only the default policy escalates."""
    placement = unit.entries("placement")
    for role in unit.job.roles:
        spread = role.spread == "node"
        if role.name in placement and spread:
            place = unit.option_place(f"placement[{role.name}]")
            why = 'whose replicas spread = "node" places'
            yield messages.PLACEMENT_UNUSED(place, option="placement", role=role.name, why=why).help(
                "remove one of them"
            )
        if role.name in unit.entries("escalate_seconds") and (spread or role.name in placement):
            place = unit.option_place(f"escalate_seconds[{role.name}]")
            why = (
                "because its replicas have no preferred node"
                if placement.get(role.name) == "anywhere"
                else ("because it never asks for another node for them")
            )
            yield messages.PLACEMENT_UNUSED(place, option="escalate_seconds", role=role.name, why=why).help("remove it")


def _are_ports(text: str) -> bool:
    if not PORT_LIST.match(text):
        return False
    for part in text.split(","):
        low, _, high = part.strip().partition("-")
        if not 1 <= int(low) <= int(high or low) <= 65535:
            return False
    return True


def _work_folders(unit: Unit) -> Iterator[Diagnostic]:
    """Docker roles that start in the work folder; one diagnostic for all roles with the same image."""
    names: dict[Span, list[str]] = {}
    for role in unit.job.roles:
        if not role.is_board and starts_in_work_folder(unit, role):
            names.setdefault(unit.origins.span(child(role.path, "image")), []).append(role.name)
    for place, roles in names.items():
        yield messages.WORK_FOLDER(place, roles=", ".join(roles)).help("write workdir for another folder")


def _command(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    if not (role.command or role.server or role.is_board or in_docker(unit, role)):
        diagnostic = messages.NO_COMMAND(unit.origins.span(role.path), role=role.name)
        yield diagnostic.help('write command = ["python", "train.py"], or give the role an image')


def _amounts(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    if role.memory is None:
        diagnostic = messages.DEFAULT_MEMORY(unit.origins.span(role.path), role=role.name)
        yield diagnostic.help("write memory, e.g. memory = 4Gi")
    amounts = {
        "memory": ("yarn.memory", megabytes(role.memory) if role.memory is not None else 0),
        "cpu": ("yarn.vcores", role.cpu.whole if role.cpu is not None else 0),
    }
    for field, (key, value) in amounts.items():
        if value > INTEGER:
            place = unit.origins.span(child(role.path, field))
            yield messages.NUMBER_TOO_LARGE(place, field=key, value=value)


def _mounts(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    """Places of links, paths that docker can mount, archives that can be sent."""
    for mount in role.mounts:
        place = unit.origins.span(mount.path)
        if not mount.at.startswith("/") and not _is_safe(mount):
            yield messages.UNSAFE_PATH(place, at=mount.at)
        source = mount.source if isinstance(mount, HostMount) else ""
        if isinstance(source, str) and ":" in source and in_docker(unit, role):  # no mount path may have one
            yield messages.DOCKER_PATH(place, path=source)
        if mount.kind == "archive" and is_sent(mount.source) and not isinstance(mount.source, str):
            diagnostic = messages.ARCHIVE_SOURCE(place, source=shown(mount.source))
            yield diagnostic.help("start it with hdfs://, or write the file's name")


def _is_safe(mount: BaseMount) -> bool:
    if mount.at == ".":
        return getattr(mount, "kind", "") == "archive"
    return bool(mount.at) and not {"", ".", "..", "~"} & set(mount.at.split("/")) and not TAKEN.match(mount.at)


def _outputs(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    """Destinations that are lost with the task: only HDFS and mounted folders of the node are lasting."""
    # A Kubernetes mount is refused itself, which is enough.
    lasting = [
        f"{mount.at}/"
        for mount in role.mounts
        if (mount.kind == "host" and not mount.readonly) or mount.kind in KUBERNETES_MOUNTS
    ]
    for output in role.outputs:
        begin = head(output.destination)
        root = output.destination  # a text whose beginning alone is known goes below the mount
        if not begin.startswith("hdfs://") and not any(begin.startswith(at) and root != at for at in lasting):
            place = unit.origins.span(child(output.path, "destination"))
            diagnostic = messages.OUTPUT_PLACE(place, destination=shown(output.destination), role=role.name)
            yield diagnostic.help(
                'mount host "/shared/runs" at "/shared/runs" and write below it, or use an hdfs:// URI'
            )
