"""Which lines of two texts are the same ones, in bounded time for any two texts."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

MOST: Final = 4_000_000
"""Pairs of lines that are compared; beyond that only the beginning and the end that two texts have in common count."""


def blocks(one: Sequence[Hashable], other: Sequence[Hashable]) -> Iterator[tuple[int, int, int]]:
    """Runs of equal lines: where each begins in ``one`` and in ``other`` (from 0), and its length."""
    shortest = min(len(one), len(other))
    head = 0
    while head < shortest and one[head] == other[head]:
        head += 1
    tail = 0
    while tail < shortest - head and one[-1 - tail] == other[-1 - tail]:
        tail += 1
    if head:
        yield 0, 0, head
    inner, outer = one[head : len(one) - tail], other[head : len(other) - tail]
    if inner and outer and len(inner) * len(outer) <= MOST:
        for block in SequenceMatcher(None, inner, outer, autojunk=False).get_matching_blocks():
            if block.size:
                yield head + block.a, head + block.b, block.size
    if tail:
        yield len(one) - tail, len(other) - tail, tail


def unmatched(one: Sequence[Hashable], other: Sequence[Hashable]) -> tuple[list[int], int]:
    """The lines of ``other`` that are not in ``one``, and how many of ``one`` are not in ``other``."""
    matched: set[int] = set()
    for _, start, length in blocks(one, other):
        matched.update(range(start, start + length))
    return [number for number in range(len(other)) if number not in matched], len(one) - len(matched)
