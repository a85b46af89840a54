"""What the language says happens (docs/language.md, "Policies"), sentence by sentence."""

from __future__ import annotations

import pytest

from tests.unit.lifecycle.jobs import CHIEF, WORKERS, injected, job, played
from tfdsl.lifecycle.behaviour import Behaviour, Due, Exited, Start, Started, Stop, Task
from tfdsl.lifecycle.machine import Machine
from tfdsl.lifecycle.scenario import play


def starts(prediction: object) -> dict[str, int]:
    return {str(one.task): one.starts for one in prediction.replicas}  # type: ignore[attr-defined]


# --- defaults -------------------------------------------------------------------------------------------------------


def test_the_job_completes_when_its_chief_does() -> None:
    assert played(CHIEF, "chief[0] completed").outcome == "succeeded"
    assert played(CHIEF, "worker[0] completed", "worker[1] completed").cause == "chief completed"


def test_without_a_chief_it_completes_when_all_workers_have() -> None:
    end = played(WORKERS, "worker[1] completed after 1s", "worker[0] completed after 2s")
    assert (end.outcome, end.cause) == ("succeeded", "worker completed")
    assert end.left() == {"worker[0]": "succeeded", "worker[1]": "succeeded"}


def test_a_policy_of_one_s_own_replaces_that() -> None:
    lines = (WORKERS, "on worker[0] completed => complete job")
    end = played(lines, "worker[0] completed after 1s")
    assert (end.outcome, end.left()) == ("succeeded", {"worker[0]": "succeeded"})


@pytest.mark.parametrize("fault", ["worker[1] exit 1", "ps[0] exit 137", "worker[0] evicted", "chief[0] exit 255"])
def test_any_failure_fails_the_job(fault: str) -> None:
    end = played(CHIEF, f"{fault} after 3s")
    assert end.outcome == "failed"
    assert end.retries == 0
    assert set(starts(end).values()) == {1}


# --- which policy decides --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("worker[0] exit 3", "aborted"),  # the status before any failure
        ("worker[1] exit 3", "succeeded"),  # the replica before the role
        ("worker[0] exit 4", "succeeded"),
        ("worker[0] evicted", "failed"),  # the eviction before a failure
        ("ps[0] exit 3", "failed"),
        ("ps[0] evicted", "failed"),  # no policy about evictions covers it: it is a failure
    ],
)
def test_the_most_specific_policy_decides(fault: str, outcome: str) -> None:
    lines = (
        WORKERS,
        "retries = 3",
        "on worker failed => restart pod",
        "on worker exit 3 => abort job",
        "on worker[1] failed => restart pod",
        "on worker evicted => fail job",
    )
    assert played(lines, fault).outcome == outcome


def test_an_eviction_without_a_policy_of_its_own_is_a_failure_with_the_status_of_the_command() -> None:
    lines = (WORKERS, "on worker exit 143 => restart pod", "on failed => abort job")
    assert played(lines, "worker[1] evicted").outcome == "succeeded"
    assert played(lines, "worker[1] preempted").outcome == "succeeded"
    assert played(lines, "worker[1] evicted exit 0").outcome == "aborted"
    assert played((*lines, "on worker evicted => fail job"), "worker[1] evicted").outcome == "failed"


# --- restarts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "worker_0", "worker_1", "ps"),
    [
        ("restart container", 1, 1, 1),
        ("restart pod", 1, 2, 1),
        ("restart role", 2, 2, 1),
        ("restart job", 2, 2, 2),
    ],
)
def test_what_starts_again(action: str, worker_0: int, worker_1: int, ps: int) -> None:
    end = played((WORKERS, f"on failed => {action}"), "worker[1] exit 1 after 1s")
    assert starts(end) == {"ps[0]": ps, "worker[0]": worker_0, "worker[1]": worker_1}
    assert [one.restarts for one in end.replicas] == [0, 0, int(action == "restart container")]
    assert (end.outcome, end.retries) == ("succeeded", 1)


@pytest.mark.parametrize("retries", [1, 2, 5])
def test_retries_are_for_the_life_of_the_job(retries: int) -> None:
    lines = (WORKERS, "on failed => restart pod", f"retries = {retries}")
    faults = [f"worker[{number % 2}] exit 1 after {number + 1}s" for number in range(retries)]
    assert played(lines, *faults).outcome == "succeeded"
    end = played(lines, *faults, f"ps[0] exit 1 after {retries + 1}s")
    assert (end.outcome, end.retries) == ("failed", retries)
    assert end.cause == "ps[0] exited 1, and no retry is left"


def test_restarted_counts_the_containers_of_the_role() -> None:
    lines = (WORKERS, "on failed => restart container", "on worker restarted 2 => fail job", "retries = 9")
    assert played(lines, "worker[0] exit 1 after 1s").outcome == "succeeded"
    end = played(lines, "worker[0] exit 1 after 1s", "worker[1] exit 1 after 2s")
    assert (end.outcome, end.cause) == ("failed", "the containers of worker were restarted 2 times")
    assert played(lines, "ps[0] exit 1 after 1s", "ps[0] exit 1 after 2s").outcome == "succeeded"


def test_completed_can_start_the_job_again() -> None:
    end = played((WORKERS, "on worker completed => restart job", "retries = 2"))
    assert (end.outcome, end.retries, starts(end)["worker[0]"]) == ("failed", 2, 3)


def test_a_lost_replica_has_no_place_to_start_again_in() -> None:
    lines = (WORKERS, "on failed => restart container", "on worker restarted 1 => abort job")
    end = played(lines, "worker[1] evicted after 1s")
    assert (end.outcome, starts(end)["worker[1]"], [one.restarts for one in end.replicas]) == (
        "succeeded",
        2,
        [0, 0, 0],
    )


def test_retries_are_3_if_a_policy_restarts_anything() -> None:
    assert played((WORKERS, "on exit 9 => restart pod"), "ps[0] exit 9 always").retries == 3


# --- delays ----------------------------------------------------------------------------------------------------------


def test_a_delayed_action_happens_after_its_time() -> None:
    end = played(
        (WORKERS, "on failed after 30s => fail job"), "worker[0] exit 1 after 5s", "worker[1] exit 0 after 20s"
    )
    assert end.outcome == "failed"
    assert end.story[-2] == "delay worker[0] is due"


@pytest.mark.parametrize("event", ["failed", "evicted"])
def test_nothing_happens_if_the_replica_runs_again_by_then(event: str) -> None:
    fault = "worker[0] evicted after 5s" if event == "evicted" else "worker[0] exit 1 after 5s"
    lines = (WORKERS, f"on {event} after 30s => fail job", "on ps failed => restart job")
    assert played(lines, fault, "ps[0] exit 1 after 20s").outcome == "succeeded"
    assert played(lines, fault, "ps[0] exit 1 after 40s").outcome == "failed"


def test_a_replica_that_is_restarted_but_does_not_run_by_then_does_not_count() -> None:
    lines = ('role worker { after = ["ps"] }', "role ps { }")
    policies = ("on worker failed after 30s => fail job", "on ps failed => restart job")
    machine = Machine(Behaviour(job(*lines, *policies)))
    ps, worker = Task("ps", 0), Task("worker", 0)
    machine.begin()
    for event in (Started(ps), Started(worker), Exited(worker, 1), Exited(ps, 1), Started(ps)):
        machine.step(event)
    assert machine.state.replicas[worker].phase == "pending"
    machine.step(Due("delay worker[0]"))
    assert machine.state.finish is not None


@pytest.mark.parametrize(
    ("action", "outcome", "retries"),
    [("restart pod", "failed", 3), ("restart job", "failed", 3), ("fail job", "failed", 0)],
)
def test_a_replica_that_never_starts_is_tried_as_often_as_retries(action: str, outcome: str, retries: int) -> None:
    end = played((WORKERS, f"on worker pending after 10m => {action}"), "worker[1] pending")
    assert (end.outcome, end.retries) == (outcome, retries)
    assert starts(end)["worker[1]"] == retries + 1


def test_pending_is_about_one_that_has_not_started_not_about_one_that_restarts_in_place() -> None:
    lines = (WORKERS, "on pending after 10m => abort job", "on failed => restart container")
    assert played(lines, "worker[1] exit 1 after 1h").outcome == "succeeded"


def test_a_failing_prepare_step_is_a_failure_of_a_replica_that_has_not_started() -> None:
    """A fault at once hits a replica whose command does not run yet."""
    lines = ('role worker { after = ["ps"] }', "role ps { }", "on ps exit 7 => ignore")
    machine = Machine(Behaviour(job(*lines)))
    machine.begin()
    orders = machine.step(Exited(Task("ps", 0), 7))
    assert orders == [Start(Task("worker", 0), "first")]


def test_a_replica_is_pending_while_it_is_prepared() -> None:
    lines = (WORKERS, 'prepare fetch { command = ["fetch"] }', "on pending after 10m => abort job")
    assert played(lines, "worker[1] pending").outcome == "aborted"  # its step does not end


def test_a_sidecar_never_decides_anything() -> None:
    lines = (WORKERS, 'sidecar logs { image = "registry.example.com/fluent-bit:3.1" }')
    end = played(lines)
    assert (end.outcome, starts(end)) == ("succeeded", {"ps[0]": 1, "worker[0]": 1, "worker[1]": 1})


def test_a_replica_that_does_not_start_in_time() -> None:
    lines = (WORKERS, "on pending after 10m => abort job")
    assert played(lines).outcome == "succeeded"
    assert played(lines, "worker[1] pending").outcome == "aborted"


def test_the_deadline_fails_the_job() -> None:
    end = played((WORKERS, "deadline = 1h"), "worker[1] pending")
    assert (end.outcome, end.cause) == ("failed", "the deadline has passed")


# --- order, and the rest ---------------------------------------------------------------------------------------------


def test_roles_wait_for_those_of_their_after() -> None:
    lines = ('role worker { replicas = 2, after = ["ps"] }', "role ps { }")
    end = played(lines, "ps[0] pending")
    assert starts(end) == {"ps[0]": 1, "worker[0]": 0, "worker[1]": 0}
    assert played(lines).outcome == "succeeded"


def test_abort_stops_everything_and_leaves_what_has_ended() -> None:
    lines = (CHIEF, "on worker exit 9 => abort job", "on worker exit 1 => ignore", 'cleanup = "none"')
    end = played(lines, "worker[0] exit 1 after 1s", "worker[1] exit 9 after 2s")
    assert (end.outcome, end.left()) == ("aborted", {"worker[0]": "failed", "worker[1]": "failed"})


def test_completion_by_one_of_several_policies_is_by_the_first_to_fire() -> None:
    lines = (WORKERS, "on worker[0] completed => complete job", "on worker[1] completed => complete job")
    assert played(lines, "worker[1] completed after 1s").cause == "worker[1] completed"


def test_restart_job_keeps_the_order_of_after() -> None:
    lines = ('role worker { after = ["ps"] }', "role ps { }", "on failed => restart job")
    machine = Machine(Behaviour(job(*lines)))
    ps, worker = Task("ps", 0), Task("worker", 0)
    machine.begin()
    machine.step(Started(ps))
    machine.step(Started(worker))
    assert machine.step(Exited(worker, 1)) == [Stop(ps, gone=True), Start(ps, "pod")]
    assert machine.step(Started(ps)) == [Start(worker, "pod")]


def test_unknown_is_about_the_gang() -> None:
    assert played((WORKERS, "on unknown => abort job"), "unknown after 1s").outcome == "aborted"
    assert played(WORKERS, "unknown after 1s").outcome == "succeeded"


def test_a_role_completes_without_those_whose_failure_is_ignored() -> None:
    lines = (WORKERS, "on worker[1] failed => ignore")
    end = played(lines, "worker[1] exit 1 after 1s")
    assert (end.outcome, end.cause) == ("succeeded", "worker completed")
    assert end.left() == {"worker[0]": "succeeded", "worker[1]": "failed"}
    assert played(lines, "worker[0] completed after 1s", "worker[1] evicted after 2s").outcome == "succeeded"


def test_an_ignored_failure_counts_as_ended() -> None:
    end = played((CHIEF, "on worker failed => ignore"), "worker[0] exit 1 after 1s")
    assert end.outcome == "succeeded"
    assert end.left()["worker[0]"] == "failed"


@pytest.mark.parametrize(
    ("cleanup", "left"),
    [
        ("running", {"chief[0]": "succeeded", "worker[0]": "failed"}),
        ("all", {}),
        ("none", {"chief[0]": "succeeded", "ps[0]": "running", "worker[0]": "failed", "worker[1]": "running"}),
    ],
)
def test_what_is_left(cleanup: str, left: dict[str, str]) -> None:
    lines = (CHIEF, f'cleanup = "{cleanup}"', "on worker failed => ignore")
    assert played(lines, "worker[0] exit 1 after 1s", "chief[0] completed after 2s").left() == left


def test_tensorboard_starts_again_and_decides_nothing() -> None:
    lines = (WORKERS, 'role tensorboard { logdir = "/runs" }', 'mount pvc "runs" at "/runs"')
    end = played(lines, "tensorboard[0] exit 1 after 1s", "tensorboard[0] evicted after 2s")
    assert (end.outcome, end.retries) == ("succeeded", 0)
    assert [(one.starts, one.restarts) for one in end.replicas if one.task.role == "tensorboard"] == [(2, 1)]


def test_only_policies_that_name_tensorboard_apply_to_it() -> None:
    lines = (WORKERS, 'role tensorboard { logdir = "/runs" }', 'mount pvc "runs" at "/runs"', "on failed => abort job")
    assert played(lines, "tensorboard[0] exit 1 after 1s").outcome == "succeeded"
    named = (*lines, "on tensorboard failed => restart pod")
    end = played(named, "tensorboard[0] exit 1 after 1s")
    assert [(one.starts, one.restarts) for one in end.replicas if one.task.role == "tensorboard"] == [(2, 0)]


def test_tensorboard_starts_again_also_after_a_good_end() -> None:
    lines = (WORKERS, 'role tensorboard { logdir = "/runs" }', 'mount pvc "runs" at "/runs"')
    end = played(lines, "tensorboard[0] completed after 1s")
    assert (end.outcome, end.left()["worker[0]"]) == ("succeeded", "succeeded")
    assert next(one.restarts for one in end.replicas if one.task.role == "tensorboard") == 1


def test_a_deadline_is_reached_by_what_runs_on_and_not_by_what_ends() -> None:
    lines = (WORKERS, "deadline = 1h")
    assert played(lines).outcome == "succeeded"
    assert play(Behaviour(job(*lines)), (), finish=False).cause == "the deadline has passed"


def test_what_is_left_is_removed_after_the_ttl() -> None:
    removed = played((WORKERS, "ttl = 5m")).removed_after
    assert removed is not None
    assert removed.text == "5m"
    assert played(WORKERS).removed_after is None


def test_what_its_node_has_stopped_is_left_as_failed_and_nothing_of_what_was_deleted() -> None:
    for event, left in (("evicted", {"worker[1]": "failed"}), ("preempted", {}), ("node lost", {})):
        end = played((CHIEF, "on evicted => ignore"), f"worker[1] {event} after 1s")
        assert end.left() == {"chief[0]": "succeeded", **left}, event


@pytest.mark.parametrize(("text", "status"), [("ps[0] evicted", 143), ("ps[0] evicted exit 0 after 2s", 0)])
def test_an_eviction_says_how_the_command_ends(text: str, status: int) -> None:
    [fault] = injected(text)
    assert (fault.what, fault.status) == ("evicted", status)


def test_tensorboard_s_own_policy_decides() -> None:
    lines = (WORKERS, 'role tensorboard { logdir = "/runs" }', 'mount pvc "runs" at "/runs"')
    end = played((*lines, "on tensorboard exit 3 => fail job"), "tensorboard[0] exit 3 after 1s")
    assert (end.outcome, end.cause) == ("failed", "tensorboard[0] exited 3")


def test_what_does_not_run_cannot_exit() -> None:
    end = played((WORKERS, "deadline = 1h"), "worker[1] pending", "worker[1] exit 1 after 5s")
    assert (end.outcome, end.cause) == ("failed", "the deadline has passed")


def test_failures_at_once_restart_the_job_once() -> None:
    end = played(
        (WORKERS, "on failed => restart job", "retries = 3"), "worker[0] exit 1 after 5s", "worker[1] exit 1 after 5s"
    )
    assert (end.outcome, end.retries, set(starts(end).values())) == ("succeeded", 1, {2})
