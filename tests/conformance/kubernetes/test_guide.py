"""Pages of docs/guide that use a cluster, followed with the real kubectl on pods that really run."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from docs.screens import stale
from tests.conformance.kubernetes import node

if TYPE_CHECKING:
    from tests.conformance.kubernetes.work import Work

ROOT = Path(__file__).resolve().parents[3]
TEST = "tests/conformance/kubernetes/test_guide.py::test_a_page_that_uses_a_cluster"
PAGES = ["start.md", "rerun.md", "sweep.md", "secrets.md", "apply.md"]
ANYWHERE = ["apply.md"]
"""Pages that need no pod to run, and show objects as they are in the namespace ``default``."""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_uses_a_cluster(
    name: str, work: Work, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is the same when every command has been run and its output written below it."""
    assert runs.is_dir()
    context = "context: {cluster: it, user: admin"
    settings = work.kubeconfig.read_text(encoding="utf-8")
    assert context in settings
    here = context if name in ANYWHERE else f"{context}, namespace: {node.NAMESPACE}"
    (tmp_path / "kubeconfig").write_text(settings.replace(context, here))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    # What an earlier test has left behind would have the names of the page.
    subprocess.run(["kubectl", "delete", "jobs,services", "-l", "tfdsl/job"], check=True)
    difference = stale(f"docs/guide/{name}", test=TEST, programs=programs(work, tmp_path))
    if difference:
        pytest.fail(difference, pytrace=False)


def programs(work: Work, folder: Path) -> Path:
    """A folder with kubectl, and with docker as far as pages use it."""
    kubectl = shutil.which("kubectl")
    assert kubectl is not None, "pages are followed with kubectl, which is not on the path"
    made = folder / "programs"
    made.mkdir()
    (made / "kubectl").symlink_to(kubectl)
    words = [sys.executable, "-m", "tests.conformance.kubernetes.stand_in_docker", str(work.folder)]
    (made / "docker").write_text(f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {shlex.join(words)} "$@"\n')
    (made / "docker").chmod(0o755)
    return made
