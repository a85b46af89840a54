"""``tfdsl new``: the job that it writes is one to start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import tfdsl
from tfdsl import targets

if TYPE_CHECKING:
    from pathlib import Path

TARGETS = tuple(target.name for target in targets.built_in() if target.starter)
"""The targets that the job has a block for."""


@pytest.fixture
def job(tmp_path: Path) -> Path:
    assert tfdsl("new", "train", cwd=tmp_path).status == 0
    return tmp_path / "train.tfjob"


@pytest.mark.parametrize("target", TARGETS)
def test_it_checks_without_a_warning_for_every_target_that_it_names(job: Path, target: str) -> None:
    assert f"target {target} " in job.read_text()
    ran = tfdsl("check", "train.tfjob", "-t", target, "--all-profiles", cwd=job.parent)
    assert ran.status == 0
    assert "warning[" not in ran.err


def test_it_is_in_the_one_layout(job: Path) -> None:
    ran = tfdsl("fmt", "--diff", "train.tfjob", cwd=job.parent)
    assert (ran.status, ran.out) == (0, "")


def test_what_it_has_commented_out_is_right_too(job: Path) -> None:
    lines = job.read_text().splitlines()
    hidden = [line for line in lines if line.startswith(("  # mount", "  # checkpoint"))]
    assert len(hidden) == 3
    text = "\n".join(line.replace("  # ", "  ") if line in hidden else line for line in lines)
    job.write_text(text + "\n")
    for target in TARGETS:
        ran = tfdsl("check", "train.tfjob", "-t", target, cwd=job.parent)
        assert ran.status == 0
        assert "warning[" not in ran.err


def test_its_commands_run(job: Path) -> None:
    commands = [line.split("   ")[1].split() for line in job.read_text().splitlines() if line.startswith("#   tfdsl")]
    assert len(commands) == 4
    for _, *words in commands:
        ran = tfdsl(*words, cwd=job.parent)
        assert ran.status == (1 if "--all-targets" in words and "error[" in ran.err else 0), ran.err
