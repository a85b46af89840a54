"""Every fix of thousands of texts with a mistake: it leads to no new error, and a safe one to what was meant.

``make fuzz`` goes on with other mistakes as long as one likes.
"""

from __future__ import annotations

import random
from itertools import islice
from typing import TYPE_CHECKING

import pytest

from tests.fuzz import makers, mending
from tests.fuzz.mistakes import KINDS, mistaken
from tests.fuzz.programs import corpus
from tests.sampled import sampled
from tests.unit.semantics import test_foreign_habits as habits
from tests.unit.syntax import test_condition_mistakes as conditions
from tests.unit.syntax.test_one_mistake import FILES, IN_JOB, whole

if TYPE_CHECKING:
    from tests.fuzz.mending import Offer

TEXTS = 1200
PARTS = 4

NOT_OF_TEXTS = {
    "tfdsl/lint/rules/nodes.py": "how many GPUs a node has is a setting of the project",
    "tfdsl/semantics/params.py": "a value of the command line is in no file",
    "tfdsl/syntax/values_mistakes.py": "a file of values is not a program",
}
"""Places that make fixes which no text leads to."""


@pytest.mark.slow
def test_every_fix_holds_and_every_place_that_makes_fixes_is_reached() -> None:
    offers: set[Offer] = set()
    with makers.reached() as found:
        for path, wrong in islice(mending.endless("make test"), TEXTS):
            offers.update(mending.prove(path, wrong))
        marked = [whole(item) for item, _, _ in IN_JOB] + [text for text, _, _ in FILES]
        marked += [conditions.whole(item) for _, item, _ in conditions.ITEMS]
        marked += [text for text, _ in habits.CASES] + [habits.whole(item) for item, _, _ in habits.SAID]
        marked.append(conditions.whole("on failed => restart job when true"))
        marked.append(conditions.whole('prepare "Fetch_All" { command = ["fetch"] }'))
        for text in (*corpus(), *(each.replace("»", "") for each in marked)):  # these are wrong in all ways
            mending.settled(mending.checked("page.tfjob", text))
    missed = [place for place in makers.missed(found) if place.partition(":")[0] not in NOT_OF_TEXTS]
    assert missed == []
    assert len({offer.slug for offer in offers if offer.safe}) > 20


@pytest.mark.parametrize("part", sampled(range(PARTS), PARTS))
def test_two_mistakes(part: int) -> None:
    """All safe fixes together still lead to what was meant, if they mend everything; and they settle."""
    chance = random.Random(f"two {part}")
    for (path, first), kind in zip(islice(mending.endless(f"two {part}"), 80), KINDS * 9, strict=False):
        second = mistaken(first.text, kind, chance)
        if second is None or second.meant != first.text:
            continue
        aim, one, both = (mending.checked(path, text) for text in (first.meant, first.text, second.text))
        if not one.errors or not both.errors - one.errors:
            continue  # what is no error says something else
        after = mending.settled(both)
        if not after.errors and aim.jobs is not None:
            assert after.jobs == aim.jobs, after.source.text
