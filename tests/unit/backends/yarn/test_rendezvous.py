"""Every ending of a job whose tasks meet through the store, with real processes (targets.md, yarn, Rendezvous)."""

from __future__ import annotations

import json
import signal
import time
from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.yarn.containers import until
from tests.unit.backends.yarn.gang import NAMES, finish, up
from tfdsl.ir import cluster_spec

if TYPE_CHECKING:
    from tests.unit.backends.yarn.gang import Gang

pytestmark = pytest.mark.slow


def test_all_come_and_the_chief_ends_the_job(each: Gang) -> None:
    chief, ps, first, second = each.all()
    up(chief, ps, first, second)
    finish(chief)
    assert [c.wait() for c in (chief, ps, first, second)] == [0, 0, 0, 0]
    assert (ps.folder / "ended").read_text() == "term\n"
    assert "stopped (stop): chief has completed the job" in ps.log
    assert "stop chief has completed the job" in (each.folder / "store/run-1/coordinator").read_text()


def test_every_task_gets_the_language_s_tf_config_and_flags(each: Gang) -> None:
    containers = each.all()
    up(*containers)
    hosts = [f"localhost:{(c.folder / 'port').read_text().strip()}" for c in containers]
    spec = {"chief": [hosts[0]], "ps": [hosts[1]], "worker": hosts[2:]}
    for container, role, index in zip(containers, ["chief", "ps", "worker", "worker"], [0, 0, 0, 1], strict=True):
        expected = cluster_spec.tf_config(spec, role, str(index))
        assert (container.folder / "tf_config").read_text() == expected + "\n"
    # The chief is worker 0 (language reference, cluster).
    expected_flags = [f"--ps_hosts={hosts[1]}", f"--worker_hosts={hosts[0]},{hosts[2]},{hosts[3]}"]
    for container, task in zip(containers, [("worker", 0), ("ps", 0), ("worker", 1), ("worker", 2)], strict=True):
        flags = (container.folder / "flags").read_text().splitlines()
        assert flags == [*expected_flags, f"--job_name={task[0]}", f"--task_index={task[1]}"]
    finish(containers[0])


def test_one_comes_late(gang: Gang) -> None:
    chief, ps, first = (gang.start(number) for number in (1, 2, 3))
    until(lambda: "(3 of 4)" in chief.log)
    assert not (first.folder / "up").exists()
    second = gang.start(4)
    up(chief, ps, first, second)
    finish(chief)
    assert [c.wait() for c in (chief, ps, first, second)] == [0, 0, 0, 0]


def test_a_failing_worker_ends_the_others(each: Gang) -> None:
    chief, ps, first, second = each.all()
    up(chief, ps, first, second)
    finish(second, 9)
    assert [c.wait(10) for c in (second, chief, ps, first)] == [9, 75, 75, 75]
    assert "worker[1] exited with 9" in first.log


@pytest.mark.parametrize("victim", [1, 3], ids=["ps", "worker"])
def test_a_killed_task_ends_the_others(gang: Gang, victim: int) -> None:
    containers = gang.all()
    up(*containers)
    containers[victim].kill()
    assert [c.wait(10) for c in containers if c is not containers[victim]] == [75, 75, 75]
    assert f"{NAMES[victim]} was lost" in containers[0].log


def test_a_killed_coordinator_ends_the_others(gang: Gang) -> None:
    chief, ps, first, second = gang.all()
    up(chief, ps, first, second)
    chief.kill()
    assert [c.wait(10) for c in (ps, first, second)] == [75, 75, 75]
    assert "lost the connection to the coordinator, chief[0]" in ps.log


@pytest.mark.parametrize(
    ("victim", "reason"),
    [(3, "worker[1] was lost"), (0, "lost the connection to the coordinator, chief[0]")],
    ids=["worker", "coordinator"],
)
@pytest.mark.parametrize("restarts", [0, 2])
def test_who_replaces_a_lost_task_ends_at_once_with_the_reason(
    each: Gang, victim: int, reason: str, restarts: int
) -> None:
    """YARN finds out minutes later that a node is lost, and asks for another container, which finds nobody."""
    each.plan(restarts=restarts, limit=60)
    containers = each.all()
    up(*containers)
    containers[victim].kill()
    rest = [c for c in containers if c is not containers[victim]]
    status = 143 if restarts else 75
    assert [c.wait(10) for c in rest] == [status] * 3
    late = each.start(5)
    assert late.wait(5) == status
    assert f"fail: {reason}" in late.log


def attempt(number: int, slot: int, application: int = 1) -> str:
    """The id of a container of another application attempt."""
    return f"container_1700000000000_{application:04d}_{number:02d}_{slot + 1:06d}"


def test_a_second_application_master_begins_anew(gang: Gang) -> None:
    """The loss that the first one's tasks saw is past: all tasks are there again."""
    first = gang.all()
    up(*first)
    first[0].kill()
    for container in first[1:]:
        container.wait(10)
    second = [gang.start(at, f"second{at}", CONTAINER_ID=attempt(2, at)) for at in (4, 3, 2, 1)][::-1]
    up(*second)
    finish(second[0])
    assert [c.wait(10) for c in second] == [0, 0, 0, 0]


def test_a_second_application_master_does_not_repeat_a_job_that_is_complete(gang: Gang) -> None:
    first = gang.all()
    up(*first)
    finish(first[0])
    assert [c.wait(10) for c in first] == [0, 0, 0, 0]
    second = [gang.start(at, f"second{at}", CONTAINER_ID=attempt(2, at)) for at in (1, 2)]
    assert [c.wait(10) for c in second] == [0, 0]
    assert "stop: chief has completed the job" in second[1].log
    assert not (second[1].folder / "outputs").exists()


def test_a_coordinator_of_another_application_hears_the_verdict_too(gang: Gang) -> None:
    gang.plan(limit=60)
    first = [gang.start(at, CONTAINER_ID=attempt(1, at, at)) for at in (4, 3, 2, 1)][::-1]
    up(*first)
    first[0].kill()
    for container in first[1:]:
        container.wait(10)
    again = gang.start(1, "again", CONTAINER_ID=attempt(2, 1, 1))
    assert again.wait(5) == 75
    assert "fail: lost the connection to the coordinator, chief[0]" in again.log


def test_a_missing_task_is_named_at_the_time_limit(each: Gang) -> None:
    each.plan(limit=2)
    chief, ps, second = (each.start(number) for number in (1, 2, 4))
    assert [c.wait(10) for c in (chief, ps, second)] == [76, 76, 76]
    assert "3 of 4 tasks registered within 2 s; missing: worker[0]" in second.log
    late = each.start(3)
    assert late.wait(5) == 76
    assert "missing: worker[0]" in late.log


def test_without_a_coordinator_the_time_limit_holds_too(gang: Gang) -> None:
    gang.plan(limit=-3)  # and five seconds more for the coordinator to speak first
    ps = gang.start(2)
    assert ps.wait(10) == 76
    assert "the coordinator, chief[0], did not start" in ps.log


def test_one_container_too_many_is_rejected(gang: Gang) -> None:
    fifth = gang.start(5)
    containers = gang.all()
    up(*containers)
    assert fifth.wait(10) == 77
    assert "does not need this container" in fifth.log
    finish(containers[0])
    assert [c.wait() for c in containers] == [0, 0, 0, 0]


def test_a_second_container_of_one_number_is_rejected(gang: Gang) -> None:
    chief = gang.start(1)
    worker = gang.start(3)
    until(lambda: "worker[0]" in chief.log)
    double = gang.start(3, "double", CONTAINER_ID="container_1700000000000_0001_01_000099")
    assert double.wait(10) == 77
    assert worker.process.poll() is None


def test_a_new_container_replaces_one_that_was_lost_before_the_start(gang: Gang) -> None:
    chief, ps, first = (gang.start(number) for number in (1, 2, 3))
    until(lambda: "(3 of 4)" in chief.log)
    first.kill()
    until(lambda: "worker[0] was lost before the start" in chief.log)
    new = gang.start(5)
    second = gang.start(4)
    up(chief, ps, new, second)
    assert '"task":{"type":"worker","index":0}' in (new.folder / "tf_config").read_text()
    finish(chief)
    assert [c.wait() for c in (chief, ps, new, second)] == [0, 0, 0, 0]


def test_a_task_lost_before_the_start_and_not_replaced_fails_the_job(gang: Gang) -> None:
    gang.plan(patience=1)
    chief, ps = gang.start(1), gang.start(2)
    until(lambda: "(2 of 4)" in chief.log)
    ps.kill()
    assert chief.wait(10) == 75
    assert "ps[0] was lost before the start and was not replaced" in chief.log


def test_a_relaunched_gang_meets_again_with_the_same_ranks(each: Gang) -> None:
    """``restart job``: all end, the NodeManager starts all again in their folders; one that is done waits for it."""
    each.plan(restarts=2, actions={name: {"0": "restart"} for name in ("chief", "ps", "worker")})
    containers = chief, _ps, first, second = each.all()
    up(*containers)
    finish(first)
    until(lambda: "worker[0] exited with 0" in chief.log)
    finish(second, 5)
    assert [c.wait(10) for c in containers] == [75, 75, 75, 75]
    for container in containers:
        (container.folder / "up").unlink()
        container.again()
    up(*containers)
    for container, task in zip(containers, [("chief", 0), ("ps", 0), ("worker", 0), ("worker", 1)], strict=True):
        config = json.loads((container.folder / "tf_config").read_text())
        assert (config["task"]["type"], config["task"]["index"]) == task
    finish(chief)
    assert [c.wait() for c in containers] == [0, 0, 0, 0]


@pytest.mark.parametrize("victim", [0, 2], ids=["coordinator", "worker"])
def test_a_killed_container_is_not_relaunched_so_nothing_restarts(gang: Gang, victim: int) -> None:
    gang.plan(restarts=2, actions={name: {"0": "restart"} for name in ("chief", "ps", "worker")})
    containers = gang.all()
    up(*containers)
    containers[victim].kill()
    assert [c.wait(10) for c in containers if c is not containers[victim]] == [143, 143, 143]


def test_only_some_statuses_restart(gang: Gang) -> None:
    gang.plan(restarts=2, actions={n: {"0": "fail", "7": "restart"} for n in ("chief", "ps", "worker")})
    containers = gang.all()
    up(*containers)
    finish(containers[2], 7)
    assert [c.wait(10) for c in containers] == [75, 75, 75, 75]
    for container in containers:
        (container.folder / "up").unlink()
        container.again()
    up(*containers)
    finish(containers[3], 8)
    assert [c.wait(10) for c in containers] == [143, 143, 143, 8]


def test_an_ignored_failure_counts_as_ended(gang: Gang) -> None:
    actions = {"chief": {"0": "fail"}, "ps": {"0": "fail"}, "worker": {"0": "fail"}, "worker[1]": {"0": "ignore"}}
    gang.plan(actions=actions, complete=[["worker", -1]])
    containers = chief, ps, first, second = gang.all()
    up(*containers)
    finish(second, 3)
    assert second.wait() == 0
    assert [c.process.poll() for c in (chief, ps, first)] == [None, None, None]
    finish(first)
    assert [c.wait() for c in (chief, ps, first)] == [0, 0, 0]


def test_a_task_whose_failure_is_ignored_restarts_with_the_others(gang: Gang) -> None:
    actions = {"chief": {"0": "restart"}, "ps": {"0": "restart"}, "worker": {"0": "restart", "3": "ignore"}}
    gang.plan(actions=actions, restarts=2)
    containers = gang.all()
    up(*containers)
    finish(containers[3], 3)
    until(lambda: "worker[1] exited with 3" in containers[0].log)
    assert containers[3].process.poll() is None, "the others may need it again"
    finish(containers[1], 9)
    assert [container.wait(10) for container in containers] == [75, 75, 75, 75]


def test_one_worker_may_decide(gang: Gang) -> None:
    gang.plan(complete=[["worker", 1]])
    containers = chief, ps, first, second = gang.all()
    up(*containers)
    finish(first)
    assert first.wait() == 0
    finish(second)
    assert [c.wait() for c in (chief, ps, second)] == [0, 0, 0]


def test_a_job_that_nobody_completes_fails(gang: Gang) -> None:
    gang.plan(roles=[["worker", 2]], complete=[["chief", -1]])
    first, second = gang.start(1), gang.start(2)
    up(first, second)
    finish(first)
    finish(second)
    assert [first.wait(), second.wait()] == [0, 0]


def test_a_role_starts_after_another(gang: Gang) -> None:
    gang.plan(after={"worker": ["ps"], "chief": ["worker"]})
    holds = [gang.folder / name / "hold" for name in ("c2", "c4")]
    for hold in holds:
        hold.parent.mkdir()
        hold.touch()
    chief, ps, first, second = gang.all()
    until(lambda: "all 4 tasks are registered" in chief.log)
    time.sleep(1)
    assert [(c.folder / "up").exists() for c in (chief, ps, first, second)] == [False] * 4
    holds[0].unlink()
    up(ps, first)
    time.sleep(1)
    assert not (chief.folder / "up").exists(), "one of its workers does not run yet"
    holds[1].unlink()
    up(second, chief)
    finish(chief)


def test_a_failing_preparation_is_a_failure_of_the_task(gang: Gang) -> None:
    (gang.folder / "c3").mkdir()
    (gang.folder / "c3/unprepared").touch()
    containers = gang.all()
    assert [c.wait() for c in containers] == [75, 75, 1, 75]


def test_a_failed_copy_after_success_is_74_and_fails_the_job(gang: Gang) -> None:
    (gang.folder / "c1").mkdir()
    (gang.folder / "c1/uncopied").touch()
    containers = gang.all()
    up(*containers)
    finish(containers[0])
    assert [c.wait() for c in containers] == [74, 75, 75, 75]


def test_the_command_s_status_is_kept_when_the_copy_fails_too(gang: Gang) -> None:
    (gang.folder / "c3").mkdir()
    (gang.folder / "c3/uncopied").touch()
    containers = gang.all()
    up(*containers)
    finish(containers[2], 3)
    assert containers[2].wait() == 3
    assert (containers[2].folder / "outputs").read_text() == "3\n"


def test_tensorboard_is_not_waited_for_starts_again_and_is_stopped(gang: Gang) -> None:
    gang.plan(
        roles=[["worker", 1], ["tensorboard", 1]],
        optional=["tensorboard"],
        again=["tensorboard"],
        complete=[["worker", -1]],
        actions={"worker": {"0": "fail"}, "tensorboard": {"0": "ignore"}},
    )
    worker = gang.start(1)
    up(worker)
    board = gang.start(2)
    up(board)
    assert (board.folder / "tf_config").read_text() == "\n"
    (board.folder / "up").unlink()
    finish(board, 1)
    up(board)
    assert "is restarted" in board.log
    finish(worker)
    assert [worker.wait(), board.wait()] == [0, 0]


def test_containers_without_a_number_claim_one_and_keep_it(each: Gang) -> None:
    """Hadoop before 3.0 sets no YARN_SHELL_ID."""
    each.plan(restarts=1, actions={name: {"0": "restart"} for name in ("chief", "ps", "worker")})
    ids = [f"container_1700000000000_0007_01_{number:06d}" for number in (2, 3, 9, 4)]
    containers = [each.start(None, f"n{at}", CONTAINER_ID=name) for at, name in enumerate(ids)]
    up(*containers)
    ranks = [json.loads((c.folder / "tf_config").read_text())["task"] for c in containers]
    assert sorted((r["type"], r["index"]) for r in ranks) == [("chief", 0), ("ps", 0), ("worker", 0), ("worker", 1)]
    chief = next(c for c, rank in zip(containers, ranks, strict=True) if rank["type"] == "chief")
    finish(chief, 4)
    assert [c.wait() for c in containers] == [75, 75, 75, 75]
    for container in containers:
        (container.folder / "up").unlink()
        container.again()
    up(*containers)
    assert [json.loads((c.folder / "tf_config").read_text())["task"] for c in containers] == ranks
    finish(chief)
    assert [c.wait() for c in containers] == [0, 0, 0, 0]


def test_two_jobs_of_one_name_do_not_meet(gang: Gang) -> None:
    gang.plan(roles=[["worker", 2]], complete=[["worker", -1]])
    mine = [gang.start(number, f"a{number}") for number in (1, 2)]
    other = [gang.start(number, f"b{number}", TFJOB_RUN="run-2") for number in (1, 2)]
    up(*mine, *other)
    ports = [(c.folder / "port").read_text().strip() for c in (*mine, *other)]
    assert len(set(ports)) == 4
    cluster = json.loads((mine[0].folder / "tf_config").read_text())["cluster"]
    assert cluster == {"worker": [f"localhost:{port}" for port in ports[:2]]}
    for container in (*mine, *other):
        finish(container)
    assert [c.wait() for c in (*mine, *other)] == [0, 0, 0, 0]


def test_one_application_per_role_numbers_each_role_from_one(gang: Gang) -> None:
    started = [
        gang.start(1, "w1", TFJOB_ROLE_ONLY="worker", CONTAINER_ID="container_1700000000000_0003_01_000002"),
        gang.start(2, "w2", TFJOB_ROLE_ONLY="worker", CONTAINER_ID="container_1700000000000_0003_01_000003"),
        gang.start(1, "p1", TFJOB_ROLE_ONLY="ps", CONTAINER_ID="container_1700000000000_0002_01_000002"),
        gang.start(1, "c1", TFJOB_ROLE_ONLY="chief", CONTAINER_ID="container_1700000000000_0001_01_000002"),
    ]
    up(*started)
    tasks = [json.loads((c.folder / "tf_config").read_text())["task"] for c in started]
    assert [(t["type"], t["index"]) for t in tasks] == [("worker", 0), ("worker", 1), ("ps", 0), ("chief", 0)]
    finish(started[3])
    assert [c.wait() for c in started] == [0, 0, 0, 0]


def test_a_terminated_container_ends_its_command(gang: Gang) -> None:
    containers = gang.all()
    up(*containers)
    containers[3].process.send_signal(signal.SIGTERM)
    assert containers[3].wait(10) == 143
    assert (containers[3].folder / "ended").exists()
    assert containers[2].wait(10) == 75


def test_a_stopped_command_has_ended_with_all_that_it_started(each: Gang) -> None:
    left = "(trap '' TERM; echo up >up; sleep 1.5; echo saved >saved) | cat &\nwait"
    (each.folder / "job.sh").write_text(f"case $1 in command) {left};; esac\n")
    chief, ps, first, second = each.all()
    up(chief, ps, first, second)
    chief.kill()
    assert [c.wait(15) for c in (ps, first, second)] == [75, 75, 75]
    assert [(c.folder / "saved").exists() for c in (ps, first, second)] == [True] * 3


def test_a_stopped_command_that_will_not_end_is_killed_with_all_that_it_started(gang: Gang) -> None:
    left = "(trap '' TERM; echo up >up; while :; do sleep 0.1; date +%N >alive; done) | cat &\nwait"
    (gang.folder / "job.sh").write_text(f"case $1 in command) {left};; esac\n")
    gang.plan(grace={"chief": 9, "ps": 1, "worker": 9})
    chief, ps, *workers = gang.all()
    up(chief, ps, *workers)
    chief.kill()
    assert ps.wait(15) == 75
    alive = ps.folder / "alive"
    before = alive.read_text()
    time.sleep(0.5)
    assert alive.read_text() == before


def test_a_task_that_is_stopped_has_neither_succeeded_nor_failed(gang: Gang) -> None:
    chief, ps, first, second = gang.all()
    up(chief, ps, first, second)
    finish(chief)
    assert [c.wait() for c in (chief, ps, first, second)] == [0, 0, 0, 0]
    assert [(c.folder / "outputs").read_text() for c in (chief, ps)] == ["0\n", "stopped\n"]
