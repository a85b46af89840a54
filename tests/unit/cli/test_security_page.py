"""What docs/security.md says and no other test shows.

Reading: test_untrusted.py here and of the language server, tests/unit/test_inputs.py. Cost: the tests called
test_hostile.py, test_robustness.py and test_growth.py. Writing: test_writing.py. Modes: test_private_output.py. Masks:
test_masking.py. Commands to build servers: tests/unit/diagnostics/test_build_servers.py. Markdown: tests/lsp/
test_markdown.py. Directions of writing: tests/unit/semantics/test_direction.py. HDFS: the tests of submit.sh.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import ROOT, tfdsl
from tfdsl import source_files
from tfdsl.semantics import scope
from tfdsl.syntax import lexer

if TYPE_CHECKING:
    from pathlib import Path

PAGE = " ".join((ROOT / "docs" / "security.md").read_text(encoding="utf-8").split())
VALUE = "hunter2-made-up"
JOB = """\
job j {{
  image = "i:1"
  env   = {{ DB_PASSWORD = {value} }}
  build {{ from = "i:0", run "TOKEN=in-the-image make" }}
  role worker {{ command = ["train"], memory = 1Gi, replicas = 2 }}
}}
"""
PLACES = {
    "tfjob": ["j.yaml"],
    "volcano": ["j.yaml"],
    "kubernetes": ["j.yaml"],
    "yarn": ["j/job.sh"],
    "slider": ["j/package/files/job.json"],
}


def holding(folder: Path, text: str) -> list[str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return sorted(str(path.relative_to(folder)) for path in files if text in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("target", PLACES)
def test_where_a_value_of_env_ends(tmp_path: Path, target: str) -> None:
    (tmp_path / "j.tfjob").write_text(JOB.format(value=f'"{VALUE}"'))
    assert tfdsl("compile", "j.tfjob", "-t", target, "-o", "out", "--source-map", cwd=tmp_path).status == 0
    assert holding(tmp_path / "out", VALUE) == PLACES[target]
    assert holding(tmp_path / "out", "in-the-image") == ["j.Dockerfile"]
    shown = tfdsl("tfconfig", "j.tfjob", "-t", target, cwd=tmp_path)
    assert (shown.status, VALUE in shown.out) == (0, False)
    for place in PLACES[target]:
        assert ("the manifest" if place.endswith(".yaml") else f"`{place.removeprefix('j/')}`") in PAGE


@pytest.mark.parametrize("target", PLACES)
def test_what_to_use_instead(tmp_path: Path, target: str) -> None:
    (tmp_path / "j.tfjob").write_text(JOB.format(value='secret("db", "password")'))
    ran = tfdsl("compile", "j.tfjob", "-t", target, "-o", "out", cwd=tmp_path)
    if target in ("slider", "yarn"):
        assert ran.status == 1
        assert f"{target}-secret-value" in ran.err
    else:
        assert ran.status == 0
        assert "secretKeyRef" in (tmp_path / "out/j.yaml").read_text()


@pytest.mark.parametrize(
    "says",
    [
        f"{source_files.LARGEST // 2**20} MiB per text",
        f"{source_files.LARGEST_SUM // 2**20} MiB and {source_files.MOST_FILES:,} files per program",
        f"{lexer.MAX_NESTING} open brackets",
        f"{scope.MOST_WORK:,} elements",
    ],
)
def test_the_limits(says: str) -> None:
    assert says in PAGE


def test_nothing_of_the_environment_is_in_the_output(tmp_path: Path) -> None:
    (tmp_path / "j.tfjob").write_text(JOB.format(value='"${env.MARK}"'))
    ran = tfdsl("compile", "j.tfjob", "-t", "yarn", "-o", "out", cwd=tmp_path, MARK="of-the-environment")
    assert ran.status == 0, ran.err
    assert holding(tmp_path / "out", "of-the-environment") == []
    assert "of-the-environment" not in ran.out + ran.err
