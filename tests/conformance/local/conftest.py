"""Options, folders and versions of the tests here. They are collected only with ``--local-work FOLDER``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance import tensorflow


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--local-work", type=Path, help="work folder with TensorFlow in it")


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    return True if config.getoption("--local-work", None) is None else None


@pytest.fixture(
    scope="session",
    params=[tensorflow.OLDEST, tensorflow.NEWEST, pytest.param(tensorflow.OF_IMAGES, marks=pytest.mark.long)],
)
def programs(request: pytest.FixtureRequest, pytestconfig: pytest.Config) -> Path:
    """The programs of a TensorFlow, each of those that are tried in turn: ``python3``, ``tensorboard``."""
    work: Path = pytestconfig.getoption("--local-work").resolve()
    tensorflow.install(work, request.param)
    return tensorflow.programs(work, request.param)
