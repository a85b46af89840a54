"""What rows of several targets ask about a job. The IR is not imported: the table loads without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl.conditions import fewer

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import ClaimMount
    from tfdsl.vocabulary.quantities import Duration


def number(unit: Unit, item: Item) -> bool:
    """Whether the value is an integer."""
    return isinstance(item.value, int)


def part_of_second(unit: Unit, item: Item) -> bool:
    """Whether a duration is not a whole number of seconds."""
    return cast("Duration", item.value).ms % 1000 != 0


def all_replicas(unit: Unit, item: Item) -> bool:
    """Whether all replicas of the role have to be there; TensorBoard never counts."""
    return not fewer(unit, item)


def of_tensorboard(unit: Unit, item: Item) -> bool:
    """Whether the item belongs to the tensorboard role."""
    return item.role == "tensorboard"


def keeps(unit: Unit, item: Item) -> bool:
    """Whether a claim is meant to outlive the job."""
    name = cast("ClaimMount", item.node).claim
    return any(claim.keep for claim in unit.job.claims if claim.name == name)


def whole_seconds(unit: Unit, item: Item) -> dict[str, str]:
    """``value``: the duration that is written for one that is not whole seconds."""
    return {"value": f"{cast('Duration', item.value).seconds}s"} if part_of_second(unit, item) else {}


def namespace_flag(unit: Unit, item: Item) -> dict[str, str]:
    """``namespace``: what kubectl needs to find the job's objects."""
    return {"namespace": f" -n {unit.job.namespace}" if unit.job.namespace else ""}


def claim_and_namespace(unit: Unit, item: Item) -> dict[str, str]:
    """The same, and ``claim``: the name of the claim that a mount makes."""
    return {"claim": f"{unit.job.name}-{cast('ClaimMount', item.node).claim}", **namespace_flag(unit, item)}
