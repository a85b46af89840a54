"""The policy table of Volcano: what is written, and that Volcano then does what the language says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, settings, strategies as st

from tests.unit.backends.jobs import job, policy, role, time, unit
from tests.unit.backends.verdicts import documents, report
from tests.unit.backends.volcano.reaction import on_deletion, on_exit, on_restarts, reaction, starts, task_of
from tfdsl.ir import policies
from tfdsl.record import replace
from tfdsl_backends.volcano import policies as decided_policies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.ir.model import Job, Policy, Role

WORDS = {
    "fail job": "TerminateJob",
    "abort job": "AbortJob",
    "restart job": "RestartJob",
    "restart role": "RestartTask",
    "restart pod": "RestartPod",
    "restart container": "restart in place",
    "ignore": None,
}
PS, WORKER = role("ps"), role("worker", 2)


def manifest(*roles: Role, written: tuple[Policy, ...] = (), **fields: object) -> dict[str, Any]:
    return documents(unit(job(*roles, policies=written, **fields), "volcano"))[0]


def listed(found: list[dict[str, Any]] | None) -> list[tuple[object, ...]]:
    """Policies as (event or status, action) and, where there is one, the timeout."""
    return [tuple(value for value in entry.values()) for entry in found or ()]


def test_the_defaults_are_written() -> None:
    made = manifest(PS, WORKER)
    assert listed(made["spec"]["policies"]) == [("PodFailed", "TerminateJob"), ("PodEvicted", "TerminateJob")]
    assert listed(task_of(made, "worker")["policies"]) == [("TaskCompleted", "CompleteJob")]
    assert "policies" not in task_of(made, "ps")
    assert [task["template"]["spec"]["restartPolicy"] for task in made["spec"]["tasks"]] == ["Never", "Never"]
    assert "maxRetry" not in made["spec"]


@pytest.mark.parametrize("action", ["fail job", "abort job", "restart job", "restart role", "restart pod"])
def test_failed(action: str) -> None:
    made = manifest(PS, WORKER, written=(policy("failed", action),))
    assert listed(made["spec"]["policies"]) == [("PodFailed", WORDS[action]), ("PodEvicted", WORDS[action])]
    assert task_of(made, "ps")["template"]["spec"]["restartPolicy"] == "Never"


def test_failed_restarts_the_container() -> None:
    made = manifest(PS, WORKER, written=(policy("failed", "restart container"),), retries=2)
    assert listed(made["spec"]["policies"]) == [
        ("PodFailed", "TerminateJob"),
        ("PodEvicted", "TerminateJob"),
        ("TaskFailed", "TerminateJob"),
    ]
    assert [(task["maxRetry"], task["template"]["spec"]["restartPolicy"]) for task in made["spec"]["tasks"]] == [
        (3, "OnFailure"),
        (3, "OnFailure"),
    ]
    assert "maxRetry" not in made["spec"]


def test_a_lost_pod_of_a_role_that_restarts_in_place() -> None:
    written = (policy("failed", "restart container", role="worker"), policy("evicted", "restart pod", role="worker"))
    made = manifest(PS, WORKER, written=written)
    assert listed(task_of(made, "worker")["policies"]) == [
        ("TaskCompleted", "CompleteJob"),
        ("PodFailed", "RestartPod"),
        ("PodEvicted", "RestartPod"),
        ("TaskFailed", "TerminateJob"),
    ]
    assert listed(made["spec"]["policies"]) == [("PodFailed", "TerminateJob"), ("PodEvicted", "TerminateJob")]


def test_exit_codes_stand_before_every_failure() -> None:
    written = (
        policy("exit", "restart pod", role="worker", codes=(137, 143)),
        policy("exit", "fail job", role="worker", codes=(1, 2)),
        policy("failed", "restart job"),
    )
    made = manifest(PS, WORKER, written=written)
    assert listed(task_of(made, "worker")["policies"]) == [
        ("TaskCompleted", "CompleteJob"),
        (1, "TerminateJob"),
        (2, "TerminateJob"),
        (137, "RestartPod"),
        (143, "RestartPod"),
        ("PodFailed", "RestartJob"),
    ]


def test_unknown_pending_and_delays() -> None:
    written = (
        policy("unknown", "abort job"),
        policy("pending", "abort job", delay=time("90m")),
        policy("evicted", "restart job", delay=time("1d")),
        policy("failed", "restart job", delay=time("1500ms")),
    )
    assert listed(manifest(PS, WORKER, written=written)["spec"]["policies"]) == [
        ("PodFailed", "RestartJob", "1500ms"),
        ("PodEvicted", "RestartJob", "24h"),
        ("PodPending", "AbortJob", "90m"),
        ("Unknown", "AbortJob"),
    ]


def test_restarted_counts_restarts_in_place() -> None:
    written = (
        policy("failed", "restart container", role="worker"),
        policy("restarted", "abort job", role="worker", count=2),
    )
    made = manifest(PS, WORKER, written=written, retries=5)
    assert task_of(made, "worker")["maxRetry"] == 2
    assert ("TaskFailed", "AbortJob") in listed(task_of(made, "worker")["policies"])
    assert "maxRetry" not in task_of(made, "ps")


def test_ignore_pushes_the_policies_of_the_job_down_to_the_others() -> None:
    made = manifest(PS, WORKER, written=(policy("failed", "ignore", role="ps"),))
    assert "policies" not in made["spec"] or listed(made["spec"]["policies"]) == []
    assert "policies" not in task_of(made, "ps")
    assert listed(task_of(made, "worker")["policies"]) == [
        ("TaskCompleted", "CompleteJob"),
        ("PodFailed", "TerminateJob"),
        ("PodEvicted", "TerminateJob"),
    ]


def test_tensorboard_is_spared_and_only_unknown_stays_on_the_job() -> None:
    written = (policy("evicted", "restart job"), policy("unknown", "fail job"))
    made = manifest(PS, WORKER, role("tensorboard"), written=written)
    assert listed(made["spec"]["policies"]) == [("Unknown", "TerminateJob")]
    assert listed(task_of(made, "ps")["policies"]) == [
        (137, "RestartJob"),
        (143, "RestartJob"),
        ("PodFailed", "TerminateJob"),
        ("PodEvicted", "RestartJob"),
    ]
    board = task_of(made, "tensorboard")
    assert "policies" not in board
    assert "maxRetry" not in board
    assert board["minAvailable"] == 0
    assert board["template"]["spec"]["restartPolicy"] == "Always"


def test_a_policy_of_tensorboard_itself() -> None:
    made = manifest(WORKER, role("tensorboard"), written=(policy("failed", "fail job", role="tensorboard"),))
    board = task_of(made, "tensorboard")
    assert board["template"]["spec"]["restartPolicy"] == "Never"
    assert listed(board["policies"]) == [("PodFailed", "TerminateJob"), ("PodEvicted", "TerminateJob")]


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ((policy("exit", "fail job", role="tensorboard", codes=(3,)),), True),
        ((policy("exit", "restart container", role="tensorboard", codes=(3,)),), False),
        (
            (
                policy("failed", "restart pod", role="tensorboard"),
                policy("exit", "fail job", role="tensorboard", codes=(3,)),
            ),
            False,
        ),
    ],
)
def test_exit_statuses_of_tensorboard_that_restarts_in_place(written: tuple[Policy, ...], told: bool) -> None:
    """Volcano never learns them, so the policy cannot be kept, nor dropped without a word."""
    asked = unit(job(WORKER, role("tensorboard"), policies=written), "volcano", written=("policies[0]", "policies[1]"))
    assert ("VOL124" in [d.rule.code for d in report(asked)]) == told


def test_completion_of_other_roles() -> None:
    written = (policy("completed", "complete job", role="evaluator"), policy("completed", "restart job", role="worker"))
    made = manifest(role("chief"), WORKER, role("evaluator"), written=written)
    assert listed(task_of(made, "evaluator")["policies"]) == [("TaskCompleted", "CompleteJob")]
    assert listed(task_of(made, "worker")["policies"]) == [("TaskCompleted", "RestartJob")]
    assert "policies" not in task_of(made, "chief")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ((policy("completed", "restart job", role="worker"),), "RestartJob"),
        ((policy("completed", "complete job", role="worker", index=0),), "CompleteJob"),
        (
            (
                policy("completed", "restart job", role="worker"),
                policy("completed", "complete job", role="worker", index=0),
            ),
            "CompleteJob",
        ),
    ],
)
def test_one_policy_decides_when_a_role_has_completed(written: tuple[Policy, ...], expected: str) -> None:
    """The webhook refuses a task with two policies of one event ("duplicate event")."""
    made = manifest(PS, role("worker"), written=written)
    assert listed(task_of(made, "worker")["policies"]) == [("TaskCompleted", expected)]


def test_a_policy_about_the_only_replica_is_one_about_the_role() -> None:
    made = manifest(role("chief"), WORKER, written=(policy("failed", "restart job", role="chief", index=0),))
    assert listed(task_of(made, "chief")["policies"]) == [
        ("TaskCompleted", "CompleteJob"),
        ("PodFailed", "RestartJob"),
        ("PodEvicted", "RestartJob"),
    ]


@pytest.mark.parametrize("retries", [1, 2, 3])
def test_retries_is_one_less_than_the_starts(retries: int) -> None:
    assert starts(manifest(WORKER, written=(policy("failed", "restart job"),), retries=retries)) == retries + 1


@pytest.mark.parametrize("retries", [1, 2])
def test_retries_in_place(retries: int) -> None:
    made = manifest(WORKER, written=(policy("failed", "restart container"),), retries=retries)
    assert [on_restarts(made, "worker", count) for count in range(retries + 2)] == [None] * (retries + 1) + [
        "TerminateJob"
    ]


@pytest.mark.parametrize(("version", "restarts"), [("1.5.0", 3), ("1.6", 4), ("1.15", 4)])
def test_retries_in_place_where_the_count_has_to_be_passed(version: str, restarts: int) -> None:
    """1.5.0 and 1.5.1 ask for more restarts than maxRetry, all later releases for as many."""
    asked = unit(job(WORKER, policies=(policy("failed", "restart container"),), retries=3), "volcano", version)
    assert task_of(documents(asked)[0], "worker")["maxRetry"] == restarts


@pytest.mark.parametrize("version", ["1.9", "1.12.0", "1.13.0"])
def test_an_eviction_has_no_exit_status_in_releases_that_do_not_look_at_deleted_pods(version: str) -> None:
    asked = unit(job(PS, WORKER, policies=(policy("evicted", "restart job"),)), "volcano", version)
    assert listed(documents(asked)[0]["spec"]["policies"]) == [
        ("PodEvicted", "RestartJob"),
        ("PodFailed", "TerminateJob"),
    ]


@pytest.mark.parametrize("version", ["1.12.4", "1.13.2", "1.14", "1.15"])
def test_the_statuses_of_a_deleted_pod_have_the_evicted_action(version: str) -> None:
    written = policy("evicted", "restart job"), policy("exit", "abort job", codes=(143, 3), role="worker")
    made = documents(unit(job(PS, WORKER, policies=written), "volcano", version))[0]
    assert listed(made["spec"]["policies"]) == [
        (137, "RestartJob"),
        (143, "RestartJob"),
        ("PodEvicted", "RestartJob"),
        ("PodFailed", "TerminateJob"),
    ]
    assert listed(task_of(made, "worker")["policies"]) == [
        ("TaskCompleted", "CompleteJob"),
        (3, "AbortJob"),
        (137, "RestartJob"),
        (143, "AbortJob"),
        ("PodFailed", "TerminateJob"),
    ]


def test_an_eviction_that_is_ignored_is_told_by_sigterm_alone() -> None:
    """137 is also the end of a program that ran out of memory: ignored, its pod would keep the job waiting for ever."""
    made = manifest(PS, WORKER, written=(policy("evicted", "ignore"),))
    assert listed(made["spec"]["policies"]) == [(143, "ResumeJob"), ("PodFailed", "TerminateJob")]


def test_an_exit_status_that_is_ignored() -> None:
    """Seen: `{exitCode: 3, action: ResumeJob}` before PodFailed does nothing in a job without restarts."""
    made = manifest(PS, WORKER, written=(policy("exit", "ignore", role="ps", codes=(3,)),))
    assert listed(task_of(made, "ps")["policies"]) == [(3, "ResumeJob"), ("PodFailed", "TerminateJob")]


# --- whatever the policies are, Volcano does what the language says ----------------------------------------------

ROLES = ("chief", "ps", "worker")
ACTIONS = ("fail job", "abort job", "restart container", "restart pod", "restart role", "restart job", "ignore")
STATUSES = (1, 5, 137, 255)


@st.composite
def any_job(draw: st.DrawFn) -> Job:
    members = [role("chief"), role("ps", 2), role("worker", 3)]
    members += [role("tensorboard")] if draw(st.booleans()) else []
    written: list[Policy] = []
    for subject in (None, *ROLES):
        if draw(st.booleans()):
            written.append(policy("failed", draw(st.sampled_from(ACTIONS)), role=subject))
        if draw(st.booleans()):
            codes = tuple(sorted(draw(st.sets(st.sampled_from(STATUSES), min_size=1))))
            written.append(policy("exit", draw(st.sampled_from(ACTIONS)), role=subject, codes=codes))
        if draw(st.booleans()):
            written.append(policy("evicted", draw(st.sampled_from(ACTIONS)), role=subject))
    return job(*members, policies=tuple(draw(st.permutations(written))))


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(any_job(), st.sampled_from(["1.12.0", "1.12.4", "1.13.0", "1.13.2", "1.15"]))
def test_volcano_decides_as_the_language_does(made: Job, version: str) -> None:
    places = [place for p in made.policies if p.written for place in (p.path, f"{p.path}.event")]
    asked = unit(made, "volcano", version, written=tuple(places))
    told = report(asked)
    assume(not any(found.level == "error" for found in told))
    fails_deleted = version not in ("1.12.0", "1.13.0")
    document = documents(asked)[0]
    for member in made.roles:
        if member.name == "tensorboard":
            assert on_exit(document, "tensorboard", 1) == "restart in place"
            assert reaction(document, "tensorboard", "PodFailed", 1) is None
            assert reaction(document, "tensorboard", "PodEvicted") is None
            continue
        for status in STATUSES:
            decided = policies.on_exit(made, member, status)
            assert decided is not None
            gone = policies.on_eviction(made, member)
            assert gone is not None
            if fails_deleted and status == 137 and decided.event == "failed" and gone.event == "evicted":
                by_status = decided.action != "restart container" and gone.action != "ignore"
                decided = gone if by_status else decided
            assert on_exit(document, member.name, status) == WORDS[decided.action], (member.name, status)
        gone = policies.on_eviction(made, member)
        assert gone is not None
        wanted = "TerminateJob" if gone.action == "restart container" else WORDS[gone.action]
        assert reaction(document, member.name, "PodEvicted") == wanted, member.name
        if not any(found.rule.code == "VOL141" for found in told):
            for status in (0, 143) if gone.action == "ignore" else (0, 137, 143):
                after = on_deletion(document, member.name, status, fails_deleted=fails_deleted)
                assert after == wanted or gone.event != "evicted", (member.name, status)
        if task_of(document, member.name)["template"]["spec"]["restartPolicy"] == "OnFailure":
            assert reaction(document, member.name, "PodFailed", 137) == wanted
            assert on_restarts(document, member.name, made.retries) is None
            assert on_restarts(document, member.name, made.retries + 1) == "TerminateJob"


def test_policies_are_decided_once_for_a_unit_and_anew_for_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many rows, checks and documents ask: one look at the policies for each role, and one for all roles."""
    asked: list[str] = []
    decide = decided_policies.covering

    def counting(job: Job, role: Role, index: int | None = None) -> Iterator[Policy]:
        asked.append(role.name)
        return decide(job, role, index)

    monkeypatch.setattr(decided_policies, "covering", counting)
    written = (
        policy("failed", "restart pod"),
        policy("evicted", "restart job"),
        policy("exit", "fail job", codes=(3,)),
    )
    made = unit(job(PS, WORKER, policies=written), "volcano")
    documents(made)
    assert asked == ["ps", "worker", "ps"]
    first = decided_policies.decisions(made)
    assert decided_policies.decisions(made) is first
    assert first.roles["worker"].evicted_by_status
    older = replace(made, version="1.11")
    assert not decided_policies.decisions(older).roles["worker"].evicted_by_status
