"""Odd classes of characters are read in silence."""

from __future__ import annotations

import warnings

import pytest

from tfdsl.semantics.pattern import compile_pattern


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [("[[a]", "["), ("[a||b]", "|"), ("[a&&b]", "&"), ("[a~~b]", "~"), ("[+--]", ","), ("[--/]", ".")],
)
def test_a_class_that_a_later_python_may_read_otherwise(pattern: str, fits: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compile_pattern(pattern).fits(fits)
