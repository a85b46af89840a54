"""The cpu and memory that a replica may use at most, and whether this machine can limit them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, command_rules
from tfdsl.ir.model import Job, Role, Step
from tfdsl.running.launch import Limits
from tfdsl.running.supervision import cgroups
from tfdsl.vocabulary.quantities import Quantity

if TYPE_CHECKING:
    from tfdsl.ir.fields import Origins


def limits_of(holder: Role | Step) -> Limits:
    """The limits of a role's command, or of a step."""
    if isinstance(holder, Role):
        cpu, memory = _amount(holder.cpu_limit), _amount(holder.memory_limit)
    else:
        cpu, memory = holder.cpu, holder.memory
    return Limits(None if cpu is None else cpu.milli, None if memory is None else memory.whole)


def denied() -> str:
    """Why nothing can be limited here; empty if it can."""
    return cgroups.place()[1]


def check(job: Job, origins: Origins, why: str) -> Iterator[Diagnostic]:
    """What is not limited, at the first limit of the job."""
    if not why:
        return
    for role in job.roles:
        limits = limits_of(role)
        names = [name for name in ("cpu", "memory") if getattr(limits, name) is not None]
        if names:
            yield command_rules.NOT_LIMITED(origins.span(f"{role.path}.{names[0]}"), what=" and ".join(names), why=why)
            return


def _amount(limit: Quantity | str | None) -> Quantity | None:
    return None if isinstance(limit, str) else limit
