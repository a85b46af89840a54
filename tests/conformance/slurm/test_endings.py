"""How jobs end on a real Slurm, and what each replica has done until then: as the language says, and as predicted."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from tests.conformance.slurm.jobs import COMMAND, SMALL, Job, Run, foretold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def text(*items: str, more: str = "", options: str = "") -> str:
    """A chief, two workers and a parameter server that serve; ``items``, ``ROLE: INSTRUCTIONS``, say what else."""
    told = {"chief": "serve", "worker": "serve", "ps": "serve", **dict(item.split(": ", 1) for item in items)}
    roles = []
    for name, words in told.items():
        if words == "-":
            continue
        args = ", ".join(f'"{word}"' for word in ["alone", *words.split()])
        roles.append(f"role {name} {{ args = [{args}], replicas = {2 if name == 'worker' else 1} }}")
    body = "\n  ".join([COMMAND, SMALL, *roles, more, f"target slurm {{ {options} }}"])
    return f"job ends {{\n  {body}\n}}\n"


@dataclass(frozen=True)
class Scenario:
    """What happens and what follows. ``status``: of the job; ``again``: replicas that started more than once.

    ``inject``: the same for the prediction; ``meanwhile``: what somebody does to the job that its tasks cannot.
    """

    name: str
    job: str
    inject: tuple[str, ...]
    status: int
    again: Mapping[str, int] = field(default_factory=dict)
    meanwhile: Callable[[Run], None] | None = None
    outcome: str = ""


def kill_step(role: str, index: int = 0) -> Callable[[Run], None]:
    """Kill everything of a replica's step, as the kernel does that has no memory left."""

    def kill(run: Run) -> None:
        record = run.until_running(role, index)
        step = f"{record['environment']['SLURM_JOB_ID']}.{record['environment']['SLURM_STEP_ID']}"
        run.cluster.ask("scancel", "--signal=KILL", step)

    return kill


def kill_command(role: str, index: int = 0) -> Callable[[Run], None]:
    """Kill the command of a replica."""

    def kill(run: Run) -> None:
        os.kill(run.until_running(role, index)["pid"], signal.SIGKILL)

    return kill


def requeue(run: Run) -> None:
    """What an operator does, and Slurm itself when the job is preempted."""
    for role, index in (("chief", 0), ("ps", 0), ("worker", 0), ("worker", 1)):
        run.until_running(role, index)
    run.cluster.ask("scontrol", "requeue", run.id)
    run.start_at_once()


def requeue_twice(run: Run) -> None:
    requeue(run)
    for role, index in (("chief", 0), ("ps", 0), ("worker", 0), ("worker", 1)):
        run.until_running(role, index, tries=2)
    run.cluster.ask("scontrol", "requeue", run.id)
    run.start_at_once()


def release(run: Run) -> None:
    """Let an aborted job go on."""
    run.until(lambda: "held" in run.cluster.ask("scontrol", "show", "job", run.id).lower())
    assert "scontrol release" in run.log
    run.start_at_once("release")
    run.until(lambda: run.cluster.state(run.id) == "COMPLETED")


RETRY = "on failed => restart container\n  retries = 2"
SCENARIOS = [
    Scenario("chief completes", text("chief: sleep=2"), ("chief[0] completed after 2s",), 0),
    Scenario("master completes", text("chief: -", "master: sleep=2"), ("master[0] completed after 2s",), 0),
    Scenario("all workers complete", text("chief: -", "worker: sleep=1"), (), 0),
    Scenario(
        "one worker decides",
        text("chief: -", "worker: only=1 sleep=1", more="on worker[1] completed => complete job"),
        ("worker[1] completed after 2s",),
        0,
    ),
    Scenario("a failure fails the job", text("worker: only=1 sleep=1 exit=9"), ("worker[1] exit 9 after 2s",), 9),
    Scenario("so does one of ps", text("ps: sleep=1 exit=255"), ("ps[0] exit 255 after 2s",), 255),
    Scenario("a killed command", text(), ("worker[0] exit 137 after 2s",), 137, meanwhile=kill_command("worker")),
    Scenario(
        "restart container",
        text("chief: sleep=12", "worker: only=0 sleep=1 once=7 serve", more=RETRY),
        ("worker[0] exit 7 after 2s", "chief[0] completed after 20s"),
        0,
        {"worker[0]": 2},
    ),
    Scenario(
        "until no retry is left",
        text("worker: only=0 sleep=1 exit=7", more=RETRY),
        ("worker[0] exit 7 after 2s", "worker[0] exit 7 after 4s", "worker[0] exit 7 after 6s"),
        7,
        {"worker[0]": 3},
    ),
    Scenario(
        "no retries",
        text("worker: only=0 sleep=1 exit=7", more="on failed => fail job\n  retries = 0"),
        ("worker[0] exit 7 after 2s",),
        7,
    ),
    Scenario(
        "restart pod",
        text("chief: sleep=12", "ps: sleep=1 once=3 serve", more="on ps failed => restart pod"),
        ("ps[0] exit 3 after 2s", "chief[0] completed after 20s"),
        0,
        {"ps[0]": 2},
    ),
    Scenario(
        "restart role",
        text("chief: sleep=14", "worker: only=0 sleep=1 once=3 serve", more="on failed => restart role"),
        ("worker[0] exit 3 after 2s", "chief[0] completed after 20s"),
        0,
        {"worker[0]": 2, "worker[1]": 2},
    ),
    Scenario(
        "restart job",
        text("chief: sleep=9", "worker: only=1 sleep=1 once=3 serve", more="on failed => restart job"),
        ("worker[1] exit 3 after 2s", "chief[0] completed after 20s"),
        0,
        {"chief[0]": 2, "worker[0]": 2, "worker[1]": 2, "ps[0]": 2},
    ),
    Scenario(
        "statuses before failures",
        text(
            "chief: sleep=12",
            "worker: only=0 sleep=1 once=3 serve",
            more="on exit 3 => restart container\n  on failed => fail job",
        ),
        ("worker[0] exit 3 after 2s", "chief[0] completed after 20s"),
        0,
        {"worker[0]": 2},
    ),
    Scenario(
        "another status",
        text("worker: only=0 sleep=1 exit=4", more="on exit 3 => restart container\n  on failed => fail job"),
        ("worker[0] exit 4 after 2s",),
        4,
    ),
    Scenario(
        "the replica before its role",
        text(
            "chief: sleep=12",
            "worker: sleep=1 once=3 serve",
            more="on failed => fail job\n  on worker[0] failed => restart container\n  on worker[1] failed => ignore",
        ),
        ("worker[0] exit 3 after 2s", "worker[1] exit 3 after 2s", "chief[0] completed after 20s"),
        0,
        {"worker[0]": 2},
    ),
    Scenario(
        "ignore",
        text("chief: sleep=5", "worker: only=0 sleep=1 exit=3", more="on worker failed => ignore"),
        ("worker[0] exit 3 after 2s", "chief[0] completed after 9s"),
        0,
    ),
    Scenario(
        "after a delay",
        text("worker: only=0 sleep=1 exit=3", more="on failed after 4s => fail job"),
        ("worker[0] exit 3 after 2s",),
        3,
    ),
    Scenario(
        "restarted too often",
        text(
            "worker: only=0 sleep=1 exit=3",
            more="on failed => restart container\n  on restarted 2 => fail job\n  retries = 9",
        ),
        ("worker[0] exit 3 after 2s", "worker[0] exit 3 after 4s"),
        3,
        {"worker[0]": 2},
    ),
    Scenario("the deadline", text(more="deadline = 5s"), ("chief[0] completed after 60s",), 124),
    Scenario(
        "completed, restart job",
        text("chief: sleep=1", more="on chief completed => restart job\n  retries = 1"),
        ("chief[0] completed after 2s", "chief[0] completed after 9s"),
        1,
        {"chief[0]": 2, "worker[0]": 2, "worker[1]": 2, "ps[0]": 2},
    ),
    Scenario(
        "abort, and released",
        text("chief: sleep=6", "worker: only=0 sleep=1 once=3 serve", more="on failed => abort job"),
        ("worker[0] exit 3 after 2s",),
        1,
        {"chief[0]": 2, "worker[0]": 2, "worker[1]": 2, "ps[0]": 2},
        release,
        "aborted",
    ),
    Scenario(
        "a lost step",
        text("chief: sleep=25", more="on evicted => restart job"),
        ("worker[1] oom after 2s", "chief[0] completed after 40s"),
        0,
        {"chief[0]": 2, "worker[0]": 2, "worker[1]": 2, "ps[0]": 2},
        kill_step("worker", 1),
    ),
    Scenario(
        "a lost step fails the job",
        text(more="on failed => restart container\n  on evicted => fail job"),
        ("worker[1] oom after 2s",),
        75,
        {},
        kill_step("worker", 1),
    ),
    Scenario(
        "preempted, restart job",
        text("chief: sleep=8", more="on evicted => restart job"),
        ("preempted after 2s", "chief[0] completed after 20s"),
        0,
        {"chief[0]": 2, "worker[0]": 2, "worker[1]": 2, "ps[0]": 2},
        requeue,
    ),
    Scenario(
        "preempted, no retry left",
        text(more="on evicted => restart job\n  retries = 1"),
        ("preempted after 2s", "preempted after 9s"),
        75,
        {"chief[0]": 2, "worker[0]": 2, "worker[1]": 2, "ps[0]": 2},
        requeue_twice,
    ),
    Scenario(
        "two fail at once",
        text("chief: sleep=12", "worker: sleep=1 once=3 serve", more=RETRY),
        ("worker[0] exit 3 after 2s", "worker[1] exit 3 after 2s", "chief[0] completed after 20s"),
        0,
        {"worker[0]": 2, "worker[1]": 2},
    ),
    Scenario(
        "the evaluator starts after the workers",
        text(
            "chief: sleep=6",
            "evaluator: serve",
            more="on evaluator failed => ignore",
        ),
        ("chief[0] completed after 9s",),
        0,
    ),
]


@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(one, id=one.name, marks=pytest.mark.slurm_job(Job(one.job, meanwhile=one.meanwhile)))
        for one in SCENARIOS
    ],
)
def test_a_job_ends_as_the_language_says_and_as_predicted(scenario: Scenario, run: Run) -> None:
    # sbatch --wait ends with 1 when a job is held, unless it goes on before sbatch looks
    assert run.status == scenario.status or scenario.outcome == "aborted", run.story
    names = dict.fromkeys(run.starts, 1)
    assert run.starts == {**names, **scenario.again}, run.story
    assert run.left_over() == [], run.story
    foreseen = foretold(scenario.job, *scenario.inject, finish=not scenario.inject)
    assert foreseen.outcome == (scenario.outcome or ("succeeded" if scenario.status == 0 else "failed")), foreseen.story
    if not scenario.outcome and scenario.name != "restarted too often":  # the last one is stopped as it starts
        assert {str(one.task): one.starts + one.restarts for one in foreseen.replicas} == run.starts, foreseen.story
