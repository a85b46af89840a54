r"""Places as the protocol counts them: lines from 0, and within a line the units of an encoding.

Source: Language Server Protocol 3.17, "Position": lines end in ``\n``, ``\r\n`` or ``\r``; a character beyond the
end of its line counts as the end.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import Literal, TypeAlias

from tfdsl.patterns import regex

Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]
ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
DEFAULT: Encoding = "utf-16"

_LINE_END = regex(r"\r\n|\n|\r")


def negotiated(offered: Iterable[str] | None) -> Encoding:
    """The first encoding that a client offers and that is known; UTF-16 if it offers no known one."""
    known: dict[str, Encoding] = {encoding: encoding for encoding in ENCODINGS}
    for one in offered or ():
        if one in known:
            return known[one]
    return DEFAULT


def _line_starts(text: str) -> list[int]:
    if "\r" in text and text.count("\r") != text.count("\r\n"):
        return [0, *(match.end() for match in _LINE_END.finditer(text))]
    starts = list(accumulate([len(line) + 1 for line in text.split("\n")], initial=0))
    starts.pop()  # the end of the last line is not the start of another
    return starts


class Lines:
    """The lines of one text. Everything that is asked for is kept inside the text."""

    __slots__ = ("_ascii", "_starts", "encoding", "text")

    def __init__(self, text: str, encoding: Encoding) -> None:
        self.text = text
        self.encoding = encoding
        self._ascii = encoding == "utf-32" or text.isascii()
        self._starts = _line_starts(text)

    def _end(self, line: int) -> int:
        """Offset of the line end, or of the end of the text."""
        if line + 1 == len(self._starts):
            return len(self.text)
        end = self._starts[line + 1] - 1
        return end - 1 if self.text.startswith("\r\n", end - 1) and end > self._starts[line] else end

    def offset(self, line: int, character: int) -> int:
        """Offset in characters of a position."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.text)
        start, end = self._starts[line], self._end(line)
        units = max(character, 0)
        if self._ascii:
            return min(start + units, end)
        for at in range(start, end):
            units -= self._units(self.text[at])
            if units < 0:
                return at
        return end

    def position(self, offset: int) -> tuple[int, int]:
        """Line and character of an offset; inside a line end that is the end of the line."""
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        end = min(offset, self._end(line))
        if self._ascii:
            return line, end - start
        return line, sum(self._units(char) for char in self.text[start:end])

    def line_start(self, line: int) -> int:
        """Offset of the first character of a line."""
        return self._starts[min(max(line, 0), len(self._starts) - 1)]

    def units(self, start: int, end: int) -> int:
        """Length of a piece of one line."""
        return end - start if self._ascii else sum(self._units(char) for char in self.text[start:end])

    def _units(self, char: str) -> int:
        code = ord(char)
        if self.encoding == "utf-16":
            return 2 if code > 0xFFFF else 1
        if code < 0x80:
            return 1
        return 2 if code < 0x800 else 3 if code < 0x10000 else 4
