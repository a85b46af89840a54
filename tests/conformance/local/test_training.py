"""The shipped examples that have a program, trained to the end by TensorFlow as processes of this machine."""

from __future__ import annotations

import json
import re
import urllib.request
from typing import TYPE_CHECKING

import pytest

from tests.conformance.local.examples import Run, run
from tests.conformance.tensorflow import NEWEST, OF_IMAGES, OLDEST

if TYPE_CHECKING:
    from pathlib import Path


STEPS = 3000
"""Of the run to which something happens: enough time for it between the first checkpoint and the last."""


def checked(done: Run) -> None:
    """The job has completed; the model is where the output has promised it, and reads digits."""
    assert done.status == 0, done.err + done.out
    assert (done.folder / "export/saved_model.pb").is_file()
    assert list((done.folder / "export/variables").glob("variables.data-*"))
    assert done.accuracy > 0.9


class Board:
    """Asks TensorBoard for its curves, until it has some."""

    def __init__(self) -> None:
        self.curves: dict[str, set[str]] = {}

    def __call__(self, said: str) -> None:
        address = re.search(r"TensorBoard: (http://127\.0\.0\.1:\d+)", said)
        if address is None or self.curves:
            return
        try:
            with urllib.request.urlopen(f"{address[1]}/data/plugin/scalars/tags", timeout=10) as answer:
                self.curves = {name: set(tags) for name, tags in json.load(answer).items()}
        except OSError:
            return


@pytest.fixture(scope="module")
def evaluated(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Board]:
    """The run of a chief, a server and an evaluator, to which nothing happens."""
    board = Board()
    folder = tmp_path_factory.mktemp("evaluator")
    return run(programs, folder, "evaluator", "--profile", "laptop", meanwhile=board), board


def test_a_chief_with_an_evaluator_and_tensorboard(evaluated: tuple[Run, Board]) -> None:
    done, board = evaluated
    checked(done)
    assert "resumed" not in done.out
    assert "chief[0] has completed" in done.err
    measured = re.findall(r"^evaluated \S*step-(\d+): accuracy ([\d.]+)", done.said_by("evaluator[0]"), re.M)
    assert measured
    assert float(measured[-1][1]) > 0.5
    assert board.curves == {"log": {"loss"}}


@pytest.mark.parametrize(
    "programs",
    [NEWEST, *(pytest.param(version, marks=pytest.mark.long) for version in (OLDEST, OF_IMAGES))],
    indirect=True,
)
def test_parameter_servers_and_a_chief_that_resumes(
    evaluated: tuple[Run, Board], programs: Path, tmp_path: Path
) -> None:
    """The chief fails between its first checkpoint and its end, as the run before has had them.

    A busy machine may need another try.
    """
    done, _ = evaluated
    for attempt in range(4):
        times = sorted(done.checkpoints.items())
        (least, first), (most, last) = times[0], times[-1]
        middle = first + (last - first) / (most - least) * STEPS / 3
        words = ("--profile", "laptop", "--inject", f"chief[0] exit 137 after {middle * 1000:.0f}ms")
        done = run(programs, tmp_path / str(attempt), "mnist", *words, steps=STEPS)
        checked(done)
        if done.resumed_at is not None and done.resumed_at < STEPS:
            break
    assert "chief[0] exited with status 137" in done.err
    assert "chief[0] restarts in place (1 of 3 retries used)" in done.err
    assert done.resumed_at in range(100, STEPS), done.out


def test_workers_in_step_train_one_model(programs: Path, tmp_path: Path) -> None:
    done = run(programs, tmp_path, "multi-worker", "--profile", "laptop", steps=500)
    checked(done)
    first, second = (re.findall(r"^step \d+: loss .*", done.said_by(f"worker[{index}]"), re.M) for index in (0, 1))
    assert len(first) == 5
    assert first == second


def test_a_program_alone(programs: Path, tmp_path: Path) -> None:
    checked(run(programs, tmp_path, "single-gpu", "--cpu"))
