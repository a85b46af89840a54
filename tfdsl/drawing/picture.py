"""What is in the picture of a job or of a flow, without sizes or places."""

from __future__ import annotations

from typing import Literal, TypeAlias

from tfdsl.record import Record

BoxKind: TypeAlias = Literal["role", "store", "object", "run"]
LineKind: TypeAlias = Literal["fact", "object", "step", "space", "policy", "default policy", "item"]
LinkKind: TypeAlias = Literal[
    "peers", "after", "mount", "output", "variables", "logs", "object", "succeeded", "failed", "ended"
]

Direction: TypeAlias = Literal["down", "right"]
"""To which side links go."""

FRAME = "job"
"""The end of a link to the job as a whole."""

MOST_LINES = 24
"""Lines of one kind in a box; what is left out is counted in a line of its own."""


class Line(Record):
    """A line of a box. ``path``: the IR path of the statement that it is about; empty: that of its box."""

    kind: LineKind
    text: str
    path: str = ""


class Box(Record):
    """A box. ``name`` is what it is called, ``what`` the kind of thing that it is, ``count`` how many there are of it.

    ``implied``: it is in no document; the target makes it.
    """

    id: str
    kind: BoxKind
    name: str
    what: str = ""
    count: int = 1
    lines: tuple[Line, ...] = ()
    path: str = ""
    implied: bool = False

    @property
    def title(self) -> str:
        """Its name, and how many there are of it."""
        return f"{self.name} ×{self.count:,}" if self.count > 1 else self.name


class Link(Record):
    """A line between two boxes, or to the job as a whole (:data:`FRAME`). ``both``: it has an arrow at both ends."""

    source: str
    target: str
    kind: LinkKind
    label: str = ""
    both: bool = False
    path: str = ""


class Picture(Record):
    """A job. ``name``: of the job; ``target``: the target and its version, empty for the language's own picture.

    ``lines``: what holds for the job as a whole. ``boxes``: roles, then stores, then objects of the target.

    Or a flow (``what``), whose boxes are its jobs; ``when``: its schedule.
    """

    name: str
    target: str
    lines: tuple[Line, ...]
    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    like: tuple[str, ...] = ()
    what: Literal["job", "flow"] = "job"
    when: str = ""

    @property
    def title(self) -> str:
        """What the picture shows."""
        more = f" and {len(self.like):,} like it" if self.like else ""
        when = f", {self.when}" if self.when else ""
        return f"{self.name}{more}{when}" + (f" on {self.target}" if self.target else "")

    @property
    def heading(self) -> str:
        """The title of its frame."""
        return f"{self.what} {self.title}"

    @property
    def framed(self) -> tuple[Box, ...]:
        """The boxes in its frame."""
        return (*self.of_kind("role"), *self.of_kind("run"))

    def of_kind(self, kind: BoxKind) -> tuple[Box, ...]:
        """The boxes of one kind, in order."""
        return tuple(box for box in self.boxes if box.kind == kind)


def cut(lines: list[Line], path: str = "") -> list[Line]:
    """``lines`` of one kind, or the first of them and how many more there are."""
    if len(lines) <= MOST_LINES:
        return lines
    rest = len(lines) - MOST_LINES + 1
    return [*lines[: MOST_LINES - 1], Line(lines[-1].kind, f"… and {rest:,} more", path)]
