"""Policies: what the emitted Jobs do is what the policies say, and what differs is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings, strategies as st

from tests.unit.backends.jobs import job, policy, role, time, unit
from tests.unit.backends.kubernetes.job_controller import outcome, problems
from tests.unit.backends.structural import schema, violations
from tests.unit.backends.verdicts import codes, documents, fate, report
from tfdsl.ir import policies
from tfdsl.vocabulary.statements import ACTIONS_OF

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Policy

WRITTEN = tuple(f"policies[{at}]{field}" for at in range(6) for field in ("", ".event", ".index", ".delay"))

FAIL = policy("failed", "fail job")
IN_PLACE = policy("failed", "restart container")
NEW_POD = policy("failed", "restart pod")
EVICTED = policy("evicted", "restart pod")


def worker(*asked: Policy, **fields: object) -> dict:
    return documents(unit(job(role("worker", 2), policies=asked, **fields), "kubernetes"))[0]["spec"]


def rules(spec: dict) -> list[dict]:
    return spec.get("podFailurePolicy", {}).get("rules", [])


def restart_policy(spec: dict) -> str:
    return spec["template"]["spec"]["restartPolicy"]


def test_fail_job_is_never_without_retries() -> None:
    for spec in (worker(), worker(FAIL)):
        assert (restart_policy(spec), spec["backoffLimit"], rules(spec)) == ("Never", 0, [])


def test_restart_container_fails_when_the_count_reaches_the_limit() -> None:
    assert (restart_policy(worker(IN_PLACE)), worker(IN_PLACE)["backoffLimit"]) == ("OnFailure", 4)
    assert worker(IN_PLACE, retries=1)["backoffLimit"] == 2


def test_restart_pod_counts_failed_pods() -> None:
    assert (restart_policy(worker(NEW_POD)), worker(NEW_POD)["backoffLimit"]) == ("Never", 3)


def test_statuses_that_fail() -> None:
    spec = worker(policy("exit", "fail job", codes=(1, 2)), NEW_POD)
    codes_rule = {"containerName": "tensorflow", "operator": "In", "values": [1, 2]}
    assert rules(spec) == [{"action": "FailJob", "onExitCodes": codes_rule}]
    assert (restart_policy(spec), spec["backoffLimit"]) == ("Never", 3)


def test_statuses_that_restart() -> None:
    spec = worker(policy("exit", "restart pod", codes=(137, 143)))
    disruption = [{"type": "DisruptionTarget", "status": "True"}]
    values = {"containerName": "tensorflow", "values": [137, 143]}
    assert rules(spec) == [
        {"action": "Count", "onExitCodes": {**values, "operator": "In"}},
        {"action": "FailJob", "onExitCodes": {**values, "operator": "NotIn"}},
        {"action": "FailJob", "onPodConditions": disruption},
    ]


def test_evictions_are_ignored() -> None:
    ignore = [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]
    assert rules(worker(EVICTED, FAIL)) == rules(worker(EVICTED, NEW_POD)) == ignore
    assert worker(EVICTED, FAIL)["backoffLimit"] == 0
    assert worker(EVICTED, NEW_POD)["backoffLimit"] == 3
    in_place = worker(EVICTED, IN_PLACE)
    assert (restart_policy(in_place), rules(in_place)) == ("OnFailure", [])


SCHEMA = schema("batch-job")
STATUSES = st.lists(st.sampled_from([1, 2, 3, 126, 127, 128, 137, 143, 255]), min_size=1, max_size=4, unique=True)
ACTIONS = st.sampled_from(["fail job", "restart container", "restart pod"])


@st.composite
def policy_sets(draw: st.DrawFn) -> tuple[Policy, ...]:
    found = [policy("failed", draw(ACTIONS))] if draw(st.booleans()) else []
    if draw(st.booleans()):
        found.append(policy("exit", draw(ACTIONS), codes=tuple(sorted(draw(STATUSES)))))
    if draw(st.booleans()):
        found.append(policy("evicted", draw(ACTIONS)))
    if draw(st.booleans()):
        found.append(policy("failed", draw(ACTIONS), role="worker"))
    return tuple(found)


def language(made: Job, status: int | None, *, evicted: bool) -> str:
    """The action that the language names."""
    (worker_role,) = made.roles
    decided = policies.on_eviction(made, worker_role) if evicted else None
    if decided is None or decided.event != "evicted":
        decided = (
            policies.on_failure(made, worker_role) if status is None else policies.on_exit(made, worker_role, status)
        )
    assert decided is not None
    return decided.action


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(policy_sets())
def test_a_job_does_what_its_policies_say(asked: tuple[Policy, ...]) -> None:
    made = job(role("worker", 2), policies=asked)
    (manifest,) = [d for d in documents(unit(made, "kubernetes")) if d["kind"] == "Job"]
    assert violations(manifest, SCHEMA) + problems(manifest) == []
    in_new_pod = "K8S064" in codes(unit(made, "kubernetes"))
    for status in (1, 2, 3, 126, 127, 128, 137, 143, 200, 255):
        action, done = language(made, status, evicted=False), outcome(manifest, status, evicted=False)
        expected = {"fail job": "fail", "restart container": "restart in place", "restart pod": "new pod"}[action]
        if action == "restart container" and in_new_pod:
            expected = "new pod"
        assert done == expected, (status, action)
    for status in (None, 137, 143):
        action, done = language(made, status, evicted=True), outcome(manifest, status, evicted=True)
        assert (done == "fail") == (action == "fail job"), (status, action, done)
        if done == "new pod, uncounted":
            assert "K8S066" in codes(unit(made, "kubernetes"))


@pytest.mark.parametrize("event", ["failed", "exit", "evicted"])
@pytest.mark.parametrize("action", ["restart role", "restart job", "abort job", "ignore"])
def test_actions_jobs_do_not_have(event: str, action: str) -> None:
    asked = policy(event, action, codes=(3,) if event == "exit" else ())
    assert ("K8S111" if action == "ignore" else "K8S067") in codes(
        unit(job(role("worker", 2), policies=(asked,)), "kubernetes", written=WRITTEN), "error"
    )


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (policy("pending", "fail job", delay=time("10m")), "K8S070"),
        (policy("restarted", "fail job", count=3), "K8S071"),
        (policy("unknown", "restart job"), "K8S072"),
        (policy("failed", "fail job", delay=time("1m")), "K8S069"),
        (policy("evicted", "restart pod", delay=time("1m")), "K8S069"),
        (policy("failed", "restart pod", role="worker", index=1), "K8S068"),
        (policy("exit", "fail job", role="worker", index=1, codes=(1,)), "K8S068"),
        (policy("evicted", "fail job", role="worker", index=1), "K8S068"),
        (policy("completed", "restart job", role="worker"), "K8S061"),
        (policy("failed", "fail job", role="tensorboard"), "K8S065"),
        (policy("exit", "restart container", role="tensorboard", codes=(1,)), "K8S065"),
        (policy("evicted", "restart container", role="tensorboard"), "K8S065"),
    ],
)
def test_other_refusals(asked: Policy, code: str) -> None:
    beside = (policy("failed", "restart container"),) if asked.event == "restarted" else ()
    made = job(role("worker", 2), role("tensorboard"), policies=(asked, *beside))
    assert code in codes(unit(made, "kubernetes", written=WRITTEN), "error")


@pytest.mark.parametrize(
    ("event", "action"), [(event, action) for event in ("failed", "exit", "evicted") for action in ACTIONS_OF[event]]
)
def test_an_overridden_policy_costs_nothing(event: str, action: str) -> None:
    statuses = {"codes": (3,)} if event == "exit" else {}
    dead, override = policy(event, action, **statuses), policy(event, "fail job", role="worker", **statuses)
    asked = unit(job(role("worker", 2), policies=(dead, override)), "kubernetes", written=WRITTEN)
    assert codes(asked, "warning") == codes(asked, "error") == []


def test_an_evicted_tensorboard_comes_back_as_asked() -> None:
    asked = policy("evicted", "restart pod", role="tensorboard")
    board = unit(job(role("worker", 2), role("tensorboard"), policies=(asked,)), "kubernetes", written=WRITTEN)
    assert not {"K8S065", "K8S066"} & set(codes(board))
    assert fate(board, "policies[evicted].restart pod").fate == "translated"


def test_tensorboards_default_is_no_loss() -> None:
    asked = unit(job(role("worker", 2), role("tensorboard")), "kubernetes")
    assert fate(asked, "policies[failed].restart container", "tensorboard").fate == "translated"
    assert "K8S065" not in codes(asked)


def test_other_jobs_run_on_and_the_command_is_told() -> None:
    asked = unit(job(role("chief"), role("ps", 2), role("worker", 2), namespace="ml"), "kubernetes")
    said = {d.rule.code: d for d in report(asked)}
    assert said["K8S060"].level == "info"
    assert "(mnist-ps, mnist-worker)" in said["K8S060"].message
    assert "kubectl delete jobs,services -l tfdsl/job=mnist -n ml" in said["K8S060"].message
    assert "kubectl delete jobs,services -l tfdsl/job=mnist -n ml" in said["K8S063"].message
    written = unit(job(role("chief"), role("worker", 2), policies=(FAIL,)), "kubernetes", written=WRITTEN)
    assert "K8S063" in codes(written, "info")
    evicted = job(role("chief"), role("worker", 2), policies=(policy("evicted", "fail job"),))
    assert "K8S063" in codes(unit(evicted, "kubernetes", written=WRITTEN), "info")


def test_jobs_that_stay_on_hosts() -> None:
    chief = policy("completed", "complete job", role="worker", index=1)
    made = job(role("ps"), role("worker", 6), policies=(chief,))
    asked = unit(made, "kubernetes", hosts=tuple("abcdefg"))
    (found,) = [d for d in report(asked) if d.rule.code == "K8S060"]
    assert "(mnist-ps-0, the other 5 of mnist-worker-*)" in found.message


def test_all_jobs_of_the_only_role_end_with_it() -> None:
    whole = job(role("worker", 2), policies=(policy("completed", "complete job", role="worker"),))
    assert "K8S060" not in codes(unit(whole, "kubernetes", hosts=("a", "b"), written=WRITTEN))


def test_one_job_ends_as_one() -> None:
    alone = unit(job(role("worker", 2), policies=(FAIL,)), "kubernetes", written=WRITTEN)
    assert codes(alone, "warning") == []
    assert not {"K8S060", "K8S063"} & set(codes(alone))


def test_retries_are_counted_per_job() -> None:
    two = job(role("chief"), role("worker", 2), policies=(IN_PLACE,), retries=2)
    one = job(role("worker", 2), policies=(IN_PLACE,), retries=2)
    (found,) = [d for d in report(unit(two, "kubernetes", written=("retries",))) if d.rule.code == "K8S055"]
    assert found.level == "info"
    assert "2 Jobs" in found.message
    assert "K8S055" not in codes(unit(one, "kubernetes", written=("retries",)))
    pinned = unit(one, "kubernetes", hosts=("a", "b"), written=("retries",))
    assert "K8S055" in codes(pinned, "info")
    only_ps = job(role("ps"), role("worker", 2), policies=(policy("failed", "restart pod", role="ps"),), retries=2)
    assert "K8S055" not in codes(unit(only_ps, "kubernetes", written=("retries",)))
