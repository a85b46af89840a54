"""The commands of ``docs/targets/yarn.md`` besides the submission itself; what happens when something cannot be had."""

from __future__ import annotations

import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.conformance.yarn import jars
from tests.conformance.yarn.jobs import COMMAND, FOLDER_STORE, SMALL, Job, Run

if TYPE_CHECKING:
    from pathlib import Path

ALONE = f"""
job alone {{
  {COMMAND}
  {SMALL}
  role worker {{}}
  target yarn {{ {FOLDER_STORE} }}
}}
"""
LOG_SECONDS = 60
"""Logs are collected when the application has ended, not at once."""


def output(run: Run, *command: str) -> str:
    """What a command of the Hadoop client says on standard output."""
    return subprocess.run(command, env=run.cluster.work.environment, capture_output=True, text=True).stdout


@pytest.mark.job(Job(ALONE))
def test_status_and_logs_of_a_job_are_where_submit_says(run: Run) -> None:
    assert run.status == 0, run.story
    (name,) = run.ids
    assert f"its logs: yarn logs -applicationId {name}" in run.output
    assert "Final-State : SUCCEEDED" in output(run, "yarn", "application", "-status", name)
    end = time.monotonic() + LOG_SECONDS
    logs = ""
    while "[tfjob worker[0]] exits with 0" not in logs and time.monotonic() < end:
        logs = output(run, "yarn", "logs", "-applicationId", name)
    assert "[tfjob worker[0]] exits with 0" in logs


@pytest.mark.job(Job(ALONE, arguments=("--print",)))
def test_print_submits_nothing(run: Run) -> None:
    assert run.status == 0
    assert "-num_containers 1 " in run.output
    assert run.ids == []
    assert list((run.folder / "shared").iterdir()) == []


def test_jars_that_cannot_be_had_are_one_clear_line(tmp_path: Path) -> None:
    pom = tmp_path / "pom.xml"
    pom.write_text((jars.HERE / "slider/pom.xml").read_text().replace("0.92.0-incubating", "0.0.0"))
    with pytest.raises(jars.NotBuiltError) as problem:
        jars.jars("Slider 0.0", pom, tmp_path / "lib")
    message = str(problem.value)
    assert message.startswith("Slider 0.0 cannot be had: ")
    assert "slider-core" in message
    assert "\n" not in message
