"""With ``--editors`` nothing here may be skipped: whoever asks for these tests wants to know that they ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def strict(report: Report, config: pytest.Config) -> Report:
    """The report, as a failure if it was to be a skip."""
    if report.skipped and config.getoption("--editors"):
        report.outcome = "failed"
        report.longrepr = f"skipped, but --editors was given: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A skipped test."""
    return strict((yield), item.config)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A skipped module."""
    return strict((yield), collector.config)
