"""A project's levels of messages of targets and of the language; those of lint are in test_tables.py."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import tfdsl
from tfdsl.settings.finding import settings_for

if TYPE_CHECKING:
    from pathlib import Path

# docs/targets/slurm.md: labels are approximated (SLM002), a scheduler is refused (SLM005).
JOB = """\
job mnist {
  labels = { team = "vision" }
  role worker { command = ["python", "train.py"] }
}
"""


@pytest.fixture(name="project")
def _project(tmp_path: Path) -> Path:
    (tmp_path / "job.tfjob").write_text(JOB)
    return tmp_path


def checked(project: Path, settings: str, *words: str) -> tuple[int, dict[str, str]]:
    """The exit status of a check for Slurm under ``settings``, and the level of each message by its slug."""
    (project / "tfdsl.toml").write_text(settings)
    ran = tfdsl("check", "job.tfjob", "-t", "slurm", "--format", "json", *words, cwd=project)
    return ran.status, {one["slug"]: one["level"] for one in json.loads(ran.out)["diagnostics"]}


@pytest.mark.parametrize(
    ("level", "status", "reported"),
    [("error", 1, "error"), ("warning", 0, "warning"), ("info", 0, "info"), ("off", 0, None)],
)
@pytest.mark.parametrize("name", ["slurm-labels", "SLM002"])
def test_a_message_of_a_target_has_the_level_of_the_project(
    project: Path, name: str, level: str, status: int, reported: str | None
) -> None:
    done, levels = checked(project, f'[lint]\n{name} = "{level}"\n')
    assert (done, levels.get("slurm-labels")) == (status, reported)


def test_what_has_a_level_is_not_for_strict_to_decide(project: Path) -> None:
    assert checked(project, "", "--strict")[1]["slurm-labels"] == "error"
    assert checked(project, '[lint]\nslurm-labels = "warning"\n', "--strict")[1]["slurm-labels"] == "warning"


def test_a_note_about_a_default_can_become_an_error(project: Path) -> None:
    assert checked(project, "")[1]["slurm-no-time-limit"] == "info"
    done, levels = checked(project, '[lint]\nslurm-no-time-limit = "error"\n')
    assert (done, levels["slurm-no-time-limit"]) == (1, "error")


def test_a_message_of_the_language(project: Path) -> None:
    (project / "job.tfjob").write_text('job a {\n  image = "x:1"\n  role worker { }\n  role ps { replicas = 0 }\n}\n')
    (project / "tfdsl.toml").write_text('[lint]\nno-replicas = "error"\n')
    ran = tfdsl("check", "job.tfjob", cwd=project)
    assert (ran.status, "error[TFJ2108] no-replicas" in ran.err) == (1, True)
    (project / "tfdsl.toml").write_text('[lint]\nTFJ2108 = "off"\n')
    assert "no-replicas" not in tfdsl("check", "job.tfjob", cwd=project).err


def test_compile_writes_nothing_after_a_message_that_became_an_error(project: Path) -> None:
    (project / "tfdsl.toml").write_text('[lint]\nslurm-labels = "error"\n')
    ran = tfdsl("compile", "job.tfjob", "-t", "slurm", "-o", "out", cwd=project)
    assert (ran.status, (project / "out").exists()) == (1, False)


def test_a_job_as_json_is_in_a_project_too(project: Path) -> None:
    (project / "job.json").write_text(
        json.dumps({"name": "a", "labels": {"team": "vision"}, "roles": [{"name": "worker", "command": ["true"]}]})
    )
    (project / "tfdsl.toml").write_text('targets = ["slurm"]\n[lint]\nslurm-labels = "error"\n')
    ran = tfdsl("check", "job.json", cwd=project)
    assert (ran.status, "error[SLM002]" in ran.err) == (1, True)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("slurm-scheduler", "it is an error, and there is no output to accept"),
        ("duplicate-name", "it is an error, and there is no output to accept"),
        ("stale-waiver", "only messages of the language, of lint and of targets can have another"),
        ("import-not-kept", "only messages of the language, of lint and of targets can have another"),
    ],
)
def test_what_always_has_its_own_level(project: Path, name: str, reason: str) -> None:
    (project / "tfdsl.toml").write_text(f'[lint]\n{name} = "off"\n')
    (problem,) = settings_for(str(project / "job.tfjob")).problems
    assert (problem.span.text, problem.message) == (name, f"{name} always has its own level: {reason}")


def test_a_misspelt_message_of_a_target(project: Path) -> None:
    (project / "tfdsl.toml").write_text('[lint]\nslurm-lables = "off"\n')
    (problem,) = settings_for(str(project / "job.tfjob")).problems
    assert problem.helps == ("did you mean slurm-labels?",)


def test_a_waiver_of_what_is_off_is_stale(project: Path) -> None:
    text = JOB.replace("  labels", "  # tfdsl: allow[slurm-labels] for the other target\n  labels")
    (project / "job.tfjob").write_text(text)
    assert set(checked(project, "")[1]) == {"slurm-no-time-limit"}
    assert set(checked(project, '[lint]\nslurm-labels = "off"\n')[1]) == {"slurm-no-time-limit", "stale-waiver"}
