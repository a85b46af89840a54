"""The inputs of all kinds on the whole way, and mistakes whose fixes are proved."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tests.fuzz import inputs, mending, programs
from tests.fuzz.case import Case, kept
from tests.fuzz.mistakes import KINDS, mistaken
from tests.fuzz.target import run

if TYPE_CHECKING:
    import random


@cache
def _corpus() -> list[str]:
    return programs.corpus()


def make(chance: random.Random) -> Case:
    """Programs, broken programs and bytes."""
    data = inputs.one(chance, _corpus())
    return Case(lambda: run(data), {".tfjob": data})


def make_mistake(chance: random.Random) -> Case:
    """A sound text with a mistake; the text that was meant is kept beside it."""
    while True:
        path, text = mending.a_text(chance)
        wrong = mistaken(text, chance.choice(KINDS), chance)
        if wrong is not None:
            break
    return Case(lambda: mending.prove(path, wrong), {".tfjob": kept(wrong.text), ".meant.tfjob": kept(wrong.meant)})
