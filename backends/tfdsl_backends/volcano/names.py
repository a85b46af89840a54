"""The names of a job's tasks, pods and hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.backend import Unit
from tfdsl_backends.volcano.spread import labels

if TYPE_CHECKING:
    from tfdsl.ir.model import Role


def task_name(unit: Unit, role: Role) -> str:
    """The name of the task of ``role``: that of the role, unless the option says otherwise."""
    return str(unit.entries("task_names").get(role.name, role.name))


def pod_name(unit: Unit, role: Role, index: int) -> str:
    """The name of a pod."""
    return f"{unit.job.name}-{task_name(unit, role)}-{index}"


def host(unit: Unit, role: Role, index: int) -> str:
    """The name under which a replica is reached inside its namespace."""
    return f"{pod_name(unit, role, index)}.{unit.job.name}"


def file_name(unit: Unit, role: Role) -> str:
    """The task as the svc plugin writes it in the names of its files and, in capital letters, of its variables."""
    return task_name(unit, role).replace("-", "_")


def task_labels(unit: Unit, role: Role) -> dict[str, str]:
    """The labels that Volcano gives to the pods of ``role`` and to no others."""
    return labels(unit.job.name, task_name(unit, role))
