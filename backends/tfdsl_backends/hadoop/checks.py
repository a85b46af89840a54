"""Checks that yarn and slider share; each takes the rules of its target."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tfdsl.backend import Unit
from tfdsl.diagnostics import Diagnostic
from tfdsl.emit.located import child
from tfdsl.ir.cluster_spec import LONG_HOST, SHORT_HOST, address_list
from tfdsl.ir.model import ConfigMapRef, Role, SecretRef
from tfdsl.vocabulary.attributes import SHELL_NAME
from tfdsl_backends.hadoop.messages import HadoopRules
from tfdsl_backends.hadoop.options import files
from tfdsl_backends.scripts.roles import hides_gpus
from tfdsl_backends.scripts.texts import own_long_strings, own_variables, shown

LEAST_MEMORY = 4096
"""MB. Without a GPU TensorFlow was seen to reserve 7 GB of addresses; 2.1 times this is enough."""


def check_role_options(unit: Unit, rules: HadoopRules, *names: str) -> Iterator[Diagnostic]:
    """Roles in maps of options that the job does not have."""
    for name in names:
        for role in unit.entries(name):
            if unit.job.role(role) is None:
                yield rules.unused_role(unit.option_place(f"{name}[{role}].key"), role=role, option=name)


def check_environment(unit: Unit, rules: HadoopRules, role: Role) -> Iterator[Diagnostic]:
    """Variables that a shell cannot set, and values that are in Kubernetes objects."""
    for path, name, value in own_variables(role):
        if re.fullmatch(SHELL_NAME, name) is None:
            yield rules.variable_name(unit.origins.span(f"{path}.key"), name=name)
        if isinstance(value, SecretRef | ConfigMapRef):
            yield rules.secret_value(unit.origins.span(path), name=name).help(
                "put it in a file on the nodes that only the user can read (mount host)"
            )


def check_nesting(unit: Unit, rules: HadoopRules, role: Role) -> Iterator[Diagnostic]:
    """Mounts inside a folder of the node, which is only a link in the work folder."""
    for mount in role.mounts:
        for outer in role.mounts:
            if outer.kind == "host" and not outer.at.startswith("/") and mount.at.startswith(outer.at + "/"):
                place = unit.origins.span(mount.path)
                yield rules.mount_inside(place, at=mount.at, source=shown(outer.source), outer=outer.at).help(
                    f"mount it at a path outside {outer.at}"
                )


def check_hidden_gpus(unit: Unit, rules: HadoopRules) -> Iterator[Diagnostic]:
    """Roles from which the script hides the devices of their node."""
    hidden = [role for role in unit.job.roles if hides_gpus(unit.job, role)]
    if hidden:
        yield rules.gpus_hidden(unit.origins.span(hidden[0].path))


def check_virtual_memory(unit: Unit, rules: HadoopRules, roles: Sequence[Role]) -> Iterator[Diagnostic]:
    """Those of ``roles``, which need more virtual memory than Hadoop's own settings allow, that run TensorFlow.

    CUDA reserves addresses for all memory of the node and its devices; without it TensorFlow takes some GB, mostly for
    its threads.
    """
    short = [role for role in roles if not role.is_board]
    if short:
        yield rules.virtual_memory(unit.origins.span(child(short[0].path, "memory")), roles=_names(short)).help(
            "set yarn.nodemanager.vmem-check-enabled to false on the nodes"
        )


def check_strings(unit: Unit, rules: HadoopRules, role: Role) -> Iterator[Diagnostic]:
    """Strings that no process can be given."""
    for string in own_long_strings(role):
        place = unit.origins.span(string.path)
        yield rules.too_long(place, what=string.what, role=role.name, size=string.size).help(
            "put it in a file that the command reads (mount archive or mount hdfs)"
        )


def check_addresses(unit: Unit, rules: HadoopRules) -> Iterator[Diagnostic]:
    """The list of all addresses, whose length depends on the names of the nodes."""
    addresses = address_list(unit.job)
    if addresses is None or addresses.room >= LONG_HOST:
        return
    place = unit.origins.span(child(addresses.role.path, "replicas"))
    if addresses.room < SHORT_HOST:
        diagnostic = rules.too_many_addresses(place, what=addresses.what, count=addresses.count)
    else:
        diagnostic = rules.many_addresses(place, what=addresses.what, count=addresses.count, room=addresses.room)
    yield diagnostic.help(
        'lower replicas, or write cluster { discovery = "none" } if the program finds its peers itself'
    )


def check_files(unit: Unit, rules: HadoopRules, taken: re.Pattern[str]) -> Iterator[Diagnostic]:
    """Every file needs a name of its own in the work folder; ``taken`` are the names that the target uses there."""
    mounted = mounted_names(unit)
    names: set[str] = set()
    for number, (source, name) in enumerate(files(unit)):
        place = unit.option_place(f"files[{number}]")
        if not name or "\0" in source:
            yield rules.bad_file(place, name=source)
        elif name in names or taken.match(name):
            other = "another of the files" if name in names else "a file of the target"
            yield rules.same_file(place, name=name, other=other).help("rename it")
        elif name in mounted:
            yield rules.file_at_mount(place, name=name).help(f"rename the file, or mount at another path than {name}")
        names.add(name)


def mounted_names(unit: Unit) -> set[str]:
    """The first names of all mounts that are in the work folder; an archive at ``.`` has names of its own."""
    paths = (mount.at for role in unit.job.roles for mount in role.mounts)
    return {path.partition("/")[0] for path in paths if not path.startswith("/")} - {".", ""}


def _names(roles: Sequence[Role]) -> str:
    return ", ".join(role.name for role in roles)
