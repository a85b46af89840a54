"""Conditions of the slurm support table."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl.backend import Condition, Unit, condition
from tfdsl_backends.scripts.roles import MEBIBYTE
from tfdsl_backends.slurm.layout import single
from tfdsl_backends.slurm.options import in_containers

if TYPE_CHECKING:
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import BaseMount, Role

containers = Condition('runtime = "pyxis" or "apptainer"', lambda unit, item: in_containers(unit))


@condition("pyxis, a file or address for Apptainer")
def not_for_pyxis(unit: Unit, item: Item) -> bool:
    """Whether only Apptainer could run the image."""
    name = str(item.value)
    return unit.text("runtime") == "pyxis" and (
        name.endswith((".sif", ".simg")) or ("://" in name and not name.startswith("docker://"))
    )


@condition("whole MB for each processor")
def exact_memory(unit: Unit, item: Item) -> bool:
    """Whether Slurm reserves exactly that."""
    role = cast("Role", item.node)
    cpus = max(role.cpu.whole, 1) if role.cpu is not None else 1
    return role.memory is not None and role.memory.whole % (MEBIBYTE * cpus) == 0


@condition("the limit of a replica is above its request")
def above_request(unit: Unit, item: Item) -> bool:
    """Whether a limit is not the request."""
    role = cast("Role", item.node)
    return bool(item.value != getattr(role, item.key.rpartition(".")[2].removesuffix("_limit")))


one_for_all = Condition("several roles in one allocation", lambda unit, item: single(unit) and len(unit.job.roles) > 1)
"""Whether what a role asks for is given to all."""


@condition("native, an absolute path other than the source")
def elsewhere(unit: Unit, item: Item) -> bool:
    """Whether a process of the node would need the folder at another place."""
    at = cast("BaseMount", item.node).at
    return at.startswith("/") and not in_containers(unit) and getattr(item.node, "source", None) != at


read_only_image = Condition(
    "an absolute path, but for pyxis",
    lambda unit, item: cast("BaseMount", item.node).at.startswith("/") and unit.text("runtime") != "pyxis",
)

with_deadline = Condition(
    "with a deadline or time_limit", lambda unit, item: unit.job.deadline is not None or bool(unit.text("time_limit"))
)
"""Whether Slurm can know how long the job takes."""
