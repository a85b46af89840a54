"""The cluster and the jobs that the tests here share. They are collected only with ``--hadoop-work FOLDER``."""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conformance.yarn import jobs
from tests.conformance.yarn.cluster import Cluster
from tests.conformance.yarn.work import Work

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future

AT_ONCE = 4
"""Jobs at the same time: each spends half of its time waiting for heartbeats."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--hadoop-work", type=Path, help="work folder of the cluster, with the jars in it")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "job(job): the job that the fixture `run` runs for the test")


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    return True if config.getoption("--hadoop-work", None) is None else None


@pytest.fixture(scope="session")
def work(pytestconfig: pytest.Config) -> Work:
    return Work(pytestconfig.getoption("--hadoop-work").resolve())


@pytest.fixture(scope="session")
def cluster(work: Work) -> Iterator[Cluster]:
    """The cluster. One that is already running (``… up``) is used, and left as it is."""
    found = Cluster(work)
    if found.running():
        yield found
        return
    try:
        found.start()
        yield found
    finally:
        found.stop()


@pytest.fixture(scope="session")
def runs(request: pytest.FixtureRequest, cluster: Cluster, work: Work) -> Iterator[dict[str, Future[jobs.Run]]]:
    """The jobs of all tests that were chosen, on their way; the test's id -> its run."""
    chosen = {item.nodeid: mark.args[0] for item in request.session.items for mark in item.iter_markers("job")}
    folder = work.fresh("jobs") / secrets.token_hex(2)  # HDFS may remember earlier runs
    places = {name: folder / str(number) for number, name in enumerate(chosen)}
    with ThreadPoolExecutor(AT_ONCE) as pool, ThreadPoolExecutor(1) as at_last:
        together = {
            name: pool.submit(jobs.run, cluster, job, places[name]) for name, job in chosen.items() if not job.alone
        }

        def run_alone(job: jobs.Job, place: Path) -> jobs.Run:
            wait(together.values())
            return jobs.run(cluster, job, place)

        alone = {name: at_last.submit(run_alone, job, places[name]) for name, job in chosen.items() if job.alone}
        yield together | alone
        for one in (pool, at_last):
            one.shutdown(cancel_futures=True)


@pytest.fixture
def run(request: pytest.FixtureRequest, runs: dict[str, Future[jobs.Run]]) -> jobs.Run:
    """The test's own job, when it has ended."""
    return runs[request.node.nodeid].result()
