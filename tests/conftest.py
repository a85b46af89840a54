"""Options of the test run, and which tests are the quick ones."""

from __future__ import annotations

import os
import re
import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.reach import Reach
from tests.skips import Skips

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).resolve().parent

# The same examples in every run, and no clock on a loaded machine; `make fuzz` looks for new ones.
settings.register_profile("tfdsl", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("tfdsl")

# Whatever the tests run under: nohup ignores SIGHUP, a shell ignores SIGINT and SIGQUIT for what it puts in the
# background, and a program keeps that, as do the programs that it starts (a POSIX shell cannot even set a trap then).
if threading.current_thread() is threading.main_thread():
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number is signal.SIGINT else signal.SIG_DFL)

NEEDS = {
    "editors/terminal": "--editors",
    "packaging/test_guide.py": "--packages",
    "packaging/test_packages.py": "--packages",
}
"""Tests that an option asks for."""

BUDGET = 300
"""Seconds of processor time that the quick tests may take: two and a half minutes on each of two cores."""

SLOW_FILE = re.compile(r"^pytestmark = .*\bpytest\.mark\.slow\b", re.M)
"""What makes all tests of a file slow ones. It is looked for in the text: importing the file would cost as much."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the quick, the packaging and the editor tests."""
    group = parser.getgroup("tfdsl")
    group.addoption("--quick", action="store_true", help="leave out the tests that are marked slow")
    group.addoption("--packages", metavar="FOLDER", help="test the wheel and the sdist in this folder")
    group.addoption("--clean-venv", metavar="FOLDER", help="an environment with nothing but that wheel in it")
    group.addoption("--editors", action="store_true", help="fail where a test of the editors would be skipped")
    group.addoption(
        "--editors-work", metavar="FOLDER", help="where the editors that the tests start are kept (.editors)"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Count what the quick tests reach, and look at why tests are skipped."""
    reach = Reach(config)
    reach.watch()
    config.pluginmanager.register(reach)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Skips())


def spent() -> float:
    """The processor time of this run and of what it has started, in seconds."""
    return sum(os.times()[:4])


@pytest.hookimpl(trylast=True)  # after the workers have ended
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail when the quick tests cost too much. How long they take says more of what else the machine does."""
    if session.config.getoption("--quick") and not hasattr(session.config, "workerinput") and spent() > BUDGET:
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what the quick tests cost."""
    if config.getoption("--quick"):
        terminalreporter.write_line(f"{spent():.0f} s of processor time; the quick tests may take {BUDGET} s")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out tests that nobody has asked for, and files of slow tests when only the quick ones are asked for."""
    option = NEEDS.get(collection_path.relative_to(TESTS).as_posix()) if TESTS in collection_path.parents else None
    if option is not None and not config.getoption(option):
        return True
    if not config.getoption("--quick") or collection_path.suffix != ".py":
        return None
    return SLOW_FILE.search(collection_path.read_text(encoding="utf-8")) is not None or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the slow tests of other files."""
    if config.getoption("--quick"):
        slow = [item for item in items if item.get_closest_marker("slow") is not None]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item.get_closest_marker("slow") is None]


@pytest.fixture
def umask_022() -> Iterator[None]:
    """New files may be read by everybody."""
    old = os.umask(0o022)
    yield
    os.umask(old)
