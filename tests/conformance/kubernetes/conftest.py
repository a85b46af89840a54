"""The cluster that the tests of this folder share. They are collected only with ``--work FOLDER``."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conformance.kubernetes import control_plane, images, node
from tests.conformance.kubernetes.api import Api
from tests.conformance.kubernetes.processes import Processes
from tests.conformance.kubernetes.work import Work

if TYPE_CHECKING:
    from collections.abc import Iterator

IN_PODS = Path(__file__).parent / "in_pods"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--work", type=Path, help="work folder of the cluster, with the programs in FOLDER/bin")


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    return True if config.getoption("--work", None) is None else None


@pytest.fixture(scope="session")
def work(pytestconfig: pytest.Config) -> Work:
    return Work(pytestconfig.getoption("--work"))


@pytest.fixture(scope="session")
def processes(work: Work) -> Processes:
    return Processes(work)


@pytest.fixture(scope="session")
def api(work: Work, processes: Processes) -> Iterator[Api]:
    """The API server. One that is already running (``… kubernetes up``) is used, and left as it is."""
    server = Api(work)
    if processes.running("kube-apiserver"):
        control_plane.install_resources(server)  # it may be older than a target
        yield server
        return
    try:
        control_plane.start(work, processes, server)
        yield server
    finally:
        processes.stop(*processes.names())


@pytest.fixture(scope="module")
def runs(work: Work, processes: Processes, api: Api) -> Iterator[Path]:
    """The folder on the node that jobs mount at /runs; its ``programs`` are mounted at /programs."""
    node.install_packages()
    built = images.build(work)
    folder = work.sub("runs")
    shutil.rmtree(folder)
    shutil.copytree(IN_PODS, folder / "programs", ignore=shutil.ignore_patterns("__pycache__"))
    try:
        node.start(work, processes, api, built)
        yield folder
    finally:
        node.stop(work, processes)
