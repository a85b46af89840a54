"""The hooks, installed and run by pre-commit with the configuration of docs/guide/ci.md."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.services import pages
from tests.services.pages import WORKERS, commit, copy_of_the_project, git, shown

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

CONFIGURATION = ".pre-commit-config.yaml"
ADDRESS = "https://git.example.com/tools/tfdsl"
RESULT = re.compile(r"^(?P<hook>.+?)\.{3,}(?:\(.*\))?(?P<result>Passed|Failed|Skipped)$", re.M)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as pre-commit fetches it, and beside it what pre-commit keeps."""
    folder = tmp_path_factory.mktemp("project")
    copy_of_the_project(folder)
    return folder


@pytest.fixture
def repository(tmp_path: Path, project: Path) -> Path:
    """A repository with the configuration of the page, in which all hooks pass."""
    pages.repository(tmp_path)
    (tmp_path / CONFIGURATION).write_text(shown(CONFIGURATION).replace(ADDRESS, str(project)))
    commit(tmp_path, "hooks")
    return tmp_path


def run(folder: Path, project: Path) -> dict[str, str]:
    """Run all hooks; gives hook → result."""
    given = {**os.environ, "PRE_COMMIT_HOME": str(project.with_name("pre-commit")), "PRE_COMMIT_COLOR": "never"}
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--all-files"],
        cwd=folder,
        env=given,
        capture_output=True,
        text=True,
        check=False,
    )
    results = {match["hook"]: match["result"] for match in RESULT.finditer(done.stdout)}
    assert set(results) == {"tfdsl fmt", "tfdsl check", "tfdsl compile"}, done.stdout + done.stderr
    assert (done.returncode == 0) == ("Failed" not in results.values())
    return results


def test_a_commit_runs_them(repository: Path, project: Path) -> None:
    """After ``pre-commit install``, as docs/guide/ci.md shows it."""
    given = {**os.environ, "PRE_COMMIT_HOME": str(project.with_name("pre-commit"))}
    subprocess.run([sys.executable, "-m", "pre_commit", "install"], cwd=repository, env=given, check=True)
    edit(repository, WORKERS, "replicas = -1")
    git(repository, "add", "--all")
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    command = ["git", *who, "commit", "--message", "broken"]
    done = subprocess.run(command, cwd=repository, env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "tfdsl check" in done.stdout + done.stderr
    assert git(repository, "log", "--format=%s") == "hooks\njobs\n"


def edit(folder: Path, before: str, after: str) -> None:
    path = folder / "jobs" / "mnist.tfjob"
    path.write_text(path.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")


def test_all_pass(repository: Path, project: Path) -> None:
    assert set(run(repository, project).values()) == {"Passed"}


def test_a_mistake_stops_the_commit(repository: Path, project: Path) -> None:
    edit(repository, WORKERS, "replicas = -1")
    results = run(repository, project)
    assert results["tfdsl check"] == results["tfdsl compile"] == "Failed"


def test_a_manifest_that_is_written_again_stops_the_commit_once(repository: Path, project: Path) -> None:
    edit(repository, WORKERS, "replicas = 5")
    assert run(repository, project) == {"tfdsl fmt": "Passed", "tfdsl check": "Passed", "tfdsl compile": "Failed"}
    git(repository, "add", "--all")
    assert set(run(repository, project).values()) == {"Passed"}


def test_a_file_that_is_formatted_stops_the_commit_once(repository: Path, project: Path) -> None:
    edit(repository, "job mnist {", "job   mnist{")
    assert run(repository, project)["tfdsl fmt"] == "Failed"
    git(repository, "add", "--all")
    assert set(run(repository, project).values()) == {"Passed"}
