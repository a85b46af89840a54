"""The names of the Jobs and pods of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.model import Role


def role_job_name(unit: Unit, role: Role) -> str:
    """Name of the Indexed Job of a role, with which the names of its pods begin: ``<job>-<role>``, or the option's."""
    return str(unit.entries("job_names").get(role.name, f"{unit.job.name}-{role.name}"))


def replica_name(unit: Unit, role: Role, index: int) -> str:
    """Hostname of a replica of an Indexed Job, and the name of the Job of a replica on its host."""
    return f"{role_job_name(unit, role)}-{index}"
