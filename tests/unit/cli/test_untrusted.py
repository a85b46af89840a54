"""A text from a stranger reads nothing outside of its root, whatever the command."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import environment, tfdsl

if TYPE_CHECKING:
    from pathlib import Path

JOB = 'let stolen = {source}\njob a {{ image = "x:1", command = [stolen], role worker {{ }} }}\n'
OUTSIDE = ("../outside", "link", "up/outside", "../../../../../../proc/self/environ", "../../../../../../dev/stdin")


@pytest.fixture
def inner(tmp_path: Path) -> Path:
    """A project beside which lies a file that is none of its business, with links to it."""
    inner = tmp_path / "project"
    inner.mkdir()
    (inner / "tfdsl.toml").touch()
    (tmp_path / "outside").write_text('let x = "s3cret"\n')
    (inner / "link").symlink_to("../outside")
    (inner / "up").symlink_to("..")
    return inner


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("words", [("check",), ("compile", "-t", "volcano"), ("tfconfig",)], ids=lambda words: words[0])
def test_file_stays_inside(inner: Path, path: str, words: tuple[str, ...]) -> None:
    (inner / "main.tfjob").write_text(JOB.format(source=f'file("{path}")'))
    ran = tfdsl(*words, "main.tfjob", cwd=inner)
    assert ran.status == 1
    assert "s3cret" not in ran.out + ran.err
    assert "TFJ2015" in ran.err
    assert f"it is outside {inner}" in ran.err
    assert "--allow-read DIR" in ran.err


@pytest.mark.parametrize("path", OUTSIDE)
def test_include_stays_inside(inner: Path, path: str) -> None:
    (inner / "main.tfjob").write_text(f'include "{path}"\n{JOB.format(source="x")}')
    ran = tfdsl("check", "main.tfjob", cwd=inner)
    assert ran.status == 1
    assert "s3cret" not in ran.out + ran.err
    assert f"it is outside {inner}" in ran.err


def test_a_folder_can_be_allowed(inner: Path) -> None:
    (inner / "main.tfjob").write_text(f'include "../outside"\n{JOB.format(source="x")}')
    ran = tfdsl("compile", "main.tfjob", "-t", "volcano", "--allow-read", "..", cwd=inner)
    assert (ran.status, "s3cret" in ran.out) == (0, True)


def test_what_the_command_line_names_may_lie_anywhere(inner: Path) -> None:
    (inner.parent / "hosts").write_text("a\nb\n")
    (inner.parent / "main.tfjob").write_text("param xs: list<string>\n" + JOB.format(source="xs[0]"))
    ran = tfdsl("compile", "../main.tfjob", "-t", "volcano", "--set", "xs=@../hosts", cwd=inner)
    assert ran.status == 0


def test_allow_read_takes_a_folder(inner: Path) -> None:
    (inner / "main.tfjob").write_text(JOB.format(source='"x"'))
    ran = tfdsl("check", "main.tfjob", "--allow-read", "nowhere", cwd=inner)
    assert ran.status == 2
    assert "nowhere is not" in ran.err


@pytest.mark.parametrize("path", ["a\\u{0}b", "\\u{D800}", ""])
@pytest.mark.parametrize("source", ['include "{}"\nlet x = "y"', 'let x = file("{}")'])
def test_what_is_no_name_is_an_error_at_its_place(inner: Path, source: str, path: str) -> None:
    (inner / "main.tfjob").write_text(f"{source.format(path)}\n{JOB.format(source='x')}")
    ran = tfdsl("check", "main.tfjob", cwd=inner)
    assert ran.status == 1
    assert "main.tfjob:1:" in ran.err


def test_nothing_that_blocks_is_opened(inner: Path) -> None:
    os.mkfifo(inner / "pipe")
    (inner / "zero").symlink_to("/dev/zero")
    (inner / "main.tfjob").write_text(f'include "pipe"\ninclude "zero"\n{JOB.format(source="1")}')
    ran = tfdsl("check", "main.tfjob", cwd=inner)
    assert ran.status == 1
    assert "it is not a regular file" in ran.err
    for name in ("pipe", "zero"):
        ran = tfdsl("check", name, cwd=inner)
        assert (ran.status, "it is not a regular file" in ran.err) == (2, True)


PLUGIN = """\
from pathlib import Path
Path("ran").touch()
BACKEND = None
"""


@pytest.mark.parametrize("module", ["tfdsl", "tfdsl.cli.main"])
def test_nothing_of_the_current_folder_is_run(inner: Path, module: str) -> None:
    info = inner / "evil-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[tfdsl.backends]\nevil = evil_plugin\n")
    (inner / "evil_plugin.py").write_text(PLUGIN)
    (inner / "main.tfjob").write_text(JOB.format(source='"x"') + "\n")
    command = [sys.executable, "-m", module, "check", "main.tfjob", "-t", "evil"]
    ran = subprocess.run(command, cwd=inner, env=environment(), capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "there is no target evil" in ran.stderr or "unknown-target" in ran.stderr
    assert not (inner / "ran").exists()


def test_a_module_of_the_current_folder_shadows_nothing(inner: Path) -> None:
    (inner / "jinja2.py").write_text(PLUGIN)
    (inner / "main.tfjob").write_text(JOB.format(source='"x"'))
    command = [sys.executable, "-m", "tfdsl", "compile", "main.tfjob", "-t", "yarn", "-o", "out"]
    ran = subprocess.run(command, cwd=inner, env=environment(), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert not (inner / "ran").exists()
