"""A line of bash as far as it is typed: its words without their quotes, and what bash will replace."""

from __future__ import annotations

from typing import Final

from tfdsl.record import Record

_BLANK: Final = " \t\n"
_IN_DOUBLE: Final = '"\\$`!'
"""What a backslash escapes inside of double quotes; ``!`` is history there."""
_KEPT: Final = "@"
"""Separators that belong to the word behind them, because names of hosts begin so for bash."""
_SPECIAL: Final = frozenset(" \t\n\\'\"`$&|;<>()[]{}*?!#~^")


class Word(Record):
    """A word. ``text``: without quotes; ``raw``: as typed; ``quote``: the quote that is open at its end.

    ``breaks``: where in ``raw`` the part begins that bash replaces, and the same place in ``text``.
    """

    text: str
    raw: str
    quote: str = ""
    breaks: tuple[int, int] = (0, 0)


def split(line: str, separators: str) -> list[Word]:
    """The words of ``line``; the last one is being typed, and empty behind a blank.

    ``separators``: the COMP_WORDBREAKS of the shell, at which it breaks a word for completion.
    """
    reader = _Reader(line, separators)
    words: list[Word] = []
    while True:
        end = reader.at
        reader.skip_blanks()
        if reader.at >= len(line):
            return [*words, Word("", "")] if reader.at > end or not words else words
        words.append(reader.word())


class _Reader:
    """Reads one line. What it does not know (``$(…)``) is text."""

    def __init__(self, line: str, separators: str) -> None:
        self.line = line
        self.separators = separators
        self.at = 0

    def skip_blanks(self) -> None:
        """Go to the next word."""
        while self.at < len(self.line) and self.line[self.at] in _BLANK:
            self.at += 1

    def word(self) -> Word:
        """The word that begins here."""
        start = self.at
        text: list[str] = []
        breaks = (0, 0)
        while self.at < len(self.line) and self.line[self.at] not in _BLANK:
            char = self.line[self.at]
            self.at += 1
            if char in "'\"":
                inside = self.at - start, len(text)
                if not self._quoted(char, text):
                    return Word("".join(text), self.line[start:], char, inside)
            elif char == "\\":
                text.append(self.line[self.at : self.at + 1])
                self.at += 1
            else:
                text.append(char)
                if char in self.separators:
                    kept = char in _KEPT
                    breaks = self.at - start - kept, len(text) - kept
        return Word("".join(text), self.line[start : self.at], "", breaks)

    def _quoted(self, quote: str, text: list[str]) -> bool:
        """Read to the end of a quoted part; whether it has one."""
        while self.at < len(self.line):
            char = self.line[self.at]
            self.at += 1
            if char == quote:
                return True
            following = self.line[self.at : self.at + 1]
            if char == "\\" and quote == '"' and following and following in _IN_DOUBLE:
                text.append(following)
                self.at += 1
            else:
                text.append(char)
        return False


def quoted(text: str, quote: str) -> str | None:
    """``text`` for a place inside of ``quote``, or outside of quotes; ``None`` if it cannot be written there."""
    if quote == "'":
        return None if "'" in text else text
    if quote == '"':
        return "".join(f"\\{char}" if char in '"\\$`' else char for char in text)
    return "".join(f"\\{char}" if char in _SPECIAL else char for char in text)
