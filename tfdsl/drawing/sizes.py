"""How large a box is, and where its texts are in it.

The widths of texts are those of Helvetica (Adobe Font Metrics), which Arial and Liberation Sans share; the SVG asks for
them, so that a text of another font takes no more room.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.drawing.picture import Box, Line


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


def width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of ``text`` in a font of ``size``, in the same unit."""
    units = sum(_TABLE.get(char) or _other(char) for char in text)
    return units / 1000 * size * (_BOLD if bold else 1)


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


Shape: TypeAlias = Literal["card", "cylinder", "sheet", "table", "object"]
TextKind: TypeAlias = Literal[
    "name", "what", "count", "title", "fact", "object", "step", "space", "policy", "default policy", "item", "label"
]

TITLE: Final = 15.0
TEXT: Final = 12.0
LINE: Final = 18.0
PAD: Final = 12.0
STACK: Final = 4.0
"""How far each further card of a pile is behind the one before it."""
WIDEST: Final = 250.0
"""The most room for a text in a box; a longer one is shortened."""
WIDEST_ITEM: Final = 420.0
NARROWEST: Final = 96.0
CAP: Final = 8.0
"""Half the height of the top of a cylinder."""
_SECTION: Final = 8.0
_NOTES = ("policy", "default policy")


class Text(Record):
    """A text at a place. ``x``, ``y``: the left end of its base line, relative to its box. ``whole``: unshortened."""

    kind: TextKind
    text: str
    whole: str
    x: float
    y: float
    size: float
    path: str = ""

    @property
    def bold(self) -> bool:
        """Whether it is in bold letters."""
        return self.kind in ("name", "title")

    @property
    def room(self) -> float:
        """The width of the text, as it is drawn."""
        return width(self.text, self.size, bold=self.bold)


class Section(Record):
    """Lines of one background: from ``y``, of a ``height``; relative to the box."""

    kind: Literal["notes", "objects"]
    y: float
    height: float


class Sized(Record):
    """A box with its size. ``pile``: cards that show behind it, which are within its size too."""

    box: Box
    shape: Shape
    width: float
    height: float
    texts: tuple[Text, ...]
    sections: tuple[Section, ...] = ()
    pile: int = 0


def shape_of(box: Box) -> Shape:
    """How a box is drawn."""
    if box.kind in ("role", "run"):
        return "card"
    if box.kind == "object":
        return "object"
    if not box.what:
        return "table"
    return "sheet" if box.what in ("Secret", "ConfigMap") else "cylinder"


def sized(box: Box) -> Sized:
    """``box`` with the size that its texts need."""
    shape = shape_of(box)
    pile = min(box.count - 1, 2)
    y = PAD + (CAP * 2 if shape == "cylinder" else 0) + pile * STACK
    widest = WIDEST_ITEM if shape == "table" else WIDEST
    texts: list[Text] = []
    if box.what and shape != "card":
        y += TEXT - 2
        texts.append(_text("what", box.what, PAD, y, TEXT - 1, widest, box.path))
        y += 4
    y += TITLE - 2
    texts.append(_text("name", box.name, PAD, y, TITLE, widest, box.path))
    room = texts[-1].room
    if box.count > 1:
        texts.append(_text("count", f"×{box.count:,}", PAD + room + 10, y, TITLE, widest, box.path))
        room += 10 + texts[-1].room
    y += 6
    sections, y = _lines(box.lines, y, widest, texts)
    inner = max([room, *(text.room for text in texts if text.kind not in ("name", "count"))], default=0)
    wide = max(NARROWEST, inner + 2 * PAD) + pile * STACK
    return Sized(box, shape, wide, y + PAD - 6, tuple(texts), tuple(sections), pile)


def _lines(lines: Iterable[Line], y: float, widest: float, texts: list[Text]) -> tuple[list[Section], float]:
    """Put ``lines`` below each other; gives their sections, and where they end."""
    sections: list[Section] = []
    group = ""
    start = y
    for line in lines:
        section = "notes" if line.kind in _NOTES else "objects" if line.kind == "object" else "plain"
        if section != group:
            _close(sections, group, start, y)
            y += 0 if not group or (group == "plain" and section == "plain") else _SECTION
            group, start = section, y
        y += LINE
        texts.append(_text(line.kind, line.text, PAD, y - 5, TEXT, widest, line.path))
    _close(sections, group, start, y)
    return sections, y + (4 if group == "notes" else 0)


def _close(sections: list[Section], group: str, start: float, end: float) -> None:
    if group == "notes":
        sections.append(Section("notes", start, end - start))
    elif group == "objects":
        sections.append(Section("objects", start, end - start))


def _text(kind: TextKind, text: str, x: float, y: float, size: float, room: float, path: str) -> Text:
    return Text(kind, shortened(text, size, room, bold=kind == "name"), text, x, y, size, path)


def label_texts(label: str, path: str) -> list[Text]:
    """The lines of the label of a link, from its upper left corner."""
    return [
        _text("label", line, 6, LINE * number + 11, TEXT - 1, WIDEST, path)
        for number, line in enumerate(label.split("\n"))
    ]


def label_size(texts: Sequence[Text]) -> tuple[float, float]:
    """The width and the height of a label."""
    return max(text.room for text in texts) + 8, LINE * len(texts)


def frame_texts(title: str, lines: Sequence[Line]) -> tuple[list[Text], list[Section], float]:
    """The texts at the top of the frame of a job, and the height that they need."""
    texts = [_text("title", title, 16, 26, TITLE + 2, 3 * WIDEST, "")]
    sections, y = _lines(lines, 34, 2.4 * WIDEST, texts)
    return [_moved(text) for text in texts], sections, y + 10


def _moved(text: Text) -> Text:
    return text if text.kind == "title" else Text(text.kind, text.text, text.whole, 16, text.y, text.size, text.path)
