"""The cluster that the tests of this folder share. They are collected only with ``--work FOLDER``."""

# pyright: reportMissingTypeStubs=false

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from tests.conformance.kubernetes import argo, control_plane, images, node
from tests.conformance.kubernetes.api import Api
from tests.conformance.kubernetes.processes import Processes
from tests.conformance.kubernetes.work import Work

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xdist.remote import Producer
    from xdist.scheduler import LoadFileScheduling

HERE = Path(__file__).parent
IN_PODS = HERE / "in_pods"
ON_NODE = (
    "test_argo",
    "test_flows",
    "test_nightly",
    "test_guide",
    "test_operating_runs",
    "test_pods_run",
    "test_training",
)
"""Files whose pods really run; they share the node."""

WAITING = ("test_lifecycle_jobs", "test_lifecycle_tfjob", "test_diff", "test_objects")
"""Files that mostly wait."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--work", type=Path, help="work folder of the cluster, with the programs in FOLDER/bin")


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    return True if config.getoption("--work", None) is None else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first."""
    order = (*ON_NODE, *WAITING)
    items.sort(key=lambda item: order.index(item.path.stem) if item.path.stem in order else len(order))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling:
    """Where several processes run the tests, a file is one process's, and so are all that share the node."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return "node" if Path(file).stem in ON_NODE else file

    return Scheduling(config, log)


@pytest.fixture(scope="session")
def work(pytestconfig: pytest.Config) -> Work:
    return Work(cast("Path", pytestconfig.getoption("--work")))


@pytest.fixture(scope="session")
def processes(work: Work) -> Processes:
    return Processes(work)


@pytest.fixture(scope="session")
def api(work: Work, processes: Processes) -> Iterator[Api]:
    """The API server."""
    server = Api(work)
    with control_plane.serving(work, processes, server):
        yield server


@pytest.fixture(scope="session")
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


@pytest.fixture(scope="session")
def workflows(work: Work, processes: Processes, api: Api, runs: Path) -> Iterator[Path]:
    """Argo runs the Workflows of the namespace whose pods run; the folder is that of ``runs``."""
    try:
        argo.start(work, processes, api)
        yield runs
    finally:
        argo.stop(processes)
