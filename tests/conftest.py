"""Options of the test run."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING

from hypothesis import settings

if TYPE_CHECKING:
    import pytest

# The same examples in every run, and no clock on a loaded machine; `make fuzz` looks for new ones.
settings.register_profile("tfdsl", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("tfdsl")

# Whatever the tests run under: nohup ignores SIGHUP, a shell ignores SIGINT and SIGQUIT for what it puts in the
# background, and a program keeps that, as do the programs that it starts (a POSIX shell cannot even set a trap then).
if threading.current_thread() is threading.main_thread():
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number is signal.SIGINT else signal.SIG_DFL)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the packaging and the editor tests."""
    group = parser.getgroup("tfdsl")
    group.addoption("--packages", metavar="FOLDER", help="test the wheel and the sdist in this folder")
    group.addoption("--clean-venv", metavar="FOLDER", help="an environment with nothing but that wheel in it")
    group.addoption("--editors", action="store_true", help="fail where a test of the editors would be skipped")
    group.addoption(
        "--editors-work", metavar="FOLDER", help="where the editors that the tests start are kept (.editors)"
    )
