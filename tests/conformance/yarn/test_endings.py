"""How jobs end that do not end well, and what is left of them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.yarn.jobs import COMMAND, FOLDER_STORE, LIMIT, SMALL, Job, Run
from tests.conformance.yarn.test_jobs_succeed import succeeded

OTHERS = 75
"""The status of a task that ends because another one has."""


def job(*items: str, more: str = "", options: str = FOLDER_STORE) -> str:
    """A chief, two workers and a parameter server that serve; ``items``, ``ROLE: INSTRUCTIONS``, say what else."""
    told = {"chief": "serve", "worker": "serve", "ps": "serve", **dict(item.split(": ", 1) for item in items)}
    roles = []
    for name, words in told.items():
        args = ", ".join(f'"{word}"' for word in words.split())
        roles.append(f"role {name} {{ args = [{args}], replicas = {2 if name == 'worker' else 1} }}")
    body = "\n  ".join([COMMAND, SMALL, *roles, more, f"target yarn {{ {options} }}"])
    return f"job ends {{\n  {body}\n}}\n"


def failed(run: Run) -> dict[str, int]:
    """The job failed, to the end, with nothing left; gives what YARN saw of each container."""
    assert run.status == 2, run.story
    assert {one.final for one in run.applications} <= {"FAILED", "KILLED"}, run.story
    assert left_over(run) == [], run.story
    return run.by_task


def left_over(run: Run, seconds: float = 15) -> list[int]:
    """Processes of the job that are still there after a while."""
    end = time.monotonic() + seconds
    found = [one["pid"] for one in run.records]
    while time.monotonic() < end:
        found = [pid for pid in found if _is_task(pid, run.folder)]
        if not found:
            break
        time.sleep(0.2)
    return found


def _is_task(pid: int, folder: Path) -> bool:
    try:
        return str(folder).encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


OUTPUTS = """
  mount host "${shared}" at "${shared}"
  output "result" to "${shared}/on-success" from worker[0]
  output "result" to "${shared}/on-failure" on failure from worker[0]
  output "result" to "${shared}/always" on always from worker[0]
"""


@pytest.mark.job(Job(job("worker: write=result:x only=1 sleep=1 exit=9", more=OUTPUTS)))
def test_a_worker_that_fails_ends_the_job(run: Run) -> None:
    assert failed(run) == {"chief[0]": OTHERS, "worker[0]": OTHERS, "worker[1]": 9, "ps[0]": OTHERS}
    assert "worker[1] exited with 9" in run.output, "submit.sh shows why"
    assert {path.name for path in (run.folder / "shared").iterdir()} == {"meet", "on-failure", "always"}


@pytest.mark.job(Job(job("ps: sleep=1 die")))
def test_a_parameter_server_that_is_killed_ends_the_job(run: Run) -> None:
    assert failed(run) == {"chief[0]": OTHERS, "worker[0]": OTHERS, "worker[1]": OTHERS, "ps[0]": 137}


@pytest.mark.job(Job(job("chief: sleep=1 die")))
def test_the_coordinator_that_is_killed_ends_the_job(run: Run) -> None:
    assert failed(run) == {"chief[0]": 137, "worker[0]": OTHERS, "worker[1]": OTHERS, "ps[0]": OTHERS}


@pytest.mark.job(Job(job("ps: sleep=1 eat=300")))
def test_a_task_that_takes_more_memory_than_it_asked_for_is_killed_and_ends_the_job(run: Run) -> None:
    assert failed(run) == {"chief[0]": OTHERS, "worker[0]": OTHERS, "worker[1]": OTHERS, "ps[0]": -104}


MISSING = job(options=f"{FOLDER_STORE}, rendezvous_seconds = 12").replace(SMALL, SMALL + ", gpu = 3")


@pytest.mark.job(Job(MISSING))
def test_tasks_that_cannot_all_start_end_at_the_limit(run: Run) -> None:
    assert set(failed(run).values()) == {76}
    assert run.records == [], "no command has started"
    assert re.search(r"2 of 4 tasks registered within 12 s; missing: ", run.story), run.story


RESTART = """
  retries = 2
  on failed => restart container
"""


@pytest.mark.job(Job(job("chief: sleep=2", "worker: only=1 once=9", more=RESTART)))
def test_a_failure_with_retries_restarts_the_gang_with_the_same_ranks(run: Run) -> None:
    succeeded(run)
    for role, index in (("chief", 0), ("worker", 0), ("worker", 1), ("ps", 0)):
        first, second = run.tries(role, index)
        for name in ("CONTAINER_ID", "YARN_SHELL_ID", "TFJOB_INDEX"):
            assert first["environment"][name] == second["environment"][name]
        assert first["folder"] == second["folder"]
    assert len(run.statuses) == 4, "nothing but relaunches in place"


@pytest.mark.job(Job(job("worker: only=1 exit=9", more=RESTART)))
def test_a_job_fails_when_its_retries_are_used_up(run: Run) -> None:
    statuses = failed(run)
    assert statuses.pop("worker[1]") == 9, "the culprit keeps its own"
    assert set(statuses.values()) == {143}
    assert [len(run.tries(role)) for role in ("chief", "worker", "ps")] == [3, 3, 3]


@pytest.mark.job(Job(job("ps: sleep=1 die", more=RESTART)))
def test_a_container_that_is_killed_as_a_whole_is_not_relaunched_so_the_job_ends(run: Run) -> None:
    statuses = failed(run)
    assert statuses.pop("ps[0]") == 137
    assert set(statuses.values()) == {143}
    assert {one["try"] for one in run.records} == {1}


NOT_AGAIN = RESTART + "  on exit 13 => fail job\n  on worker exit 42 => ignore\n"


@pytest.mark.job(Job(job("worker: only=1 exit=13", more=NOT_AGAIN)))
def test_a_status_that_is_not_worth_a_retry_ends_the_job_at_once(run: Run) -> None:
    assert failed(run)["worker[1]"] == 13
    assert {one["try"] for one in run.records} == {1}


@pytest.mark.job(Job(job("chief: sleep=2", "worker: only=1 exit=42", more=NOT_AGAIN)))
def test_a_status_that_is_ignored_does_not_reach_yarn(run: Run) -> None:
    succeeded(run)
    assert run.task("worker", 1)["ended"] == 42


@pytest.mark.job(
    Job(job("worker: only=1 stubborn serve", more="deadline = 40s\n  stop_grace = 1s", options=FOLDER_STORE))
)
def test_the_deadline_ends_the_job(run: Run) -> None:
    failed(run)
    assert [one.state for one in run.applications] == ["KILLED"]
    assert {one["ended"] for one in run.records if "asked" not in one} == {"SIGTERM"}
    assert run.task("worker", 1)["asked"] is True, "and the one who did not listen is gone too"
    assert 40 <= run.seconds < 80


@pytest.mark.job(Job(job("chief: sleep=1", more=OUTPUTS.replace("from worker[0]", "from chief[0]"))))
def test_an_output_that_is_not_there_makes_a_good_job_fail(run: Run) -> None:
    assert failed(run)["chief[0]"] == 74
    assert "output result does not exist" in run.story


def put_something_there(_cluster: object, folder: Path) -> None:
    (folder / "shared/always").write_text("old")


KEEP = """
  mount host "${shared}" at "${shared}"
  output "result" to "${shared}/always" on always
"""


@pytest.mark.job(Job(job("chief: write=result:new", more=KEEP), before=put_something_there))
def test_an_output_does_not_replace_what_is_there(run: Run) -> None:
    assert failed(run)["chief[0]"] == 74
    assert (run.folder / "shared/always").read_text() == "old"


def ask_for_one_more(emitted: Path) -> None:
    script = emitted / "submit.sh"
    text = script.read_text()
    assert "-num_containers 4" in text
    script.write_text(text.replace("-num_containers 4", "-num_containers 5"))


@pytest.mark.job(Job(job("chief: sleep=3"), edit=ask_for_one_more))
def test_a_container_too_many_is_sent_away_and_the_others_do_not_care(run: Run) -> None:
    assert sorted(run.by_task.values()) == [0, 0, 0, 0, 77], run.story
    assert run.task("chief")["reached"] == 4
    assert run.task("chief")["ended"] == 0


def press_ctrl_c(run: Run) -> None:
    run.until(lambda: len(run.records) == 4)
    run.interrupt()


@pytest.mark.job(Job(job(), arguments=("--cancel-on-interrupt",), meanwhile=press_ctrl_c))
def test_ctrl_c_ends_the_job_when_that_was_asked_for(run: Run) -> None:
    assert run.status == 130, run.story
    assert [one.state for one in run.applications] == ["KILLED"]
    assert left_over(run) == []
    assert list((run.folder / "shared/meet").iterdir()) == []


def press_ctrl_c_and_see(run: Run) -> None:
    """Afterwards the job still runs; then end it as submit.sh says."""
    press_ctrl_c(run)
    assert run.process is not None
    run.process.wait(LIMIT)
    time.sleep(2)
    run.noted["state"] = [one.state for one in run.applications]
    run.noted["tasks"] = [one["pid"] for one in run.records if _is_task(one["pid"], run.folder)]
    (command,) = re.findall(r"yarn application -kill application_\w+", run.output)
    done = subprocess.run(command.split(), env=run.cluster.work.environment, capture_output=True)
    run.noted["killed"] = done.returncode


@pytest.mark.job(Job(job(), meanwhile=press_ctrl_c_and_see))
def test_ctrl_c_alone_leaves_the_job_running_and_says_how_to_end_it(run: Run) -> None:
    assert run.status == 130, run.story
    assert run.noted["state"] == ["RUNNING"]
    assert len(run.noted["tasks"]) == 4
    assert run.noted["killed"] == 0
    assert left_over(run) == []


@pytest.mark.job(Job(job(more='queue = "nosuch"')))
def test_an_unknown_queue_is_told(run: Run) -> None:
    assert run.status == 1, run.story
    assert re.search(r"nosuch", run.output.replace("submit.sh", "")), run.output
    assert run.ids == []
    assert list((run.folder / "shared/meet").iterdir()) == []


@pytest.mark.job(Job(job(more='image = "registry.example.com/ml/tf:2"')))
def test_docker_that_the_nodes_do_not_have_is_told(run: Run) -> None:
    """Their executor, the default one, ignores the variables that ask for it."""
    assert run.status == 2, run.story
    assert run.records == [], "no command has started"
    assert re.search(r"this task is not in docker: the NodeManager on \S+ has no docker runtime", run.output), run.story


def note_sizes(run: Run) -> None:
    run.until(lambda: run.records, 100)
    (application,) = run.applications
    run.noted["sizes"] = sorted(application.containers.values())


LARGE = f"""
job large {{
  {COMMAND}
  cpu = 1, memory = 100Gi
  role worker {{ args = ["sleep=2"] }}
  target yarn {{ {FOLDER_STORE}, max_container_memory = 2048 }}
}}
"""


@pytest.mark.job(Job(LARGE, meanwhile=note_sizes))
def test_more_memory_than_the_maximum_is_lowered_as_the_compiler_warns(run: Run) -> None:
    assert "warning[YRN103]" in run.noted["told"]
    succeeded(run)
    assert "<memory:2048, vCores:1>" in run.noted["sizes"]


@pytest.mark.job(Job(job(more="gpu = 5")))
def test_more_gpus_than_any_node_has_are_told(run: Run) -> None:
    failed(run)
    assert run.records == []


def kill_the_master(run: Run) -> None:
    """The application master, as a node that fails takes it away; once."""
    run.until(lambda: len(run.records) == 4)
    (container, *_) = run.cluster.containers(run.ids[0])
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and _runs_in(entry, container):
            os.kill(int(entry.name), signal.SIGKILL)


def _runs_in(process: Path, container: str) -> bool:
    try:
        return os.readlink(process / "cwd").endswith(container)
    except OSError:
        return False


@pytest.mark.job(Job(job("chief: sleep=8", "worker: sleep=1"), meanwhile=kill_the_master))
def test_a_lost_application_master_starts_the_job_again(run: Run) -> None:
    assert run.status == 0, run.story
    first, second = run.tries("chief")
    assert "_01_" in first["environment"]["CONTAINER_ID"]
    assert "_02_" in second["environment"]["CONTAINER_ID"]
    assert second["reached"] == 4


BOARD = """\
#!/bin/sh
echo once >>"$(dirname "$0")/board"
exit 3
"""


def put_tensorboard_on_the_path(_cluster: Any, folder: Path) -> None:
    program = folder / "shared/tensorboard"
    program.write_text(BOARD)
    program.chmod(0o755)


WITH_BOARD = """
  env = { PATH = "${shared}:/usr/local/bin:/usr/bin:/bin" }
  role tensorboard { logdir = "/logs", cpu = 1, memory = 128Mi }
"""


@pytest.mark.job(Job(job("chief: sleep=8", more=WITH_BOARD), before=put_tensorboard_on_the_path))
def test_a_tensorboard_that_fails_starts_again_and_never_ends_the_job(run: Run) -> None:
    succeeded(run)
    assert (run.folder / "shared/board").read_text().count("once") >= 2
