"""Options of the test run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the golden and the packaging tests."""
    group = parser.getgroup("tfdsl")
    group.addoption("--update-golden", action="store_true", help="write examples/*/expected anew; review the diff")
    group.addoption("--packages", metavar="FOLDER", help="test the wheel and the sdist in this folder")
    group.addoption("--clean-venv", metavar="FOLDER", help="an environment with nothing but that wheel in it")
