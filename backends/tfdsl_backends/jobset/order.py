"""The order of the replicated Jobs: each after those that it depends on, as the API asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Role


def in_order(job: Job) -> list[Role]:
    """The roles, each behind those of its ``after``, else as they are."""
    placed: list[Role] = []
    waiting = list(job.roles)
    while waiting:
        names = {role.name for role in placed}
        ready = next((role for role in waiting if names.issuperset(role.after)), waiting[0])
        placed.append(ready)
        waiting.remove(ready)
    return placed
