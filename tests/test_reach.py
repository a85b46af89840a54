"""A run of the quick tests that leaves something out fails, and says what."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests import reach


def test_everything_has_a_name() -> None:
    named = reach.everything()
    assert {"message TFJ2104 (duplicate-mount-path)", "target yarn", "command explain"} <= named
    assert reach.lines(named) == []


def test_what_is_missing_is_named() -> None:
    named = reach.everything() - {"message TFJ2104 (duplicate-mount-path)", "command explain"}
    assert reach.lines(named) == [
        "no quick test reaches command explain",
        "no quick test reaches message TFJ2104 (duplicate-mount-path)",
    ]


@pytest.mark.parametrize(
    ("options", "whole"), [({"quick": True}, True), ({}, True), ({"slow": True}, False), ({"long": True}, False)]
)
def test_a_run_of_other_tests_is_not_judged(options: dict[str, bool], whole: bool) -> None:
    config: Any = SimpleNamespace(option=SimpleNamespace(**options), args_source=pytest.Config.ArgsSource.TESTPATHS)
    assert reach.Reach(config).is_whole() is whole
