"""Words that are probably a keyword: misspelt, or the word of another language for the same thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.syntax import lexer

if TYPE_CHECKING:
    from tfdsl.syntax.recovery import Recovery

# Words of other languages, and of the fields that targets have for a thing, with the statement that is meant.
FOREIGN_WORDS = {
    "import": "include",
    "const": "let",
    "local": "let",
    "variable": "param",
    "input": "param",
    "task": "role",
    "replica": "role",
    "volume": "mount",
    "when": "on",
}


def resembling(at_work: Recovery, at: int) -> list[int]:
    """The keywords that the word at token ``at`` may be a misspelling of."""
    lexed = at_work.lexed
    if lexed.types[at] != lexer.NAME:
        return []
    word = lexed.text(at)
    foreign = FOREIGN_WORDS.get(word)
    if foreign is not None:
        return [lexer.KEYWORDS[foreign]]
    return [number for text, number in lexer.KEYWORDS.items() if is_near(word.lower(), text)]


def is_near(word: str, other: str) -> bool:
    """One letter too many, too few, wrong, or two exchanged (two such slips in a word of six or more)."""
    limit = 2 if len(other) >= 6 else 1
    if len(other) < 3 or abs(len(word) - len(other)) > limit:
        return False
    return _distance(word, other) <= limit


def _distance(word: str, other: str) -> int:
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(word, 1):
        before, last, row = row, before, [i]
        for j, wanted in enumerate(other, 1):
            step = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == wanted:
                step = min(step, last[j - 2] + 1)
            row.append(step)
    return row[-1]
