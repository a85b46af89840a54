"""Conditions of support rows that look at the job alone; a target's own conditions are in its ``when.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl.backend import Condition, Unit, condition

if TYPE_CHECKING:
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import Policy, Role, ScratchMount


off = Condition("false", lambda unit, item: not item.value)
empty = Condition("empty", lambda unit, item: not item.value)
zero = Condition("0", lambda unit, item: not item.value)
running = Condition("running", lambda unit, item: item.value == "running")
not_grpc = Condition("not grpc", lambda unit, item: item.value != "grpc")
same_cpu = Condition("equal to cpu", lambda unit, item: _role(item).cpu_limit == _role(item).cpu)
same_memory = Condition("equal to memory", lambda unit, item: _role(item).memory_limit == _role(item).memory)
unlimited = Condition('"none"', lambda unit, item: item.value == "none")
labelled = Condition("with node_label", lambda unit, item: _role(item).node_label is not None)
number = Condition("a number", lambda unit, item: isinstance(item.value, int))
no_spread = Condition("none, or one replica", lambda unit, item: item.value == "none" or _role(item).replicas == 1)
checked_type = Condition("Directory, File", lambda unit, item: item.value in ("", "Directory", "File"))
of_a_role = Condition("with a role", lambda unit, item: cast("Policy", item.node).role is not None)
sized = Condition("with a size", lambda unit, item: cast("ScratchMount", item.node).size is not None)

not_of_a_registry = Condition(
    "a file, or with a scheme", lambda unit, item: str(item.value).startswith("/") or "://" in str(item.value)
)


@condition("one replica in all")
def single(unit: Unit, item: Item) -> bool:
    """TensorBoard is left out: it waits for nobody."""
    return sum(role.replicas for role in unit.job.training_roles) == 1


@condition("less than replicas")
def fewer(unit: Unit, item: Item) -> bool:
    """The gang is smaller than the role."""
    role = _role(item)
    return role.min_available < role.replicas and not role.is_board


@condition("a fraction")
def fraction(unit: Unit, item: Item) -> bool:
    """Not a whole number of processors."""
    cpu = _role(item).cpu
    return cpu is not None and cpu.milli % 1000 != 0


@condition("the role's")
def as_the_role(unit: Unit, item: Item) -> bool:
    """Whether a step asks for what its role has."""
    role = unit.job.role(item.role)
    return role is not None and item.value == getattr(role, item.key.rpartition(".")[2])


def _role(item: Item) -> Role:
    return cast("Role", item.node)
