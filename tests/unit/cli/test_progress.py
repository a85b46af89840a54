"""How far a check of many files is: a bar on a terminal, one line elsewhere, nothing for few files."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import COMMAND, JOB, environment, tfdsl
from tfdsl.cli.report import MANY

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


@pytest.fixture
def many(tmp_path: Path) -> list[str]:
    """The names of a thousand files in ``tmp_path``."""
    names = [f"job{number:04}.tfjob" for number in range(1000)]
    for name in names:
        (tmp_path / name).write_text(JOB)
    return names


def on_terminal(folder: Path, *words: str, **more: str) -> str:
    """What a terminal gets of standard error; standard output goes nowhere."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs, env=environment(TERM="xterm", **more)
    )
    os.close(theirs)
    read = b""
    try:
        while part := os.read(ours, 65536):
            read += part
    except OSError:  # the other end is closed
        pass
    finally:
        os.close(ours)
        process.wait()
    return read.decode()


def shown(text: str) -> list[str]:
    """The lines that stay on a terminal."""
    lines = []
    for line in text.replace("\r\n", "\n").split("\n"):
        rest = line.rpartition("\x1b[K")[2]
        lines.append(rest.rpartition("\r")[2])
    return lines


@pytest.mark.parametrize("words", [("check",), ("fmt", "--check")], ids=" ".join)
def test_a_bar_is_drawn_on_a_terminal_and_taken_away(words: tuple[str, ...], many: list[str], tmp_path: Path) -> None:
    (tmp_path / many[3]).write_text("job a {\n  x = 1\n}\n")
    read = on_terminal(tmp_path, *words, *many)
    assert f"{'.' * 16} 0/1000" in read
    assert "#" in read
    assert max(len(line) for line in read.partition("\x1b[K")[0].split("\r")) <= 40
    rest = shown(read)
    assert not any("/1000" in line for line in rest)
    if words[0] == "check":
        assert "error" in rest[0]


def test_the_first_line_is_there_at_once(many: list[str], tmp_path: Path) -> None:
    """Long before the last file is done."""
    read_end, write_end = os.pipe()
    process = subprocess.Popen(
        [*COMMAND, "check", *many],
        cwd=tmp_path,
        stderr=write_end,
        stdout=subprocess.DEVNULL,
        env=environment(),
    )
    os.close(write_end)
    begun = time.monotonic()
    with os.fdopen(read_end, encoding="utf-8") as lines:
        assert lines.readline() == "checking 1000 files\n"
        waited = time.monotonic() - begun
        assert lines.read() == ""
    whole = time.monotonic() - begun
    assert process.wait() == 0
    assert waited < max(1.0, whole / 2)  # a machine under load is slow as a whole


def test_elsewhere_one_line_says_what_has_begun(many: list[str], tmp_path: Path) -> None:
    ran = tfdsl("check", *many[:200], cwd=tmp_path)
    assert ran == (0, "", "checking 200 files\n")
    ran = tfdsl("check", *many[:200], "--format", "json", cwd=tmp_path)
    assert json.loads(ran.out)["errors"] == 0
    assert ran.err == "checking 200 files\n"
    assert tfdsl("check", *many[:200], "--format", "concise", cwd=tmp_path).err == ""
    assert tfdsl("fmt", "--check", *many[:200], cwd=tmp_path).err == "formatting 200 files\n"


def test_a_few_files_are_not_counted(many: list[str], tmp_path: Path) -> None:
    assert tfdsl("check", *many[: MANY - 1], cwd=tmp_path).err == ""
    assert tfdsl("check", *many[:MANY], cwd=tmp_path).err == f"checking {MANY} files\n"
    assert on_terminal(tmp_path, "check", *many[: MANY - 1]) == ""


def test_a_terminal_that_cannot_draw_gets_the_line(many: list[str], tmp_path: Path) -> None:
    process = [sys.executable, "-c", "import pty, sys; pty.spawn(sys.argv[1:])", *COMMAND, "check", *many[:MANY]]
    done = subprocess.run(process, cwd=tmp_path, capture_output=True, env=environment(TERM="dumb"), check=True)
    assert done.stdout.decode().replace("\r\n", "\n") == f"checking {MANY} files\n"
