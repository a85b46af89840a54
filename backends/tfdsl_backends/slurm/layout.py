"""What a job asks Slurm for: the components of its allocation, and the size of each replica.

A component of a heterogeneous job has replicas of one size; Slurm gives each component nodes of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfdsl.grouping import grouped
from tfdsl.record import Record
from tfdsl_backends.scripts.roles import MEBIBYTE

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.model import Role

GPU = "nvidia.com/gpu"


class Size(Record):
    """One replica: processors, MB for each of them (0: the site's), and devices with their name in Slurm."""

    cpus: int
    memory: int
    device: str = ""
    devices: int = 0


class Component(Record):
    """Part of the allocation. ``constraint``: features of its nodes; ``per_node``: replicas on one, 0 for any."""

    roles: tuple[Role, ...]
    size: Size
    constraint: str = ""
    per_node: int = 0

    @property
    def tasks(self) -> int:
        """How many replicas it has."""
        return sum(role.replicas for role in self.roles)


def components(unit: Unit) -> list[Component]:
    """The components, in the order of their first roles."""
    if single(unit):
        roles = unit.job.roles
        label = next((role.node_label for role in roles if role.node_label), "") or ""
        return [Component(roles, largest([size_of(unit, role) for role in roles]), label, per_node(unit, roles[0]))]
    alike = grouped((shape(unit, role), role) for role in unit.job.roles)
    return [
        Component(tuple(roles), size_of(unit, roles[0]), roles[0].node_label or "", per_node(unit, roles[0]))
        for roles in alike.values()
    ]


def single(unit: Unit) -> bool:
    """Whether one allocation without components has all replicas."""
    chosen = unit.text("allocation")
    return chosen == "single" if chosen else len({shape(unit, role) for role in unit.job.roles}) == 1


def shape(unit: Unit, role: Role) -> object:
    """What the roles of one component have in common; those that are kept apart have one for themselves."""
    return size_of(unit, role), role.node_label, role.name if is_apart(role) else ""


def is_apart(role: Role) -> bool:
    """Whether each replica of ``role`` is on a node of its own."""
    return role.spread == "node" and role.replicas > 1


def per_node(unit: Unit, role: Role) -> int:
    """How many replicas of ``role`` may be on one node; 0 for any number."""
    most = unit.options["tasks_per_node"]
    return 1 if is_apart(role) else most if isinstance(most, int) else 0


def size_of(unit: Unit, role: Role) -> Size:
    """What one replica of ``role`` asks for; amounts are rounded up."""
    cpus = max(role.cpu.whole, 1) if role.cpu is not None else 1
    memory = -(-role.memory.whole // (MEBIBYTE * cpus)) if role.memory is not None else 0
    return Size(cpus, memory, device(unit, role) if role.gpu else "", role.gpu)


def device(unit: Unit, role: Role) -> str:
    """The device of ``role`` in Slurm's words."""
    name = unit.entries("gres").get(role.gpu_resource or GPU)
    return name if isinstance(name, str) else "gpu"


def largest(sizes: Sequence[Size]) -> Size:
    """The smallest size that holds each of ``sizes``; memory is that of one replica."""
    cpus = max(size.cpus for size in sizes)
    memory = max(size.memory * size.cpus for size in sizes)
    top = max(sizes, key=lambda size: size.devices)
    return Size(cpus, -(-memory // cpus), top.device, top.devices)
