"""Some inputs of each kind. ``make fuzz`` goes on with others as long as one likes."""

from __future__ import annotations

import pytest

from tests.fuzz.registry import KINDS, case, order

INPUTS = {
    "brief": 400,
    "given": 250,
    "settings": 250,
    "reading": 100,
    "documents": 40,
    "layout": 20,
    "shown": 40,
    "cost": 15,
    "writing": 60,
    "process": 2,
}
"""How many; "whole" and "mending" have tests of their own."""


@pytest.mark.parametrize("kind", INPUTS)
def test_what_holds_for_every_input_of_a_kind(kind: str) -> None:
    for number in range(INPUTS[kind]):
        case(kind, "make test", number).prove()


def test_each_kind_has_its_turn() -> None:
    assert {*order()} == {*KINDS} == {*INPUTS, "whole", "mending"}


def test_most_jobs_that_are_made_up_are_sound() -> None:
    """What is proved of sound jobs would hold for none."""
    sound = [case("documents", "sound", number).prove() for number in range(40)]
    assert sound.count(True) > 15
