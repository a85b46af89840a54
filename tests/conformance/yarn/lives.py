"""Recorded lives of jobs (``tests/lifecycle/scenarios/yarn.toml``) as jobs that YARN runs, and what became of them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from tests.conformance.yarn.jobs import COMMAND, FOLDER_STORE, SMALL, Job, Run
from tests.conformance.yarn.test_endings import left_over
from tests.lifecycle.recorded import Observation, compiled, injected

if TYPE_CHECKING:
    from pathlib import Path

    from tests.lifecycle.recorded import Scenario

PLAY = 'args = ["play=${shared}/faults.json"]'
BOARD = 'command = ["python3", program, records, "tensorboard", "0", "alone", "play=${shared}/faults.json"]'
BY_MEMORY = ("memory kills the whole container", "memory is no exit 137")
"""Scenarios whose containers are killed for their memory; in all others a container is killed from inside."""

BREATH = 10
"""Seconds from the last fault until the commands begin to end well: a restart in between takes some."""


def job(scenario: Scenario) -> Job:
    """The job of a scenario, whose tasks suffer its faults."""
    lines = scenario.job.strip().replace("role tensorboard {", f"role tensorboard {{ {BOARD},")
    if "target yarn {" in lines:
        lines = lines.replace("target yarn {", f"target yarn {{ {FOLDER_STORE},")
    else:
        lines += f"\ntarget yarn {{ {FOLDER_STORE} }}"
    size = [] if "memory = " in lines else [SMALL]
    text = "\n".join(["job lives {", COMMAND, PLAY, *size, lines, "}\n"])
    return Job(text, before=lambda cluster, folder: _write(scenario, folder))


def _write(scenario: Scenario, folder: Path) -> None:
    """What the stand-in program has to do: the faults of each task, and the order in which the others end well."""
    made, _ = compiled(scenario)
    assert made is not None
    faults: dict[str, list[dict[str, Any]]] = {}
    for one in injected(scenario.inject):
        what = "memory" if one.what == "evicted" and scenario.name in BY_MEMORY else one.what
        fault = {"what": what, "status": one.status, "after": (one.after_ms or 0) / 1000}
        for task in one.tasks(made.unit.job):
            faults.setdefault(str(task), []).append(fault)
    roles = [role for role in made.unit.job.roles if role.name not in ("ps", "tensorboard")]
    names = [f"{role.name}[{index}]" for role in roles for index in range(role.replicas)] if scenario.finish else []
    end = max((fault["after"] for each in faults.values() for fault in each), default=0) + BREATH
    plan = {"faults": faults, "turns": {name: turn for turn, name in enumerate(names)}, "end": end}
    (folder / "shared/faults.json").write_text(json.dumps(plan))


def observed(run: Run) -> Observation:
    """What became of a job: of each task how often it started again, and how its command ended if nobody ended it."""
    assert {one.state for one in run.applications} <= {"FINISHED", "FAILED", "KILLED"}, run.story
    assert left_over(run) == [], run.story
    outcome = {0: "succeeded", 2: "failed"}[run.status]
    finals = {one.final for one in run.applications if not one.name.endswith("-tensorboard")}
    assert (finals == {"SUCCEEDED"}) == (outcome == "succeeded"), run.story
    last = {f"{one['role']}[{one['index']}]": one for one in sorted(run.records, key=lambda one: one["try"])}
    ended = {task: one["ended"] for task, one in last.items() if isinstance(one.get("ended"), int)}
    return Observation(
        outcome,
        {task: one["try"] - 1 for task, one in sorted(last.items()) if one["try"] > 1},
        {task: "failed" if status else "succeeded" for task, status in sorted(ended.items())},
        None,
    )


def culprit(cause: str) -> str:
    """A pattern of what submit.sh must show of the task and exit status that a cause names; empty where it names none.

    The words are the coordinator's, or those of the task itself where YARN has ended the others before they spoke.
    """
    found = re.match(r"(\w+\[\d+\]) exited (\d+)", cause)
    return rf"{re.escape(found[1])}\]? (?:exited|exits) with {found[2]}\b" if found else ""
