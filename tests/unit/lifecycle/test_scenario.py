"""How faults are played."""

from __future__ import annotations

import time

import pytest

from tests.unit.lifecycle.jobs import CHIEF, WORKERS, injected, job, played
from tfdsl.lifecycle.behaviour import Behaviour
from tfdsl.lifecycle.scenario import play

AFTER = ('role worker { replicas = 2, after = ["ps"] }', "role ps { }", "on failed => restart pod")


def starts(prediction: object) -> list[int]:
    return [one.starts for one in prediction.replicas]  # type: ignore[attr-defined]


def test_a_fault_without_a_time_waits_until_its_replica_runs() -> None:
    end = played(AFTER, "worker[1] exit 1")
    assert (end.outcome, end.unplayed, starts(end)) == ("succeeded", (), [1, 1, 2])


def test_the_same_fault_again_is_for_the_next_start() -> None:
    end = played((*AFTER, "retries = 2"), "worker[1] exit 1", "worker[1] exit 2")
    assert (end.outcome, end.retries, starts(end)) == ("succeeded", 2, [1, 1, 3])


def test_always_ends_by_retries() -> None:
    end = played((*AFTER, "retries = 5"), "worker[1] exit 1 always")
    assert (end.outcome, end.retries, starts(end)) == ("failed", 5, [1, 1, 6])
    assert end.cause == "worker[1] exited 1, and no retry is left"


def test_faults_at_one_moment_are_for_the_replicas_of_that_moment() -> None:
    lines = (WORKERS, "on failed => restart role", "retries = 3")
    for faults in (("worker exit 1",), ("worker exit 1 after 9s",), ("worker[0] exit 1", "worker[1] exit 1")):
        end = played(lines, *faults)
        assert (end.outcome, end.retries, starts(end)) == ("succeeded", 1, [1, 2, 2]), faults
    apart = played(lines, "worker[0] exit 1 after 9s", "worker[1] exit 1 after 10s")
    assert (apart.retries, starts(apart)) == (2, [1, 3, 3])


def test_the_order_on_the_command_line_decides_between_faults_at_once() -> None:
    lines = (WORKERS, "on worker[0] exit 1 => abort job")
    assert played(lines, "worker[0] exit 1", "worker[1] exit 1").outcome == "aborted"
    assert played(lines, "worker[1] exit 1", "worker[0] exit 1").outcome == "failed"


def test_what_could_not_happen_is_told() -> None:
    end = played(CHIEF, "chief[0] completed after 1s", "worker[0] exit 1 after 2s", "ps[0] oom after 0s")
    assert (end.outcome, end.unplayed) == ("failed", ("chief[0] completed after 1s", "worker[0] exit 1 after 2s"))
    end = played((CHIEF, "on failed => ignore"), "worker[0] oom after 1s", "worker[0] exit 1 after 2s")
    assert end.unplayed == ("worker[0] exit 1 after 2s",)


def test_a_job_completes_before_its_deadline_unless_something_waits() -> None:
    lines = (WORKERS, "deadline = 1h", "on worker failed after 2h => restart pod")
    assert played(lines).outcome == "succeeded"
    assert played(lines, "worker[0] exit 1 after 2m").cause == "the deadline has passed"
    assert played(lines, "ps[0] evicted after 3h").cause == "the deadline has passed"


def test_why_a_job_has_not_ended() -> None:
    end = played(WORKERS, "worker[1] pending")
    assert (end.outcome, end.cause) == (None, "worker[1] has not started, and nothing limits the wait")
    end = played((WORKERS, "on failed => restart pod", "retries = 2000000000"), "worker[1] exit 1 always")
    assert end.outcome is None
    assert end.cause.startswith("something still restarts after 5,")


def test_servers_do_not_end_by_themselves() -> None:
    end = played("role chief { }\n  role worker { server = true }\n  on worker failed => ignore")
    assert end.story == ("chief[0] exits 0", "the job has succeeded: chief completed")


@pytest.mark.parametrize(
    ("lines", "faults"),
    [
        (('role worker { replicas = 4000, after = ["ps"] }', "role ps { replicas = 4000 }", "deadline = 1h"), ()),
        (("role worker { replicas = 4000 }", "on failed => restart container", "retries = 5000"), ("worker oom",)),
        (("role worker { replicas = 4000 }", "on failed => restart job", "retries = 3"), ("worker[7] oom always",)),
        (("role worker { replicas = 4000 }", "on pending after 9m => fail job"), ("worker[3999] pending",)),
    ],
)
def test_four_thousand_replicas_cost_about_as_much_each_as_four_hundred(
    lines: tuple[str, ...], faults: tuple[str, ...]
) -> None:
    small = Behaviour(job(*(line.replace("000", "00") for line in lines)))
    large = Behaviour(job(*lines))
    costs: list[float] = []
    for behaviour, names in ((small, [one.replace("3999", "399") for one in faults]), (large, faults)):
        begun = time.process_time()
        play(behaviour, injected(*names))
        costs.append(time.process_time() - begun)
    assert costs[1] < 40 * costs[0] + 0.05
