"""What Slider, docker or the scripts would refuse or do wrong, found before.

Of Slider's own checks (``Metainfo.validate``, ``AgentClientProvider.validateInstanceDefinition``) only those stand here
that a job can fail; the others hold by construction: unique priorities from 1, members of the metainfo, prefixed keys.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tfdsl.emit.located import child, entry
from tfdsl.emit.xml import refused as not_in_xml
from tfdsl.ir.model import ConfigMapRef, SecretRef
from tfdsl.vocabulary.attributes import SHELL_NAME
from tfdsl_backends.slider import rules
from tfdsl_backends.slider.file_checks import check_files, check_mounts, check_nesting, check_outputs
from tfdsl_backends.slider.file_data import work_folder
from tfdsl_backends.slider.job_file import hides_gpus, literals, web_address
from tfdsl_backends.slider.limits import INTEGER, check_addresses, check_strings
from tfdsl_backends.slider.options import in_docker
from tfdsl_backends.slider.resources import megabytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Unit
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.ir.model import Role
    from tfdsl.text import Span

NAME: Final = re.compile(r"[a-z][a-z0-9_-]*\Z")
PORT_LIST: Final = re.compile(r"[0-9]{1,5}(?:-[0-9]{1,5})?(?: *, *[0-9]{1,5}(?:-[0-9]{1,5})?)*\Z")
ADDRESS: Final = re.compile(r"https?://[A-Za-z0-9._-]+(?::[0-9]{1,5})?(?:/[A-Za-z0-9._/-]*)?\Z")

LEAST_MEMORY: Final = 4096
"""MB. Without a GPU TensorFlow was seen to reserve 7 GB of addresses; 2.1 times this is enough."""


def check(unit: Unit) -> Iterator[Diagnostic]:
    """The target's own rules."""
    job = unit.job
    if not NAME.match(job.name):
        yield rules.APPLICATION_NAME(unit.origins.span("name"), name=job.name)
    yield from _options(unit)
    yield from check_files(unit)
    yield from _work_folders(unit)
    yield from _hidden_gpus(unit)
    yield from _virtual_memory(unit)
    yield from check_addresses(unit)
    for role in job.roles:
        yield from check_strings(unit, role)
        yield from _command(unit, role)
        yield from _environment(unit, role)
        yield from _amounts(unit, role)
        yield from check_mounts(unit, role)
        yield from check_nesting(unit, role)
        yield from check_outputs(unit, role)


def _hidden_gpus(unit: Unit) -> Iterator[Diagnostic]:
    """Roles from which the script hides the devices of their node."""
    hidden = [role for role in unit.job.roles if hides_gpus(unit.job, role)]
    if hidden:
        names = ", ".join(role.name for role in hidden)
        found = rules.GPUS_HIDDEN(unit.origins.span(hidden[0].path), roles=names)
        yield found.help("set CUDA_VISIBLE_DEVICES or NVIDIA_VISIBLE_DEVICES in env of the role to leave it out")


def _virtual_memory(unit: Unit) -> Iterator[Diagnostic]:
    """Roles that need more virtual memory than a NodeManager with Hadoop's own settings allows them."""
    roles = [role for role in unit.job.roles if role.name != "tensorboard"]
    short = [role for role in roles if role.memory is not None and megabytes(role.memory) < LEAST_MEMORY]
    if short:
        names = ", ".join(role.name for role in short)
        found = rules.VIRTUAL_MEMORY(unit.origins.span(f"{short[0].path}.memory"), roles=names)
        yield found.help("set yarn.nodemanager.vmem-check-enabled to false on the nodes")


def _span(unit: Unit, option: str) -> Span:
    return unit.option_spans.get(option, unit.origins.job)


def _options(unit: Unit) -> Iterator[Diagnostic]:
    ports = unit.text("allowed_ports")
    if ports and not _are_ports(ports):
        found = rules.PORTS(_span(unit, "allowed_ports"), value=ports)
        yield found
    for address in unit.texts("resourcemanager"):
        if not ADDRESS.match(web_address(address)):
            yield rules.ADDRESS(_span(unit, "resourcemanager"), value=address)
    version = unit.text("app_version")
    if unit.text("metainfo") == "xml" and not_in_xml(version) is not None:
        yield rules.XML_TEXT(_span(unit, "app_version"), value="app_version")


def _are_ports(text: str) -> bool:
    if not PORT_LIST.match(text):
        return False
    for part in text.split(","):
        low, _, high = part.strip().partition("-")
        if not 1 <= int(low) <= int(high or low) <= 65535:
            return False
    return True


def _command(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    if not (role.command or role.server or role.name == "tensorboard" or in_docker(unit, role)):
        found = rules.NO_COMMAND(unit.origins.span(role.path), role=role.name)
        yield found.help('write command = ["python", "train.py"], or give the role an image')


def _work_folders(unit: Unit) -> Iterator[Diagnostic]:
    """Say it once for all roles that inherit one image."""
    names: dict[Span, list[str]] = {}
    for role in unit.job.roles:
        if role.name != "tensorboard" and work_folder(unit, role):
            names.setdefault(unit.origins.span(child(role.path, "image")), []).append(role.name)
    for span, roles in names.items():
        found = rules.WORK_FOLDER(span, roles=", ".join(roles))
        yield found.help("workdir names another folder")


def _environment(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    if any("\0" in text for text in literals(unit.job, role)):
        yield rules.NUL(unit.origins.span(role.path), role=role.name)
    for name, value in role.env.items():
        if re.fullmatch(SHELL_NAME, name) is None:
            yield rules.VARIABLE_NAME(unit.origins.span(f"{entry(child(role.path, 'env'), name)}.key"), name=name)
        if isinstance(value, SecretRef | ConfigMapRef):
            found = rules.SECRET_VALUE(unit.origins.span(entry(child(role.path, "env"), name)), name=name)
            yield found.help("put it in a file on the nodes (mount host) that only the user can read")


def _amounts(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    if role.memory is None:
        found = rules.DEFAULT_MEMORY(unit.origins.span(role.path), role=role.name)
        yield found.help("write memory, e.g. memory = 4Gi")
    amounts = {
        "replicas": ("yarn.component.instances", role.replicas),
        "memory": ("yarn.memory", megabytes(role.memory) if role.memory is not None else 0),
        "cpu": ("yarn.vcores", role.cpu.whole if role.cpu is not None else 0),
    }
    for field, (key, value) in amounts.items():
        if value > INTEGER:
            span = unit.origins.span(child(role.path, field))
            yield rules.NUMBER_TOO_LARGE(span, field=key, value=value)
