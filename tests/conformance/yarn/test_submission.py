"""submit.sh on the real ResourceManager: Ctrl-C at any moment, clients that die, folders in HDFS."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conformance.yarn.jobs import COMMAND, FOLDER_STORE, SMALL, Job, Run

if TYPE_CHECKING:
    from collections.abc import Callable


def text(name: str, instructions: str = "sleep=12", more: str = "") -> str:
    """A job of one worker whose name nothing else in the tests has."""
    role = f'role worker {{ args = ["{instructions}"] }}'
    return f"job {name} {{\n  {COMMAND}\n  {SMALL}\n  {role}\n  {more}\n  target yarn {{ {FOLDER_STORE} }}\n}}\n"


def clients(run: Run) -> list[int]:
    """The clients of the run: Java processes of its process group with DistributedShell's jar."""
    assert run.process is not None
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            mine = words and os.getpgid(int(entry.name)) == run.process.pid
        except OSError:
            continue
        if mine and b"-shell_script" in words and b"java" in words.split(b"\0")[0]:
            found.append(int(entry.name))
    return found


def states(run: Run, name: str) -> list[str]:
    """The states of all applications of that name."""
    return [one.state for one in run.cluster.applications().values() if one.name == name]


def interrupt_after(seconds: float) -> Callable[[Run], None]:
    """Ctrl-C so long after the client has begun."""

    def press(run: Run) -> None:
        run.until(lambda: clients(run))
        time.sleep(seconds)
        run.interrupt()

    return press


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(f"early-{tenths}", marks=[pytest.mark.job(
            Job(text(f"early-{tenths}"), arguments=("--cancel-on-interrupt",), meanwhile=interrupt_after(tenths / 10))
        ), *marks])
        for tenths, *marks in ((0,), (20, pytest.mark.long), (35,), (50, pytest.mark.long), (70,))
    ],
)  # fmt: skip
def test_ctrl_c_at_any_moment_leaves_nothing_that_runs(run: Run, name: str) -> None:
    assert run.status == 130, run.story
    time.sleep(5)
    found = states(run, name)
    assert found in ([], ["KILLED"]), run.story
    assert ("ended the job" if found else "nothing was submitted") in run.output


def kill_a_client(run: Run) -> None:
    run.until(lambda: run.records)
    (client,) = clients(run)
    os.kill(client, signal.SIGKILL)


@pytest.mark.job(Job(text("orphan"), meanwhile=kill_a_client))
def test_a_job_whose_client_is_killed_ends_as_yarn_says(run: Run) -> None:
    assert run.status == 0, run.story
    assert re.search(r"the client of job exited with 137, but application_\w+ is still running", run.output)
    assert run.output.rstrip().endswith("orphan: SUCCEEDED")


def note_modes(run: Run) -> None:
    run.until(lambda: run.records)
    run.noted["listed"] = [line.split() for line in run.cluster.hdfs("-ls", "-R").splitlines()]
    (run.folder / "shared/go").touch()


@pytest.mark.job(Job(text("private", "until=${shared}/go", more='env = { TOKEN = "s3cret" }'), meanwhile=note_modes))
def test_job_sh_lies_in_a_folder_of_its_user_s(run: Run) -> None:
    assert run.status == 0, run.story
    modes = {row[-1]: row[0] for row in run.noted["listed"] if row[-1].startswith("private")}
    assert modes["private"] == "drwx------"
    assert [path for path in modes if path.endswith("/ExecScript.sh")]


@pytest.mark.job(Job(text("again", "exit=7", more="retries = 1\n  on failed => restart container")))
def test_when_the_restarts_are_used_up_the_status_is_the_command_s_own(run: Run) -> None:
    assert run.status == 2, run.story
    assert len(run.tries("worker")) == 2
    assert run.by_task == {"worker[0]": 7}
