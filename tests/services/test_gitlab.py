"""The job of docs/guide/ci.md, run as GitLab's runner does, and the reports that GitLab reads.

Read from docs.gitlab.com, "CI/CD YAML syntax reference": ``before_script`` and ``script`` run in one shell, which ends
with the first line that fails. Artifacts are kept whatever happens (``when: always``).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.services import pages
from tests.services.pages import WORKERS, commit, git, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = pytest.mark.slow

SNIPPET: Mapping[str, Any] = yaml.safe_load(shown(".gitlab-ci.yml"))["tfdsl"]
SEVERITIES = {"info", "minor", "major", "critical", "blocker"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The repository of the page."""
    pages.repository(tmp_path)
    return tmp_path


def run(folder: Path, wrong: str = "") -> int:
    """Run the job; gives its exit status. ``pip`` does nothing: the ``tfdsl`` of these tests is on the path."""
    if wrong:
        path = folder / "jobs" / "mnist.tfjob"
        path.write_text(path.read_text(encoding="utf-8").replace(WORKERS, wrong), encoding="utf-8")
    pip = 'pip() { [ "$*" = "install --quiet $TFDSL" ]; }'
    script = "\n".join(["set -eo pipefail", pip, *SNIPPET["before_script"], *SNIPPET["script"]])
    path_of_programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    given = {**SNIPPET["variables"], "CI": "true", "PATH": path_of_programs, "HOME": str(folder)}
    return subprocess.run(["bash", "-c", script], cwd=folder, env=given, check=False, capture_output=True).returncode


def report(folder: Path) -> list[dict[str, Any]]:
    """The Code Quality report, with the fields that GitLab requires."""
    entries = json.loads((folder / SNIPPET["artifacts"]["reports"]["codequality"]).read_text(encoding="utf-8"))
    for entry in entries:
        assert entry["description"]
        assert entry["check_name"]
        assert entry["severity"] in SEVERITIES
        assert not entry["location"]["path"].startswith(("/", "./"))
        assert entry["location"]["lines"]["begin"] >= 1
    assert len({entry["fingerprint"] for entry in entries}) == len(entries)
    return entries


def failures(folder: Path) -> list[str]:
    suites = ElementTree.parse(folder / SNIPPET["artifacts"]["reports"]["junit"])
    return [failure.get("type", "") for failure in suites.iter("failure")]


def test_the_job_passes_and_has_notes_to_show(repository: Path) -> None:
    assert run(repository) == 0
    assert {entry["severity"] for entry in report(repository)} <= {"info", "minor"}
    assert failures(repository) == []


def test_an_error_fails_the_job_and_is_in_both_reports(repository: Path) -> None:
    assert run(repository, "replicas = -1") == 1
    (entry,) = report(repository)
    assert (entry["severity"], entry["location"]) == (
        "major",
        {"path": "jobs/mnist.tfjob", "lines": {"begin": 8, "end": 8}},
    )
    assert failures(repository) == [entry["check_name"].split()[0]]


def test_a_stale_manifest_fails_the_job(repository: Path) -> None:
    assert run(repository, "replicas = 5") == 1


def test_a_manifest_that_is_not_in_the_repository_fails_the_job(repository: Path) -> None:
    git(repository, "rm", "--quiet", "-r", "deploy")
    commit(repository, "no manifests")
    assert run(repository) == 1


def test_the_reports_are_kept_when_the_job_fails() -> None:
    assert SNIPPET["artifacts"]["when"] == "always"
