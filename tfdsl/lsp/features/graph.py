"""The picture of an open text, and where each part of it is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tfdsl.diagnostics import Diagnostic
from tfdsl.drawing.graphs import Graph, axes, drawn, graphs, of_outcome
from tfdsl.drawing.picture import Picture
from tfdsl.lsp.features.previews import Preview, outcome_for, request_for
from tfdsl.lsp.snapshot import Snapshot
from tfdsl.record import Record
from tfdsl.text import Span


class DrawnJob(Record):
    """A job in the picture. ``places``: the span of each ``data-path`` of its part of the SVG."""

    name: str
    target: str
    places: Mapping[str, Span]


class DrawnText(Record):
    """The picture. ``svg`` is empty when one of ``problems`` is an error, or there is no job."""

    svg: str
    jobs: tuple[DrawnJob, ...]
    problems: tuple[Diagnostic, ...]


def draw_text(snapshot: Snapshot, preview: Preview) -> DrawnText | str:
    """The picture of ``snapshot`` for the target of ``preview``, or as it is written, or why there is no picture."""
    if preview.target is None:
        plain = graphs(snapshot.program, request_for(snapshot, preview), ())
        return _drawn(plain.graphs, plain.diagnostics)
    found = outcome_for(snapshot, preview)
    if isinstance(found, str):
        return found
    made = of_outcome(found[1], axes(snapshot.program, request_for(snapshot, preview)))
    return _drawn(made, found[1].diagnostics)


def _drawn(made: Sequence[Graph], problems: tuple[Diagnostic, ...]) -> DrawnText:
    svg = drawn([one.picture for one in made], "svg") if made else ""
    jobs = tuple(
        DrawnJob(
            one.picture.name,
            one.picture.target,
            {path: one.origins.span(path) for path in dict.fromkeys(_paths(one.picture))},
        )
        for one in made
    )
    return DrawnText(svg, jobs, problems)


def _paths(picture: Picture) -> Iterator[str]:
    """Every ``data-path`` that the SVG has."""
    yield ""
    yield from (line.path for line in picture.lines)
    for box in picture.boxes:
        yield box.path
        yield from (line.path for line in box.lines)
    yield from (link.path for link in picture.links)
