"""What each task will see. Addresses are known when the job runs, so placeholders stand for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfdsl.backend import TaskConfig, Unit
from tfdsl_backends.scripts.tfconfig import placeholder_tasks

if TYPE_CHECKING:
    from tfdsl.ir.model import Role

ADDRESSES = (
    "addresses are known when the job runs: HOST-ROLE-INDEX stands for the node, and PORT for the next port of the job"
)


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """Roles in order, indexes ascending."""
    return placeholder_tasks(unit.job, _placeholder, (ADDRESSES,))


def _placeholder(role: Role, index: int) -> str:
    return f"HOST-{role.name}-{index}:PORT"
