"""A text from a stranger reads nothing outside of its root, whatever the command."""

from __future__ import annotations

import json
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


# --- files that nobody has named ---------------------------------------------------------------------------------

PLAIN = 'job a { image = "x:1", command = ["c"], role worker { } }\n'
NAMES = ("tfdsl.toml", "pyproject.toml")
COMMANDS = (
    ("check", "main.tfjob"),
    ("check", "."),
    ("compile", "main.tfjob", "-t", "tfjob"),
    ("tfconfig", "main.tfjob", "-t", "tfjob"),
    ("diff", "main.tfjob", "main.tfjob", "-t", "tfjob"),
    ("where", "main.tfjob:1"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: f"{words[0]} {words[1]}")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("where", ["../outside", "/proc/self/environ"])
def test_settings_stay_inside(tmp_path: Path, words: tuple[str, ...], name: str, where: str) -> None:
    inner = tmp_path / "project"
    inner.mkdir()
    (tmp_path / "outside").write_text('[tool.tfdsl]\nlabels = "s3cret\n')
    (inner / "main.tfjob").write_text(PLAIN)
    (inner / name).symlink_to(where)
    ran = tfdsl(*words, cwd=inner, MARK="s3cret")
    assert "s3cret" not in ran.out + ran.err
    assert ran.status in (1, 2)
    assert f"{name} cannot be read: it is outside {inner}" in ran.err
    assert "allow another one with --allow-read DIR" in ran.err


@pytest.mark.parametrize("name", NAMES)
def test_settings_can_be_linked_where_that_is_allowed(tmp_path: Path, name: str) -> None:
    inner = tmp_path / "project"
    inner.mkdir()
    (tmp_path / "site.toml").write_text('targets = ["tfjob"]\n[tool.tfdsl]\ntargets = ["tfjob"]\n')
    if name == "tfdsl.toml":
        (tmp_path / "site.toml").write_text('targets = ["tfjob"]\n')
    (inner / "main.tfjob").write_text(PLAIN)
    (inner / name).symlink_to("../site.toml")
    for words in (
        ("compile", "main.tfjob"),
        ("tfconfig", "main.tfjob"),
        ("check", "main.tfjob"),
        ("where", "main.tfjob:1"),
        ("diff", "main.tfjob", "main.tfjob"),
        ("simulate", "main.tfjob"),
    ):
        assert tfdsl(*words, cwd=inner).status in (1, 2)
        ran = tfdsl(*words, "--allow-read", "..", cwd=inner)
        assert ran.status == 0, ran.err


def test_settings_that_are_linked_inside_of_the_root_are_read(tmp_path: Path) -> None:
    (tmp_path / "common.toml").write_text('targets = ["tfjob"]\n')
    (tmp_path / "tfdsl.toml").symlink_to("common.toml")
    (tmp_path / "main.tfjob").write_text(PLAIN)
    assert tfdsl("compile", "main.tfjob", cwd=tmp_path).status == 0


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What a checkout action leaves: a repository whose configuration has a token."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/config").write_text('let x = "s3cret"\nextraheader = AUTHORIZATION: basic s3cret\n')
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.git").write_text('let x = "s3cret"\n')
    (tmp_path / "link").symlink_to(".git/config")
    (tmp_path / "in").symlink_to(".git")
    return tmp_path


GIT = (".git/config", "sub/../.git/config", "sub/.git", "link", "in/config")


@pytest.mark.parametrize("path", GIT)
@pytest.mark.parametrize("use", ['let stolen = file("{}")\n', 'include "{}"\nlet stolen = "x"\n', "env_file"])
def test_no_text_reads_what_git_keeps(checkout: Path, path: str, use: str) -> None:
    text = f'job a {{ image = "x:1", env = env_file("{path}"), role worker {{ }} }}\n'
    if use != "env_file":
        text = use.format(path) + JOB.format(source='"y"').replace('let stolen = "y"\n', "")
    (checkout / "main.tfjob").write_text(text)
    for words in (("check", "main.tfjob"), ("compile", "main.tfjob", "-t", "tfjob")):
        ran = tfdsl(*words, cwd=checkout)
        assert ran.status == 1
        assert "s3cret" not in ran.out + ran.err
        assert "nothing in .git is ever read" in ran.err


@pytest.mark.parametrize("name", NAMES)
def test_no_settings_are_in_git(checkout: Path, name: str) -> None:
    (checkout / "main.tfjob").write_text(PLAIN)
    (checkout / name).symlink_to(".git/config")
    ran = tfdsl("check", "main.tfjob", cwd=checkout)
    assert (ran.status, "s3cret" in ran.out + ran.err) == (1, False)
    assert f"{name} cannot be read: nothing in .git is ever read" in ran.err


@pytest.mark.parametrize(
    "words", [("check", "."), ("fmt", "--check", "."), ("import", ".")], ids=lambda words: words[0]
)
def test_a_folder_has_no_files_of_git(checkout: Path, words: tuple[str, ...]) -> None:
    for ending in ("tfjob", "yaml"):
        (checkout / f"a.{ending}").symlink_to(".git/config")
    (checkout / "main.tfjob").write_text(PLAIN)
    ran = tfdsl(*words, cwd=checkout)
    assert "s3cret" not in ran.out + ran.err


def test_what_a_command_line_names_can_be_in_git(checkout: Path) -> None:
    (checkout / ".git/main.tfjob").write_text(PLAIN)
    assert tfdsl("check", ".git/main.tfjob", cwd=checkout).status == 0


def test_a_text_on_a_descriptor_reads_no_other_one(inner: Path) -> None:
    command = [sys.executable, "-m", "tfdsl", "check", "/dev/stdin"]
    with (inner.parent / "outside").open("rb") as secret:
        number = secret.fileno()
        text = JOB.format(source=f'file("{number}")').encode()
        ran = subprocess.run(command, input=text, cwd=inner, env=environment(), capture_output=True, pass_fds=[number])
    assert (ran.returncode, b"s3cret" in ran.stdout + ran.stderr) == (1, False)


# --- source maps -------------------------------------------------------------------------------------------------


def mapped(folder: Path, source: str) -> None:
    """An output with a map that says that ``source`` has made its first line."""
    (folder / "x.yaml").write_text("a: 1\n")
    text = json.dumps({"version": 1, "file": "x.yaml", "sources": [source], "lines": [[1, 0, 1, 1]]})
    (folder / "x.yaml.map").write_text(text)


@pytest.mark.parametrize(
    "source", ["../outside", "/proc/self/environ", "link", "../secret.tfjob", ".git/x.tfjob", "in"]
)
def test_a_map_names_no_file_outside(inner: Path, source: str) -> None:
    (inner / ".git").mkdir()
    for path in (inner.parent / "secret.tfjob", inner / ".git/x.tfjob"):
        path.write_text('let x = "s3cret"\n')
    (inner / "in").symlink_to(".git/x.tfjob")
    mapped(inner, source)
    ran = tfdsl("where", "x.yaml:1", cwd=inner, MARK="s3cret")
    assert (ran.status, "s3cret" in ran.out + ran.err) == (0, False)
    assert f"{source}:1" in ran.out
    assert f"warning[TFJ4606] where-not-shown: the line of {source} is not shown: " in ran.err


def test_a_map_shows_lines_of_jobs_alone(inner: Path) -> None:
    (inner / "netrc").write_text("machine example.com password s3cret\n")
    mapped(inner, "netrc")
    ran = tfdsl("where", "x.yaml:1", cwd=inner)
    assert (ran.status, "s3cret" in ran.out + ran.err, "it is not a job" in ran.err) == (0, False, True)


def test_the_source_of_a_map_can_be_allowed(inner: Path) -> None:
    (inner.parent / "job.tfjob").write_text(PLAIN)
    mapped(inner, "../job.tfjob")
    ran = tfdsl("where", "x.yaml:1", cwd=inner)
    assert ("image" in ran.out, "--allow-read DIR" in ran.err) == (False, True)
    ran = tfdsl("where", "x.yaml:1", "--allow-read", "..", cwd=inner)
    assert ('job a { image = "x:1"' in ran.out, ran.err) == (True, "")


def test_a_map_can_be_no_link_to_a_file_outside(inner: Path) -> None:
    mapped(inner, "main.tfjob")
    (inner / "x.yaml.map").rename(inner.parent / "s3cret.map")
    (inner / "x.yaml.map").symlink_to("../s3cret.map")
    ran = tfdsl("where", "x.yaml:1", cwd=inner)
    assert (ran.status, f"it is outside {inner}" in ran.err) == (2, True)
