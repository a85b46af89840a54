"""Which policy decides (language reference, "Which policy decides").

An eviction: the most specific ``evicted`` policy, else it is a failure. A failure: first the subject (a replica over
its role over none), then ``exit`` over ``failed``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Policy, Role


def covering(job: Job, role: Role, index: int | None = None) -> Iterator[Policy]:
    """The policies that cover a replica of ``role`` (or all of them, ``index`` ``None``), most specific first."""
    if index is not None:
        yield from job.policies_of(role.name, index)
    yield from job.policies_of(role.name, None)
    if not role.is_board:
        yield from job.policies_of(None, None)


def on_exit(job: Job, role: Role, status: int, index: int | None = None) -> Policy | None:
    """The policy that decides when a replica of ``role`` ends with ``status`` (1–255)."""
    return _on_exit(covering(job, role, index), status)


def _on_exit(candidates: Iterable[Policy], status: int) -> Policy | None:
    decided: Policy | None = None
    for policy in candidates:
        if (policy.event == "exit" and status in policy.codes) or policy.event == "failed":
            found = policy
        else:
            continue
        if decided is None or (_subject(found) == _subject(decided) and found.event == "exit"):
            decided = found
    return decided


def on_failure(job: Job, role: Role, index: int | None = None) -> Policy | None:
    """The ``failed`` policy of ``role``: what decides where no ``exit`` policy does, and for a lost replica."""
    return next((p for p in covering(job, role, index) if p.event == "failed"), None)


def starts_for_ever(job: Job, role: Role) -> bool:
    """Whether the command of ``role`` starts again whenever it ends, as only that of tensorboard does."""
    failed = on_failure(job, role)
    return role.is_board and failed is not None and failed.action == "restart container"


def on_eviction(job: Job, role: Role, index: int | None = None) -> Policy | None:
    """The policy that decides when a replica of ``role`` is evicted: ``evicted`` if there is one, else ``failed``."""
    evicted = next((p for p in covering(job, role, index) if p.event == "evicted"), None)
    return evicted or on_failure(job, role, index)


def exit_policies(job: Job, role: Role, index: int | None = None) -> list[tuple[tuple[int, ...], Policy]]:
    """Statuses of ``role`` that an ``exit`` policy decides, grouped by that policy, in the policies' order."""
    if not any(policy.event == "exit" for policy in covering(job, role, index)):
        return []
    groups: dict[int, list[int]] = {}
    candidates = list(covering(job, role, index))
    for status in sorted({status for policy in candidates for status in policy.codes}):
        policy = _on_exit(candidates, status)
        if policy is not None and policy.event == "exit":
            groups.setdefault(id(policy), []).append(status)
    return [(tuple(groups[id(policy)]), policy) for policy in job.policies if id(policy) in groups]


def on_completion(job: Job, role: Role, index: int | None = None) -> Policy | None:
    """The policy that decides when ``role``, or its replica ``index``, has completed."""
    policies = (p for p in job.policies if p.event == "completed" and p.role == role.name)
    return min((p for p in policies if p.index in (None, index)), key=lambda p: p.index is None, default=None)


def completions(job: Job) -> list[Policy]:
    """The ``completed => complete job`` policies that end the job, written or default."""
    return [p for p in job.policies if p.event == "completed" and p.action == "complete job"]


def deciders(job: Job) -> tuple[str, ...]:
    """Roles whose end completes the job."""
    return tuple(dict.fromkeys(p.role for p in completions(job) if p.role is not None))


def _subject(policy: Policy) -> tuple[str | None, int | None]:
    return policy.role, policy.index


def ranges(numbers: Iterable[int], to: str = "–") -> str:
    """``1–3, 7``: ascending numbers, neighbours joined."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}{to}{last}" for first, last in runs)
