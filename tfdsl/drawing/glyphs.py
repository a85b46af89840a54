"""How wide a text is in a picture, without a font.

The widths are those of Helvetica (Adobe Font Metrics), which Arial and Liberation Sans share. For other fonts, boxes
leave some room beside their texts.
"""

from __future__ import annotations

from typing import Final

_WIDTHS: Final = (
    (222, "ijl'"),
    (260, "|"),
    (278, " !,./:;I[\\]ft"),
    (333, "()-`r"),
    (334, "{}"),
    (355, '"'),
    (389, "*"),
    (469, "^"),
    (500, "cksvxyzJ"),
    (556, "#$0123456789?L_abdeghnopqu"),
    (584, "+<=>~"),
    (611, "FTZ"),
    (667, "&ABEKPSVXY"),
    (722, "CDHNRUw"),
    (778, "GOQ"),
    (833, "Mm"),
    (889, "%"),
    (944, "W"),
    (1015, "@"),
    (350, "•·"),
    (1000, "…→"),
    (556, "–"),
)
_TABLE: Final = {char: width for width, chars in _WIDTHS for char in chars}
_OTHER: Final = 700
_WIDE: Final = 1100
_BOLD: Final = 1.08
_SLACK: Final = 1.06
"""Fonts that stand in for Helvetica are a little wider."""


def width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of ``text`` in a font of ``size``, in the same unit."""
    units = sum(_TABLE.get(char) or _other(char) for char in text)
    return units / 1000 * size * _SLACK * (_BOLD if bold else 1)


def _other(char: str) -> int:
    from unicodedata import category, east_asian_width

    if category(char) in ("Mn", "Me", "Cf"):
        return 0
    return _WIDE if east_asian_width(char) in "WF" or ord(char) >= 0x1F000 else _OTHER


def shortened(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """``text`` if it fits into ``room``, else its beginning and its end with ``…`` between."""
    if width(text, size, bold=bold) <= room:
        return text
    room -= width("…", size, bold=bold)
    tail = _end(text[::-1], size, room * 0.4, bold=bold)
    head = _end(text, size, room - width(text[len(text) - tail :], size, bold=bold), bold=bold)
    return f"{text[:head]}…{text[len(text) - tail :] if tail else ''}"


def _end(text: str, size: float, room: float, *, bold: bool) -> int:
    """How many characters of ``text`` fit into ``room``."""
    used = 0.0
    for number, char in enumerate(text):
        used += width(char, size, bold=bold)
        if used > room:
            return number
    return len(text)
