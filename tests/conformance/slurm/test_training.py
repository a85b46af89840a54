"""TensorFlow itself: the shipped example, whose chief drives workers and parameter servers, to the end."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conformance.slurm import jobs
from tests.conformance.slurm.jobs import Job, Run

if TYPE_CHECKING:
    from concurrent.futures import Future

    from tests.conformance.slurm.cluster import Cluster

EXAMPLE = Path(__file__).parents[3] / "examples/mnist"
TEXT = (EXAMPLE / "main.tfjob").read_text(encoding="utf-8")
FILES = {"train.py": (EXAMPLE / "train.py").read_bytes()}


@pytest.fixture(scope="module", autouse=True)
def alone(runs: dict[str, Future[Run]]) -> None:
    """TensorFlow needs the processors of this machine: wait until all other jobs have ended."""
    for other in runs.values():
        other.exception()


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
def test_the_example_trains_and_resumes_after_its_chief_was_killed(
    cluster: Cluster, home: Path, tensorflow: Path
) -> None:
    """The chief is a new step; the servers go on, and the training from the last checkpoint."""
    values = {"runs": str(home / "trains/shared"), "tensorflow": str(tensorflow)}
    job = Job(TEXT, ("--profile", "laptop"), FILES, kill_the_chief, values=values)
    run = jobs.run(cluster, job, home / "trains")
    assert run.status == 0, run.story
    assert "chief-0 exited 137: restart container (1 of 3 retries used)" in run.log
    assert (run.folder / "shared/mnist/export/saved_model.pb").is_file()
    said = run.log_of("chief-0")
    assert re.search(r"^resumed at step [1-9]00$", said, re.M)
    (accuracy,) = re.findall(r"^exported to .*: accuracy ([\d.]+)", said, re.M)
    assert float(accuracy) > 0.9
