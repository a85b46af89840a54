"""Options and folders of the tests here. They are collected only with ``--local-work FOLDER``."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--local-work", type=Path, help="work folder with TensorFlow in it")


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    return True if config.getoption("--local-work", None) is None else None


@pytest.fixture(scope="session")
def work(pytestconfig: pytest.Config) -> Path:
    """The work folder."""
    given: Path = pytestconfig.getoption("--local-work")
    return given.resolve()
