"""Did you mean …?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def distance(left: str, right: str, limit: int) -> int:
    """Edits (insert, delete, substitute, swap of neighbours) between two words; above ``limit`` any larger number."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    before: list[int] = []
    previous = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        current = [i]
        for j, b in enumerate(right, 1):
            cost = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            current.append(cost)
        if min(current) > limit:
            return limit + 1
        before, previous = previous, current
    return previous[-1]


def closest(word: str, candidates: Iterable[str], aliases: Mapping[str, str] | None = None) -> str | None:
    """The candidate that ``word`` most likely stands for, or ``None``.

    ``aliases`` maps foreign words (compared without regard to case, ``-`` and ``_``) to a candidate and wins.
    """
    folded = _fold(word)
    for alias, candidate in (aliases or {}).items():
        if _fold(alias) == folded:
            return candidate
    best: tuple[int, str] | None = None
    for candidate in candidates:
        if _fold(candidate) == folded:
            return candidate
        limit = 1 if len(word) <= 4 else 2 if len(word) <= 8 else 3
        edits = distance(word.lower(), candidate.lower(), limit)
        if edits <= limit and edits < len(candidate) and (best is None or edits < best[0]):
            best = (edits, candidate)
    return best[1] if best else None


def _fold(word: str) -> str:
    return word.lower().replace("-", "").replace("_", "")


def alias_table(rows: Iterable[tuple[str, Iterable[str]]]) -> dict[str, str]:
    """Alias → name, out of rows of a name and its aliases."""
    return {alias: name for name, aliases in rows for alias in aliases}


def listing(words: Iterable[str]) -> str:
    """``a, b or c``."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else "none"
