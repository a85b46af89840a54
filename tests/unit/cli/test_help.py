"""Every example of every ``--help`` works."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import tfdsl
from tests.unit.cli.test_flows import TRAIN, text
from tfdsl import format as formatted
from tfdsl.cli.arguments import load
from tfdsl.cli.commands import SUMMARIES, overview

if TYPE_CHECKING:
    from pathlib import Path

OF_CLUSTERS = ("submit", "status", "logs", "cancel", "resume")
EXAMPLES = [(name, example) for name in SUMMARIES for example in load(name).COMMAND.examples]


@pytest.mark.parametrize("name", SUMMARIES)
def test_help_shows_everything_that_the_command_takes(name: str, folder: Path) -> None:
    command = load(name).COMMAND
    ran = tfdsl(name, "--help", cwd=folder)
    assert (ran.status, ran.err) == (0, "")
    for words in (("help", name), ("--help", name), ("-h", name)):
        assert tfdsl(*words, cwd=folder).out == ran.out
    assert (command.name, command.summary) == (name, SUMMARIES[name])
    for shown in (
        *(flag.name for flag in command.flags),
        *(one.name for one in command.positionals),
        *command.examples,
    ):
        assert shown in ran.out
    assert command.examples
    assert max(map(len, ran.out.splitlines())) <= 120


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_examples_work(name: str, example: str, tmp_path: Path) -> None:
    program, *words = shlex.split(example)
    assert program == "tfdsl"
    if name != "new":
        assert tfdsl("new", "mnist", cwd=tmp_path).status == 0
        (tmp_path / "nightly.tfjob").write_text(formatted(text(train=TRAIN)))
    if name == "import":
        assert tfdsl("compile", "mnist.tfjob", "-t", "tfjob", "-o", "mnist.yaml", cwd=tmp_path).status == 0
    if name in OF_CLUSTERS and "--dry-run" not in words:  # there is none, so it goes as far as the client
        assert "on the path" in tfdsl(*words, cwd=tmp_path, PATH=str(tmp_path)).err
        return
    ran = tfdsl(*words, cwd=tmp_path, PATH=program_folder(tmp_path) if name == "run" else os.environ["PATH"])
    assert ran.status == 0, ran.err


def program_folder(folder: Path) -> str:
    """A PATH with a Python for the job of ``tfdsl new``; its program and TensorFlow do next to nothing."""
    (folder / "train.py").write_text("import tensorflow")
    (folder / "tensorflow.py").write_text(
        "import time\n"
        "class train:\n"
        "    ClusterSpec = dict\n"
        "    class Server:\n"
        "        def __init__(self, *values, **named): pass\n"
        "        def join(self): time.sleep(60)\n"
    )
    (folder / "bin").mkdir()
    (folder / "bin/python").symlink_to(sys.executable)
    return f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"


def test_examples_of_the_overview_work_in_order(tmp_path: Path) -> None:
    examples = [line.strip() for line in overview().splitlines() if line.startswith("  tfdsl ")]
    assert len(examples) >= 3
    for example in examples:
        assert tfdsl(*shlex.split(example)[1:], cwd=tmp_path).status == 0, example
