"""The action, and the workflow of docs/guide/ci.md, run step by step as GitHub's runner does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.services.pages import COMPILE, ROOT, WORKERS, commit, repository, shown
from tests.services.runner import Runner
from tests.unit.cli.shell import tfdsl
from tfdsl import __version__

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

WORKFLOW = ".github/workflows/jobs.yml"


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """The workflow of the page, and a step after it. What it installs is for the other tests too."""
    folder = tmp_path_factory.mktemp("first")
    repository(folder / "workspace")
    (folder / "temp").mkdir()
    runner = Runner(folder / "workspace", ROOT, folder / "temp")
    assert runner.workflow(shown(WORKFLOW) + "      - run: tfdsl --version\n", "tfdsl") == 0, runner.log
    return runner


@pytest.fixture
def runner(tmp_path: Path, first: Runner) -> Runner:
    """A runner in a fresh repository, with tfdsl installed."""
    repository(tmp_path / "workspace")
    (first.temp / "summary.md").unlink(missing_ok=True)
    return Runner(tmp_path / "workspace", ROOT, first.temp)


def change(runner: Runner, before: str, after: str) -> None:
    path = runner.workspace / "jobs" / "mnist.tfjob"
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")


def checked(runner: Runner, **given: Any) -> int:
    return runner.use(given, only="Check")


def test_the_workflow_of_the_page_passes_and_later_steps_find_the_command(first: Runner) -> None:
    assert [one for one in first.annotations() if one.level == "error"] == []
    assert first.log.rstrip().endswith(f"tfdsl {__version__}")
    assert first.path == [str(first.temp / "tfdsl" / "path")]
    assert [path.name for path in (first.temp / "tfdsl" / "path").iterdir()] == ["tfdsl"]


def test_warnings_and_errors_are_at_their_lines(runner: Runner) -> None:
    change(runner, "mnist:1.4", "mnist")
    assert checked(runner, files="jobs") == 0
    (warning,) = runner.annotations()
    assert (warning.level, warning.path, warning.line) == ("warning", "jobs/mnist.tfjob", 2)
    assert "floating-image-tag" in warning.title
    change(runner, WORKERS, "replicas = -1")
    assert checked(runner, files="jobs") == 1
    error = runner.annotations()[-1]
    assert (error.level, error.path, error.line) == ("error", "jobs/mnist.tfjob", 8)
    assert "--> jobs/mnist.tfjob:8:" in runner.log  # and once as people read it


def test_notes_are_annotations_only_if_asked_for(runner: Runner) -> None:
    assert checked(runner, files="jobs", targets="volcano@1.9") == 0
    assert "notice" not in {one.level for one in runner.annotations()}
    assert checked(runner, files="jobs", targets="volcano@1.9, tfjob", notes="true") == 0
    assert "notice" in {one.level for one in runner.annotations()}


def test_without_targets_those_of_the_settings_are_checked(runner: Runner) -> None:
    change(runner, WORKERS, f"{WORKERS}\n    on failed => restart container")
    assert checked(runner, files="jobs", notes="true") == 0
    assert "VOL" in {one.title[:3] for one in runner.annotations()} <= {"VOL", "TFJ"}


def test_strict_and_all_targets_and_profiles(runner: Runner) -> None:
    change(runner, "job mnist", "profile big { }\njob mnist")
    assert checked(runner, files="jobs", targets="all", profiles="all") == 0
    assert checked(runner, files="jobs", targets="all", profiles="all", strict="true") == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"strict": "yes"}, "strict must be true or false, not yes"),
        ({"profiles": "dev"}, "profiles must be all or empty, not dev"),
        ({"compile": "jobs/mnist.tfjob -t volcano"}, "needs -o and a folder or a file of the repository"),
        ({"compile": "jobs/mnist.tfjob -t volcano -o -"}, "needs -o and a folder or a file of the repository"),
        ({"compile": "jobs/mnist.tfjob -t volcano -o /tmp"}, "git status failed: see the log"),
        ({"compile": "jobs/mnist.tfjob -t volcano -o/tmp"}, "git status failed: see the log"),
        ({"compile": "'jobs/mnist.tfjob -o deploy"}, "compile cannot be read as a command line (No closing quotation)"),
        ({"targets": "slurmm"}, "slurmm"),
        ({"files": "nowhere"}, "cannot read nowhere"),
    ],
)
def test_a_wrong_input_is_an_error_of_the_run(runner: Runner, given: dict[str, str], message: str) -> None:
    assert checked(runner, **given) != 0
    assert any(message in one.message for one in runner.annotations() if one.level == "error"), runner.log


def test_what_is_not_formatted_is_named(runner: Runner) -> None:
    change(runner, "job mnist {", "job   mnist{")
    assert checked(runner, files="jobs") == 0
    assert checked(runner, files="jobs", formatted="true") == 1
    (one,) = runner.annotations()
    assert (one.path, one.message) == ("jobs/mnist.tfjob", "not formatted: run tfdsl fmt jobs/mnist.tfjob")


def test_a_manifest_that_is_stale_is_at_its_first_line_that_differs(runner: Runner) -> None:
    manifest = runner.workspace / "deploy" / "mnist.yaml"
    lines = manifest.read_text(encoding="utf-8").splitlines()
    change(runner, WORKERS, "replicas = 5")
    assert checked(runner, files="jobs", compile=COMPILE) == 1
    (one,) = runner.annotations()
    assert (one.level, one.path) == ("error", "deploy/mnist.yaml")
    now = manifest.read_text(encoding="utf-8").splitlines()
    assert one.line == 1 + next(at for at, line in enumerate(now) if line != lines[at])
    assert one.message.endswith(f"run tfdsl compile {COMPILE} and commit the result")
    assert "+  minAvailable: 6" in runner.summary
    assert "+  minAvailable: 6" in runner.log


def test_a_manifest_that_is_missing_or_ignored_is_named(runner: Runner) -> None:
    change(runner, "job mnist", "job digits")
    (runner.workspace / "deploy" / "mnist.yaml").unlink()
    commit(runner.workspace)
    assert checked(runner, files="jobs", compile=COMPILE) == 1
    (one,) = runner.annotations()
    assert one.message.startswith("deploy/digits.yaml is not in the repository: run tfdsl compile")
    (runner.workspace / ".gitignore").write_text("deploy/digits.yaml\n")
    assert checked(runner, files="jobs", compile=COMPILE) == 1
    assert "is ignored by git" in runner.annotations()[-1].message


def test_the_manifest_of_a_job_that_is_gone_fails(runner: Runner) -> None:
    change(runner, "job mnist", "job digits")
    assert tfdsl("compile", *COMPILE.split(), cwd=runner.workspace).status == 0
    commit(runner.workspace)
    assert checked(runner, files="jobs", compile=COMPILE) == 1
    (one,) = runner.annotations()
    assert one.message.startswith(
        "jobs/mnist.tfjob no longer generates deploy/mnist.yaml; remove it: rm deploy/mnist.yaml"
    )


def test_a_kustomization_that_renames_a_job_is_told_at_its_line(runner: Runner) -> None:
    kustomization = "resources: [mnist.yaml]\nnamePrefix: dev-\n"
    (runner.workspace / "deploy" / "kustomization.yaml").write_text(kustomization)
    command = "jobs/mnist.tfjob -t kubernetes -o deploy"
    assert tfdsl("compile", *command.split(), cwd=runner.workspace).status == 0
    commit(runner.workspace)
    assert checked(runner, files="jobs", compile=command) == 0
    (one,) = runner.annotations()
    assert (one.level, one.path, one.line) == ("warning", "deploy/kustomization.yaml", 2)


def test_a_job_that_does_not_compile_ends_the_step(runner: Runner) -> None:
    change(runner, WORKERS, "replicas = -1")
    assert runner.use({"compile": COMPILE}, only="Compare with what is in the repository") == 1
    assert "error[" in runner.log


def test_texts_of_a_stranger_give_no_commands(runner: Runner) -> None:
    """Neither a difference nor a name in it; ``annotations`` fails for a command that is not the action's."""
    evil = "::add-mask::x"
    change(runner, '"train.py"', f'"train.py", """\n  {evil}\n  ##[error]x\n  """')
    change(runner, "job mnist {", "job   mnist{")
    assert checked(runner, files="jobs", formatted="true", compile=COMPILE) == 1
    assert {one.title for one in runner.annotations()} == {"tfdsl"}
    (runner.workspace / "deploy" / evil).write_text("x")
    assert runner.use({"compile": COMPILE}, only="Compare with what is in the repository") == 1
    assert any(evil in one.message for one in runner.annotations())


def test_an_old_python_is_named_before_anything_is_installed(tmp_path: Path, runner: Runner) -> None:
    old = tmp_path / "old-python"
    old.write_text('#!/bin/sh\ncase "$2" in *version_info*) exit 1;; *) echo Python 3.9.2;; esac\n')
    old.chmod(0o755)
    for python, named in ((str(old), "Python 3.9.2"), ("no-such-python", "no such program")):
        fresh = Runner(runner.workspace, ROOT, tmp_path)
        assert fresh.use({"python": python}) == 1
        (one,) = fresh.annotations()
        assert named in one.message
        assert "add actions/setup-python before this step" in one.message
