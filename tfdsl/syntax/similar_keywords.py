"""Words that probably mean a keyword: misspelt, or the word of another language for the same thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics.suggest import distance
from tfdsl.syntax import lexer

if TYPE_CHECKING:
    from tfdsl.syntax.recovery import Recovery

# Words of other languages, and names of fields in targets, with the statement that is meant.
FOREIGN_WORDS = {
    "import": "include",
    "const": "let",
    "local": "let",
    "variable": "param",
    "input": "param",
    "task": "role",
    "replica": "role",
    "volume": "mount",
    **dict.fromkeys(("remove", "delete", "del", "drop"), "unset"),
}


def resembling(recovery: Recovery, at: int) -> list[int]:
    """The keywords that the word at token ``at`` may be meant as."""
    lexed = recovery.lexed
    if lexed.types[at] != lexer.NAME:
        return []
    word = lexed.text(at)
    foreign = FOREIGN_WORDS.get(word)
    if foreign is not None:
        return [lexer.KEYWORDS[foreign]]
    return [number for text, number in lexer.KEYWORDS.items() if _is_near(word.lower(), text)]


def _is_near(word: str, keyword: str) -> bool:
    """Whether one letter is missing, added, wrong or swapped; two in a keyword of six letters or more."""
    limit = 2 if len(keyword) >= 6 else 1
    return len(keyword) >= 3 and distance(word, keyword, limit) <= limit
