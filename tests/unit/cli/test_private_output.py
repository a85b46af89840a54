"""The files of a job that holds a secret are for their owner only, whatever the umask."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import tfdsl
from tfdsl import targets

if TYPE_CHECKING:
    from pathlib import Path

JOB = """\
job {name} {{
  image = "i:1"
  {secret}
  role worker {{ command = ["train"], memory = 1Gi }}
}}
"""
BUILD = 'build { from = "i:0", run "git clone https://u:p@example.com/x.git" }'


def modes(folder: Path) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*") if path.is_file()}


pytestmark = pytest.mark.usefixtures("umask_022")


@pytest.mark.parametrize("target", targets.names())
@pytest.mark.parametrize(
    "secret",
    ['env = { DB_PASSWORD = "hunter2" }', 'args = ["--token=abc"]', BUILD],
    ids=["env", "args", "build"],
)
def test_every_file_of_the_job(tmp_path: Path, target: str, secret: str) -> None:
    (tmp_path / "j.tfjob").write_text(JOB.format(name="j", secret=secret))
    ran = tfdsl("compile", "j.tfjob", "-t", target, "--source-map", "-o", "out", cwd=tmp_path)
    assert ran.status == 0, ran.err
    assert modes(tmp_path / "out") <= {0o600, 0o700}


def test_the_file_that_was_named(tmp_path: Path) -> None:
    (tmp_path / "j.tfjob").write_text(JOB.format(name="j", secret='env = { DB_PASSWORD = "hunter2" }'))
    assert tfdsl("compile", "j.tfjob", "-t", "volcano", "-o", "j.yaml", cwd=tmp_path).status == 0
    assert stat.S_IMODE((tmp_path / "j.yaml").stat().st_mode) == 0o600


def test_a_job_without_one_is_for_everybody(tmp_path: Path) -> None:
    two = JOB.format(name="plain", secret="") + JOB.format(name="hidden", secret='env = { DB_PASSWORD = "hunter2" }')
    (tmp_path / "j.tfjob").write_text(two)
    assert tfdsl("compile", "j.tfjob", "-t", "volcano", "-o", "out", cwd=tmp_path).status == 0
    found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "out").iterdir()}
    assert found == {"plain.yaml": 0o644, "hidden.yaml": 0o600}
