"""The faults that are played for somebody who names none: what happens sooner or later to every job."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tfdsl.ir.policies import SELF_CONTAINED
from tfdsl.lifecycle.faults import Injected, parse

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Role

_OF_ROLE: Final = ("exit 1", "oom", "evicted", "exit 1 always")
_KNOWN: Final = (1, 137)


def usual_faults(job: Job) -> Iterator[Injected]:
    """One after the other, each a scenario of its own."""
    for role in job.roles:
        if role.name not in SELF_CONTAINED:
            replica = f"{role.name}[{min(1, role.replicas - 1)}]"
            for event in (*_OF_ROLE, *_own(job, role)):
                yield _fault(f"{replica} {event}")
    if any(policy.event == "unknown" for policy in job.policies):
        yield _fault("unknown")


def _own(job: Job, role: Role) -> Iterator[str]:
    """What the policies of a role are about besides."""
    mine = [policy for policy in job.policies if policy.role in (None, role.name)]
    statuses = [policy.codes[0] for policy in mine if policy.event == "exit" and policy.codes[0] not in _KNOWN]
    yield from (f"exit {status}" for status in dict.fromkeys(statuses))
    if any(policy.event == "pending" for policy in mine):
        yield "pending"


def _fault(text: str) -> Injected:
    fault = parse(text)
    assert isinstance(fault, Injected)
    return fault
