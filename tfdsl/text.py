"""Source texts and places in them.

A place is a :class:`Span`, a half-open range of character offsets in one :class:`Source`. Lines and
columns, counted from 1, are computed only when something is shown, so spans are cheap to create.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple


class Source:
    """One text and its name in messages.

    ``path`` is what the user wrote on the command line (``-`` becomes ``<stdin>``); ``text`` has no byte order
    mark. ``origin`` is the file that relative names are resolved against, or ``None`` for a text without a file.
    """

    __slots__ = ("_starts", "origin", "path", "text")

    def __init__(self, path: str, text: str, origin: str | None = None) -> None:
        self.path = path
        self.text = text
        self.origin = origin
        self._starts: list[int] | None = None

    @property
    def file(self) -> str | None:
        """The file that the text is in: a text that only has its includes beside ``origin`` has another name."""
        return self.origin if self.origin == self.path else None

    @property
    def line_starts(self) -> list[int]:
        """Offset of the first character of every line."""
        if self._starts is None:
            starts = [0]
            find = self.text.find
            at = find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = find("\n", at + 1)
            self._starts = starts
        return self._starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of ``offset``, both from 1, the column in characters."""
        starts = self.line_starts
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def line(self, number: int) -> str:
        """Text of line ``number`` (from 1) without its line end."""
        starts = self.line_starts
        begin = starts[number - 1]
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[begin:end].rstrip("\r\n")

    def offset(self, line: int, column: int) -> int:
        """Offset of ``line`` and ``column`` (from 1), kept inside the line."""
        starts = self.line_starts
        if line > len(starts):
            return len(self.text)
        return starts[line - 1] + min(column - 1, len(self.line(line)))

    def __repr__(self) -> str:
        return f"Source({self.path!r})"


class Span(NamedTuple):
    """Characters ``start`` to ``end`` (exclusive) of ``source``."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        """The characters that the span covers."""
        return self.source.text[self.start : self.end]

    @property
    def path_and_line(self) -> tuple[str, int]:
        """The path of the source and the line (from 1) where the span begins, as messages name it."""
        return self.source.path, self.source.position(self.start)[0]

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of ``other`` (same source)."""
        return Span(self.source, self.start, other.end)


class Argument(NamedTuple):
    """A text that is not in a job, but of the command line, a Python program or the settings, and its place there."""

    text: str
    span: Span
