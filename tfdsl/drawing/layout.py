"""Where everything in the picture of a job is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tfdsl.drawing.layers import Edge, Graph, Node
from tfdsl.drawing.picture import FRAME, Box, Link, Picture
from tfdsl.drawing.routes import Route, route
from tfdsl.drawing.sizes import Section, Sized, Text, frame_texts, label_size, label_texts, sized
from tfdsl.record import Record

MARGIN: Final = 16.0
_GAP: Final = 28.0
"""Between the boxes of a row."""
_PADDING: Final = 18.0
"""Inside the frame."""
_SHORTEST: Final = 13.0
"""From a row to the next row of labels."""
_ACROSS: Final = 1100.0
"""How wide a row of stores or objects may be."""


class Placed(Record):
    """A box at its place: its upper left corner."""

    sized: Sized
    x: float
    y: float


class Frame(Record):
    """The frame around the roles of a job, with what holds for the whole job at its top."""

    x: float
    y: float
    width: float
    height: float
    texts: tuple[Text, ...]
    sections: tuple[Section, ...]


class Label(Record):
    """The label of a link: its upper left corner, beside the link."""

    texts: tuple[Text, ...]
    x: float
    y: float


class Drawn(Record):
    """A link with its way, which begins at its upper end, and its label. ``down``: its target is the lower end."""

    link: Link
    route: Route
    label: Label | None
    down: bool


class Layout(Record):
    """A picture with places for all of it."""

    picture: Picture
    width: float
    height: float
    frame: Frame
    boxes: tuple[Placed, ...]
    links: tuple[Drawn, ...]


def layout(picture: Picture) -> Layout:
    """Put the boxes and links of ``picture`` somewhere."""
    return _Layout(picture).made()


class _Layout:
    """One picture: objects of the target above the frame of the job, its roles in it, stores below it."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.graph = Graph()
        self.sizes = {box.id: sized(box) for box in picture.boxes}
        self.nodes: dict[str, Node] = {}
        self.top, self.bottom = self._rows()
        self.edges = [(link, self._edge(link)) for link in picture.links]
        self.rows = self.graph.arrange()
        self.texts, self.sections, self.header = frame_texts(f"job {picture.title}", picture.lines)
        self.tops, self.heights = self._heights()

    # --- rows ---

    def _rows(self) -> tuple[int, int]:
        """Give each box its row; the rows of the upper and the lower edge of the frame."""
        row = self._wrapped(self.picture.of_kind("object"), 0)
        top = row
        ranks = role_ranks(self.picture)
        for box in self.picture.of_kind("role"):
            self._add(box, top + 2 + 2 * ranks[box.id])
        bottom = top + 4 + 2 * max(ranks.values(), default=0)
        self._wrapped(self.picture.of_kind("store"), bottom + 2)
        return top, bottom

    def _wrapped(self, boxes: Sequence[Box], row: int) -> int:
        """Put ``boxes`` into as many rows as they need; the row after them."""
        used = 0.0
        for box in boxes:
            wide = self.sizes[box.id].width + _GAP
            if used and used + wide > _ACROSS:
                row, used = row + 2, 0.0
            used += wide
            self._add(box, row)
        return row + 2 if boxes else row

    def _add(self, box: Box, row: int) -> None:
        size = self.sizes[box.id]
        self.nodes[box.id] = self.graph.box(row, size.width, size.height, _GAP)

    def _edge(self, link: Link) -> tuple[Edge, list[Text]]:
        texts = label_texts(link.label, link.path) if link.label else []
        ends = [self.nodes.get(end) for end in (link.source, link.target)]
        other = next(end for end in ends if end is not None)
        source, target = (self.graph.point(self._port(other)) if end is None else end for end in ends)
        low = link.kind not in ("peers", "after")
        return self.graph.link(source, target, label_size(texts) if texts else None, low=low), texts

    def _port(self, other: Node) -> int:
        """The row of the edge of the frame that a link to ``other`` begins at."""
        return self.top if other.row < self.top else self.bottom

    # --- heights ---

    def _heights(self) -> tuple[list[float], list[float]]:
        """The upper edge and the height of each row."""
        heights = [max((node.height for node in row), default=0.0) for row in self.rows]
        heights += [0.0] * (self.bottom + 1 - len(heights))
        tops: list[float] = []
        y = MARGIN
        for row, height in enumerate(heights):
            tops.append(y)
            y += height + self._below(row)
        return tops, heights

    def _below(self, row: int) -> float:
        """The room below a row."""
        nodes = self.rows[row] if row < len(self.rows) else []
        if row == self.top:
            return self.header
        if row == self.top + 1:
            return 0.0
        moves = [abs(other.x - node.x) for node in nodes for other in node.below]
        room = max(_SHORTEST, min(56.0, 0.22 * max(moves, default=0.0)))
        empty = not any(node.height for node in nodes) and row % 2 == 1
        return max(room, _PADDING / 2) if not empty else room

    # --- places ---

    def made(self) -> Layout:
        """Everything at its place."""
        inside = [node for row in self.rows[self.top : self.bottom + 1] for node in row]
        left = min((node.x - node.left for node in inside), default=0.0) - _PADDING
        right = max((node.x + node.right for node in inside), default=0.0) + _PADDING
        wanted = max(text.x + text.room for text in self.texts) + _PADDING
        if right - left < wanted:
            middle = (left + right) / 2
            left, right = middle - wanted / 2, middle + wanted / 2
        outside = [node for row in self.rows for node in row]
        shift = MARGIN - min([left, *(node.x - node.left for node in outside)])
        for node in outside:
            node.x += shift
        frame = self._frame(left + shift, right + shift)
        ends = [frame.x + frame.width, *(node.x + node.right for node in outside)]
        boxes = tuple(self._placed(box) for box in self.picture.boxes)
        drawn = tuple(self._drawn())
        height = max(self.tops[-1] + self.heights[-1], frame.y + frame.height) + MARGIN
        return Layout(self.picture, max(ends) + MARGIN, height, frame, boxes, drawn)

    def _frame(self, left: float, right: float) -> Frame:
        top, bottom = self.tops[self.top], self.tops[self.bottom]
        return Frame(left, top, right - left, bottom - top, tuple(self.texts), tuple(self.sections))

    def _placed(self, box: Box) -> Placed:
        node = self.nodes[box.id]
        return Placed(self.sizes[box.id], node.x - node.left, self.tops[node.row])

    def _drawn(self) -> list[Drawn]:
        drawn: list[Drawn] = []
        for link, (edge, texts) in self.edges:
            way = route(edge, self.tops, self.heights)
            label = None
            if edge.label is not None:
                label = Label(tuple(texts), edge.label.x, self.tops[edge.label.row])
            drawn.append(Drawn(link, way, label, self._row(link.source) < self._row(link.target)))
        return drawn

    def _row(self, end: str) -> float:
        """The row of an end of a link; the frame is above what is below it."""
        return (self.top + self.bottom) / 2 if end == FRAME else self.nodes[end].row


def role_ranks(picture: Picture) -> dict[str, int]:
    """The row of each role: whoever starts after another is above it, and so is the first of two that talk."""
    roles = [box.id for box in picture.of_kind("role")]
    below: dict[str, set[str]] = {role: set() for role in roles}
    for link in sorted(picture.links, key=lambda one: one.kind != "after"):  # these decide
        if link.kind in ("after", "peers"):
            upper, lower = (link.source, link.target)
            if _reaches(below, lower, upper):
                upper, lower = lower, upper
            below[upper].add(lower)
    ranks = dict.fromkeys(roles, 0)
    for _ in roles:
        for role in roles:
            for other in below[role]:
                ranks[other] = max(ranks[other], ranks[role] + 1)
    last = max(ranks.values(), default=0)
    linked = {end for role in roles for end in (role, *below[role]) if below[role]}
    return {role: rank if role in linked else last for role, rank in ranks.items()}


def _reaches(below: Mapping[str, set[str]], start: str, end: str) -> bool:
    waiting, seen = [start], {start}
    while waiting:
        here = waiting.pop()
        if here == end:
            return True
        new = below[here] - seen
        seen |= new
        waiting += sorted(new)
    return False
