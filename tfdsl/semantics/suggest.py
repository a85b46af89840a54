"""Did you mean …?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tfdsl.diagnostics import Diagnostic


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

    ``aliases`` maps foreign words (as :func:`alias_table` writes them, without regard to case, ``-`` and ``_``) to a
    candidate and wins.
    """
    folded = _fold(word)
    if aliases is not None and folded in aliases:
        return aliases[folded]
    lower = word.lower()
    letters = set(lower)
    best: tuple[int, str] | None = None
    limit = _limit(word)
    for candidate in candidates:
        if _fold(candidate) == folded:
            return candidate
        other = candidate.lower()
        if len(letters.symmetric_difference(other)) > 2 * limit:
            continue  # an edit changes at most two letters
        edits = distance(lower, other, limit)
        if edits <= limit and edits < len(candidate) and (best is None or edits < best[0]):
            best = (edits, candidate)
    return best[1] if best else None


def offering(found: Diagnostic, near: str, aliases: Mapping[str, str] | None = None) -> Diagnostic:
    """``found``, about a misspelt name, with the name that was meant and the fix that writes it."""
    written = found.span.text
    sure = is_sure(written, near) or (aliases is not None and _fold(written) in aliases)
    return found.help(f"did you mean {near}?").replacing(f"write {near}", near, safe=sure)


def is_sure(written: str, near: str) -> bool:
    """Whether ``near``, which :func:`closest` gave for ``written``, can be written without asking.

    So it is for another way of writing the same word, and for one letter (and for another tool's word).
    """
    if _fold(written) == _fold(near):
        return True
    left, right = written.lower(), near.lower()
    if len(left) == len(right):
        return sum(a != b for a, b in zip(left, right, strict=True)) == 1
    return distance(left, right, 1) == 1


def _limit(word: str) -> int:
    """Edits that a misspelt ``word`` may be away."""
    return 1 if len(word) <= 4 else 2 if len(word) <= 8 else 3


def _fold(word: str) -> str:
    return word.lower().replace("-", "").replace("_", "")


def alias_table(rows: Iterable[tuple[str, Iterable[str]]]) -> dict[str, str]:
    """Alias → name, out of rows of a name and its aliases."""
    return {_fold(alias): name for name, aliases in rows for alias in aliases}


def listing(words: Iterable[str]) -> str:
    """``a, b or c``."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else "none"
