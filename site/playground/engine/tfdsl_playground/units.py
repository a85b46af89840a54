"""Offsets as JavaScript counts them: in units of UTF-16."""

from __future__ import annotations

from bisect import bisect_left


class Units:
    """Translates between the characters of one text and its units."""

    __slots__ = ("_starts", "_wide")

    def __init__(self, text: str) -> None:
        wide = [] if text.isascii() else [at for at, char in enumerate(text) if ord(char) > 0xFFFF]
        self._wide = wide
        self._starts = [at + before for before, at in enumerate(wide)]

    def of(self, offset: int) -> int:
        """The unit at which the character ``offset`` begins."""
        return offset + bisect_left(self._wide, offset)

    def characters(self, unit: int) -> int:
        """The character that ``unit`` is in; the second unit of a character counts as its beginning."""
        return unit - bisect_left(self._starts, unit)


def whole(text: str) -> str:
    """``text`` without halves of characters, which JavaScript's strings can hold and a file cannot."""
    if text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
