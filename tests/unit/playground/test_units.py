"""Offsets between Python and JavaScript."""

from __future__ import annotations

import pytest

from tfdsl_playground.units import Units, whole


@pytest.mark.parametrize("text", ["", "plain", "ä€", "🙂", "a🙂b🙂🙂c", "🙂\n🙂"])
def test_units_are_those_of_utf_16(text: str) -> None:
    units = Units(text)
    for offset in range(len(text) + 1):
        at = len(text[:offset].encode("utf-16-le")) // 2
        assert units.of(offset) == at
        assert units.characters(at) == offset


def test_the_second_half_of_a_character_is_its_beginning() -> None:
    assert Units("a🙂b").characters(2) == 1


def test_halves_of_characters_are_replaced_without_moving_anything() -> None:
    assert whole("a\ud83db🙂") == "a\ufffdb🙂"
    assert whole("plain") == "plain"
