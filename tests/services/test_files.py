"""What the services say of the files themselves: their schemas, and actionlint on the workflow of the page."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.services.pages import ROOT, git, shown

pytestmark = pytest.mark.slow

ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"


def check(schema: str, path: Path) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("schema", "name"),
    [("gitlab-ci", ".gitlab-ci.yml"), ("github-workflows", ".github/workflows/jobs.yml")],
)
def test_a_file_of_the_page_fits_its_schema(schema: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / Path(name).name
    path.write_text(shown(name), encoding="utf-8")
    check(schema, path)


def test_the_action_fits_its_schema() -> None:
    check("github-actions", ROOT / "action.yml")


def actionlint(folder: Path, workflow: str) -> subprocess.CompletedProcess[str]:
    """Lint a workflow beside the action, so that its inputs are those of the action."""
    (folder / ".github" / "workflows").mkdir(parents=True)
    (folder / ".github" / "workflows" / "jobs.yml").write_text(workflow.replace("example/tfdsl@v0.1.0", "./"))
    shutil.copy(ROOT / "action.yml", folder)
    git(folder, "init", "--quiet")
    shellcheck = Path(sys.executable).with_name("shellcheck")
    return subprocess.run(
        ["go", "run", ACTIONLINT, "-shellcheck", str(shellcheck), "-pyflakes", ""],
        cwd=folder,
        env={**os.environ, "GOFLAGS": "-mod=mod"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(shutil.which("go") is None, reason="there is no go here, which builds actionlint")
def test_actionlint_takes_the_workflow_and_knows_the_inputs(tmp_path: Path) -> None:
    workflow = shown(".github/workflows/jobs.yml")
    done = actionlint(tmp_path / "good", workflow)
    assert done.returncode == 0, done.stdout + done.stderr
    done = actionlint(tmp_path / "bad", workflow.replace("files:", "file:"))
    assert 'input "file" is not defined in action "tfdsl"' in done.stdout, done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("go") is None, reason="there is no go here, which builds actionlint")
def test_actionlint_takes_the_workflows_of_this_repository(tmp_path: Path) -> None:
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        done = actionlint(tmp_path / path.stem, path.read_text(encoding="utf-8"))
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_scripts_of_the_action_pass_shellcheck() -> None:
    scripts = sorted((ROOT / ".github" / "action").glob("*.sh"))
    assert scripts
    done = subprocess.run(
        [Path(sys.executable).with_name("shellcheck"), *scripts], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
