"""resources.json: what each component requests from YARN. All values are texts; Slider decodes numbers as Java does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.backend import Unit
from tfdsl.emit.located import Data, Located, child
from tfdsl.vocabulary.quantities import Quantity
from tfdsl_backends.scripts.roles import MEBIBYTE
from tfdsl_backends.slider.policies import starts_for_ever

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Role

SCHEMA = "http://example.org/specification/v2.0.0"
"""The only schema that Slider accepts."""

MASTER = "slider-appmaster"
ANTI_AFFINITY = "4"
PLACEMENT = {"strict": "1", "anywhere": "2", "": None}
"""``PlacementPolicy``."""

INTEGER = 2**31 - 1
"""The largest number that Slider reads."""

DAY = 24 * 60
WINDOW_MINUTES = 365 * DAY
"""A failure counts for the whole life of a job without a deadline. In minutes, because Slider multiplies hours by 24
instead of 60 (``MapOperations.getTimeRange``)."""


def resources(unit: Unit) -> dict[str, Data]:
    """The document; priorities count the roles from 1."""
    job = unit.job
    components: dict[str, Data] = {MASTER: _master(unit)}
    for number, role in enumerate(job.roles, 1):
        components[role.name] = Located(_component(unit, role, number), role.path)
    return {"schema": SCHEMA, "metadata": {}, "global": _failure_window(job), "components": components}


def _failure_window(job: Job) -> Data:
    minutes = -(-job.deadline.ms // 60_000) if job.deadline is not None else WINDOW_MINUTES
    value = Located(str(minutes), "deadline") if job.deadline is not None else str(minutes)
    return {"yarn.container.failure.window.minutes": value}


def _master(unit: Unit) -> dict[str, Data]:
    memory = unit.options["am_memory"]
    return {"yarn.memory": str(memory)} if memory is not None else {}


def _policy(unit: Unit, role: Role) -> Located | str | None:
    """The placement policy. With anti-affinity Slider looks at nothing else (``OutstandingRequest.isAntiAffine``)."""
    if role.spread == "node":
        return Located(ANTI_AFFINITY, child(role.path, "spread"))
    return PLACEMENT[str(unit.entries("placement").get(role.name, ""))]


def _escalation(unit: Unit, role: Role) -> str | None:
    seconds = unit.entries("escalate_seconds").get(role.name)
    return None if seconds is None else str(seconds)


def _component(unit: Unit, role: Role, priority: int) -> dict[str, Data]:
    return {
        "yarn.role.priority": str(priority),
        "yarn.component.instances": Located(str(role.replicas), child(role.path, "replicas")),
        "yarn.memory": _amount(role, "memory", role.memory, MEBIBYTE),
        "yarn.vcores": _amount(role, "cpu", role.cpu, 1),
        "yarn.label.expression": _text(role, "node_label", role.node_label),
        "yarn.component.placement.policy": _policy(unit, role),
        "yarn.placement.escalate.seconds": _escalation(unit, role),
        "yarn.container.failure.threshold": _threshold(unit.job, role),
    }


def _threshold(job: Job, role: Role) -> Located | str:
    """How many containers of the role may fail. In some versions 0 means none, in others no limit."""
    return str(INTEGER) if starts_for_ever(job, role) else Located(str(max(1, job.retries)), "retries")


def _amount(role: Role, field: str, amount: Quantity | None, unit: int) -> Located | None:
    if amount is None:
        return None
    return Located(str(max(1, -(-amount.whole // unit))), child(role.path, field))


def _text(role: Role, field: str, value: str | None) -> Located | None:
    return Located(value, child(role.path, field)) if value else None
