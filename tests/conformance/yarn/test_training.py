"""TensorFlow itself: the shipped example, whose chief drives workers and parameter servers, to the end."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

from tests.conformance.yarn.jobs import Job, Run

EXAMPLE = Path(__file__).parents[3] / "examples/mnist"
TEXT = (EXAMPLE / "main.tfjob").read_text(encoding="utf-8")
FILES = {"train.py": (EXAMPLE / "train.py").read_bytes()}
OPTIONS = ("--profile", "laptop", "-O", "yarn.reuse_port=true")  # other tests take ports at the same time


def checked(run: Run) -> str:
    """What the chief said; the model is where the output has promised it, and reads digits."""
    assert run.status == 0, run.story
    assert run.by_task == dict.fromkeys(("chief[0]", "worker[0]", "worker[1]", "ps[0]", "ps[1]", "tensorboard[0]"), 0)
    assert (run.folder / "shared/mnist/export/saved_model.pb").is_file()
    (said,) = (text for text in run.printed.values() if "exported to" in text)
    (accuracy,) = re.findall(r"^exported to .*: accuracy ([\d.]+)", said, re.M)
    assert float(accuracy) > 0.9
    return said


def kill_the_chief(run: Run) -> None:
    """Once there is a checkpoint: what a program does that has no memory left."""
    checkpoints = run.folder / "shared/mnist"
    run.until(lambda: list(checkpoints.glob("step-*.index")))
    (process,) = (path for path in Path("/proc").glob("[0-9]*") if is_chief(path, checkpoints))
    os.kill(int(process.name), signal.SIGKILL)


def is_chief(process: Path, checkpoints: Path) -> bool:
    try:
        words, variables = (process / "cmdline").read_bytes(), (process / "environ").read_bytes()
    except OSError:
        return False
    mine = f"CHECKPOINT_DIR={checkpoints}\0".encode() in variables
    return mine and b"\0train.py\0" in words and b'"type":"chief"' in variables and b"python" in words.split(b"\0")[0]


@pytest.mark.long
@pytest.mark.job(Job(TEXT, OPTIONS, files=FILES))
def test_the_example_trains(run: Run) -> None:
    assert "resumed" not in checked(run)


@pytest.mark.job(Job(TEXT, OPTIONS, files=FILES, meanwhile=kill_the_chief))
def test_the_example_resumes_after_its_chief_was_killed(run: Run) -> None:
    """All tasks meet again, and the training goes on from the last checkpoint."""
    assert re.search(r"^resumed at step [1-9]00$", checked(run), re.M)
