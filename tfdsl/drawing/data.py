"""A picture as JSON, for programs that draw it themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, TypedDict

from tfdsl.diagnostics.render.json import dumped

if TYPE_CHECKING:
    from tfdsl.drawing.picture import Line, Picture
    from tfdsl.ir.fields import Origins

VERSION: Final = 1
"""Of the form of the document."""


class Place(TypedDict):
    """Where a statement is written; lines are counted from 1."""

    path: str
    line: int


class LineData(TypedDict):
    """A line of a box."""

    kind: str
    text: str
    place: Place


class BoxData(TypedDict):
    """A box."""

    id: str
    kind: str
    what: str
    name: str
    count: int
    implied: bool
    lines: list[LineData]
    place: Place


class LinkData(TypedDict):
    """A link between two boxes; ``job`` is the job as a whole."""

    source: str
    target: str
    kind: str
    label: str
    both: bool
    place: Place


class GraphData(TypedDict):
    """The picture of a job. ``like``: jobs of a matrix that look the same but for their names."""

    job: str
    like: list[str]
    target: str
    lines: list[LineData]
    boxes: list[BoxData]
    links: list[LinkData]


def as_json(pictures: Iterable[Picture], origins: Iterable[Origins]) -> str:
    """One document of all pictures. ``origins``: of each."""
    found = [as_data(*one) for one in zip(pictures, origins, strict=True)]
    return dumped({"version": VERSION, "graphs": found})


def as_data(picture: Picture, origins: Origins) -> GraphData:
    """One picture."""
    return {
        "job": picture.name,
        "like": list(picture.like),
        "target": picture.target,
        "lines": _lines(picture.lines, origins),
        "boxes": [
            {
                "id": box.id,
                "kind": box.kind,
                "what": box.what,
                "name": box.name,
                "count": box.count,
                "implied": box.implied,
                "lines": _lines(box.lines, origins),
                "place": _place(box.path, origins),
            }
            for box in picture.boxes
        ],
        "links": [
            {
                "source": link.source,
                "target": link.target,
                "kind": link.kind,
                "label": link.label,
                "both": link.both,
                "place": _place(link.path, origins),
            }
            for link in picture.links
        ],
    }


def _lines(lines: Sequence[Line], origins: Origins) -> list[LineData]:
    return [{"kind": line.kind, "text": line.text, "place": _place(line.path, origins)} for line in lines]


def _place(path: str, origins: Origins) -> Place:
    span = origins.span(path)
    return {"path": span.source.path, "line": span.source.position(span.start)[0]}
