"""What the restart policy, the limit and the podFailurePolicy of a Job mean in policies.

Sources: batch/v1 API reference; seen on Kubernetes 1.34: under OnFailure a Job fails when the restarts reach the limit.
"""

from __future__ import annotations

import pytest

from tests.unit.backends.kubernetes.jobs_read import job, lines, read

LOST = "onPodConditions: [{type: DisruptionTarget}]"


def codes(operator: str, *values: int) -> str:
    return f"onExitCodes: {{operator: {operator}, values: {list(values)}}}"


def policy(*rules: str) -> str:
    return f"podFailurePolicy: {{rules: [{', '.join(f'{{{rule}}}' for rule in rules)}]}}"


@pytest.mark.parametrize(
    ("spec", "restart", "said", "of_kubernetes"),
    [
        ("backoffLimit: 0", "Never", [], []),
        ("backoffLimit: 3", "Never", ["on failed => restart pod"], []),
        ("backoffLimit: 5", "Never", ["on failed => restart pod", "retries = 5"], []),
        ("", "Never", [], ["retries = 6", "on failed => restart pod"]),
        ("backoffLimit: 4", "OnFailure", ["on failed => restart container"], []),
        ("", "OnFailure", ["on failed => restart container"], ["retries = 5"]),
        ("backoffLimit: 2", "OnFailure", ["on failed => restart container", "retries = 1"], []),
        ("backoffLimit: 1", "OnFailure", [], []),
        ("backoffLimit: 0", "OnFailure", [], []),
    ],
)
def test_limits(spec: str, restart: str, said: list[str], of_kubernetes: list[str]) -> None:
    draft, messages = read(job(spec, restart=restart))
    assert lines(draft.job) == said
    own = [line for line in lines(draft.options) if line.startswith(("on ", "retries"))]
    assert sorted(own) == sorted(of_kubernetes)
    assert [one for one in messages if one.level == "warning"] == []


@pytest.mark.parametrize(
    ("rules", "limit", "said"),
    [
        ([f"action: Ignore, {LOST}"], 3, ["on evicted => restart pod", "on failed => restart pod"]),
        ([f"action: FailJob, {LOST}"], 3, ["on evicted => fail job", "on failed => restart pod"]),
        ([f"action: Ignore, {LOST}"], 0, ["on evicted => restart pod"]),
        ([f"action: FailJob, {codes('In', 3)}"], 3, ["on failed => restart pod", "on exit 3 => fail job"]),
        ([f"action: FailJob, {codes('In', 3, 137)}"], 3, ["on failed => restart pod", "on exit [3, 137] => fail job"]),
        (
            [f"action: FailJob, {codes('In', *range(1, 128), 200)}"],
            3,
            ["on failed => restart pod", "on exit 1..127 => fail job", "on exit 200 => fail job"],
        ),
        (
            [f"action: Ignore, {LOST}", f"action: FailJob, {codes('In', 1, 2)}", f"action: FailJob, {codes('In', 9)}"],
            3,
            ["on evicted => restart pod", "on failed => restart pod", "on exit [1, 2, 9] => fail job"],
        ),
        (
            [
                f"action: Count, {codes('In', 137)}",
                f"action: FailJob, {codes('NotIn', 137)}",
                f"action: FailJob, {LOST}",
            ],
            3,
            ["on exit 137 => restart pod"],
        ),
        ([f"action: FailJob, {codes('NotIn', 137)}"], 3, ["on exit 137 => restart pod"]),
        ([f"action: FailJob, {codes('In', 3)}"], 0, []),
        ([f"action: Ignore, {codes('In', 3)}"], 3, ["on failed => restart pod"]),
        (["action: FailIndex, onPodConditions: [{type: X}]"], 3, ["on failed => restart pod"]),
    ],
)
def test_rules(rules: list[str], limit: int, said: list[str]) -> None:
    draft, _ = read(job(f"backoffLimit: {limit}, {policy(*rules)}"))
    assert lines(draft.job) == said


def test_policies_that_differ_are_those_of_the_roles_and_most_retries_count() -> None:
    indexed = "completionMode: Indexed, completions: 1, parallelism: 1"
    text = "".join(
        job(f"{indexed}, backoffLimit: {limit}", name=f"digits-{role}", restart=restart, pod="subdomain: digits")
        for role, limit, restart in (("ps", 0, "Never"), ("worker", 5, "Never"), ("chief", 5, "Never"))
    )
    draft, _ = read(text)
    assert lines(draft.job) == ["retries = 5"]
    assert lines(draft.role("ps")) == ['image = "a"']
    assert lines(draft.role("chief")) == ['image = "a"', "on failed => restart pod"]


def test_one_replica_that_ends_its_role() -> None:
    indexed = "completionMode: Indexed, completions: 2, parallelism: 2, backoffLimit: 0"
    policy_ = 'successPolicy: {rules: [{succeededIndexes: "0"}]}'
    draft, _ = read(job(f"{indexed}, {policy_}"))
    assert lines(draft.job) == ["on worker[0] completed => complete job"]
    chief = job(
        "completionMode: Indexed, completions: 1, backoffLimit: 0", name="digits-chief", pod="subdomain: digits"
    )
    draft, _ = read(chief + job(f"{indexed}, {policy_}", name="digits-worker", pod="subdomain: digits"))
    assert lines(draft.job) == ["on worker[0] completed => complete job", "on chief completed => complete job"]
