"""Where everything in the picture of a job is.

There are three bands: a row of objects of the target, the frame with rows of roles, and a row of stores. Each row is in
the middle. Links go down from row to row, curved between them. One that passes rows of roles has a lane of its own on
their right, and where there are labels between two rows, all links have places beside each other. The same picture
always gives the same layout.

All of this is said, and named, for links that go down. In a picture whose links go to the right, rows are columns: the
same with x for y and the width for the height, but for texts, which stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from tfdsl.drawing.picture import FRAME, Box, Direction, Link, Picture
from tfdsl.drawing.sizes import Section, Sized, Text, frame_texts, label_size, label_texts, sized
from tfdsl.record import Record

MARGIN: Final = 16.0
_GAP: Final = 28.0
"""Between the boxes of a row."""
_PADDING: Final = 18.0
"""Inside the frame."""
_APART: Final = 16.0
"""Between two links that are beside each other."""
_CORNER: Final = 18.0
"""How far from the corner of a box links begin."""
_OF_ROWS: Final = ("peers", "after", "succeeded", "failed", "ended")
"""Links that decide in which row a role, or a job of a flow, is."""
_CURVE: Final = (13.0, 56.0)
"""The least and the most height of the curves between two rows."""

Point: TypeAlias = tuple[float, float]
Route: TypeAlias = tuple[Point, ...]
"""The points of a way from above to below; from each to the next it is straight if one is above the other, else a curve
that leaves and arrives vertically."""


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
    """A link with its way, which begins at its upper end, and its label. ``forwards``: its target is the lower end."""

    link: Link
    route: Route
    label: Label | None
    forwards: bool


class Layout(Record):
    """A picture with places for all of it."""

    picture: Picture
    direction: Direction
    width: float
    height: float
    frame: Frame
    boxes: tuple[Placed, ...]
    links: tuple[Drawn, ...]


def layout(picture: Picture, direction: Direction = "down") -> Layout:
    """Put the boxes and links of ``picture`` somewhere."""
    return _Layout(picture, direction).placed()


class _Way:
    """A link on its way from a box in the row ``first`` down to one in the row ``last``, or to an edge of the frame.

    A gap has the number of the row above it. ``gap``: the one in which the link has a place beside others, its
    ``track``, with its label. ``lane``: the number of its lane, 0 if it passes no row.
    """

    def __init__(self, link: Link, upper: str, lower: str, first: int, last: int, direction: Direction) -> None:
        self.link, self.upper, self.lower, self.first, self.last = link, upper, lower, first, last
        self.texts = label_texts(link.label, link.path) if link.label else []
        self.size = _turned(label_size(self.texts) if self.texts else (0.0, 0.0), direction)
        self.gap = first if link.kind in _OF_ROWS else last - 1  # what is stored is labelled near its store
        self.lane = 0
        self.start = self.end = self.track = self.beside = 0.0

    def places(self, gap: int) -> tuple[float, float, float]:
        """Where it comes into a gap, where it is among the labels there, and where it leaves the gap."""
        above = self.start if gap == self.first else self.beside
        below = self.end if gap == self.last - 1 else self.beside
        return above, self.track if gap == self.gap else self.beside, below


class _Layout:
    """One picture. Places are counted from its middle until all are known."""

    def __init__(self, picture: Picture, direction: Direction) -> None:
        self.picture, self.direction = picture, direction
        self.sized = {box.id: sized(box) for box in picture.boxes}
        self.sizes = {name: _turned((one.width, one.height), direction) for name, one in self.sized.items()}
        self.sides: dict[str, tuple[float, float]] = {}  # left and right
        self.row_of: dict[str, int] = {}
        self.count = 0
        self._add_row([box.id for box in picture.of_kind("object")])
        self.first_role = self.count
        for row in role_rows(picture):
            self._add_row(row)
        self.last_role = self.count - 1
        self._add_row([box.id for box in sorted(picture.of_kind("store"), key=self._middle_of_users)])
        self.ways = [self._way(link) for link in picture.links]
        passing = [way for way in self.ways if way.last - way.first > 1]
        inside_first = sorted(passing, key=lambda way: (-way.first, way.last))  # who begins lower is inside
        for lane, way in enumerate(inside_first, 1):
            way.lane = lane
        for box in picture.boxes:
            self._choose_ports(box.id)
        self.texts, self.sections, self.header = frame_texts(picture.heading, picture.lines)
        self._choose_sides_of_frame()
        self._choose_ports_of_frame()
        self._choose_tracks(self.first_role - 1)
        self._choose_tracks(self.last_role)
        self._choose_heights()

    # --- from left to right ---

    def _add_row(self, boxes: Sequence[str]) -> None:
        """Put ``boxes`` below those that are there, in the middle."""
        x = -(sum(self.sizes[box][0] + _GAP for box in boxes) - _GAP) / 2
        for box in boxes:
            self.row_of[box] = self.count
            self.sides[box] = (x, x + self.sizes[box][0])
            x += self.sizes[box][0] + _GAP
        self.count += bool(boxes)

    def _middle(self, end: str) -> float:
        return sum(self.sides.get(end, (0.0, 0.0))) / 2

    def _middle_of_users(self, store: Box) -> float:
        users = [self._middle(link.source) for link in self.picture.links if link.target == store.id]
        return sum(users) / max(1, len(users))

    def _way(self, link: Link) -> _Way:
        """A link with its ends in order; the frame is below objects and above stores."""
        ends = [(self.row_of[end], end) for end in (link.source, link.target) if end != FRAME]
        if len(ends) == 1:
            ends.append((self.first_role if ends[0][0] < self.first_role else self.last_role, FRAME))
        (first, upper), (last, lower) = sorted(ends)
        assert first < last, "links are between rows"
        return _Way(link, upper, lower, first, last, self.direction)

    def _choose_ports(self, end: str) -> None:
        """Links begin at equal distances along an edge, in the order of what they lead to, lanes on the right."""
        left, right = self.sides[end]
        below = sorted(
            (way for way in self.ways if way.upper == end), key=lambda way: (way.lane, self._middle(way.lower))
        )
        above = sorted(
            (way for way in self.ways if way.lower == end), key=lambda way: (way.lane, self._middle(way.upper))
        )
        for number, way in enumerate(below, 1):
            way.start = left + _CORNER + (right - left - 2 * _CORNER) * number / (len(below) + 1)
        for number, way in enumerate(above, 1):
            way.end = left + _CORNER + (right - left - 2 * _CORNER) * number / (len(above) + 1)

    def _choose_ports_of_frame(self) -> None:
        """The same for the frame, but straight below objects where there is room for each."""
        self._choose_ports(FRAME)
        left, right = self.sides[FRAME]
        above = [way for way in self.ways if way.lower == FRAME]
        if all(left + _CORNER <= way.start <= right - _CORNER for way in above):
            for way in above:
                way.end = way.start

    def _choose_tracks(self, gap: int) -> None:
        """Put links beside each other with room for their labels, as near to their ends as can be."""
        wanted: list[tuple[float, _Way]] = []
        for way in (way for way in self.ways if way.gap == gap):
            ends = [way.start] * (gap == way.first) + [way.end] * (gap == way.last - 1)
            wanted.append((sum(ends) / len(ends), way))
        wanted.sort(key=lambda one: (one[1].lane, one[0]))
        free = moved = 0.0
        for number, (place, way) in enumerate(wanted):
            way.track = max(place, free) if number else place
            free = way.track + way.size[0] + _APART
            moved += way.track - place
        for _, way in wanted:
            way.track -= moved / len(wanted)

    def _choose_sides_of_frame(self) -> None:
        """The frame has room for the boxes, labels and lanes of the roles, and for its own texts."""
        inside = [self.sides[box.id] for box in self.picture.framed]
        for gap in range(self.first_role, self.last_role):
            self._choose_tracks(gap)
            inside += [(way.track, way.track + way.size[0]) for way in self.ways if way.gap == gap and way.texts]
        left, right = min(start for start, _ in inside), max(start for _, start in inside)
        for way in self.ways:
            way.beside = right + _APART * way.lane
        right += _APART * max((way.lane for way in self.ways), default=0)
        if self.direction == "right":
            self.sides[FRAME] = (left - self.header, right + _PADDING)
            return
        more = max(_PADDING, (self._widest() - (right - left)) / 2)
        self.sides[FRAME] = (left - more, right + more)

    def _widest(self) -> float:
        """The room that the texts of the frame need."""
        return max(text.x + text.room for text in self.texts) + _PADDING

    # --- from above to below ---

    def _choose_heights(self) -> None:
        """``tops`` of the boxes of rows; ``floors`` of rows and ``roofs``: where the gaps below and above them begin.

        ``strips``: where the labels of a gap begin and end.
        """
        self.tops: list[float] = []
        self.roofs: list[float] = []
        self.floors: list[float] = []
        self.strips: dict[int, tuple[float, float]] = {}
        y = MARGIN
        header = self.header if self.direction == "down" else _PADDING
        for row in range(self.count):
            self.roofs.append(y)
            self.tops.append(y + (header if row == self.first_role else 0.0))
            y = self.tops[row] + max(self.sizes[box][1] for box in self.row_of if self.row_of[box] == row)
            y += _PADDING if row == self.last_role else 0.0
            if row == self.last_role and self.direction == "right":
                y = max(y, self.roofs[self.first_role] + self._widest())
            self.floors.append(y)
            y = self._end_of_gap(row, y)

    def _end_of_gap(self, gap: int, y: float) -> float:
        """Where a gap that begins at ``y`` ends."""
        ways = [way for way in self.ways if way.first <= gap < way.last]
        places = [way.places(gap) for way in ways]
        labels = max((way.size[1] for way in ways if way.gap == gap), default=0.0)
        if not labels:
            return y + _room(above - below for above, _, below in places)
        y += _room(above - track for above, track, _ in places)
        self.strips[gap] = (y, y + labels)
        return y + labels + _room(track - below for _, track, below in places)

    # --- places ---

    def placed(self) -> Layout:
        """Everything at its place."""
        ends = [
            *self.sides.values(),
            *((way.track, way.track + way.size[0]) for way in self.ways if way.gap in self.strips),
        ]
        shift = MARGIN - min(left for left, _ in ends)
        (left, right), top = self.sides[FRAME], self.roofs[self.first_role]
        height = self.floors[self.last_role] - top
        return Layout(
            self.picture,
            self.direction,
            *self._point(max(one for _, one in ends) + shift + MARGIN, self.floors[-1] + MARGIN),
            Frame(
                *self._point(left + shift, top),
                *self._point(right - left, height),
                tuple(self.texts),
                tuple(self.sections),
            ),
            tuple(
                Placed(
                    self.sized[box.id],
                    *self._point(self.sides[box.id][0] + shift, self.tops[self.row_of[box.id]]),
                )
                for box in self.picture.boxes
            ),
            tuple(self._drawn(way, shift) for way in self.ways),
        )

    def _point(self, x: float, y: float) -> Point:
        return _turned((x, y), self.direction)

    def _drawn(self, way: _Way, shift: float) -> Drawn:
        floor = self.floors[way.first]
        edge = floor if way.upper == FRAME else self.tops[way.first] + self.sizes[way.upper][1]
        points = [(way.start, edge), (way.start, floor)]
        for gap in range(way.first, way.last):
            _, track, below = way.places(gap)
            points += [(track, y) for y in self.strips.get(gap, ())]
            points += [(below, self.roofs[gap + 1])]
            points += [(below, self.floors[gap + 1])] if gap + 1 < way.last else []
        route = tuple(
            self._point(x + shift, y)
            for (x, y), before in zip(points, [None, *points], strict=False)
            if (x, y) != before
        )
        label = None
        if way.texts:
            label = Label(tuple(way.texts), *self._point(way.track + shift, self.strips[way.gap][0]))
        return Drawn(way.link, route, label, way.link.target == way.lower)


def _turned(pair: tuple[float, float], direction: Direction) -> tuple[float, float]:
    """What is along a row and across it, as x and y."""
    return pair if direction == "down" else (pair[1], pair[0])


def _room(moves: Iterable[float]) -> float:
    """The height of curves that go so far to a side."""
    return min(max(_CURVE[0], 0.22 * max(map(abs, moves), default=0.0)), _CURVE[1])


# --- the rows of roles -----------------------------------------------------------------------------------------------


def role_rows(picture: Picture) -> list[list[str]]:
    """The rows of roles: whoever starts after another is above it, and so is the first of two that talk.

    Roles without such links are in the last row, on both sides of the others. Of a flow, each job is below those that
    it comes after.
    """
    roles = [box.id for box in picture.framed]
    below: dict[str, set[str]] = {role: set() for role in roles}
    for link in sorted(picture.links, key=lambda one: one.kind != "after"):  # these decide
        if link.kind in _OF_ROWS:
            upper, lower = (link.source, link.target)
            if link.kind in ("after", "peers") and _reaches(below, lower, upper):
                upper, lower = lower, upper
            below[upper].add(lower)
    ranks = dict.fromkeys(roles, 0)
    for _ in roles:
        before = dict(ranks)
        for role in roles:
            for other in below[role]:
                ranks[other] = max(ranks[other], ranks[role] + 1)
        if ranks == before:
            break
    linked = {end for role in roles if below[role] for end in (role, *below[role])}
    alone = [role for role in roles if role not in linked]
    rows = [[role for role in roles if role in linked and ranks[role] == rank] for rank in range(len(roles))]
    rows = [row for row in rows if row] or [[]]
    return [*rows[:-1], [*alone[1::2], *rows[-1], *alone[::2]]]


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
