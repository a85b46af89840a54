"""No test is skipped for a reason that nobody has looked at."""

from __future__ import annotations

import re
from unittest import mock

import pytest

from tests import skips
from tests.unit.cli.shell import ROOT

TEXT = re.compile(r"""pytest\.skip\(f?"([^"{]*)|skipif\((?:[^()]|\([^()]*\))*reason=f?"([^"{]*)""")
"""The constant beginning of a reason that stands in a test."""


@pytest.mark.parametrize(
    ("why", "status"), [("too warm today", pytest.ExitCode.TESTS_FAILED), (skips.AS_ROOT, pytest.ExitCode.OK)]
)
def test_a_reason_that_nobody_knows_fails_the_run(why: str, status: pytest.ExitCode) -> None:
    run, session = skips.Skips(), mock.Mock(exitstatus=pytest.ExitCode.OK)
    run.pytest_runtest_logreport(
        pytest.TestReport("test_it", ("test.py", 1, "it"), {}, "skipped", ("test.py", 1, f"Skipped: {why}"), "call")
    )
    run.pytest_sessionfinish(session)
    assert session.exitstatus == status


def test_what_tests_say_is_known() -> None:
    """Wherever they are skipped, and here they may all run."""
    found = {
        why or other
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if path.name not in ("skips.py", "test_skips.py")
        for why, other in TEXT.findall(path.read_text(encoding="utf-8"))
    }
    assert found, "the pattern works"
    assert [
        why for why in found if skips.unknown([why]) and not any(one.startswith(why) for one in skips.REASONS)
    ] == []
