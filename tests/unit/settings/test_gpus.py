"""``gpus_per_node`` of a project: a replica that no node has room for is told at its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import tfdsl
from tests.unit.lint.linting import said, with_first_fix
from tfdsl.settings.finding import settings_for

if TYPE_CHECKING:
    from pathlib import Path

SLUG = "more-gpus-than-a-node"
JOB = 'job a {\n  image = "x:1"\n  shm = 8Gi\n  role worker { replicas = 2, gpu = 8 }\n}\n'


@pytest.mark.parametrize(
    ("items", "reported"),
    [
        ("role worker { gpu = 8 }", []),
        ("role worker { gpu = 9 }", ["a replica of worker needs 9 GPUs, and no node has more than 8"]),
        ("gpu = 16\nrole worker { }", ["a replica of worker needs 16 GPUs, and no node has more than 8"]),
        (
            'role worker { resources = { "amd.com/gpu" = 9 } }',
            ["a replica of worker needs 9 GPUs, and no node has more than 8"],
        ),
        ('role worker { resources = { "nvidia.com/mig-1g.5gb" = 14 } }', []),
    ],
)
def test_what_one_replica_asks_for(items: str, reported: list[str]) -> None:
    assert said(SLUG, items) == reported


def test_the_fix_writes_what_a_node_has() -> None:
    text = 'job a {\n  image = "x:1"\n  role worker { gpu = 16, shm = 8Gi }\n}\n'
    assert with_first_fix(text, SLUG) == text.replace("gpu = 16", "gpu = 8")


def test_it_counts_for_the_project(tmp_path: Path) -> None:
    (tmp_path / "job.tfjob").write_text(JOB)
    assert SLUG not in tfdsl("check", "job.tfjob", cwd=tmp_path).err
    (tmp_path / "pyproject.toml").write_text("[tool.tfdsl]\ngpus_per_node = 4\n")
    ran = tfdsl("check", "job.tfjob", cwd=tmp_path)
    assert (ran.status, f"warning[TFJ3117] {SLUG}" in ran.err, "job.tfjob:4:37" in ran.err) == (0, True, True)
    (tmp_path / "pyproject.toml").write_text(f"[tool.tfdsl]\ngpus_per_node = 4\nlint.{SLUG} = 'error'\n")
    assert tfdsl("compile", "job.tfjob", "-t", "tfjob", cwd=tmp_path).status == 1


@pytest.mark.parametrize("value", ["0", "-1", "true", "'8'", "8.0", "1001", "[8]", "9" * 4000])
def test_a_wrong_number_is_an_error_at_its_key(tmp_path: Path, value: str) -> None:
    (tmp_path / "tfdsl.toml").write_text(f"gpus_per_node = {value}\n")
    (problem,) = settings_for(str(tmp_path / "job.tfjob")).problems
    assert problem.span.text == "gpus_per_node"
    assert problem.message == "gpus_per_node must be a whole number from 1 to 1,000"
