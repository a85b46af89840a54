"""The life of a job with real agents' commands, real processes and a real HTTP server in place of Slider's master.

Expected values: language reference (TF_CONFIG, flags, statuses, policies), slider reference §2.9 and §2.10.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.pythons import pythons
from tests.unit.backends.jobs import amount, job, policy, role, time as duration
from tests.unit.backends.slider.agents import (
    STAND_IN,
    Cluster,
    Container,
    has_ended,
    kill_supervisor,
    until,
)
from tfdsl.ir.model import Cluster as Discovery, Role
from tfdsl_backends.slider.lower import program

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

pytestmark = pytest.mark.slow

COMMAND = r"""
import json, os, signal, subprocess, sys, time
def note(name, text):
    with open(name + ".new", "w") as stream:
        stream.write(text)
    os.rename(name + ".new", name)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
note("grandchild", str(child.pid))
starts = int(open("starts").read()) + 1 if os.path.exists("starts") else 1
note("seen", json.dumps({"argv": sys.argv[1:], "tf_config": os.environ.get("TF_CONFIG"), "user": os.environ["USER"],
    "checkpoint": os.environ.get("CHECKPOINT_DIR"), "pythonpath": os.environ.get("PYTHONPATH"), "cwd": os.getcwd()}))
note("starts", str(starts))
note("pid", str(os.getpid()))
print("training")
sys.stdout.flush()
while not os.path.exists("finish"):
    time.sleep(0.02)
status = int(open("finish").read())
os.remove("finish")
sys.exit(status)
"""


def native(name: str, replicas: int = 1, **fields: object) -> Role:
    """A role that runs the command above as a process of the node."""
    return role(
        name, replicas, image=None, **{"command": (sys.executable, "-c", COMMAND), "memory": amount("1Gi"), **fields}
    )


def running(container: Container, starts: int = 1) -> bool:
    path = container.task / "starts"
    return path.exists() and path.read_text() == str(starts)


def finish(container: Container, status: int) -> None:
    (container.task / "finish.new").write_text(str(status))
    os.rename(container.task / "finish.new", container.task / "finish")


def seen(container: Container) -> Mapping[str, object]:
    found: Mapping[str, object] = json.loads((container.task / "seen").read_text())
    return found


def test_the_jobs_own_tf_config_is_exported(cluster: Cluster) -> None:
    made = job(native("worker", env={"TF_CONFIG": '{"own": 1}'}), cluster=Discovery(discovery="none"))
    cluster.deploy(made)
    worker = cluster.container("worker").start()
    until(lambda: running(worker))
    assert seen(worker)["tf_config"] == '{"own": 1}'


def test_all_peers_up_then_done(cluster: Cluster) -> None:
    made = job(native("chief"), native("ps"), native("worker", 2), cluster=Discovery(discovery="both"))
    cluster.deploy(made)
    ps = cluster.container("ps")
    second, first = cluster.container("worker", 2), cluster.container("worker", 1)
    began = time.monotonic()
    for container in (ps, second, first):
        container.start()
    assert time.monotonic() - began < 30, "START waits for nobody"
    assert ps.is_alive(), "a task that waits is alive"
    assert not (ps.task / "starts").exists(), "without its peers a command is not started"
    chief = cluster.container("chief").start()
    everyone = [chief, ps, first, second]
    until(lambda: all(running(container) for container in everyone))
    hosts = {
        "chief": [f"127.0.0.1:{chief.port}"],
        "ps": [f"127.0.0.1:{ps.port}"],
        "worker": [f"127.0.0.1:{first.port}", f"127.0.0.1:{second.port}"],
    }
    compact = json.dumps(hosts, separators=(",", ":"))
    workers = ",".join(hosts["chief"] + hosts["worker"])
    for container, kind, index, name, number in (
        (chief, "chief", 0, "worker", 0),
        (ps, "ps", 0, "ps", 0),
        (first, "worker", 0, "worker", 1),
        (second, "worker", 1, "worker", 2),
    ):
        found = seen(container)
        assert found["tf_config"] == (
            f'{{"cluster":{compact},"task":{{"type":"{kind}","index":{index}}},"environment":"cloud"}}'
        )
        assert found["argv"] == [
            f"--ps_hosts={hosts['ps'][0]}",
            f"--worker_hosts={workers}",
            f"--job_name={name}",
            f"--task_index={number}",
        ]
        assert found["user"] == "alice"
        assert found["cwd"] == str(container.task)
        assert found["pythonpath"] == str(STAND_IN), "the agent's own library path does not reach the command"
    finish(first, 0)
    until(lambda: first.has_state("done"))
    assert first.is_alive(), "Slider takes an ended component for a failure"
    assert cluster.master.stops == []
    finish(chief, 0)
    until(lambda: cluster.master.stops)
    assert cluster.master.wrong == [], "the request to stop is a POST"
    assert "complete job" in chief.log
    assert "training" in (chief.logs / "tensorflow.log").read_text()
    grandchild = int((ps.task / "grandchild").read_text())
    assert ps.run("STOP") == 0
    assert not ps.is_alive()
    until(lambda: has_ended(grandchild))


def test_all_workers_decide_without_chief(cluster: Cluster) -> None:
    cluster.deploy(job(native("ps"), native("worker", 3)))
    ps = cluster.container("ps").start()
    workers = [cluster.container("worker", tag).start() for tag in (1, 2, 3)]
    until(lambda: all(running(container) for container in workers))
    for container in workers[:2]:
        finish(container, 0)
    until(lambda: all(container.has_state("done") for container in workers[:2]))
    time.sleep(0.5)
    assert cluster.master.stops == [], "one worker still runs"
    finish(workers[2], 0)
    until(lambda: cluster.master.stops)
    assert ps.is_alive()


def test_one_peer_is_missing_at_the_time_limit(cluster: Cluster) -> None:
    cluster.deploy(job(native("ps", 2), native("worker", 2)), quick={"wait_limit": 0.5})
    cluster.container("ps", 2).start()
    worker = cluster.container("worker", 1).start()
    until(lambda: worker.has_state("failed") and cluster.master.stops)
    assert "missing: ps[0], worker[1]" in worker.log
    assert worker.note("state") == {"state": "failed", "status": 76, "index": 0}
    assert not (worker.task / "starts").exists()


def test_relaunch_in_place_until_the_retries_are_used_up(cluster: Cluster) -> None:
    cluster.deploy(job(native("worker", 2), policies=(policy("failed", "restart container"),), retries=1))
    first, second = cluster.container("worker", 1).start(), cluster.container("worker", 2).start()
    until(lambda: running(first) and running(second))
    before = seen(second)
    finish(second, 3)
    until(lambda: not second.is_alive())
    assert cluster.master.stops == []
    assert second.run("START") == 0
    until(lambda: running(second, 2))
    assert seen(second) == before, "the same index and addresses"
    assert running(first), "its peer ran on"
    finish(second, 3)
    until(lambda: cluster.master.stops)
    assert second.note("verdict") == {"action": "fail job", "why": "exited with status 3 after 1 restarts"}
    assert second.is_alive(), "the job is being stopped, not the task restarted"


def test_a_killed_supervisor_is_noticed_its_command_ended_and_the_task_started_again(cluster: Cluster) -> None:
    cluster.deploy(job(native("worker"), policies=(policy("failed", "restart container"),), retries=2))
    worker = cluster.container("worker").start()
    until(lambda: running(worker))
    grandchild = int((worker.task / "grandchild").read_text())
    kill_supervisor(worker)
    until(lambda: not worker.is_alive())
    assert has_ended(grandchild), "nobody else would end it: YARN kills the first process and its group"
    worker.run("START")
    until(lambda: running(worker, 2))
    kill_supervisor(worker)
    assert worker.run("START") == 0
    until(lambda: running(worker, 3))
    grandchild = int((worker.task / "grandchild").read_text())
    kill_supervisor(worker)
    assert worker.run("STOP") == 0
    assert has_ended(grandchild)


def test_a_replaced_container_keeps_its_index_and_the_others_learn_the_address(cluster: Cluster) -> None:
    cluster.deploy(job(native("ps"), native("worker", 2), policies=(policy("failed", "restart pod"),)))
    ps = cluster.container("ps").start()
    first, second = cluster.container("worker", 1).start(), cluster.container("worker", 2).start()
    until(lambda: all(running(container) for container in (ps, first, second)))
    cluster.master.withdraw("worker", 1)
    time.sleep(0.5)
    assert running(second), "nothing happens until there is a replacement"
    again = cluster.container("worker", 1).start()
    until(lambda: running(again) and running(second, 2) and running(ps, 2))
    workers = [f"127.0.0.1:{again.port}", f"127.0.0.1:{second.port}"]
    for container, index in ((again, 0), (second, 1)):
        config = json.loads(str(seen(container)["tf_config"]))
        assert config["cluster"]["worker"] == workers
        assert config["task"] == {"type": "worker", "index": index}
    assert cluster.master.stops == []


def test_a_lost_container_fails_the_job_when_the_policy_says_so(cluster: Cluster) -> None:
    cluster.deploy(job(native("worker")))
    cluster.master.lost["worker"] = {"failed": 1}
    worker = cluster.container("worker").start()
    until(lambda: cluster.master.stops)
    assert worker.note("verdict") == {"action": "fail job", "why": "a container of worker was lost"}
    assert not (worker.task / "starts").exists()


def test_evictions_have_their_own_policy(quick_cluster: Cluster) -> None:
    cluster = quick_cluster
    cluster.deploy(job(native("worker"), policies=(policy("evicted", "restart pod"),)))
    cluster.master.lost["worker"] = {"nodeFailed": 1, "preempted": 2}
    worker = cluster.container("worker").start()
    until(lambda: running(worker))
    assert cluster.master.stops == []


def test_broken_disks_are_no_failures(quick_cluster: Cluster) -> None:
    """Slider counts such a container twice, as failed and as lost with its node (``RoleStatus.noteFailed``)."""
    cluster = quick_cluster
    cluster.deploy(job(native("worker"), policies=(policy("evicted", "restart pod"),)))
    cluster.master.lost["worker"] = {"failed": 1, "nodeFailed": 1}
    worker = cluster.container("worker").start()
    until(lambda: running(worker))
    assert cluster.master.stops == []


def test_a_restart_in_place_does_not_pay_for_containers_of_others(quick_cluster: Cluster) -> None:
    cluster = quick_cluster
    policies = (policy("failed", "restart container"), policy("evicted", "fail job", role="worker", index=1))
    cluster.deploy(job(native("worker", 2), policies=policies))
    first, second = cluster.container("worker", 1).start(), cluster.container("worker", 2).start()
    until(lambda: running(first) and running(second))
    cluster.master.lost["worker"] = {"preempted": 1}  # it was worker[0]
    finish(second, 1)
    until(lambda: not second.is_alive())
    second.run("START")
    until(lambda: running(second, 2))
    assert cluster.master.stops == []


def test_exit_statuses_choose_the_policy(quick_cluster: Cluster) -> None:
    cluster = quick_cluster
    policies = (
        policy("failed", "restart container"),
        policy("exit", "ignore", codes=(7,), role="worker", index=1),
        policy("exit", "abort job", codes=(7, 9), role="worker"),
    )
    cluster.deploy(job(native("worker", 3), policies=policies))
    workers = [cluster.container("worker", tag).start() for tag in (1, 2, 3)]
    until(lambda: all(running(container) for container in workers))
    finish(workers[1], 7)
    until(lambda: workers[1].has_state("done"))
    assert cluster.master.stops == [], "worker[1] has a policy of its own for 7"
    finish(workers[2], 1)
    until(lambda: not workers[2].is_alive())
    assert cluster.master.stops == []
    finish(workers[0], 7)
    until(lambda: cluster.master.stops)
    assert workers[0].note("verdict") == {"action": "abort job", "why": "the command failed with status 7"}


def test_an_ignored_failure_counts_as_ended(quick_cluster: Cluster) -> None:
    cluster = quick_cluster
    cluster.deploy(job(native("worker", 2), policies=(policy("failed", "ignore", role="worker"),)))
    workers = [cluster.container("worker", tag).start() for tag in (1, 2)]
    until(lambda: all(running(container) for container in workers))
    finish(workers[0], 5)
    until(lambda: workers[0].has_state("done"))
    assert cluster.master.stops == []
    finish(workers[1], 0)
    until(lambda: cluster.master.stops)


def test_restarted_often_enough(quick_cluster: Cluster) -> None:
    cluster = quick_cluster
    policies = (policy("failed", "restart container"), policy("restarted", "abort job", role="worker", count=2))
    cluster.deploy(job(native("worker"), policies=policies, retries=9))
    worker = cluster.container("worker").start()
    until(lambda: running(worker))
    finish(worker, 1)
    until(lambda: not worker.is_alive())
    worker.run("START")
    until(lambda: running(worker, 2))
    finish(worker, 1)
    until(lambda: cluster.master.stops)
    assert worker.note("verdict") == {
        "action": "abort job",
        "why": "worker has reached the number of restarts in its policy",
    }


def test_tensorboard_is_restarted_for_ever_and_waits_for_nobody(quick_cluster: Cluster) -> None:
    cluster = quick_cluster
    cluster.deploy(job(native("worker", 2), native("tensorboard", command=(sys.executable, "-c", COMMAND))))
    board = cluster.container("tensorboard").start()
    for starts in (1, 2, 3):
        until(lambda starts=starts: running(board, starts))
        assert seen(board)["tf_config"] is None
        finish(board, 1)
        until(lambda: not board.is_alive())
        board.run("START")
    assert cluster.master.stops == []


def test_pending_replicas_and_the_deadline(quick_cluster: Cluster) -> None:
    cluster = quick_cluster
    late = policy("pending", "fail job", role="ps", delay=duration("1s"))
    cluster.deploy(job(native("ps"), native("worker"), policies=(late,)))
    worker = cluster.container("worker").start()
    until(lambda: cluster.master.stops)
    assert worker.note("verdict") == {"action": "fail job", "why": "ps[0] has not started after 1 seconds"}


def test_the_deadline_stops_a_running_job(quick_cluster: Cluster) -> None:
    cluster = quick_cluster
    cluster.deploy(job(native("worker"), deadline=duration("2s")))
    worker = cluster.container("worker").start()
    until(lambda: running(worker))
    until(lambda: cluster.master.stops)
    assert worker.note("verdict") == {"action": "fail job", "why": "the job has reached its deadline of 2 seconds"}


def test_a_container_without_a_place_runs_nothing(quick_cluster: Cluster) -> None:
    cluster = quick_cluster
    cluster.deploy(job(native("worker")))
    extra = cluster.container("worker", 2).start()
    until(lambda: extra.has_state("rejected"))
    assert extra.note("state") == {"state": "rejected", "status": 77, "index": 1}
    assert not (extra.task / "starts").exists()
    assert extra.is_alive()


def test_a_command_that_cannot_be_started(quick_cluster: Cluster) -> None:
    cluster = quick_cluster
    cluster.deploy(job(native("worker", command=("no-such-program",))))
    worker = cluster.container("worker").start()
    until(lambda: cluster.master.stops)
    assert worker.note("state") == {"state": "failed", "status": 127, "index": 0}


def test_stop_gives_the_command_time_to_save(quick_cluster: Cluster) -> None:
    cluster = quick_cluster
    script = "trap 'echo saved >saved; exit 0' TERM; touch up; while :; do sleep 0.05; done"
    cluster.deploy(job(native("worker", command=script)))
    worker = cluster.container("worker").start()
    until(lambda: (worker.task / "up").exists())
    assert worker.run("STOP") == 0
    assert (worker.task / "saved").exists()
    assert worker.note("state") == {"state": "stopped", "status": 0, "index": 0}


def test_the_time_to_save_is_that_of_a_whole_pipe(cluster: Cluster) -> None:
    train = "trap 'sleep 0.5; touch saved; exit 0' TERM; touch up; while :; do sleep 0.05; done"
    cluster.deploy(job(native("worker", command=f'sh -c "{train}" | cat', stop_grace=duration("5s"))))
    worker = cluster.container("worker").start()
    until(lambda: (worker.task / "up").exists())
    began = time.monotonic()
    assert worker.run("STOP") == 0
    assert (worker.task / "saved").exists()
    assert time.monotonic() - began < 5, "it does not wait longer than there is something to wait for"


def test_an_orphaned_pipe_has_time_to_save(quick_cluster: Cluster) -> None:
    cluster = quick_cluster
    train = "trap 'sleep 0.5; touch saved; exit 0' TERM; touch up; while :; do sleep 0.05; done"
    cluster.deploy(job(native("worker", command=f'sh -c "{train}" | cat')))
    worker = cluster.container("worker").start()
    until(lambda: (worker.task / "up").exists())
    kill_supervisor(worker)
    assert not worker.is_alive()
    assert (worker.task / "saved").exists()


def test_a_supervisor_that_fails_ends_its_command(cluster: Cluster) -> None:
    cluster.deploy(job(native("worker", command="sleep 1; touch trained")))
    worker = cluster.container("worker")
    (worker.folder / "app/run/command.json.new").mkdir(parents=True)  # nothing can be noted
    worker.start()
    until(lambda: not worker.is_alive())
    time.sleep(1.2)
    assert not (worker.task / "trained").exists()


def test_a_full_disk_does_not_run_an_ended_task_again(cluster: Cluster) -> None:
    cluster.deploy(job(native("worker")))
    worker = cluster.container("worker")
    for name in ("state", "verdict"):
        (worker.folder / f"app/run/{name}.json.new").mkdir(parents=True)
    worker.logs.mkdir(parents=True)
    (worker.logs / "task.log").symlink_to("/dev/full")
    worker.start()
    until(lambda: running(worker))
    finish(worker, 0)
    until(lambda: cluster.master.stops)
    assert worker.is_alive()


@pytest.mark.parametrize("python", pythons())
def test_waits_do_not_depend_on_the_time_of_the_node(tmp_path: Path, python: str) -> None:
    (tmp_path / "task_process.py").write_text(program("task_process"))
    text = (
        "import time; time.time = None; from task_process import clock as c; a = c(); time.sleep(0.2); print(c() - a)"
    )
    done = subprocess.run([python, "-c", text], env={"PYTHONPATH": str(tmp_path)}, capture_output=True, check=True)
    assert 0.15 < float(done.stdout) < 5


def test_a_command_that_will_not_end_is_killed(quick_cluster: Cluster) -> None:
    cluster = quick_cluster
    stubborn = native(
        "worker", command="trap '' TERM; touch up; while :; do sleep 0.05; done", stop_grace=duration("1s")
    )
    cluster.deploy(job(stubborn))
    worker = cluster.container("worker").start()
    until(lambda: (worker.task / "up").exists())
    assert worker.run("STOP") == 0
    assert not worker.is_alive()


def test_the_task_ends_with_its_container(cluster: Cluster) -> None:
    cluster.deploy(job(native("worker")))
    worker = cluster.container("worker")
    worker.run("START", session=True)
    until(lambda: running(worker))
    grandchild = int((worker.task / "grandchild").read_text())
    assert worker.leader is not None
    os.kill(worker.leader.pid, signal.SIGKILL)  # the NodeManager kills the first process and its group only
    worker.leader.wait()
    until(lambda: has_ended(grandchild))
    until(lambda: not worker.is_alive())
