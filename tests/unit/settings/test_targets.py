"""The targets of a project, which count where a command line names none, and its ``strict``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import tfdsl as api
from tests.unit.cli.shell import JOB, tfdsl
from tfdsl.settings.finding import settings_for

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(name="project")
def _project(tmp_path: Path) -> Path:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "mnist.tfjob").write_text(JOB)
    (tmp_path / "tfdsl.toml").write_text('targets = ["volcano@1.9", "tfjob"]\n')
    return tmp_path


def files_in(folder: Path) -> set[str]:
    return {str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file()}


def test_compile_takes_them(project: Path) -> None:
    ran = tfdsl("compile", "jobs/mnist.tfjob", "-o", "out", cwd=project)
    assert ran.status == 0
    assert files_in(project / "out") == {"volcano/mnist.yaml", "tfjob/mnist.yaml"}
    tfdsl("compile", "jobs/mnist.tfjob", "-t", "volcano@1.9,tfjob", "-o", "same", cwd=project)
    for name in files_in(project / "same"):
        assert (project / "out" / name).read_bytes() == (project / "same" / name).read_bytes()


def test_a_target_of_the_command_line_replaces_them(project: Path) -> None:
    (project / "tfdsl.toml").write_text('targets = ["nowhere"]\n')
    ran = tfdsl("compile", "jobs/mnist.tfjob", "-t", "kubernetes", "-o", "out", cwd=project)
    assert (ran.status, files_in(project / "out")) == (0, {"mnist.yaml"})
    assert tfdsl("check", "jobs", "--all-targets", cwd=project).err.count("nowhere") == 0


def test_standard_input_is_in_the_project_of_the_current_folder(project: Path) -> None:
    (project / "tfdsl.toml").write_text('targets = ["volcano"]\n')
    ran = tfdsl("compile", "-", cwd=project / "jobs", stdin=JOB.encode())
    assert (ran.status, ran.out.count("apiVersion: batch.volcano.sh")) == (0, 1)


def test_check_takes_them_file_by_file(project: Path) -> None:
    other = project / "jobs" / "other"
    other.mkdir()
    (other / "tfdsl.toml").write_text('targets = ["slurm"]\n')
    (other / "mnist.tfjob").write_text(JOB.replace("  role chief", '  labels = { a = "b" }\n  role chief'))
    (project / "jobs" / "mnist.tfjob").write_text(JOB.replace("  role chief", '  priority = "high"\n  role chief'))
    ran = tfdsl("check", "jobs", "--format", "json", cwd=project)
    found = {(one["path"], one["code"][:3]) for one in json.loads(ran.out)["diagnostics"]}
    assert {("jobs/mnist.tfjob", "VOL"), ("jobs/mnist.tfjob", "KTF"), ("jobs/other/mnist.tfjob", "SLM")} <= found
    assert ("jobs/mnist.tfjob", "SLM") not in found
    assert ("jobs/other/mnist.tfjob", "VOL") not in found


def test_a_waiver_is_stale_only_where_its_target_was_asked_for(project: Path) -> None:
    other = project / "jobs" / "other"
    other.mkdir()
    (other / "tfdsl.toml").write_text('targets = ["kubernetes"]\n')
    text = JOB.replace("  image", "  # tfdsl: allow[tfjob-no-gang] why\n  image")
    (other / "mnist.tfjob").write_text(text)
    assert "stale-waiver" not in tfdsl("check", "jobs", cwd=project).err
    (project / "jobs" / "mnist.tfjob").write_text(text)
    assert tfdsl("check", "jobs", cwd=project).err.count("stale-waiver") == 1


def test_the_other_commands_take_them(project: Path) -> None:
    shown = tfdsl("tfconfig", "jobs/mnist.tfjob", "worker[0]", cwd=project).out
    assert [line for line in shown.splitlines() if line.startswith("#")] == [
        "# mnist on volcano 1.9",
        "# mnist on tfjob 1.9",
    ]
    assert "volcano 1.9  tfjob 1.9\n" in tfdsl("simulate", "jobs/mnist.tfjob", cwd=project).out
    where = tfdsl("where", "jobs/mnist.tfjob:2", cwd=project).out
    assert [line for line in where.splitlines() if line.startswith("#")] == ["# volcano 1.9", "# tfjob 1.9"]
    assert tfdsl("diff", "jobs/mnist.tfjob", "jobs/mnist.tfjob", cwd=project) == (0, "", "")


def test_a_manifest_is_compared_for_its_own_target(project: Path) -> None:
    tfdsl("compile", "jobs/mnist.tfjob", "-t", "jobset", "-o", "mnist.yaml", cwd=project)
    assert tfdsl("diff", "jobs/mnist.tfjob", "mnist.yaml", cwd=project).status == 0


def test_graph_draws_the_job_as_it_is_written(project: Path) -> None:
    with_targets = tfdsl("graph", "jobs/mnist.tfjob", cwd=project).out
    (project / "tfdsl.toml").unlink()
    assert tfdsl("graph", "jobs/mnist.tfjob", cwd=project).out == with_targets


@pytest.mark.parametrize(
    ("targets", "place", "message"),
    [
        ('["volcan"]', "volcan", "there is no target volcan"),
        ('["tfjob",\n  "volcano@0.1", # old\n]', "0.1", "volcano 0.1 is not a known version"),
        ("['volcano@']", "", "volcano  is not a known version"),
        ('[""]', "targets", "there is no target (no name)"),
    ],
)
@pytest.mark.parametrize("command", ["check", "compile", "tfconfig", "simulate"])
def test_a_target_that_is_none_is_an_error_at_its_place(
    project: Path, command: str, targets: str, place: str, message: str
) -> None:
    (project / "tfdsl.toml").write_text(f"targets = {targets}\n")
    ran = tfdsl(command, "jobs/mnist.tfjob", cwd=project)
    assert (ran.status, "tfdsl.toml:" in ran.err) == (1, True)
    if place:
        assert place in ran.err
        assert message.partition("(")[0] in ran.err


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ('targets = "volcano"\n', "targets", "targets must be a list"),
        ("targets = [1]\n", "targets", "targets must be a list of targets"),
        ("targets = [['volcano']]\n", "targets", "targets must be a list of targets"),
        ("[targets]\nvolcano = 1\n", "targets", "targets must be a list of targets"),
        (f"targets = {[str(one) for one in range(101)]}\n", "targets", "targets can have at most 100 elements"),
        ('strict = "yes"\n', "strict", "strict must be true or false"),
        ("strict = 1\n", "strict", "strict must be true or false"),
    ],
)
def test_a_wrong_value_is_an_error_at_its_key(tmp_path: Path, text: str, place: str, message: str) -> None:
    (tmp_path / "tfdsl.toml").write_text(text)
    (problem,) = settings_for(str(tmp_path / "job.tfjob")).problems
    assert (problem.span.text, problem.message) == (place, message)


def test_an_option_of_another_target_is_an_error(project: Path) -> None:
    ran = tfdsl("compile", "jobs/mnist.tfjob", "-O", "slurm.runtime=pyxis", cwd=project)
    assert (ran.status, "slurm has an option, but is not one of the targets" in ran.err) == (2, True)


def test_without_any_target_compile_says_where_one_can_be_set(project: Path) -> None:
    (project / "tfdsl.toml").write_text("")
    ran = tfdsl("compile", "jobs/mnist.tfjob", cwd=project)
    assert (ran.status, "or set targets for the project, in tfdsl.toml" in ran.err) == (2, True)


def test_strict_counts_for_the_whole_project(project: Path) -> None:
    job = project / "jobs" / "mnist.tfjob"
    job.write_text('job mnist {\n  labels = { a = "b" }\n  role worker { command = ["true"] }\n}\n')
    (project / "tfdsl.toml").write_text('targets = ["slurm"]\nstrict = true\n')
    for words in (["check"], ["compile", "-o", "out"]):
        ran = tfdsl(*words, "jobs/mnist.tfjob", cwd=project)
        assert (ran.status, "error[SLM002]" in ran.err) == (1, True)
    assert not (project / "out").exists()
    (project / "tfdsl.toml").write_text('targets = ["slurm"]\nstrict = false\n')
    assert tfdsl("check", "jobs/mnist.tfjob", cwd=project).status == 0


def test_the_settings_are_not_written_over(project: Path) -> None:
    before = (project / "tfdsl.toml").read_text()
    ran = tfdsl("compile", "jobs/mnist.tfjob", "-t", "tfjob", "-o", "tfdsl.toml", cwd=project)
    assert (ran.status, (project / "tfdsl.toml").read_text()) == (2, before)
    assert "cannot write tfdsl.toml: it is an input of this command" in ran.err


def test_strict_counts_from_python(project: Path) -> None:
    job = project / "jobs" / "mnist.tfjob"
    job.write_text('job mnist {\n  labels = { a = "b" }\n  role worker { command = ["true"] }\n}\n')
    (project / "tfdsl.toml").write_text("strict = true\n")
    assert "error" in [one.level for one in api.check(job, "slurm")]
    assert "error" not in [one.level for one in api.check(text=job.read_text(), target="slurm")]
