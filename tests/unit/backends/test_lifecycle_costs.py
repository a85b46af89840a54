"""What becomes of a job of thousands of replicas is worked out in about the time of so many small ones."""

from __future__ import annotations

from time import process_time

import pytest

from tests.lifecycle.recorded import backend_of, compile_lines, injected
from tests.sampled import sampled
from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.lifecycle.scenario import play

FEW, MANY = 300, 3000
WORST = 2.5 * MANY / FEW
"""How much longer the many may take; that for each pair of them something is done would be four times as much."""
FREE = 0.05
"""Seconds that say nothing."""

pytestmark = pytest.mark.slow
LIVING = [backend.name for backend in targets.built_in() if backend.lifecycle]
CASES = {
    "without a policy": ("", ()),
    "one is restarted": (
        "on failed => restart pod\non worker completed => complete job\nretries = 1",
        ("worker[3] exit 1",),
    ),
    "one is restarted in place": (
        "on failed => restart container\non worker completed => complete job\nretries = 1",
        ("worker[3] exit 1",),
    ),
    "all are restarted": (
        "on failed => restart job\non evicted => restart job\non worker completed => complete job\nretries = 1",
        ("worker[3] exit 1 after 1m",),
    ),
    "each is restarted": (
        "on failed => restart container\non worker completed => complete job\nretries = 9000",
        ("worker exit 1",),
    ),
    "each is ignored": ("on failed => ignore\non worker completed => complete job", ("worker exit 1",)),
    "each is preempted": ("on failed => restart pod\nretries = 9000", ("worker preempted",)),
    "each ends well while its pod is deleted": (
        "on failed => restart pod\nretries = 9000",
        ("worker preempted exit 0",),
    ),
}
REFUSED = {
    "one is restarted": ("yarn",),
    "all are restarted": ("tfjob", "kubernetes", "slider", "yarn"),
    "each is ignored": ("tfjob", "kubernetes", "jobset"),
    "each is preempted": ("yarn",),
    "each ends well while its pod is deleted": ("yarn",),
}
"""Case → the targets that have no such policy."""
PLAYED = [(target, case) for target in LIVING for case in CASES if target not in REFUSED.get(case, ())]


def made_of(target: str, workers: int, policies: str) -> pipeline.Made | None:
    return compile_lines(f"role ps {{ }}\nrole worker {{ replicas = {workers} }}\n{policies}", backend_of(target))[0]


def seconds(made: pipeline.Made, faults: tuple[str, ...]) -> float:
    behaviour = backend_of(made.unit.target).behaviour(made.unit, made.documents)
    assert behaviour is not None
    start = process_time()
    play(behaviour, injected(faults))
    return process_time() - start


# In a slow run each target has two or three of the cases, and each case two or three of the targets.
@pytest.mark.parametrize(("target", "case"), sampled(PLAYED, 3))
def test_ten_times_the_replicas_are_about_ten_times_the_work(target: str, case: str) -> None:
    policies, faults = CASES[case]
    few, many = made_of(target, FEW, policies), made_of(target, MANY, policies)
    assert few is not None
    assert many is not None
    large = 0.0
    for _ in range(3):  # a clock may be wrong once
        large = seconds(many, faults)
        if large < FREE or large < WORST * seconds(few, faults):
            return
    pytest.fail(f"{large:.2f} s for {MANY:,} replicas")


@pytest.mark.parametrize("target", LIVING)
def test_what_a_target_refuses_is_no_case_of_it(target: str) -> None:
    refused = {case for case, (policies, _) in CASES.items() if made_of(target, FEW, policies) is None}
    assert refused == {case for case in CASES if target in REFUSED.get(case, ())}
