"""The pictures of an input's jobs, as commands, editors and Python programs ask for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, NotRequired, TypeAlias, TypedDict

from tfdsl.compiling import pipeline
from tfdsl.compiling.front_end import Input, compiled
from tfdsl.compiling.jobs import PlainFlow, matrix_jobs, plain_flows
from tfdsl.compiling.pipeline import Outcome
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.render.columns import visible
from tfdsl.diagnostics.render.json import dumped
from tfdsl.drawing.picture import Box, Direction, Line, Link, Picture, cut
from tfdsl.drawing.topology import flow_picture, picture
from tfdsl.record import Record, replace
from tfdsl.semantics.request import Choice, Request

if TYPE_CHECKING:
    from tfdsl.ir.fields import Origins


Format: TypeAlias = Literal["svg", "mermaid", "dot", "json"]
FORMATS: Final[tuple[Format, ...]] = ("mermaid", "svg", "dot", "json")
"""The default comes first."""
_MOST_VALUES: Final = 6
"""Of an axis of a matrix."""


class Graph(Record):
    """The picture of one job, and where its parts are written."""

    picture: Picture
    origins: Origins


class Graphs(Record):
    """The pictures for one target after the other, in file order; none when one of ``diagnostics`` is an error."""

    graphs: tuple[Graph, ...]
    diagnostics: tuple[Diagnostic, ...]


def graphs(given: Input, request: Request, choices: Sequence[Choice]) -> Graphs:
    """The pictures of the jobs that ``request`` asks for, without ``choices`` in the language's own terms."""
    if choices:
        outcome = compiled(given, request, choices)
        return Graphs(of_outcome(outcome, axes(given, request)), outcome.diagnostics)
    plain = plain_flows(given, request)
    flows = map(_of_flow, plain.flows)
    beside = _alike([Graph(picture(job.job), job.origins) for job in plain.beside], axes(given, request))
    return Graphs((*flows, *beside), plain.diagnostics)


Axes: TypeAlias = Mapping[str, Mapping[str, str]]
"""Job → axis of its matrix → the value that it has, as it is written."""


def axes(given: Input, request: Request) -> Axes:
    """The values that the jobs of matrices have."""
    jobs = matrix_jobs(given, request).jobs
    return {job.name: {name: value.text for name, value in job.values.items()} for job in jobs if job.values}


def _of_flow(plain: PlainFlow) -> Graph:
    return Graph(
        flow_picture(plain.flow, {name: plain_job.job for name, plain_job in plain.jobs.items()}), plain.origins
    )


def of_outcome(outcome: Outcome, of_jobs: Axes) -> tuple[Graph, ...]:
    """The pictures of what has been compiled; ``of_jobs``: the values of :func:`axes`."""
    by_name = {backend.name: backend for backend in outcome.targets}
    made: list[Graph] = []
    for output in outcome.made:
        unit = output.unit
        objects = by_name[unit.target].objects_of(unit, output.documents)
        made.append(Graph(picture(unit.job, f"{unit.target} {unit.shown_version}", objects), unit.origins))
    flows = (
        Graph(
            flow_picture(
                flow.unit.flow,
                {job.run.job: job.unit.job for job in flow.unit.jobs},
                f"{flow.unit.target} {flow.unit.shown_version}",
            ),
            flow.unit.origins,
        )
        for flow in outcome.flows
    )
    return (*flows, *_alike(made, of_jobs))


def _alike(made: Sequence[Graph], of_jobs: Axes) -> tuple[Graph, ...]:
    """One for all jobs that differ in nothing but their names, as most jobs of a matrix do, with the values of all."""
    by_shape: dict[str, list[Graph]] = {}
    for graph in made:
        shown = graph.picture
        alike = repr((shown.target, shown.lines, shown.boxes, shown.links)).replace(shown.name, "\0")
        by_shape.setdefault(alike, []).append(graph)
    return tuple(_together(group, of_jobs) for group in by_shape.values())


def _together(group: Sequence[Graph], of_jobs: Axes) -> Graph:
    """The picture of the first, for all."""
    shown = group[0].picture
    names = [one.picture.name for one in group]
    values: dict[str, dict[str, None]] = {}
    for name in names:
        for axis, value in of_jobs.get(name, {}).items():
            values.setdefault(axis, {})[visible(value)] = None
    lines = cut([Line("fact", f"{axis} = {_few([*texts])}", "") for axis, texts in values.items()])
    return replace(group[0], picture=replace(shown, lines=(*lines, *shown.lines), like=tuple(names[1:])))


def _few(texts: Sequence[str]) -> str:
    """The first values of an axis."""
    more = f", … and {len(texts) - _MOST_VALUES:,} more" if len(texts) > _MOST_VALUES else ""
    return ", ".join(texts[:_MOST_VALUES]) + more


def drawn(pictures: Sequence[Picture], form: Format, made: Sequence[Graph] = (), direction: Direction = "down") -> str:
    """The text of ``pictures``. ``made``: the graphs that they are of, for ``json``, which has no ``direction``."""
    if form == "svg":
        from tfdsl.drawing.svg import svg

        return svg(pictures, direction)
    if form == "dot":
        from tfdsl.drawing.flowcharts import dot

        return dot(pictures, direction)
    if form == "json":
        return as_json(pictures, [graph.origins for graph in made])
    from tfdsl.drawing.flowcharts import mermaid

    return mermaid(pictures, direction)


def with_texts(picture: Picture, changed: Callable[[str], str]) -> Picture:
    """``picture`` with all of its texts changed; secrets are hidden so."""

    def lines(of: Iterable[Line]) -> tuple[Line, ...]:
        return tuple(replace(line, text=changed(line.text)) for line in of)

    def box(of: Box) -> Box:
        return replace(of, name=changed(of.name), lines=lines(of.lines))

    def link(of: Link) -> Link:
        return replace(of, label=changed(of.label))

    return replace(
        picture, lines=lines(picture.lines), boxes=tuple(map(box, picture.boxes)), links=tuple(map(link, picture.links))
    )


def has_errors(result: Graphs) -> bool:
    """Whether there is nothing to draw because of an error."""
    return pipeline.has_errors(result.diagnostics)


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
    """A box of a picture, as ``--format json`` gives it."""

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
    """The picture of a job, or of a flow. ``like``: jobs of a matrix that look the same but for their names.

    ``when``: the schedule of a flow; empty without one.
    """

    job: NotRequired[str]
    flow: NotRequired[str]
    when: NotRequired[str]
    like: list[str]
    target: str
    lines: list[LineData]
    boxes: list[BoxData]
    links: list[LinkData]


def as_json(pictures: Iterable[Picture], origins: Iterable[Origins]) -> str:
    """One document of all pictures. ``origins``: of each."""
    found = [as_data(*pair) for pair in zip(pictures, origins, strict=True)]
    return dumped({"version": VERSION, "graphs": found})


def as_data(picture: Picture, origins: Origins) -> GraphData:
    """A picture as ``--format json`` gives it."""
    data: GraphData = {
        "like": list(picture.like),
        "target": picture.target,
        "lines": _lines_data(picture.lines, origins),
        "boxes": [
            {
                "id": box.id,
                "kind": box.kind,
                "what": box.what,
                "name": box.name,
                "count": box.count,
                "implied": box.implied,
                "lines": _lines_data(box.lines, origins),
                "place": _place_data(box.path, origins),
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
                "place": _place_data(link.path, origins),
            }
            for link in picture.links
        ],
    }
    if picture.what == "flow":
        return {"flow": picture.name, "when": picture.when, **data}
    return {"job": picture.name, **data}


def _lines_data(lines: Sequence[Line], origins: Origins) -> list[LineData]:
    return [{"kind": line.kind, "text": line.text, "place": _place_data(line.path, origins)} for line in lines]


def _place_data(path: str, origins: Origins) -> Place:
    span = origins.span(path)
    return {"path": span.source.path, "line": span.source.position(span.start)[0]}
