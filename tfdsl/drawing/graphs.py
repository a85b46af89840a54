"""The pictures of an input's jobs, as commands, editors and Python programs ask for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tfdsl.compiling import pipeline
from tfdsl.compiling.front_end import Input, compiled
from tfdsl.compiling.jobs import plain_jobs
from tfdsl.compiling.pipeline import Choice, Outcome, Request
from tfdsl.diagnostics import Diagnostic
from tfdsl.drawing.picture import Box, Line, Link, Picture
from tfdsl.drawing.topology import picture
from tfdsl.record import Record, replace

if TYPE_CHECKING:
    from tfdsl.ir.fields import Origins

Format: TypeAlias = Literal["svg", "mermaid", "dot", "json"]
FORMATS: Final[tuple[Format, ...]] = ("mermaid", "svg", "dot", "json")
"""The default comes first."""


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
        return Graphs(of_outcome(outcome), outcome.diagnostics)
    plain = plain_jobs(given, request)
    made = [Graph(picture(one.job), one.origins) for one in plain.jobs]
    return Graphs(_alike(made), plain.diagnostics)


def of_outcome(outcome: Outcome) -> tuple[Graph, ...]:
    """The pictures of what has been compiled."""
    by_name = {backend.name: backend for backend in outcome.targets}
    made: list[Graph] = []
    for one in outcome.made:
        unit = one.unit
        objects = by_name[unit.target].objects_of(unit, one.documents)
        made.append(Graph(picture(unit.job, f"{unit.target} {unit.shown_version}", objects), unit.origins))
    return _alike(made)


def _alike(made: Sequence[Graph]) -> tuple[Graph, ...]:
    """One for all jobs that differ in nothing but their names, as most jobs of a matrix do."""
    found: dict[str, list[Graph]] = {}
    for one in made:
        shown = one.picture
        alike = repr((shown.target, shown.lines, shown.boxes, shown.links)).replace(shown.name, "\0")
        found.setdefault(alike, []).append(one)
    return tuple(
        replace(first, picture=replace(first.picture, like=tuple(one.picture.name for one in others)))
        for first, *others in found.values()
    )


def drawn(pictures: Sequence[Picture], form: Format, made: Sequence[Graph] = ()) -> str:
    """The text of ``pictures``. ``made``: the graphs that they are of, for ``json``."""
    if form == "svg":
        from tfdsl.drawing.svg import svg

        return svg(pictures)
    if form == "dot":
        from tfdsl.drawing.dot import dot

        return dot(pictures)
    if form == "json":
        from tfdsl.drawing.data import as_json

        return as_json(pictures, [one.origins for one in made])
    from tfdsl.drawing.mermaid import mermaid

    return mermaid(pictures)


def with_texts(one: Picture, changed: Callable[[str], str]) -> Picture:
    """``one`` with all of its texts changed; secrets are hidden so."""

    def lines(of: Iterable[Line]) -> tuple[Line, ...]:
        return tuple(replace(line, text=changed(line.text)) for line in of)

    def box(of: Box) -> Box:
        return replace(of, name=changed(of.name), lines=lines(of.lines))

    def link(of: Link) -> Link:
        return replace(of, label=changed(of.label))

    return replace(one, lines=lines(one.lines), boxes=tuple(map(box, one.boxes)), links=tuple(map(link, one.links)))


def has_errors(found: Graphs) -> bool:
    """Whether there is nothing to draw because of an error."""
    return pipeline.has_errors(found.diagnostics)
