"""Policies: what the emitted Jobs and the JobSet's rules do is what the policies say, and what differs is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings, strategies as st

from tests.lifecycle.recorded import backend_of, compile_lines, injected, predicted
from tests.unit.backends.jobs import job, policy, role, time, unit
from tests.unit.backends.jobset.manifest import jobset, specs
from tests.unit.backends.verdicts import codes, fate, report
from tfdsl import targets
from tfdsl.lifecycle.behaviour import Behaviour
from tfdsl.lifecycle.scenario import Prediction, play

if TYPE_CHECKING:
    from tfdsl.backend import Unit
    from tfdsl.ir.model import Policy
    from tfdsl.lifecycle.faults import Injected

WRITTEN = tuple(f"policies[{at}]{field}" for at in range(6) for field in ("", ".event", ".index", ".delay"))

FAIL = policy("failed", "fail job")
IN_PLACE = policy("failed", "restart container")
NEW_POD = policy("failed", "restart pod")
ALL_AGAIN = policy("failed", "restart job")
DISRUPTED = [{"type": "DisruptionTarget", "status": "True"}]


def worker(*asked: Policy, **fields: object) -> tuple[dict, dict]:
    """The ``spec`` of the worker's Job, and the failurePolicy."""
    found = jobset(job(role("worker", 2), policies=asked, **fields))
    return specs(found)["worker"], found["spec"]["failurePolicy"]


def pod_rules(spec: dict) -> list[tuple[str, object]]:
    """Action and what it is for, of each rule of a Job."""
    rules = spec.get("podFailurePolicy", {}).get("rules", [])
    return [(rule["action"], _subject(rule)) for rule in rules]


def _subject(rule: dict) -> object:
    if "onPodConditions" in rule:
        assert rule["onPodConditions"] == DISRUPTED
        return "disrupted"
    codes_of = rule["onExitCodes"]
    assert codes_of["containerName"] == "tensorflow"
    return codes_of["operator"], codes_of["values"]


def test_fail_job_needs_no_rules() -> None:
    for asked in ((), (FAIL,)):
        spec, policy_ = worker(*asked)
        assert (spec["backoffLimit"], pod_rules(spec), policy_["maxRestarts"]) == (0, [], 0)
        assert "rules" not in policy_


def test_restart_job_needs_no_rules_either() -> None:
    spec, policy_ = worker(ALL_AGAIN, retries=5)
    assert (spec["backoffLimit"], pod_rules(spec)) == (0, [])
    assert policy_ == {"maxRestarts": 5, "restartStrategy": "BlockingRecreate"}


def test_restart_pod_counts_the_pods_of_the_role() -> None:
    spec, policy_ = worker(NEW_POD, retries=5)
    assert (spec["backoffLimit"], pod_rules(spec), policy_["maxRestarts"]) == (5, [], 0)
    assert spec["template"]["spec"]["restartPolicy"] == "Never"


def test_restart_container_ends_when_the_count_reaches_the_limit() -> None:
    spec, policy_ = worker(IN_PLACE, retries=5)
    assert (spec["backoffLimit"], policy_["maxRestarts"]) == (6, 0)
    assert spec["template"]["spec"]["restartPolicy"] == "OnFailure"


@pytest.mark.parametrize(
    ("count", "action", "limit", "restarts", "rules"),
    [
        (2, "fail job", 2, 0, None),
        (2, "restart job", 2, 3, None),
        (9, "restart job", 4, 0, None),  # retries are used up before
    ],
)
def test_restarts_in_place_that_are_used_up(
    count: int, action: str, limit: int, restarts: int, rules: list[str] | None
) -> None:
    spec, policy_ = worker(IN_PLACE, policy("restarted", action, count=count), retries=3)
    assert (spec["backoffLimit"], policy_["maxRestarts"], policy_.get("rules")) == (limit, restarts, rules)


def test_a_status_that_ends_the_job() -> None:
    spec, policy_ = worker(ALL_AGAIN, policy("exit", "fail job", codes=(42, 43)), retries=3)
    assert pod_rules(spec) == [("FailJob", ("In", [42, 43]))]
    assert policy_["rules"] == [{"name": "fail", "action": "FailJobSet", "onJobFailureReasons": ["PodFailurePolicy"]}]


def test_an_eviction_of_its_own_comes_before_the_status_that_it_ends_with() -> None:
    evicted = policy("evicted", "restart job")
    spec, policy_ = worker(ALL_AGAIN, policy("exit", "fail job", codes=(42, 143)), evicted, retries=3)
    assert pod_rules(spec) == [("FailJob", "disrupted"), ("FailJob", ("In", [42, 143]))]
    assert policy_["rules"][0]["onJobFailureMessagePatterns"] == ["matching FailJob rule at index 1$"]


def test_a_status_that_restarts_the_job() -> None:
    _, policy_ = worker(policy("exit", "restart job", codes=(137,)), retries=3)
    assert [rule["action"] for rule in policy_["rules"]] == ["RestartJobSet", "FailJobSet"]
    assert policy_["rules"][0]["onJobFailureReasons"] == ["PodFailurePolicy"]


def test_a_status_that_restarts_the_pod() -> None:
    spec, _ = worker(policy("exit", "restart pod", codes=(137, 143)), retries=3)
    assert spec["backoffLimit"] == 3
    assert pod_rules(spec) == [
        ("Count", ("In", [137, 143])),
        ("FailJob", ("NotIn", [137, 143])),
        ("FailJob", "disrupted"),
    ]


def test_an_eviction_that_restarts_the_pod_is_not_counted() -> None:
    spec, _ = worker(policy("evicted", "restart pod"), FAIL)
    assert (spec["backoffLimit"], pod_rules(spec)) == (0, [("Ignore", "disrupted")])


def test_one_replica_is_found_in_the_message() -> None:
    made = job(role("worker", 2), policies=(policy("failed", "restart job", role="worker", index=1),))
    rules = jobset(made)["spec"]["failurePolicy"]["rules"]
    assert rules[0] == {
        "name": "restart",
        "action": "RestartJobSet",
        "onJobFailureReasons": ["PodFailurePolicy"],
        "onJobFailureMessagePatterns": [
            "[Pp]od [^ ]*/mnist-worker-0-1-[a-z0-9]{5} .*matching FailJob rule at index (0|1)$"
        ],
    }
    assert [rule["action"] for rule in rules] == ["RestartJobSet", "FailJobSet"]


def test_the_deadline_ends_a_job_that_restarts() -> None:
    _, policy_ = worker(ALL_AGAIN, deadline=time("1h"))
    assert policy_["rules"] == [
        {"name": "deadline", "action": "FailJobSet", "onJobFailureReasons": ["DeadlineExceeded"]}
    ]
    _, policy_ = worker(deadline=time("1h"))
    assert "rules" not in policy_


def test_rules_of_roles_that_differ_name_them() -> None:
    made = job(role("chief"), role("worker", 2), policies=(policy("failed", "restart job", role="worker"),))
    rules = jobset(made)["spec"]["failurePolicy"]["rules"]
    assert rules == [{"name": "fail", "action": "FailJobSet", "targetReplicatedJobs": ["chief"]}]


def test_names_of_rules_are_those_that_the_webhook_takes() -> None:
    asked = (policy("failed", "restart job", role="worker", index=1), policy("exit", "restart job", codes=(3,)))
    made = job(role("worker", 2), role("ps"), policies=asked, deadline=time("1h"))
    names = [rule["name"] for rule in jobset(made)["spec"]["failurePolicy"]["rules"]]
    assert len(set(names)) == len(names) > 3


def test_old_releases_cannot_read_messages() -> None:
    asked = (policy("exit", "restart job", codes=(137,)), policy("evicted", "fail job"))
    made = job(role("worker", 2), policies=asked)
    assert "JBS108" in codes(unit(made, "jobset", "0.8", written=WRITTEN), "error")
    assert "JBS108" not in codes(unit(made, "jobset", "0.10", written=WRITTEN), "error")
    reasons = job(role("worker", 2), policies=(ALL_AGAIN, policy("exit", "fail job", codes=(3,), role="worker")))
    assert codes(unit(reasons, "jobset", "0.8", written=WRITTEN), "error") == []


# --- what is played is what the language says ----------------------------------------------------------------------

TOLD = {"JBS053", "JBS067", "JBS068", "JBS069"}
"""The rows that say that restarts differ from the language's."""

ACTIONS = st.sampled_from(["fail job", "restart container", "restart pod", "restart job"])
JOB_ACTIONS = st.sampled_from(["fail job", "restart job"])
STATUSES = st.lists(st.sampled_from([1, 2, 137, 143, 255]), min_size=1, max_size=3, unique=True)
FAULTS = ("worker[0] exit 1", "worker[1] exit 2", "worker[1] exit 143", "worker[0] evicted", "ps[0] exit 137",
          "ps[0] preempted", "worker[1] preempted")  # fmt: skip


@st.composite
def policy_sets(draw: st.DrawFn) -> tuple[Policy, ...]:
    found: list[Policy] = []
    for subject in (None, "worker"):
        if draw(st.booleans()):
            found.append(policy("failed", draw(ACTIONS), role=subject))
        if draw(st.booleans()):
            found.append(policy("exit", draw(ACTIONS), role=subject, codes=tuple(sorted(draw(STATUSES)))))
        if draw(st.booleans()):
            found.append(policy("evicted", draw(ACTIONS), role=subject))
    if draw(st.integers(0, 3)) == 0:
        found.append(policy("failed", draw(JOB_ACTIONS), role="worker", index=1))
    return tuple(found)


def played(asked: Unit, fault: str) -> Prediction:
    backend = targets.find("jobset")
    assert backend is not None
    behaviour = backend.behaviour(asked, backend.load().generate(asked))
    assert behaviour is not None
    return play(behaviour, twice(fault))


def twice(fault: str) -> list[Injected]:
    """The fault twice, long enough after each other."""
    return injected([f"{fault} after 5s", f"{fault} after 25s"])


def counted(prediction: Prediction) -> dict[str, int]:
    return {str(one.task): one.starts + one.restarts for one in prediction.replicas}


@pytest.mark.slow
@settings(max_examples=250, deadline=None)
@given(policy_sets(), st.sampled_from([1, 3]))
def test_a_jobset_does_what_the_policies_say(asked: tuple[Policy, ...], retries: int) -> None:
    made = job(role("ps"), role("worker", 2), policies=asked, retries=retries)
    of = unit(made, "jobset", written=WRITTEN)
    said = report(of)
    if any(one.level == "error" for one in said):
        return
    jobset(of)  # the server takes it
    if TOLD & {one.rule.code for one in said}:
        return
    for fault in FAULTS:
        ours, language = played(of, fault), play(Behaviour(made), twice(fault))
        assert (ours.outcome, counted(ours)) == (language.outcome, counted(language)), (fault, ours, language)


# --- what JobSet does not have -------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", ["failed", "exit", "evicted"])
@pytest.mark.parametrize(("action", "code"), [("restart role", "062"), ("abort job", "063"), ("ignore", "064")])
def test_actions_that_it_does_not_have(event: str, action: str, code: str) -> None:
    asked = policy(event, action, codes=(3,) if event == "exit" else ())
    made = job(role("worker", 2), policies=(asked,))
    assert f"JBS{code}" in codes(unit(made, "jobset", written=WRITTEN), "error")


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (policy("pending", "fail job", delay=time("10m")), "070"),
        (policy("unknown", "restart job"), "072"),
        (policy("failed", "fail job", delay=time("1m")), "066"),
        (policy("evicted", "restart pod", delay=time("1m")), "066"),
        (policy("failed", "restart pod", role="worker", index=1), "065"),
        (policy("completed", "restart job", role="worker"), "060"),
        (policy("failed", "fail job", role="tensorboard"), "061"),
        (policy("exit", "restart container", role="tensorboard", codes=(1,)), "061"),
    ],
)
def test_other_refusals(asked: Policy, code: str) -> None:
    made = job(role("worker", 2), role("tensorboard"), policies=(asked,))
    assert f"JBS{code}" in codes(unit(made, "jobset", written=WRITTEN), "error")


def test_a_replica_beside_restarts_of_pods() -> None:
    asked = (NEW_POD, policy("failed", "restart job", role="worker", index=1))
    assert "JBS065" in codes(unit(job(role("worker", 2), policies=asked), "jobset", written=WRITTEN), "error")


def test_restarts_in_place_that_nobody_counts() -> None:
    restarted = policy("restarted", "fail job", count=2)
    asked = (IN_PLACE, restarted, policy("exit", "restart job", codes=(3,)))
    assert "JBS071" in codes(unit(job(role("worker", 2), policies=asked), "jobset", written=WRITTEN), "error")


def test_restart_in_place_beside_an_eviction_that_is_about_the_job() -> None:
    made = job(role("worker", 2), policies=(IN_PLACE, policy("evicted", "restart job")))
    assert "JBS067" in codes(unit(made, "jobset", written=WRITTEN), "warning")
    assert jobset(made)["spec"]["failurePolicy"]["maxRestarts"] == made.retries


def test_restarts_are_counted_apart() -> None:
    two = job(role("ps"), role("worker", 2), policies=(NEW_POD,))
    one = job(role("worker", 2), policies=(NEW_POD,))
    whole = job(role("ps"), role("worker", 2), policies=(ALL_AGAIN,))
    for made, told in ((two, True), (one, False), (whole, False)):
        assert ("JBS053" in codes(unit(made, "jobset", written=("retries",)), "info")) == told


def test_tensorboards_default_is_no_loss() -> None:
    asked = unit(job(role("worker", 2), role("tensorboard")), "jobset")
    assert fate(asked, "policies[failed].restart container", "tensorboard").fate == "translated"
    assert "JBS061" not in codes(asked)


def test_tensorboard_starts_again_with_the_job() -> None:
    board = job(role("worker", 2), role("tensorboard"), policies=(ALL_AGAIN,))
    assert "JBS059" in codes(unit(board, "jobset"))
    assert played(unit(board, "jobset"), "worker[0] exit 1").replicas[-1].starts == 3


@pytest.mark.parametrize(("cleanup", "code", "level"), [("none", "055", "error"), ("all", "057", "warning")])
def test_cleanup(cleanup: str, code: str, level: str) -> None:
    made = job(role("worker", 2), cleanup=cleanup)
    assert f"JBS{code}" in codes(unit(made, "jobset", written=("cleanup",)), level)


def test_a_job_is_patched_before_it_is_played() -> None:
    """The prediction is of the documents, not of the policies."""
    lines = "role worker { }\non failed => restart job\nretries = 3"
    patch = '\ntarget jobset { patch "spec.failurePolicy.maxRestarts" = 0 }'
    for text, outcome in ((lines, "succeeded"), (lines + patch, "failed")):
        made, said = compile_lines(text, backend_of("jobset"))
        assert made is not None, said
        assert predicted(made, ["worker[0] exit 1 after 5s"]).outcome == outcome
