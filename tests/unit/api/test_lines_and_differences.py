"""``tfdsl.where`` and ``tfdsl.diff``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tfdsl
from tests.unit.cli.shell import JOB

if TYPE_CHECKING:
    from pathlib import Path

INCLUDING = 'include "common.tfjob"\n' + JOB.replace('"registry.example.com', '"${registry}').replace("= 2", "= n")
COMMON = 'let registry = "registry.example.com"\nparam n: int = 2\n'


@pytest.fixture
def job(tmp_path: Path) -> Path:
    (tmp_path / "common.tfjob").write_text(COMMON)
    path = tmp_path / "mnist.tfjob"
    path.write_text(INCLUDING)
    return path


def test_where_of_a_file_and_of_what_it_includes(job: Path) -> None:
    text = tfdsl.compile(job, "tfjob").text.splitlines()
    found = tfdsl.where(job, 3, "tfjob")
    assert found.reason is None
    assert {(one.text.strip(), one.how) for one in found.lines} == {("image: registry.example.com/mnist:1.4", "made")}
    assert all(text[one.line - 1] == one.text for one in found.lines)
    through = tfdsl.where(job, 1, "tfjob", file=job.with_name("common.tfjob"))
    assert {(one.how, one.by) for one in through.lines} == {("through", (str(job), 3))}
    assert tfdsl.where(job, 2, "tfjob", file=job.with_name("common.tfjob"), params={"n": 3}).reason == (
        "the value of n is given from outside the file"
    )


def test_where_of_a_job_made_in_python() -> None:
    made = tfdsl.ir.Job(name="j", roles=(tfdsl.ir.Role(name="worker", image="i:1"),))
    json = made.model_dump_json(indent=2)
    assert "i:1" in json
    assert tfdsl.where(made, 1, "volcano").lines is not None


def test_where_of_what_is_wrong(job: Path) -> None:
    with pytest.raises(tfdsl.UsageError, match="has no line 99"):
        tfdsl.where(job, 99, "tfjob")
    with pytest.raises(tfdsl.UsageError, match="no line 1 in it"):
        tfdsl.where(job, 1, "tfjob", file="other.tfjob")
    with pytest.raises(tfdsl.UsageError):
        tfdsl.where(job, 1, "nowhere")
    job.write_text("job x { }")
    with pytest.raises(tfdsl.CompileError):
        tfdsl.where(job, 1, "tfjob")


def test_diff_of_files_programs_jobs_and_manifests(job: Path) -> None:
    live = job.with_name("live.yaml")
    live.write_text(tfdsl.compile(job, "tfjob", params={"n": 5}).text)
    (one,) = tfdsl.diff(job, live)
    assert (one.job, one.target, one.words, one.a, one.b) == ("mnist", "tfjob", "worker: replicas", 2, 5)
    assert (one.object, one.path) == ("TFJob/mnist", "spec.tfReplicaSpecs.Worker.replicas")
    assert one.a_place == (str(job), 6)
    assert one.b_place is not None
    assert tfdsl.diff(job, live, params={"n": 5}) == ()
    assert tfdsl.diff(tfdsl.load(job), job, "volcano") == ()
    (made,) = tfdsl.load(job).jobs("tfjob")
    assert tfdsl.diff(made, job, "tfjob") == ()


def test_jobs_that_only_one_side_has(job: Path) -> None:
    other = job.with_name("other.tfjob")
    other.write_text(JOB.replace("job mnist", "job a") + JOB.replace("job mnist", "job b"))
    found = tfdsl.diff(job, other, "tfjob")
    assert [(one.job, one.object, one.a, one.b) for one in found] == [
        ("mnist", "", "mnist", None),
        ("a", "", None, "a"),
        ("b", "", None, "b"),
    ]


def test_diff_of_what_is_wrong(job: Path) -> None:
    with pytest.raises(tfdsl.UsageError, match="needs a target"):
        tfdsl.diff(job, job)
    with pytest.raises(tfdsl.CompileError, match="there is no such file"):
        tfdsl.diff(job, "none.yaml")
    with pytest.raises(tfdsl.CompileError, match="not in a git repository"):
        tfdsl.diff(job, f"{job}@HEAD")
    live = job.with_name("live.yaml")
    live.write_text(tfdsl.compile(job, "tfjob").text)
    with pytest.raises(tfdsl.CompileError, match="is for volcano"):
        tfdsl.diff(job, live, "volcano")
