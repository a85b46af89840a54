"""Which policy decides that a job is complete."""

from __future__ import annotations

import pytest

from tests.unit.backends.jobs import policy, role
from tfdsl.ir.model import Job, Policy, Role
from tfdsl.ir.policies import completions, on_completion

CHIEF, WORKER, PS = role("chief"), role("worker", 2), role("ps")


def completed(action: str, name: str, index: int | None = None) -> Policy:
    return policy("completed", action, role=name, index=index)


def job(*roles: Role, written: tuple[Policy, ...] = ()) -> Job:
    return Job.model_validate({"name": "mnist", "roles": roles, "policies": written})


@pytest.mark.parametrize(
    ("roles", "written", "deciders"),
    [
        ((CHIEF, WORKER), (), [("chief", None)]),
        ((WORKER, PS), (), [("worker", None)]),
        ((CHIEF, WORKER), (completed("complete job", "worker", 0),), [("worker", 0)]),
        ((CHIEF, WORKER), (completed("restart job", "worker"),), [("chief", None)]),
        ((CHIEF, WORKER), (completed("restart job", "chief"),), []),
        ((WORKER, PS), (completed("restart job", "worker"),), []),
    ],
)
def test_what_completes_a_job(
    roles: tuple[Role, ...], written: tuple[Policy, ...], deciders: list[tuple[str, int | None]]
) -> None:
    """A role that restarts the job when it has completed cannot complete it too."""
    assert [(p.role, p.index) for p in completions(job(*roles, written=written))] == deciders


def test_a_replica_is_more_specific_than_its_role() -> None:
    whole, first = completed("restart job", "worker"), completed("complete job", "worker", 0)
    made = job(WORKER, written=(whole, first))
    assert on_completion(made, WORKER, 0) == first
    assert on_completion(made, WORKER, 1) == on_completion(made, WORKER) == whole
    assert on_completion(made, PS) is None
