"""Suggestions for misspelt words and for words of other tools, and lists of words in messages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from tfdsl.diagnostics import Diagnostic


class Named(Protocol):
    """A row of a table of the vocabulary."""

    @property
    def name(self) -> str:
        """Its name in this language."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Words of other tools with the same meaning."""

    @property
    def akin(self) -> tuple[str, ...]:
        """Words of other tools for something similar."""


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
    """The candidate that ``word`` most likely means, or ``None``.

    ``aliases`` maps foreign words (as :func:`alias_table` writes them, ignoring case, ``-`` and ``_``) to a candidate
    and takes precedence.
    """
    folded = fold(word)
    if aliases is not None and folded in aliases:
        return aliases[folded]
    lower = word.lower()
    letters = set(lower)
    best: tuple[int, str] | None = None
    limit = 1 if len(word) <= 4 else 2 if len(word) <= 8 else 3
    for candidate in candidates:
        if fold(candidate) == folded:
            return candidate
        other = candidate.lower()
        if len(letters.symmetric_difference(other)) > 2 * limit:
            continue  # an edit changes at most two letters
        edits = distance(lower, other, limit)
        if edits <= limit and edits < len(candidate) and (best is None or edits < best[0]):
            best = (edits, candidate)
    return best[1] if best else None


def offering(
    diagnostic: Diagnostic, near: str, names: Iterable[str], aliases: Mapping[str, str] | None = None
) -> Diagnostic:
    """``diagnostic``, about a misspelt word of the language, with the likely word and a fix that writes it.

    ``names`` are all the words that are allowed there.
    """
    written = diagnostic.span.text
    return _proposing(diagnostic, near, safe=is_sure(written, near, names) or _means(written, aliases))


def proposing(diagnostic: Diagnostic, near: str) -> Diagnostic:
    """``diagnostic``, about a name that the user chose, with the likely name as a fix that is offered, not applied."""
    return _proposing(diagnostic, near, safe=False)


def _proposing(diagnostic: Diagnostic, near: str, *, safe: bool) -> Diagnostic:
    return diagnostic.help(f"did you mean {near}?").replacing(f"write {near}", near, safe=safe)


def meant(
    diagnostic: Diagnostic,
    word: str,
    names: Collection[str],
    aliases: Mapping[str, str] | None = None,
    otherwise: str | None = None,
) -> Diagnostic:
    """``diagnostic``, about the unknown ``word``, with the likely one of ``names``, else the help ``otherwise``."""
    near = closest(word, names, aliases)
    if near is not None:
        return offering(diagnostic, near, names, aliases)
    return diagnostic if otherwise is None else diagnostic.help(otherwise)


def is_sure(written: str, near: str, names: Iterable[str]) -> bool:
    """Whether ``near``, which :func:`closest` returned for ``written``, can replace it without asking.

    That is so for another spelling of the same word, and for one wrong letter if no other of ``names`` is as close. If
    a digit is the difference, as in ``worker2``, something else was meant.
    """
    if fold(written) == fold(near):
        return True
    if len(near) < _LEAST_SURE or sum(map(str.isdigit, written)) != sum(map(str.isdigit, near)):
        return False
    return _is_one_letter_off(written, near) and not any(
        name != near and distance(written.lower(), name.lower(), 1) <= 1 for name in names
    )


_LEAST_SURE = 3
"""The fewest letters of a word for which one wrong letter leaves no doubt."""


def _is_one_letter_off(written: str, near: str) -> bool:
    left, right = written.lower(), near.lower()
    if len(left) == len(right):
        return sum(a != b for a, b in zip(left, right, strict=True)) == 1
    return distance(left, right, 1) == 1


def _means(written: str, aliases: Mapping[str, str] | None) -> bool:
    """Whether ``written`` is a word of another tool with the same meaning."""
    if isinstance(aliases, Aliases):
        return aliases.mean_same(written)
    return aliases is not None and fold(written) in aliases


def fold(word: str) -> str:
    """``word`` in the form in which words are compared: without case, ``-`` and ``_``."""
    return word.lower().replace("-", "").replace("_", "")


class Aliases(dict[str, str]):
    """Word of another tool → name. ``akin``: the words with only a similar meaning."""

    akin: frozenset[str] = frozenset()

    def mean_same(self, word: str) -> bool:
        """Whether ``word`` is one of them and has the same meaning as its name."""
        return fold(word) in self and fold(word) not in self.akin


def alias_table(rows: Iterable[tuple[str, Iterable[str]]], akin: Iterable[tuple[str, Iterable[str]]] = ()) -> Aliases:
    """Alias → name, from rows of a name and its aliases; those in ``akin`` have only a similar meaning."""
    table = Aliases((fold(alias), name) for name, aliases in rows for alias in aliases)
    like = {fold(alias): name for name, aliases in akin for alias in aliases}
    table.akin = frozenset(like)
    table.update(like)
    return table


def folded(notes: Mapping[str, str]) -> dict[str, str]:
    """``notes`` about words of other tools, with the words in the form of :func:`fold`."""
    return {fold(word): note for word, note in notes.items()}


def words_of(rows: Iterable[Named]) -> Aliases:
    """The words of other tools for the ``rows`` of a table."""
    rows = list(rows)
    return alias_table(((row.name, row.aliases) for row in rows), ((row.name, row.akin) for row in rows))


MOST_LISTED = 24
"""The most words that a message lists; a fixed set of values may have thousands."""


def enumeration(words: Iterable[str]) -> str:
    """``a, b and c``."""
    return _joined(list(words), "and") or "nothing"


def listing(words: Iterable[str]) -> str:
    """``a, b or c``."""
    return _joined(list(words), "or") or "none"


def _joined(words: Sequence[str], conjunction: str) -> str:
    """All ``words``; of more than ``MOST_LISTED`` the first ones and how many there are."""
    if len(words) > MOST_LISTED:
        return f"{', '.join(words[: MOST_LISTED - 1])} … ({len(words):,} in all)"
    return f"{', '.join(words[:-1])} {conjunction} {words[-1]}" if len(words) > 1 else "".join(words)
