"""What ``.ci/run`` runs is there, and nothing of it disturbs another part."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
SCRATCH = Path("/scratch")


@pytest.fixture
def phases(monkeypatch: pytest.MonkeyPatch) -> Sequence[Any]:
    monkeypatch.syspath_prepend(str(ROOT / ".ci"))
    import plan

    phases: Sequence[Any] = plan.plan(SCRATCH, "python3")
    for name in ("plan", "lanes"):
        sys.modules.pop(name)
    return phases


def steps(phases: Sequence[Any]) -> list[Any]:
    return [step for lanes in phases for steps in lanes.values() for step in steps]


def targets(step: Any) -> set[str]:
    """What a step makes."""
    words = [word for line in re.findall(r"\bmake ([^&;]*)", step.command) for word in line.split()]
    return {word for word in words if "=" not in word and not word.startswith(("-", "/")) and not word.isdigit()}


def test_every_target_is_one_of_the_makefile(phases: Sequence[Any]) -> None:
    known = set(" ".join(re.findall(r"^([\w/. -]+):(?!=)", (ROOT / "Makefile").read_text("utf-8"), re.M)).split())
    made = {target for step in steps(phases) for target in targets(step)}
    assert {"static", "test", "test-bare", "test-slow"} <= made
    assert made - known == set()


def test_the_tests_of_the_readme_are_run_here_and_in_a_bare_root(phases: Sequence[Any]) -> None:
    assert "make test\n" in (ROOT / "README.md").read_text("utf-8")
    for target in ("test", "test-bare"):
        assert len([step for step in steps(phases) if targets(step) == {target}]) == 1


def test_every_conformance_run_has_a_step_and_a_folder_of_its_own(phases: Sequence[Any]) -> None:
    rooms = {path.parent.name for path in (ROOT / "tests/conformance").glob("*/__main__.py")}
    assert rooms
    for room in rooms:
        (step,) = [step for step in steps(phases) if f"conformance-{room}" in targets(step)]
        assert f"WORK={SCRATCH / room}" in step.command.split()


def test_names_are_those_of_one_step(phases: Sequence[Any]) -> None:
    names = [step.name for step in steps(phases)]
    assert sorted(set(names)) == sorted(names)


def test_a_second_try_of_tests_knows_what_failed(phases: Sequence[Any]) -> None:
    tried = [step for step in steps(phases) if "--last-failed" in step.again]
    assert "slow tests" in {step.name for step in tried}
    caches = [step.environment["PYTEST_ADDOPTS"].split()[1] for step in tried]
    assert len(set(caches)) == len(caches)
    assert all(cache in step.again for cache, step in zip(caches, tried, strict=True))
