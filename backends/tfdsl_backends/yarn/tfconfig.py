"""What each task will see. Addresses are known after the rendezvous, so placeholders stand for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfdsl.backend import TaskConfig, Unit
from tfdsl_backends.scripts.tfconfig import placeholder_tasks
from tfdsl_backends.yarn.options import is_yarn_tf

if TYPE_CHECKING:
    from tfdsl.ir.model import Role

STOCK = "addresses are known once all tasks are there: HOST-ROLE-INDEX:PORT stands for a node and a free port on it"
YARN_TF = (
    "addresses come from the modified client: HOST-ROLE-INDEX:PORT stands for them; TF_CONFIG is built from its flags"
)


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """Roles in order, indexes ascending."""
    return placeholder_tasks(unit.job, _placeholder, (YARN_TF if is_yarn_tf(unit) else STOCK,))


def _placeholder(role: Role, index: int) -> str:
    return f"HOST-{role.name}-{index}:PORT"
