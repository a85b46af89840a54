"""When a test may be skipped: there is no other reason, so that no test is skipped everywhere unseen.

Tests that need an option of the test run (``--editors``, ``--packages``) are left out without it, and what a target
refuses is not a case of a test.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

AS_USER = "root may do this; make test-bare runs it"
AS_ROOT = "only root may do this; make test runs it as root"

REASONS = {
    AS_USER: "make test-bare",
    AS_ROOT: "make test, as root",
    "there is no Python 2.7 here": "a machine with `python2.7`, or where $PYTHON2 or pyenv has one",
    "there is no busybox here": "a machine with `busybox`",
    "there is no go here": "every machine that runs make conformance-kubernetes",
    "not in a repository": "a checkout, rather than an unpacked sdist",
    "the kernel denies it": "a machine with user namespaces, and for limits with control groups (version 2) to pass on",
}
"""How each reason begins, and what runs the tests that it skips elsewhere."""

not_as_root = pytest.mark.skipif(os.geteuid() == 0, reason=AS_USER)
only_as_root = pytest.mark.skipif(os.geteuid() != 0, reason=AS_ROOT)


def denied(why: str) -> pytest.MarkDecorator:
    """Skip a test for what the kernel does not let anybody do here; an empty text is no reason."""
    return pytest.mark.skipif(bool(why), reason=f"the kernel denies it: {why}")


def unknown(skipped: Iterable[str]) -> list[str]:
    """The reasons that are not among :data:`REASONS`."""
    return sorted({why for why in skipped if not why.startswith(tuple(REASONS))})


class Skips:
    """The part of the test run that looks at reasons."""

    def __init__(self) -> None:
        self.skipped: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note why a test is skipped; one that has to fail is known by where it fails."""
        if report.skipped and not hasattr(report, "wasxfail"):
            self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note why a module is skipped."""
        if report.skipped:
            self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        self.skipped.append(why.removeprefix("Skipped: "))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A reason that nobody knows fails the run."""
        if unknown(self.skipped) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what is wrong with skips."""
        if found := unknown(self.skipped):
            terminalreporter.section("skipped for a reason that tests/skips.py does not know", red=True)
            terminalreporter.write("".join(f"{why}\n" for why in found))
