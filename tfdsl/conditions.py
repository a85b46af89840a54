"""Conditions of support rows that look at the job alone; what a target's options decide stands in its own package."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import Role, ScratchMount


def off(unit: Unit, item: Item) -> bool:
    """The value is false, 0 or empty: nothing is asked for."""
    return not item.value


def running(unit: Unit, item: Item) -> bool:
    """Only what still runs is ended."""
    return item.value == "running"


def not_grpc(unit: Unit, item: Item) -> bool:
    """Servers speak another protocol than TensorFlow's own default."""
    return item.value != "grpc"


def single(unit: Unit, item: Item) -> bool:
    """One replica in all, TensorBoard left out, waits for nobody."""
    return sum(role.replicas for role in unit.job.roles if role.name != "tensorboard") == 1


def fewer(unit: Unit, item: Item) -> bool:
    """The gang is smaller than the role."""
    role = cast("Role", item.node)
    return role.min_available < role.replicas and role.name != "tensorboard"


def fraction(unit: Unit, item: Item) -> bool:
    """Not a whole number of processors."""
    cpu = cast("Role", item.node).cpu
    return cpu is not None and cpu.milli % 1000 != 0


def same_cpu(unit: Unit, item: Item) -> bool:
    """The limit is the request."""
    role = cast("Role", item.node)
    return role.cpu_limit == role.cpu


def same_memory(unit: Unit, item: Item) -> bool:
    """The limit is the request."""
    role = cast("Role", item.node)
    return role.memory_limit == role.memory


def labelled(unit: Unit, item: Item) -> bool:
    """The role has a node label."""
    return cast("Role", item.node).node_label is not None


def sized(unit: Unit, item: Item) -> bool:
    """A scratch folder with a size."""
    return cast("ScratchMount", item.node).size is not None
