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


@pytest.mark.parametrize("action", ["restart job", "restart role", "restart pod"])
@pytest.mark.parametrize("event", ["preempted", "evicted", "exit 1", "node lost"])
def test_two_spellings_of_one_moment_are_one(action: str, event: str) -> None:
    lines = (WORKERS, f"on failed => {action}", "retries = 1")
    once = played(lines, f"worker {event} after 20s")
    twice = played(lines, f"worker[1] {event} after 20s", f"worker[0] {event} after 20s")
    assert once.outcome == ("failed" if action == "restart pod" else "succeeded")
    assert (twice.outcome, twice.retries, twice.left()) == (once.outcome, once.retries, once.left())
    assert starts(twice) == starts(once) == ([1, 1, 1] if action == "restart pod" else starts(once))
    assert (twice.unplayed, once.others, twice.others) == ((), (), ())


def test_a_wider_restart_of_the_same_moment_takes_the_place_of_another() -> None:
    lines = (WORKERS, "on worker[0] failed => restart pod", "on worker[1] failed => restart job", "retries = 2")
    for faults in (("worker[0] exit 1", "worker[1] exit 1"), ("worker[1] exit 1", "worker[0] exit 1")):
        assert starts(played(lines, *faults)) == [2, 2, 2], faults


STEPS = (
    WORKERS,
    'prepare fetch { command = ["a"] }',
    'prepare more { command = ["a"] }',
    'sidecar log { command = ["a"] }',
)


@pytest.mark.parametrize(
    ("lines", "faults", "outcome", "replicas", "cause"),
    [
        ((), ("worker[1]/fetch exit 5",), "failed", [1, 1, 1], "worker[1] exited 5"),
        (("on exit 5 => restart pod",), ("worker[1]/fetch exit 5",), "succeeded", [1, 1, 2], "worker completed"),
        (("on exit 5 => restart pod",), ("worker[1]/fetch exit 4",), "failed", [1, 1, 1], "worker[1] exited 4"),
        (("on failed => restart pod",), ("worker/fetch exit 5", "worker[0]/more oom"), "succeeded", [1, 3, 2], None),
        (("on failed => restart pod", "retries = 1"), ("worker[1]/fetch exit 5 always",), "failed", [1, 1, 2], None),
        (("on failed => restart pod",), ("worker[1]/fetch exit 5", "worker[1] exit 1"), "succeeded", [1, 1, 3], None),
        (("on failed => restart container",), ("worker[1]/fetch exit 5 after 9s",), "succeeded", [1, 1, 2], None),
        ((), ("worker[1]/log exit 1",), "succeeded", [1, 1, 1], "worker completed"),
        ((), ("worker[1]/log exit 1 after 1s", "worker[1]/log exit 1 after 2s"), "succeeded", [1, 1, 1], None),
        ((), ("worker[1]/log exit 1", "worker[1] exit 3"), "failed", [1, 1, 1], "worker[1] exited 3"),
        (("on failed => abort job",), ("worker[1]/log oom always",), "succeeded", [1, 1, 1], None),
    ],
)
def test_steps(
    lines: tuple[str, ...], faults: tuple[str, ...], outcome: str, replicas: list[int], cause: str | None
) -> None:
    """Docs: a prepare step that fails is a failure with its status; a sidecar that ends is started again."""
    end = played((*STEPS, *lines), *faults)
    assert (end.outcome, [one.starts + one.restarts for one in end.replicas]) == (outcome, replicas)
    assert cause in (None, end.cause)


def test_a_step_that_prepares_for_ever_keeps_those_that_wait_for_it() -> None:
    lines = ('role ps { prepare fetch { command = ["a"] } }', 'role worker { after = ["ps"] }', "on failed => ignore")
    end = played(lines, "ps/fetch exit 1 after 1h", "worker[0] exit 1 after 5s")
    assert (end.outcome, end.unplayed) == ("succeeded", ("worker[0] exit 1 after 5s",))
    assert end.story[0] == "ps[0]/fetch exits 1"


def test_the_cluster_takes_the_whole_job_back() -> None:
    for event in ("preempted", "time limit"):
        end = played((WORKERS, "on evicted => restart job", "retries = 1"), f"{event} after 3h")
        assert (end.outcome, end.retries, starts(end)) == ("succeeded", 1, [2, 2, 2])
        assert played(WORKERS, f"{event} after 3h").outcome == "failed"


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
