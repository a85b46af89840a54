"""Text on a narrow terminal."""

from __future__ import annotations

NARROW = 80
"""Columns from which on a terminal's own way to break lines is good enough; it can be copied as one line."""


def fold(text: str, first: int, others: int) -> list[str]:
    """``text`` in lines of at most ``first``, then ``others`` characters; a word is never broken."""
    lines: list[str] = []
    line, room = "", first
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > room:
            lines.append(line)
            line, room = word, others
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]
