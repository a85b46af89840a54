"""The kinds of inputs. One input of a kind is made from a seed and its number alone, so that it can be made again."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

from tests.fuzz.kinds import (
    brief,
    cost,
    documents,
    given,
    imported,
    layout,
    process,
    reading,
    settings,
    shown,
    trees,
    whole,
    writing,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fuzz.case import Case


class Kind(NamedTuple):
    """A kind of inputs. ``share``: how many of a thousand inputs are of it."""

    make: Callable[[random.Random], Case]
    share: int


KINDS = {
    "brief": Kind(brief.make, 220),
    "given": Kind(given.make, 286),
    "settings": Kind(settings.make, 290),
    "reading": Kind(reading.make, 140),
    "trees": Kind(trees.make, 10),
    "documents": Kind(documents.make, 10),
    "imported": Kind(imported.make, 4),
    "layout": Kind(layout.make, 8),
    "shown": Kind(shown.make, 12),
    "cost": Kind(cost.make, 5),
    "whole": Kind(whole.make, 6),
    "writing": Kind(writing.make, 6),
    "mending": Kind(whole.make_mistake, 2),
    "process": Kind(process.make, 1),
}


def case(kind: str, seed: int | str, number: int) -> Case:
    """The input ``number`` of a kind from ``seed``."""
    return KINDS[kind].make(random.Random(f"{seed} {kind} {number}"))


def order() -> list[str]:
    """A thousand kinds, as many of each as its share, mixed."""
    found = [name for name, kind in KINDS.items() for _ in range(kind.share)]
    random.Random("order").shuffle(found)
    return found
