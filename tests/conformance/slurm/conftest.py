"""The cluster and the jobs that the tests here share. They are collected only with ``--slurm-work FOLDER``."""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conformance import tensorflow as with_tensorflow
from tests.conformance.slurm import jobs
from tests.conformance.slurm.cluster import Accounted, Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future

AT_ONCE = 6
"""Jobs at the same time: each spends most of its time waiting."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slurm-work", type=Path, help="work folder of the cluster")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slurm_job(job): the job that the fixture `run` runs for the test")


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    return True if config.getoption("--slurm-work", None) is None else None


@pytest.fixture(scope="session")
def folder(pytestconfig: pytest.Config) -> Path:
    found: Path = pytestconfig.getoption("--slurm-work").resolve()
    return found


@pytest.fixture(scope="session")
def cluster(folder: Path) -> Iterator[Cluster]:
    """The cluster. One that is already running (``… up``) is used, and left as it is."""
    found = Cluster(folder / "slurm")
    if found.running():
        yield found
        return
    try:
        found.start()
        yield found
    finally:
        found.stop()


@pytest.fixture(scope="session")
def accounted(folder: Path) -> Iterator[Accounted]:
    """One with accounting, for this session alone."""
    found = Accounted(folder / "accounted")
    try:
        found.start()
        yield found
    finally:
        found.stop()


@pytest.fixture(scope="session")
def tensorflow(folder: Path) -> Path:
    """A virtual environment with TensorFlow."""
    with_tensorflow.install(folder)
    return with_tensorflow.environment(folder)


@pytest.fixture(scope="session")
def home(folder: Path) -> Path:
    """The folder of the runs of this session."""
    return folder / "jobs" / secrets.token_hex(3)


@pytest.fixture(scope="session")
def runs(request: pytest.FixtureRequest, cluster: Cluster, home: Path) -> Iterator[dict[str, Future[jobs.Run]]]:
    """The jobs of all tests that were chosen, on their way; the test's id -> its run."""
    chosen = {item.nodeid: mark.args[0] for item in request.session.items for mark in item.iter_markers("slurm_job")}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {
            name: pool.submit(jobs.run, cluster, job, home / str(number))
            for number, (name, job) in enumerate(chosen.items())
        }
        pool.shutdown(cancel_futures=True)


@pytest.fixture
def run(request: pytest.FixtureRequest, runs: dict[str, Future[jobs.Run]]) -> jobs.Run:
    """The test's own job, when it has ended."""
    return runs[request.node.nodeid].result()
