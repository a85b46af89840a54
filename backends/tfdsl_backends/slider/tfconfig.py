"""What each task will see. The agents allocate the addresses, so placeholders stand for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfdsl.backend import TaskConfig, Unit
from tfdsl_backends.scripts.tfconfig import placeholder_tasks

if TYPE_CHECKING:
    from tfdsl.ir.model import Role

DIFFERENCES = (
    "hosts and ports are allocated when the containers start; the script fills them in",
    "when a container is replaced, the command of every other task restarts with its new address",
)


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """Roles in order, indexes ascending."""
    return placeholder_tasks(unit.job, _placeholder, DIFFERENCES)


def _placeholder(role: Role, index: int) -> str:
    return f"<host of {role.name}[{index}]>:<port>"
