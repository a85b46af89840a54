"""Names of jobs from the command line, and the jobs of a matrix: ``--job``, ``--name`` and the files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.unit.cli.shell import tfdsl

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.cli.shell import Ran

SWEEP = """param run: string = "a"
job "digits-${run}" {
  image = "example.com/digits:1"
  labels = { run = job.name }
  matrix {
    lr = [0.1, 1e-3]
    batch = [32, 64]
  }
  role worker { command = ["train", "--lr=${matrix.lr}", "--batch=${matrix.batch}"] }
}
job last { image = "example.com/digits:1", role worker { command = ["train"] } }
"""
LONG = "a-name-of-sixty-characters-that-is-too-long-for-pods-of-this"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sweep.tfjob").write_text(SWEEP)
    return tmp_path


def compiled(folder: Path, *words: str) -> Ran:
    return tfdsl("compile", "sweep.tfjob", "-t", "tfjob", *words, cwd=folder)


def names(ran: Ran) -> list[str]:
    assert ran.status == 0, ran.err
    return [document["metadata"]["name"] for document in yaml.safe_load_all(ran.out)]


def refused(ran: Ran) -> str:
    assert ran.status == 1
    assert ran.out == ""
    return ran.err


# --- which jobs ----------------------------------------------------------------------------------------------------


def test_all_jobs_are_one_stream_in_file_order(folder: Path) -> None:
    assert names(compiled(folder)) == ["digits-a-0", "digits-a-1", "digits-a-2", "digits-a-3", "last"]


def test_a_job_is_chosen_by_its_name_or_the_name_of_its_block(folder: Path) -> None:
    assert names(compiled(folder, "--job", "digits-a-2")) == ["digits-a-2"]
    assert names(compiled(folder, "--job", "digits-${run}")) == [f"digits-a-{index}" for index in range(4)]
    assert names(compiled(folder, "--job", "last")) == ["last"]


def test_an_unknown_job_is_told_with_the_names_that_there_are(folder: Path) -> None:
    told = refused(compiled(folder, "--job", "other"))
    assert "error[TFJ1105] unknown-job: the file has no job called other" in told
    assert "there are digits-a-0, digits-a-1, digits-a-2, digits-a-3 or last" in told
    assert "--> <command line>:1:" in told
    assert "did you mean digits-a-2?" in refused(compiled(folder, "--job", "digits-a-22"))


def test_many_names_are_not_all_listed(folder: Path) -> None:
    (folder / "sweep.tfjob").write_text(SWEEP.replace("[32, 64]", f"[{', '.join(map(str, range(100)))}]"))
    told = refused(compiled(folder, "--job", "other"))
    assert "… (201 in all)" in told
    assert max(map(len, told.splitlines())) < 400


# --- another name --------------------------------------------------------------------------------------------------


def test_another_name_is_the_name_for_all_that_follows_from_it(folder: Path) -> None:
    ran = compiled(folder, "--job", "digits-a-3", "--name", "best", "-o", "out")
    assert ran.status == 0, ran.err
    assert [path.name for path in (folder / "out").iterdir()] == ["best.yaml"]
    document = yaml.safe_load((folder / "out" / "best.yaml").read_text())
    assert document["metadata"] == {"name": "best", "labels": {"run": "best"}}
    container = document["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
    assert container["command"][1:] == ["--lr=1e-3", "--batch=64"]


def test_another_name_needs_exactly_one_job(folder: Path) -> None:
    told = refused(compiled(folder, "--name", "best"))
    assert "error[TFJ1106] name-for-several-jobs: 5 jobs cannot all be called best" in told
    assert "choose one of them with --job: digits-a-0, digits-a-1, digits-a-2, digits-a-3 or last" in told
    assert "4 jobs cannot" in refused(compiled(folder, "--job", "digits-${run}", "--name", "best"))


@pytest.mark.parametrize("name", ["Best_1", "", "a-", "a" * 64, "ü", "a${run}"])
def test_a_wrong_name_is_told_where_it_was_given(folder: Path, name: str) -> None:
    told = refused(compiled(folder, "--job", "last", "--name", name))
    assert "error[TFJ2501] job-name:" in told
    assert "--> <command line>:1:" in told


@pytest.mark.parametrize("target", ["tfjob", "volcano", "kubernetes"])
def test_a_name_that_a_target_finds_too_long_is_told_where_it_was_given(folder: Path, target: str) -> None:
    ran = tfdsl("compile", "sweep.tfjob", "-t", target, "--job", "last", "--name", LONG, cwd=folder)
    assert "characters" in refused(ran)
    assert "--> <command line>:1:" in ran.err
    assert "too long" not in compiled(folder, "--job", "last", "--name", LONG[:20]).err


def test_another_name_replaces_one_that_could_not_be(folder: Path) -> None:
    told = refused(compiled(folder, "--set", "run=A"))
    assert told.count("error[") == told.count("job-name") == 1
    assert " where " not in told
    (folder / "sweep.tfjob").write_text('job My_Job { image = "i:1", role worker { command = ["x"] } }\n')
    assert names(compiled(folder, "--name", "mine")) == ["mine"]


def test_another_name_in_check_and_tfconfig(folder: Path) -> None:
    ran = tfdsl("check", "sweep.tfjob", "--name", "best", cwd=folder)
    assert "name-for-several-jobs" in refused(ran)
    words = ("--job", "last", "--name", LONG)
    assert tfdsl("check", "sweep.tfjob", *words, cwd=folder).status == 0
    assert "characters" in refused(tfdsl("check", "sweep.tfjob", "-t", "tfjob", *words, cwd=folder))
    shown = tfdsl("tfconfig", "sweep.tfjob", "-t", "tfjob", "--job", "digits-a-1", "--name", "best", cwd=folder)
    assert shown.status == 0
    assert shown.out.startswith("# best on tfjob")
    assert "unknown-job" in tfdsl("tfconfig", "sweep.tfjob", "-t", "tfjob", "--job", "x", cwd=folder).err


def test_the_name_of_a_job_as_json(folder: Path) -> None:
    job = {"name": "a", "roles": [{"name": "worker", "image": "i:1", "command": ["x"]}]}
    (folder / "sweep.tfjob").write_text(json.dumps(job))
    assert names(compiled(folder, "--job", "a", "--name", "b")) == ["b"]
    assert "the job is a" in refused(compiled(folder, "--job", "b"))
    told = refused(compiled(folder, "--name", "B_"))
    assert "error[TFJ2501]" in told
    assert "--> <command line>:1:" in told
    assert "--> <command line>:1:" in refused(compiled(folder, "--name", LONG))


# --- the files -----------------------------------------------------------------------------------------------------


def test_files_are_named_by_the_jobs(folder: Path) -> None:
    assert compiled(folder, "-o", "out", "--source-map").status == 0
    files = sorted(path.name for path in (folder / "out").iterdir())
    assert files == sorted(f"{name}{end}" for name in names(compiled(folder)) for end in (".yaml", ".yaml.map"))
    ran = tfdsl("compile", "sweep.tfjob", "-t", "yarn", "--job", "digits-${run}", "-o", "yarn", cwd=folder)
    assert ran.status == 0, ran.err
    assert sorted(path.name for path in (folder / "yarn").iterdir()) == [f"digits-a-{index}" for index in range(4)]


def test_all_files_are_written_or_none(folder: Path) -> None:
    (folder / "sweep.tfjob").write_text(SWEEP.replace("[32, 64]", "[32, 0]").replace("job.name", '"a"') + "\n")
    text = (
        (folder / "sweep.tfjob")
        .read_text()
        .replace("role worker { command", "role worker { cpu = matrix.batch, command", 1)
    )
    (folder / "sweep.tfjob").write_text(text)
    told = refused(compiled(folder, "-o", "out"))
    assert told.count("error[") == 1
    assert "job digits-a-1, where lr = 0.1, batch = 0" in told
    assert not (folder / "out").exists()


def test_a_note_is_told_once_for_all_jobs(folder: Path) -> None:
    block = 'build { from = "python:3.11", copy "a" to "/a" }\n  matrix'
    (folder / "sweep.tfjob").write_text(SWEEP.replace("matrix", block, 1))
    assert compiled(folder).err.count("dockerfile-left-out") == 1


def test_a_value_that_one_target_refuses_names_its_job(folder: Path) -> None:
    text = SWEEP.replace("batch = [32, 64]", 'batch = [32, 64]\n    priority = ["high", "low"]')
    text = text.replace("  labels", '  priority = matrix.priority == "low" ? 5 : 6\n  labels')
    (folder / "sweep.tfjob").write_text(text)
    told = refused(tfdsl("compile", "sweep.tfjob", "-t", "volcano", cwd=folder))
    assert told.count("error[VOL") == 1
    assert 'job digits-a-0, where lr = 0.1, batch = 32, priority = "high"' in told
