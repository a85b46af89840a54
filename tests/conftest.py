"""Options of the test run, and which tests are the quick ones."""

from __future__ import annotations

import functools
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
MARKING = {share: re.compile(rf"\bmark\.{share}\b|\bsampled\(") for share in ("slow", "long")}
"""What stands in every file that has such tests, or in a ``conftest.py`` beside or above it."""

SHARES = ("quick", "slow", "long")
"""A test without a mark is a quick one; one with both marks is a long one."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the quick, the packaging and the editor tests."""
    group = parser.getgroup("tfdsl")
    group.addoption("--quick", action="store_true", help="leave out the tests that are marked slow or long")
    group.addoption("--slow", action="store_true", help="only the tests that are marked slow, and not long")
    group.addoption("--long", action="store_true", help="only the tests that are marked long")
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
    """Leave out files of which no test is asked for."""
    option = NEEDS.get(collection_path.relative_to(TESTS).as_posix()) if TESTS in collection_path.parents else None
    if option is not None and not config.getoption(option):
        return True
    share = _asked(config)
    if share is None or collection_path.suffix != ".py":
        return None
    if share == "quick":
        return SLOW_FILE.search(collection_path.read_text(encoding="utf-8")) is not None or None
    return not _may_have(share, collection_path) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the other tests of files that have several kinds."""
    share = _asked(config)
    if share is None:
        return
    others = [item for item in items if _share(item) != share]
    hidden = {str(item.path) for item in others if _share(item) != "quick" and not _may_have(_share(item), item.path)}
    if hidden:
        raise pytest.UsageError(f"tests/conftest.py does not see that these have slow or long tests: {sorted(hidden)}")
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if _share(item) == share]


def _asked(config: pytest.Config) -> str | None:
    """The share of the tests that is asked for, if not all are."""
    return next((share for share in SHARES if config.getoption(f"--{share}")), None)


def _share(item: pytest.Item) -> str:
    return next((share for share in reversed(SHARES) if item.get_closest_marker(share) is not None), "quick")


@functools.cache
def _may_have(share: str, path: Path) -> bool:
    """Whether a file may have tests of a share other than the quick one."""
    above = [folder / "conftest.py" for folder in path.parents if TESTS in folder.parents]
    return any(MARKING[share].search(one.read_text(encoding="utf-8")) for one in (path, *above) if one.exists())


@pytest.fixture
def umask_022() -> Iterator[None]:
    """New files may be read by everybody."""
    old = os.umask(0o022)
    yield
    os.umask(old)
