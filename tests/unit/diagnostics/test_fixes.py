"""Applying safe fixes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.diagnostics.texts import SLOW, duplicate, place, source
from tfdsl.diagnostics import Edit, Rule
from tfdsl.diagnostics.fixes import fixed
from tfdsl.text import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tfdsl.diagnostics import Diagnostic


def silent(texts: Mapping[str, str]) -> list[Diagnostic]:
    """A check that finds nothing wrong with any text."""
    return []


def test_fixes_of_one_text_are_joined() -> None:
    of = source("aa bb cc\n")
    found = [
        SLOW(place(of, "aa")).replacing("x", "long", safe=True),
        SLOW(place(of, "cc")).replacing("x", "", safe=True),
    ]
    assert fixed(found, [of], silent) == {"mnist.tfjob": "long bb \n"}


def test_unsafe_fixes_are_left() -> None:
    of = source("aa\n")
    assert fixed([SLOW(place(of, "aa")).replacing("x", "b")], [of], silent) == {}


def test_overlapping_fix_waits_for_another_round() -> None:
    of = source("aabb\n")
    found = [
        SLOW(place(of, "aab")).replacing("x", "1", safe=True),
        SLOW(place(of, "bb")).replacing("x", "2", safe=True),
    ]
    assert fixed(found, [of], silent) == {"mnist.tfjob": "1b\n"}


def test_two_insertions_at_one_place_are_not_mixed() -> None:
    of = source("ab\n")
    here = Span(of, 1, 1)
    found = [SLOW(here).fix("x", Edit(here, "1"), safe=True), SLOW(here).fix("x", Edit(here, "2"), safe=True)]
    assert fixed(found, [of], silent) == {"mnist.tfjob": "a1b\n"}


def test_fix_that_touches_another_file_is_left_whole() -> None:
    of, other = source("a\n"), source("b\n", "common.tfjob")
    found = SLOW(place(of, "a")).fix("x", Edit(place(of, "a"), "1"), Edit(place(other, "b"), "2"), safe=True)
    assert fixed([found], [of], silent) == {}


def test_edits_of_one_fix_that_touch_each_other_are_not_applied() -> None:
    of = source("aabb\n")
    found = SLOW(place(of, "aa")).fix("x", Edit(place(of, "aab"), "1"), Edit(place(of, "bb"), "2"), safe=True)
    assert fixed([found], [of], silent) == {}


def test_while_the_form_is_wrong_only_the_form_is_mended() -> None:
    of = source("aa bb\n")
    form = Rule("TFJ0006", "semicolon", "error", "form")
    found = [
        form(place(of, "aa")).replacing("x", "A", safe=True),
        duplicate(place(of, "bb")).replacing("x", "B", safe=True),
    ]
    assert fixed(found, [of], silent) == {"mnist.tfjob": "A bb\n"}


def test_line_ends_of_the_file_are_kept() -> None:
    of = source("aa\r\nbb\r\n")
    found = SLOW(place(of, "aa")).replacing("x", "1\n2", safe=True)
    assert fixed([found], [of], silent) == {"mnist.tfjob": "1\r\n2\r\nbb\r\n"}
