"""The ways in which a supervisor can run on this machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.skips import only_as_root
from tests.unit.running.runs import Seen
from tfdsl.running.supervisor import Supervisor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AS_USER = ("unshare", "--user", "--map-user=1000", "--map-group=1000")
"""Runs a command without any right of root, as somebody who still owns the files of whoever runs the tests."""


def as_user() -> tuple[str, ...]:
    """:data:`AS_USER`, or skip the test."""
    if shutil.which("unshare") is None or subprocess.run([*AS_USER, "true"], check=False).returncode:
        pytest.skip("the kernel denies it: no user namespaces")
    return AS_USER


def namespaced(mode: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let supervisors start in a mode, or skip the test."""
    if mode == "root":
        return
    as_user()
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nexec {" ".join(AS_USER)} {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))


ROOT = pytest.param("root", marks=[pytest.mark.slow, only_as_root])
"""Rarer than the others: who runs tests or jobs as root is mostly in a container."""


@pytest.fixture(params=["plain", ROOT, "user"])
def seen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    """A supervisor in each way that a run can go: without namespaces, as root, as somebody else."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        if request.param != "plain":
            namespaced(request.param, tmp_path_factory.mktemp("python"), monkeypatch)
        supervisor = Supervisor(str(tmp_path_factory.mktemp("scratch")), plain=request.param == "plain")
    with supervisor:
        if request.param != "plain" and not supervisor.namespaced:
            pytest.skip(f"the kernel denies it: {supervisor.denied}")
        yield Seen(supervisor)


@pytest.fixture
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    """A supervisor without namespaces."""
    with Supervisor(str(tmp_path_factory.mktemp("scratch")), plain=True) as supervisor:
        yield Seen(supervisor)


@pytest.fixture(params=[ROOT, "user"])
def inside(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    """A supervisor with namespaces."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        namespaced(request.param, tmp_path_factory.mktemp("python"), monkeypatch)
        supervisor = Supervisor(str(tmp_path_factory.mktemp("scratch")))
    with supervisor:
        if not supervisor.namespaced:
            pytest.skip(f"the kernel denies it: {supervisor.denied}")
        yield Seen(supervisor)
