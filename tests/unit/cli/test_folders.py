"""``check`` and ``fmt`` of folders: which files they take, and what they say about those that they cannot."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.skips import not_as_root
from tests.unit.cli.shell import tfdsl
from tfdsl.lsp.snapshot import read_settings
from tfdsl.lsp.workspace import Workspace
from tfdsl.source_files import job_files

if TYPE_CHECKING:
    from pathlib import Path

JOB = 'job a {\n  image = "x:1"\n  role worker { }\n  wrong = 1\n}\n'
FILES = (
    "b.tfjob",
    "a.tfjob",
    "notes.txt",
    "jobs/c.tfjob",
    "jobs/deep/d.tfjob",
    ".hidden/e.tfjob",
    "node_modules/f.tfjob",
    "jobs/.venv/g.tfjob",
    "jobs/venv/h.tfjob",
)
TAKEN = ["a.tfjob", "b.tfjob", "jobs/c.tfjob", "jobs/other.tfjob", "jobs/deep/d.tfjob"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with files in it that count and others that do not."""
    root = tmp_path / "root"
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(JOB)
    (tmp_path / "outside.tfjob").write_text(JOB)
    (root / "link.tfjob").symlink_to("jobs/c.tfjob")
    (root / "jobs/other.tfjob").symlink_to("../notes.txt")
    (root / "out.tfjob").symlink_to("../outside.tfjob")
    (root / "again").symlink_to(".")
    (root / "folder.tfjob").mkdir()
    return root


def checked(*words: str, cwd: Path) -> list[str]:
    """The files with a message, in the order of the messages."""
    ran = tfdsl("check", "--format", "json", *words, cwd=cwd)
    return [one["path"] for one in json.loads(ran.out)["diagnostics"] if one["slug"] == "unknown-attribute"]


def test_all_files_below_a_folder_in_order(tree: Path) -> None:
    assert checked(".", cwd=tree) == TAKEN
    assert checked("jobs", "a.tfjob", "jobs/", cwd=tree) == ["jobs/c.tfjob", "jobs/deep/d.tfjob", "a.tfjob"]
    assert checked("root/./jobs/..", cwd=tree.parent) == [f"root/{name}" for name in checked(".", cwd=tree)]
    assert checked(".hidden", "again", cwd=tree)[0] == ".hidden/e.tfjob"


def test_a_link_that_leads_to_itself_is_one_file_that_cannot_be_read(tree: Path) -> None:
    (tree / "loop.tfjob").symlink_to("loop.tfjob")
    ran = tfdsl("check", "--format", "concise", ".", cwd=tree)
    assert (ran.status, "cannot read loop.tfjob: too many levels of symbolic links" in ran.err) == (2, True)
    assert len(ran.err.splitlines()) == len(TAKEN) + 1
    assert [path.removeprefix(f"{tree}/") for path in job_files(str(tree), [str(tree)])] == [
        *TAKEN[:2],
        "loop.tfjob",
        *TAKEN[2:],
    ]


def test_the_editor_takes_the_same_files(tree: Path) -> None:
    workspace = Workspace()
    workspace.folders = [str(tree)]
    workspace.settings = read_settings({})
    found = [os.path.relpath(program.files[0].source.path, tree) for program in workspace.programs()]
    assert found == TAKEN


def test_a_file_that_cannot_be_read_is_an_error_and_the_others_are_checked(tree: Path) -> None:
    (tree / "bad.tfjob").write_bytes(b"\xff\xfe")
    (tree / "jobs/gone.tfjob").symlink_to("nowhere.tfjob")
    ran = tfdsl("check", ".", "--format", "concise", cwd=tree)
    assert ran.status == 2
    assert "cannot read jobs/gone.tfjob: there is no such file" in ran.err
    assert "cannot read bad.tfjob: it is UTF-16, not UTF-8" in ran.err
    assert "jobs/deep/d.tfjob" in ran.err


@not_as_root
def test_a_folder_that_cannot_be_read_is_an_error(tree: Path) -> None:
    (tree / "jobs/deep").chmod(0)
    ran = tfdsl("check", ".", cwd=tree)
    assert ran.status == 2
    assert "cannot read jobs/deep: permission denied" in ran.err


@pytest.mark.parametrize("command", [("check",), ("check", "--format", "json"), ("fmt",), ("fmt", "--check")])
def test_a_folder_without_files_is_a_warning(tmp_path: Path, command: tuple[str, ...]) -> None:
    ran = tfdsl(*command, ".", cwd=tmp_path)
    assert ran.status == 0
    assert "there is no .tfjob file in ." in ran.out + ran.err


def test_files_without_a_job_are_for_others_to_include(tmp_path: Path) -> None:
    (tmp_path / "common.tfjob").write_text("param workers: int\nlet tag = 1\n")
    (tmp_path / "main.tfjob").write_text(
        'include "common.tfjob"\njob a {\n  image = "x:${tag}"\n  role worker { replicas = workers }\n}\n'
    )
    ran = tfdsl("check", ".", "-t", "kubernetes", "--set", "workers=2", "--format", "concise", cwd=tmp_path)
    assert (ran.status, "no-job" in ran.err, "missing-param" in ran.err) == (0, False, False)
    assert tfdsl("check", "common.tfjob", cwd=tmp_path).status == 0
    named = tfdsl("check", ".", "common.tfjob", "-t", "kubernetes", "--set", "workers=2", cwd=tmp_path)
    assert "no-job" in named.err
    assert "missing-param" in tfdsl("check", ".", cwd=tmp_path).err


def test_fixes_reach_every_file(tree: Path) -> None:
    for name in ("a.tfjob", "jobs/c.tfjob"):
        (tree / name).write_text(JOB.replace("wrong = 1", 'replica = 1\n  imagePullPolicy = "Always"'))
    ran = tfdsl("check", "--fix", ".", cwd=tree)
    assert "fixed a.tfjob" in ran.err
    assert 'image_pull_policy = "Always"' in (tree / "jobs/c.tfjob").read_text()


def test_fmt(tree: Path) -> None:
    for name in FILES:
        (tree / name).write_text(JOB.replace("  image", "image"))
    ran = tfdsl("fmt", "--check", "jobs", "b.tfjob", cwd=tree)
    assert ran.status == 1
    assert ran.err.splitlines() == [f"would change {name}" for name in ("jobs/c.tfjob", "jobs/deep/d.tfjob", "b.tfjob")]
    assert tfdsl("fmt", ".", cwd=tree).status == 0
    assert (tree / "jobs/deep/d.tfjob").read_text() == JOB
    assert (tree / ".hidden/e.tfjob").read_text() != JOB
    assert (tree / "notes.txt").read_text() == JOB  # by the link


def test_a_diff_has_the_lines_of_the_file(tmp_path: Path) -> None:
    """Only a new line ends a line of a text, whatever Unicode calls a line separator."""
    (tmp_path / "a.tfjob").write_text('job a {\n  image="a:1"  # one\u2028line\n}\n')
    ran = tfdsl("fmt", "--diff", "a.tfjob", cwd=tmp_path)
    assert ran.out.split("\n")[2:] == [
        "@@ -1,3 +1,3 @@",
        " job a {",
        '-  image="a:1"  # one\u2028line',
        '+  image = "a:1"  # one\u2028line',
        " }",
        "",
    ]
