"""Where a target makes something else of a job than the language says, it tells: no difference is silent.

Each job has one or two lines beside its roles, so that what is told can be held against what happens. What a target
tells about every job explains only what it does to a job without such lines, too.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import pytest

from tests.lifecycle.recorded import Observation, backend_of, compile_lines, injected, observation, predicted
from tfdsl import targets
from tfdsl.ir.fields import walk
from tfdsl.lifecycle.behaviour import Behaviour
from tfdsl.lifecycle.scenario import play
from tfdsl.vocabulary.policies import ACTIONS_OF

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl import pipeline

CHIEF = "role chief { }\nrole worker { replicas = 2 }\nrole ps { }\n"
WORKERS = "role ps { }\nrole worker { replicas = 2 }\n"

SUBJECTS = {
    "failed": ("", "worker "),
    "exit": ("", "worker "),
    "evicted": ("", "worker "),
    "completed": ("worker ",),
    "pending": ("",),
    "restarted": ("worker ",),
    "unknown": ("",),
}
FORMS = {
    "exit": ("exit 3", "exit [137, 143]"),
    "pending": ("pending after 10m",),
    "restarted": ("restarted 2",),
}
OTHER_LINES = (
    "",
    "gang = false",
    'cleanup = "all"',
    'cleanup = "none"',
    "ttl = 60s",
    "deadline = 1h",
    "on failed after 30s => fail job",
    "on failed after 30s => restart pod",
    "on worker failed => ignore\non failed => restart pod",
    "on failed => restart container\non evicted => restart job",
    "on failed => restart pod\non evicted => ignore",
    "on exit 3 => ignore\non failed => restart job",
)

WORKER_FAULTS = (
    *("exit 1", "exit 3", "exit 137", "evicted", "evicted exit 1", "preempted", "preempted exit 0", "preempted exit 1"),
    *("completed", "pending"),
)
FAULTS: tuple[tuple[str, ...], ...] = (
    (),
    *((f"worker[1] {fault}",) for fault in WORKER_FAULTS),
    ("ps[0] exit 1",),
    ("ps[0] completed",),
    ("ps[0] evicted",),
    ("ps[0] preempted",),
    ("unknown",),
    *(("worker[0] exit 1",) * times for times in (2, 3, 4)),
    ("worker[0] exit 1", "worker[1] exit 1"),
    ("worker[0] completed", "worker[1] exit 1"),
    ("worker[0] completed", "worker[1] preempted exit 0"),
)


def lines() -> Iterator[str]:
    yield from OTHER_LINES
    for event, actions in ACTIONS_OF.items():
        for form, subject, action in product(FORMS.get(event, (event,)), SUBJECTS[event], actions):
            beside = "on failed => restart container\n" if event == "restarted" else ""
            yield f"{beside}on {subject}{form} => {action}"


def with_retries(policies: str) -> str:
    return f"{policies}\nretries = 2" if "=> restart" in policies else policies


def timed(faults: tuple[str, ...]) -> list[str]:
    return [one if one.endswith("pending") else f"{one} after {number}s" for number, one in enumerate(faults, 1)]


LIVING = [backend.name for backend in targets.built_in() if backend.lifecycle]
CASES = [(target, version, shape) for target in LIVING for version in backend_of(target).versions for shape in "CW"]


@cache
def made_of(target: str, version: str, text: str) -> tuple[pipeline.Made | None, frozenset[str]]:
    """A job, and all that is told of its life: codes of diagnostics, and rows that do not keep something."""
    backend = backend_of(target)
    made, diagnostics = compile_lines(text, backend, version)
    if made is None:
        return None, frozenset()
    told = {one.rule.code for one in diagnostics if one.target == target}
    for item in walk(made.unit.job, made.unit.origins):
        row = backend.support.decide(made.unit, item)
        if row is not None and row.fate != "kept" and about_life(item.key):
            subject = getattr(item.node, "role", None) or "the job"
            told.add(f"{item.key} of {subject}: {row.to}; {row.text}" if row.rule is None else row.rule.code)
    return made, frozenset(told)


def about_life(key: str) -> bool:
    return key.startswith(("policies", "job.cleanup", "job.deadline", "job.ttl"))


def lives(made: pipeline.Made, faults: tuple[str, ...]) -> tuple[Observation, Observation]:
    """What the language says becomes of a job, and what the target does."""
    ours = observation(play(Behaviour(made.unit.job), injected(timed(faults))))
    return ours, observation(predicted(made, timed(faults)))


def differs(made: pipeline.Made, faults: tuple[str, ...]) -> bool:
    ours, theirs = lives(made, faults)
    return ours != theirs


@pytest.mark.parametrize(("target", "version", "shape"), CASES)
def test_no_difference_is_silent(target: str, version: str, shape: str) -> None:
    roles = {"C": CHIEF, "W": WORKERS}[shape]
    plain, told_anyway = made_of(target, version, roles)
    assert plain is not None
    silent: list[object] = []
    for line in lines():
        made, told = made_of(target, version, roles + with_retries(line))
        if made is None or told - told_anyway:
            continue
        for faults in FAULTS:
            ours, theirs = lives(made, faults)
            if ours != theirs and not (told_anyway and differs(plain, faults)):
                silent.append((line, faults, ours, theirs))
    assert silent == []
