"""``tfdsl matrix``: which jobs a file makes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import tfdsl

if TYPE_CHECKING:
    from pathlib import Path

SWEEP = """\
param rates: list<number> = [0.1, 1e-3]
param big: bool = false
job digits {
  image = "registry.example.com/mnist:1.4"
  matrix { lr = rates, memory = [4Gi, 16Gi], keep = [10m] }
  role worker { memory = matrix.memory, args = ["--lr=${matrix.lr}", "--keep=${matrix.keep}"] }
}
job "${matrix.who}-mnist" {
  image = "registry.example.com/mnist:1.4"
  matrix { who = ["ann", "bob"], fast = [true] }
  role worker { }
}
job alone { image = "registry.example.com/mnist:1.4", role worker { } }
job large when big { image = "registry.example.com/mnist:1.4", role worker { } }
"""


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    (tmp_path / "sweep.tfjob").write_text(SWEEP)
    return tmp_path


def test_jobs_are_listed_with_aligned_values(sweep: Path) -> None:
    ran = tfdsl("matrix", "sweep.tfjob", cwd=sweep)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == (
        "job       lr    memory  keep\n"
        "digits-0  0.1   4Gi     10m\n"
        "digits-1  0.1   16Gi    10m\n"
        "digits-2  1e-3  4Gi     10m\n"
        "digits-3  1e-3  16Gi    10m\n"
        "\n"
        "job        who  fast\n"
        "ann-mnist  ann  true\n"
        "bob-mnist  bob  true\n"
        "\n"
        "job\n"
        "alone\n"
    )


def test_as_data(sweep: Path) -> None:
    ran = tfdsl("matrix", "sweep.tfjob", "--format", "json", cwd=sweep)
    jobs = json.loads(ran.out)["jobs"]
    assert jobs[2] == {
        "job": "digits-2",
        "block": "digits",
        "index": 2,
        "values": {"lr": 0.001, "memory": "4Gi", "keep": "10m"},
    }
    assert [(job["job"], job["index"]) for job in jobs[4:]] == [("ann-mnist", 0), ("bob-mnist", 1), ("alone", None)]
    assert jobs[4]["values"] == {"who": "ann", "fast": True}


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("--job", "digits-2"), ["digits-2"]),
        (("--job", "digits"), ["digits-0", "digits-1", "digits-2", "digits-3"]),
        (("--job", "digits", "--set", "rates=[1]"), ["digits-0", "digits-1"]),
        (("--job", "alone", "--name", "other"), ["other"]),
        (("--job", "large", "--set", "big=true"), ["large"]),
    ],
)
def test_which_jobs(sweep: Path, words: tuple[str, ...], names: list[str]) -> None:
    ran = tfdsl("matrix", "sweep.tfjob", "--format", "json", *words, cwd=sweep)
    assert (ran.status, ran.err) == (0, "")
    assert [job["job"] for job in json.loads(ran.out)["jobs"]] == names


@pytest.mark.parametrize(
    ("text", "words", "told"),
    [
        (SWEEP, ("--job", "digit-2"), "did you mean digits-2?"),
        (SWEEP, ("--set", "rates=fast"), "rates"),
        (SWEEP, ("--name", "x"), "--job"),
        (SWEEP.replace("[4Gi, 16Gi]", "[4Gi, 4h]"), (), "matrix"),
        (SWEEP.replace("matrix.who}-", "matrix.who}_"), (), "ann_mnist"),
        ("let x = 1\n", (), "no job"),
        ("job {", (), "error[TFJ0"),
    ],
)
def test_errors(sweep: Path, text: str, words: tuple[str, ...], told: str) -> None:
    (sweep / "sweep.tfjob").write_text(text)
    ran = tfdsl("matrix", "sweep.tfjob", *words, cwd=sweep)
    assert (ran.status, ran.out) == (1, ""), ran
    assert told in ran.err


def test_the_rest_of_a_job_may_have_errors(sweep: Path) -> None:
    (sweep / "sweep.tfjob").write_text(SWEEP.replace("role worker { }\n}", "role worker { gpus = none }\n}"))
    assert tfdsl("matrix", "sweep.tfjob", cwd=sweep).status == 0


def test_what_could_command_a_terminal_does_not(sweep: Path) -> None:
    (sweep / "sweep.tfjob").write_text(SWEEP.replace('["ann", "bob"]', '["ann", "bob"], word = ["a\\u{1B}[31mb"]'))
    ran = tfdsl("matrix", "sweep.tfjob", cwd=sweep)
    assert ran.status == 0
    assert "\x1b" not in ran.out


def test_as_many_jobs_as_a_file_can_make(sweep: Path) -> None:
    (sweep / "sweep.tfjob").write_text(SWEEP.split("job", maxsplit=1)[0] + "job" + SWEEP.split("job")[1])
    rates = ", ".join(map(str, range(500)))
    ran = tfdsl("matrix", "sweep.tfjob", "--set", f"rates=[{rates}]", cwd=sweep)
    assert (ran.status, len(ran.out.splitlines())) == (0, 1001)
    ran = tfdsl("matrix", "sweep.tfjob", "--set", f"rates=[{rates}, 500]", cwd=sweep)
    assert (ran.status, ran.out) == (1, "")
    assert "1,000" in ran.err
