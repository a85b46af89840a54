"""A run of the quick tests that leaves something out fails, and says what."""

from __future__ import annotations

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
