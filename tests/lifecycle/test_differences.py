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
from tfdsl.record import Record, replace
from tfdsl.vocabulary.statements import ACTIONS_OF

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.compiling import pipeline

pytestmark = pytest.mark.slow

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
    *(
        "exit 1",
        "exit 3",
        "exit 137",
        "oom",
        "evicted",
        "evicted exit 1",
        "preempted",
        "preempted exit 0",
        "preempted exit 1",
    ),
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
    *(tuple(f"worker[{at}] {fault} after 9s" for at in (0, 1)) for fault in ("exit 1", "oom", "evicted", "preempted")),
    ("worker[1] exit 3 after 9s", "ps[0] exit 1 after 9s"),
    ("worker[1] completed after 9s", "worker[0] preempted after 9s", "ps[0] evicted after 9s"),
)
"""The last ones are of one moment."""

STEPS = 'prepare fetch { command = ["fetch"] }\nsidecar log { command = ["log"] }\n'
FAULTS_OF_STEPS: tuple[tuple[str, ...], ...] = (
    *((f"worker[1]/fetch {fault}",) for fault in ("exit 1", "exit 3", "oom", "exit 3 always")),
    ("worker/fetch exit 1",),
    ("worker[1]/log exit 1",),
    ("worker[1]/log exit 1 after 9s", "worker[1] exit 1 after 9s"),
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
    as_written = ("pending", "9s", "always")
    return [one if one.endswith(as_written) else f"{one} after {number}s" for number, one in enumerate(faults, 1)]


LIVING = [backend.name for backend in targets.built_in() if backend.lifecycle]


def cases() -> Iterator[object]:
    """Every version of every target; in a slow run those at the ends, and the one that is meant without a name."""
    for backend in map(backend_of, LIVING):
        often = (backend.versions[0], backend.default_version, backend.versions[-1])
        for version, shape in product(backend.versions, "CWS"):
            yield pytest.param(backend.name, version, shape, marks=[] if version in often else pytest.mark.long)


LOST = ("evicted", "preempted")
EXPLAINS = {
    "a deleted pod whose program exits with 0 on SIGTERM counts as completed": ("preempted exit 0",),
    "it also decides on a pod that the kubelet stops under pressure": LOST,
    "a deleted pod is made anew": ("preempted",),
}
"""What rows say that is not reported, and which faults that is about. Any other row only says how something is done."""


OF_A_DEFAULT = " of a default, so that it is not reported"
ONLY_LEFT = frozenset({"VOL152", f"VOL152{OF_A_DEFAULT}"})
"""Messages that are about what is left alone, not about how the job ends."""


LEFT_OF_EVERY_JOB = frozenset({"JBS056"})
"""Messages about every job that are about what is left of one, which policies change without saying it again."""


class Told(Record):
    """What is told of a job: codes of messages, and the faults that rows without a message are about."""

    codes: frozenset[str]
    faults: frozenset[str]

    def explains(self, faults: tuple[str, ...], ours: Observation, theirs: Observation) -> bool:
        ends_alike = (ours.outcome, ours.restarts) == (theirs.outcome, theirs.restarts)
        codes = self.codes if ends_alike else self.codes - ONLY_LEFT
        return bool(codes) or any(word in fault for word in self.faults for fault in faults)

    def explains_what_is_left(self, ours: Observation, theirs: Observation) -> bool:
        ends_alike = (ours.outcome, ours.restarts) == (theirs.outcome, theirs.restarts)
        return ends_alike and bool(self.codes & LEFT_OF_EVERY_JOB)

    def beyond(self, other: Told) -> Told:
        """Without what is told of ``other``, too."""
        return Told(self.codes - other.codes, self.faults)


@cache
def made_of(target: str, version: str, text: str) -> tuple[pipeline.Made | None, Told]:
    """A job, and what is told of it; of its life, where that is by a row."""
    backend = backend_of(target)
    made, diagnostics = compile_lines(text, backend, version)
    codes = {one.rule.code for one in diagnostics if one.target == target}
    if made is None:
        return None, Told(frozenset(codes), frozenset())
    faults: set[str] = set()
    for item in walk(made.unit.job, made.unit.origins):
        row = backend.support.decide(made.unit, item)
        if row is not None and row.fate == "approximated" and row.rule is not None and about_life(item.key):
            codes.add(row.rule.code if row.rule.code in codes else f"{row.rule.code}{OF_A_DEFAULT}")
        elif row is not None and row.fate == "translated":
            faults.update(word for said, words in EXPLAINS.items() if said in row.text for word in words)
    return made, Told(frozenset(codes), frozenset(faults))


def about_life(key: str) -> bool:
    return key.startswith(("policies", "job.cleanup", "job.deadline", "job.ttl"))


def lives(made: pipeline.Made, faults: tuple[str, ...]) -> tuple[Observation, Observation]:
    """What the language says becomes of a job, and what the target does."""
    ours = observation(play(Behaviour(made.unit.job), injected(timed(faults))))
    return ours, replace(observation(predicted(made, timed(faults))), parts=None)


def differs_anyway(plain: pipeline.Made, told: Told, faults: tuple[str, ...]) -> bool:
    """Whether these faults, or one of those of a moment, end otherwise without any lines, and that is told."""
    ours, theirs = lives(plain, faults)
    return ours != theirs and told.explains(faults, ours, theirs)


@pytest.mark.parametrize(("target", "version", "shape"), list(cases()))
def test_no_difference_is_silent(target: str, version: str, shape: str) -> None:
    roles = {"C": CHIEF, "W": WORKERS, "S": WORKERS + STEPS}[shape]
    every = FAULTS_OF_STEPS if shape == "S" else FAULTS
    plain, told_anyway = made_of(target, version, roles)
    if plain is None and shape == "S":
        return  # it refuses steps
    assert plain is not None
    silent: list[str] = []
    for line in lines():
        made, told = made_of(target, version, roles + with_retries(line))
        told = told.beyond(told_anyway)
        for faults in every if made is not None else ():
            assert made is not None
            ours, theirs = lives(made, faults)
            if ours == theirs or told.explains(faults, ours, theirs):
                continue
            if told_anyway.explains_what_is_left(ours, theirs):
                continue
            if not any(differs_anyway(plain, told_anyway, some) for some in (faults, *((one,) for one in faults))):
                silent.append(f"{line!r} {faults}: the language {ours}, {target} {theirs}")
    assert not silent, f"{len(silent)} differences of which nothing is told:\n" + "\n".join(silent[:20])
