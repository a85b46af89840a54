"""Policies: the restart policy each gives, what is said about it, what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.jobs import job, policy, role, time, unit
from tests.unit.backends.verdicts import codes, documents, fate, report
from tfdsl.vocabulary.statements import ACTIONS_OF

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Policy

WRITTEN = tuple(f"policies[{at}]{field}" for at in range(6) for field in ("", ".event", ".index", ".delay"))
LOW, HIGH = tuple(range(1, 128)), tuple(range(128, 256))
VERSIONS = ("1.3", "1.5", "1.6", "1.7", "1.8", "1.9")

FAIL = policy("failed", "fail job")
IN_PLACE = policy("failed", "restart container")
NEW_POD = policy("failed", "restart pod")
EVICTED = policy("evicted", "restart pod")
LOW_FAILS = policy("exit", "fail job", codes=LOW)


def made(*policies: Policy, **fields: object) -> Job:
    return job(role("chief"), role("worker", 2), policies=policies, **fields)


def restart_policies(version: str, *policies: Policy) -> set[str]:
    manifest = documents(unit(made(*policies), "tfjob", version, written=WRITTEN))[0]
    return {spec["restartPolicy"] for spec in manifest["spec"]["tfReplicaSpecs"].values()}


def said(version: str, *policies: Policy) -> list[str]:
    return [c for c in codes(unit(made(*policies), "tfjob", version, written=WRITTEN)) if c not in ("KTF054", "KTF058")]


@pytest.mark.parametrize("version", VERSIONS)
def test_no_policy_and_fail_job_give_never(version: str) -> None:
    assert restart_policies(version) == restart_policies(version, FAIL) == {"Never"}
    assert said(version, FAIL) == []


@pytest.mark.parametrize("version", VERSIONS)
def test_restart_container_gives_on_failure(version: str) -> None:
    assert restart_policies(version, IN_PLACE) == {"OnFailure"}
    # Before 1.6 only ExitCode made a pod in phase Failed again.
    assert said(version, IN_PLACE) == (["KTF114"] if version not in ("1.3", "1.5") else ["KTF077"])


def test_a_deleted_pod_is_told_once() -> None:
    """Seen with 1.8.1: kubectl delete pod and the eviction API fail the job under all four restart policies."""
    assert said("1.9", FAIL) == []
    assert said("1.9", IN_PLACE, policy("failed", "restart container", role="worker")) == ["KTF114"]
    assert said("1.9", IN_PLACE, EVICTED) == ["KTF082"]
    for asked in ((NEW_POD,), (LOW_FAILS, NEW_POD)):
        (found,) = [d for d in report(unit(made(*asked), "tfjob", written=WRITTEN)) if d.level == "warning"]
        assert "deleted" in found.message


@pytest.mark.parametrize("version", VERSIONS)
def test_statuses_below_128_fail_the_job(version: str) -> None:
    """ExitCode splits at 128 from 1.5 on; before, it knew four statuses."""
    if version == "1.3":
        assert "KTF094" in said(version, LOW_FAILS, NEW_POD)
    else:
        assert restart_policies(version, LOW_FAILS, NEW_POD) == {"ExitCode"}
        assert said(version, LOW_FAILS, NEW_POD) == ["KTF075"]


def test_what_an_old_operator_is_told_can_be_done() -> None:
    """The advice to write what stands there already would lead nowhere."""
    (told,) = [d for d in report(unit(made(LOW_FAILS, NEW_POD), "tfjob", "1.3", written=WRITTEN)) if d.level == "error"]
    assert told.rule.code == "KTF094"
    assert 'version = "1.5"' in told.helps[0]
    assert "KTF079" in said("1.3", policy("exit", "restart pod", codes=(3,)), FAIL)


def test_the_same_split_the_other_way_round() -> None:
    high = policy("exit", "restart pod", codes=HIGH)
    assert restart_policies("1.9", high, FAIL) == {"ExitCode"}
    assert said("1.9", high, FAIL) == ["KTF075"]


@pytest.mark.parametrize("codes", [(137, 143), (1,), tuple(range(1, 129)), tuple(range(127, 256))])
def test_any_other_split_is_refused(codes: tuple[int, ...]) -> None:
    assert "KTF079" in said("1.9", policy("exit", "restart pod", codes=codes), FAIL)


@pytest.mark.parametrize("action", ["restart pod", "restart container"])
def test_beside_a_refused_split_the_version_is_not_to_blame(action: str) -> None:
    split = policy("exit", "restart pod", codes=(3,))
    assert said("1.9", split, policy("evicted", action)) == ["KTF079"]
    assert said("1.9", policy("failed", "restart job"), policy("evicted", action)) == ["KTF085"]
    assert "KTF084" in said("1.5", IN_PLACE, policy("evicted", action))


def test_a_refused_split_is_not_also_called_a_restart_in_place() -> None:
    assert said("1.9", policy("exit", "restart pod", codes=(137, 143)), FAIL) == ["KTF079"]


@pytest.mark.parametrize(
    ("event", "action"), [(event, action) for event in ("failed", "exit", "evicted") for action in ACTIONS_OF[event]]
)
def test_an_overridden_policy_costs_nothing(event: str, action: str) -> None:
    statuses = {"codes": (3,)} if event == "exit" else {}
    per_role = [policy(event, "fail job", role=name, **statuses) for name in ("chief", "worker")]
    dead = policy(event, action, **statuses)
    assert said("1.9", dead, *per_role) == []
    assert restart_policies("1.9", dead, *per_role) == {"Never"}


def test_restarts_in_place_where_a_status_or_an_eviction_is_told_apart() -> None:
    evicted_in_place = policy("evicted", "restart container")
    assert said("1.9", LOW_FAILS, IN_PLACE) == ["KTF075"]
    assert said("1.9", policy("exit", "restart container", codes=HIGH), FAIL) == ["KTF075"]
    assert said("1.9", policy("exit", "restart container", codes=LOW + HIGH), FAIL) == []
    assert said("1.9", policy("exit", "restart pod", codes=LOW + HIGH), FAIL) == ["KTF076"]
    assert said("1.9", evicted_in_place, IN_PLACE) == ["KTF082"]
    assert said("1.9", evicted_in_place, FAIL) == ["KTF083"]
    assert said("1.3", evicted_in_place, FAIL) == ["KTF084"]


def test_restart_pod_becomes_a_restart_in_place() -> None:
    assert restart_policies("1.9", NEW_POD) == {"OnFailure"}
    assert said("1.9", NEW_POD) == ["KTF076"]


@pytest.mark.parametrize("version", VERSIONS)
def test_evicted_beside_restart_container(version: str) -> None:
    if version in ("1.3", "1.5"):
        assert said(version, EVICTED, IN_PLACE) == ["KTF077", "KTF084"]
    else:
        assert restart_policies(version, EVICTED, IN_PLACE) == {"OnFailure"}
        assert said(version, EVICTED, IN_PLACE) == ["KTF082"]


@pytest.mark.parametrize("version", VERSIONS)
def test_evicted_beside_fail_job(version: str) -> None:
    if version == "1.3":
        assert said(version, EVICTED, FAIL) == ["KTF084"]
    else:
        assert restart_policies(version, EVICTED, FAIL) == {"ExitCode"}
        assert said(version, EVICTED, FAIL) == ["KTF083"]


def test_evicted_fails_the_job() -> None:
    evicted = policy("evicted", "fail job")
    assert said("1.9", evicted, FAIL) == []
    assert said("1.9", evicted, IN_PLACE) == ["KTF081"]
    assert said("1.5", evicted, IN_PLACE) == ["KTF077"]


@pytest.mark.parametrize("event", ["failed", "exit", "evicted"])
@pytest.mark.parametrize("action", ["restart role", "restart job", "abort job", "ignore"])
def test_actions_no_operator_has(event: str, action: str) -> None:
    asked = policy(event, action, codes=(3,) if event == "exit" else ())
    assert ("KTF116" if action == "ignore" else "KTF085") in codes(unit(made(asked), "tfjob", written=WRITTEN), "error")


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (policy("pending", "fail job", delay=time("10m")), "KTF088"),
        (policy("pending", "restart pod", delay=time("10m")), "KTF088"),
        (policy("unknown", "restart job"), "KTF089"),
        (policy("unknown", "ignore"), "KTF089"),
        (policy("failed", "fail job", delay=time("1m")), "KTF087"),
        (policy("evicted", "restart pod", delay=time("1m")), "KTF087"),
        (policy("failed", "restart container", role="worker", index=0), "KTF086"),
        (policy("exit", "fail job", role="worker", index=0, codes=(1,)), "KTF086"),
        (policy("completed", "restart job", role="worker"), "KTF071"),
        (policy("completed", "complete job", role="worker"), "KTF070"),  # a chief exists
        (policy("restarted", "abort job", count=2), "KTF092"),
        (policy("restarted", "restart job", count=2), "KTF092"),
        (policy("evicted", "fail job", role="worker", index=0), "KTF086"),
        (policy("restarted", "fail job", count=2, role="worker", index=0), "KTF093"),
    ],
)
def test_other_refusals(asked: Policy, code: str) -> None:
    beside = (IN_PLACE,) if asked.event == "restarted" else ()
    assert code in codes(unit(made(asked, *beside), "tfjob", written=WRITTEN), "error")


def test_who_can_complete_the_job() -> None:
    def row(roles: tuple, asked: Policy) -> str:
        return fate(unit(job(*roles, policies=(asked,)), "tfjob"), "policies[completed].complete job").fate

    def by(name: str, **fields: object) -> Policy:
        return policy("completed", "complete job", role=name, **fields)

    pair = (role("worker", 2), role("ps"))
    assert row((role("chief"), role("worker", 2)), by("chief")) == "translated"
    assert row(pair, by("worker")) == "translated"
    assert row(pair, by("ps")) == "refused"
    assert row((role("worker", 2), role("evaluator")), by("evaluator")) == "refused"
    first = unit(job(*pair, policies=(by("worker", index=0),)), "tfjob")
    second = unit(job(*pair, policies=(by("worker", index=1),)), "tfjob")
    assert fate(first, "policies[completed].index").fate == "translated"
    assert fate(second, "policies[completed].index").fate == "refused"


def test_a_role_may_differ_from_the_job() -> None:
    ps_fails = policy("failed", "fail job", role="ps")
    two = job(role("worker", 2), role("ps"), policies=(IN_PLACE, ps_fails))
    specs = documents(unit(two, "tfjob"))[0]["spec"]["tfReplicaSpecs"]
    assert (specs["Worker"]["restartPolicy"], specs["PS"]["restartPolicy"]) == ("OnFailure", "Never")


def backoff_limit(*policies: Policy, **fields: object) -> int | None:
    return documents(unit(made(*policies, **fields), "tfjob"))[0]["spec"]["runPolicy"].get("backoffLimit")


def test_retries_are_one_less_than_the_limit() -> None:
    """Seen: with backoffLimit 2 the job failed when the second restart began, after three starts."""
    assert backoff_limit(IN_PLACE, retries=2) == 3
    assert backoff_limit(IN_PLACE) == 4  # the language's default is 3
    assert backoff_limit() is None
    assert backoff_limit(LOW_FAILS, NEW_POD, retries=2) is None  # ExitCode is never counted


def test_restarts_without_a_limit() -> None:
    without = unit(made(IN_PLACE), "tfjob", limit_restarts=False)
    assert "backoffLimit" not in documents(without)[0]["spec"]["runPolicy"]
    assert not {"KTF110", "KTF122"} & set(codes(without))
    written = unit(made(IN_PLACE, retries=2), "tfjob", written=(*WRITTEN, "retries"), limit_restarts=False)
    assert "KTF122" in codes(written, "warning")
    counted = made(IN_PLACE, policy("restarted", "fail job", count=5))
    assert documents(unit(counted, "tfjob", limit_restarts=False))[0]["spec"]["runPolicy"]["backoffLimit"] == 5


def test_restarted_is_the_limit_itself() -> None:
    assert backoff_limit(IN_PLACE, policy("restarted", "fail job", count=5), retries=2) == 5


def test_two_counters_are_an_error_when_both_are_written() -> None:
    both = made(IN_PLACE, policy("restarted", "fail job", count=5), retries=2)
    assert "KTF057" in codes(unit(both, "tfjob", written=(*WRITTEN, "retries")), "error")
    assert "KTF057" in codes(unit(both, "tfjob", written=WRITTEN), "info")


def test_restarts_are_counted_over_all_roles() -> None:
    counted = policy("restarted", "fail job", count=5)
    of_worker = policy("restarted", "fail job", count=5, role="worker")
    worker_only = policy("failed", "restart container", role="worker")
    key = "policies[restarted].fail job"
    assert fate(unit(made(IN_PLACE, counted), "tfjob"), key).fate == "approximated"
    assert fate(unit(made(worker_only, counted), "tfjob"), key).fate == "translated"
    assert fate(unit(made(worker_only, of_worker), "tfjob"), key).fate == "translated"
    assert fate(unit(made(IN_PLACE, of_worker), "tfjob"), key).fate == "refused"


def test_retries_do_not_bound_exit_code() -> None:
    bounded = made(LOW_FAILS, NEW_POD, retries=2)
    assert "KTF058" in codes(unit(bounded, "tfjob", written=(*WRITTEN, "retries")), "warning")
    assert "KTF058" not in codes(unit(made(IN_PLACE, retries=2), "tfjob", written=(*WRITTEN, "retries")))


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (policy("failed", "fail job", role="tensorboard"), "KTF073"),
        (policy("failed", "restart pod", role="tensorboard"), "KTF074"),
        (policy("exit", "fail job", role="tensorboard", codes=(1,)), "KTF078"),
        (policy("evicted", "fail job", role="tensorboard"), "KTF080"),
    ],
)
def test_tensorboard_always_restarts_in_place(asked: Policy, code: str) -> None:
    board = job(role("worker", 2), role("tensorboard"), policies=(asked,))
    assert code in codes(unit(board, "tfjob", written=WRITTEN))


def test_an_evicted_tensorboard_comes_back_as_asked() -> None:
    asked = policy("evicted", "restart pod", role="tensorboard")
    board = unit(job(role("worker", 2), role("tensorboard"), policies=(asked,)), "tfjob", written=WRITTEN)
    assert not {"KTF080", "KTF082", "KTF083"} & set(codes(board))
    assert fate(board, "policies[evicted].restart pod").fate == "translated"


def test_restarts_by_status_cannot_be_counted() -> None:
    """backoffLimit counts containers that restart in place; ExitCode makes new pods, so it would not be written."""
    counted = policy("restarted", "fail job", count=3)
    assert "KTF095" in said("1.9", LOW_FAILS, IN_PLACE, counted)
    assert "KTF095" not in said("1.9", IN_PLACE, counted)


def test_tensorboards_own_default_is_not_a_restart_of_the_job() -> None:
    board = job(role("worker", 2), role("tensorboard"))
    assert fate(unit(board, "tfjob"), "policies[failed].restart container", "tensorboard").fate == "translated"
    assert "backoffLimit" not in documents(unit(board, "tfjob"))[0]["spec"]["runPolicy"]
