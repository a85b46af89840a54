"""A job that is data already, with another number of replicas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Policy, Role


def scaled(job: Job, scale: Mapping[str, int]) -> Job:
    """``job`` with so many replicas of some roles; a role of 0, and what is about it, is left out.

    Raises:
        ValueError: the job cannot be like that; the message says why.
    """
    if not scale:
        return job
    gone = {name for name, count in scale.items() if not count}
    roles = [_role(role, scale, gone) for role in job.roles if role.name not in gone]
    policies = [policy for policy in job.policies if policy.written and not _is_about(policy, gone)]
    try:
        return job.but(roles=tuple(roles), policies=tuple(policies))
    except ValueError as error:
        raise ValueError(_first(error)) from None


def _role(role: Role, scale: Mapping[str, int], gone: set[str]) -> Role:
    count = scale.get(role.name, role.replicas)
    after = tuple(name for name in role.after if name not in gone)
    return role.but(replicas=count, min_available=min(role.min_available, count), after=after)


def _is_about(policy: Policy, gone: set[str]) -> bool:
    return policy.role in gone


def _first(error: ValueError) -> str:
    """The words of the first rule that is broken: models say which and where around them."""
    errors: Callable[[], list[dict[str, object]]] | None = getattr(error, "errors", None)
    broken = errors() if errors is not None else []
    return str(broken[0]["msg"]) if broken else str(error)
