"""Text on a narrow terminal."""

from __future__ import annotations

NARROW = 80
"""From this many columns, the terminal's own line breaks are good enough; they can be copied as one line."""


def fold(text: str, first: int, others: int) -> list[str]:
    """``text`` in lines of at most ``first``, then ``others`` characters; words are never broken."""
    lines: list[str] = []
    line, room = "", first
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > room:
            lines.append(line)
            line, room = word, others
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]
