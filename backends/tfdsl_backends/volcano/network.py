"""What of a job must be reached from outside: the svc plugin's NetworkPolicy admits only the job's own pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.emit.located import child

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Role, Step


def reached(job: Job) -> tuple[str, str] | None:
    """The words for it and where it is written; ``None`` if nothing must be reached: the policy may stay."""
    if job.role("tensorboard") is not None:
        return "tensorboard", "roles[tensorboard]"
    for role in job.roles:
        holders: list[Role | Step] = [role, *role.steps]
        for holder in holders:
            for name in holder.ports:
                return f"port {name}", child(holder.path, "ports")
    return None
