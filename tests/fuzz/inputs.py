"""Texts of all sorts for the whole way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fuzz import programs

if TYPE_CHECKING:
    import random


def one(chance: random.Random, texts: list[str]) -> bytes:
    """One input of a kind that chance picks."""
    kind = chance.randrange(10)
    if kind < 4:
        text = programs.program(chance)
    elif kind < 6:
        text = programs.mutated(programs.program(chance), chance)
    elif kind < 8:
        text = programs.mutated(chance.choice(texts), chance)
    elif kind == 8:
        text = "".join(chance.choice(programs.NOISE) for _ in range(chance.randrange(60)))
    else:
        text = chance.choice(texts)
    if chance.random() < 0.1:
        text = text.replace("\n", "\r\n")
    data = text.encode("utf-8", "surrogatepass")
    if chance.random() < 0.05:
        data = b"\xef\xbb\xbf" + data
    return programs.blurred(data, chance) if chance.random() < 0.1 else data
