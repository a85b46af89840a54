"""The README is true. What its commands print is written by docs/screens.py, and compared in test_docs.py."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.test_docs import JOB, compiled
from tests.unit.cli.shell import ROOT, tfdsl
from tfdsl import targets
from tfdsl.cli.commands import SUMMARIES
from tfdsl.cli.new import starter

if TYPE_CHECKING:
    from pathlib import Path

README = (ROOT / "README.md").read_text(encoding="utf-8")
ROWS = [line for line in re.findall(r"^\| `(tfdsl [^`]*)` \|", README, re.M) if line != "tfdsl lsp"]  # serves on


def test_the_first_job_is_the_shipped_example() -> None:
    """Written shorter, but the same: it compiles to the same bytes."""
    job = JOB.search(README)
    assert job is not None
    shipped = (ROOT / "examples" / "mnist" / "main.tfjob").read_text(encoding="utf-8")
    assert compiled(job[1]) == compiled(shipped)


@pytest.mark.parametrize("line", ROWS)
def test_a_command_of_the_table_runs(line: str, tmp_path: Path) -> None:
    (tmp_path / "job.tfjob").write_text(starter("job"), encoding="utf-8")
    (tmp_path / "job.yaml").write_text(compiled(starter("job"), "tfjob"), encoding="utf-8")
    words = [*shlex.split(line)[1:], *(["--dry-run"] if line.startswith("tfdsl submit") else [])]
    assert tfdsl(*words, cwd=tmp_path).status == 0


def test_every_command_is_named() -> None:
    assert {name for name in SUMMARIES if f"tfdsl {name}" not in README} == set()


def test_the_targets_are_those_that_there_are() -> None:
    """Each with its page, its other names, and the first and the last version that it writes for."""
    rows = re.findall(r"^\| \[`(\w+)`\]\(docs/targets/(\w+)\.md\)(.*?) \| .* \| (.*) \|$", README, re.M)
    assert sorted(name for name, *_ in rows) == sorted(targets.names())
    for name, page, others, versions in rows:
        backend = targets.find(name)
        assert backend is not None
        assert page == name
        assert re.findall(r"`(\w+)`", others) == list(backend.aliases)
        short = [re.sub(r"^(\d+\.\d+).*", r"\1", version) for version in backend.versions]
        assert re.findall(r"\d+\.\d+", versions) == [short[0], short[-1]]
