"""Applying safe fixes."""

from __future__ import annotations

from tests.unit.diagnostics.texts import SLOW, place, source
from tfdsl.diagnostics import Edit
from tfdsl.diagnostics.fixes import fixed
from tfdsl.text import Span


def test_fixes_of_one_text_are_joined() -> None:
    of = source("aa bb cc\n")
    found = [
        SLOW(place(of, "aa")).replacing("x", "long", safe=True),
        SLOW(place(of, "cc")).replacing("x", "", safe=True),
    ]
    assert fixed(found, [of]) == {"mnist.tfjob": "long bb \n"}


def test_unsafe_fixes_are_left() -> None:
    of = source("aa\n")
    assert fixed([SLOW(place(of, "aa")).replacing("x", "b")], [of]) == {}


def test_overlapping_fix_waits_for_another_round() -> None:
    of = source("aabb\n")
    found = [
        SLOW(place(of, "aab")).replacing("x", "1", safe=True),
        SLOW(place(of, "bb")).replacing("x", "2", safe=True),
    ]
    assert fixed(found, [of]) == {"mnist.tfjob": "1b\n"}


def test_two_insertions_at_one_place_are_not_mixed() -> None:
    of = source("ab\n")
    here = Span(of, 1, 1)
    found = [SLOW(here).fix("x", Edit(here, "1"), safe=True), SLOW(here).fix("x", Edit(here, "2"), safe=True)]
    assert fixed(found, [of]) == {"mnist.tfjob": "a1b\n"}


def test_fix_that_touches_another_file_is_left_whole() -> None:
    of, other = source("a\n"), source("b\n", "common.tfjob")
    found = SLOW(place(of, "a")).fix("x", Edit(place(of, "a"), "1"), Edit(place(other, "b"), "2"), safe=True)
    assert fixed([found], [of]) == {}
