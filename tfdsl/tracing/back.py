"""From a line of the output to the line of the source that made it.

``FILE.map``, which ``tfdsl compile --source-map`` writes beside an output (:mod:`tfdsl.emit.json`), is read here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from tfdsl.compiling.pipeline import Output
from tfdsl.emit.header import is_header
from tfdsl.emit.json import VERSION
from tfdsl.record import Record
from tfdsl.text import Source, Span
from tfdsl.tracing.forward import line_span
from tfdsl.tracing.statements import Uses
from tfdsl.tracing.trace import Place, blocks, line_count, lines_of, place_of

if TYPE_CHECKING:
    from tfdsl.compiling.output_files import OutputFile


FEWEST = 0.3
"""The part of the lines that a file must have in common with an output to be taken for it."""


class Origin(Record):
    """Where a line comes from. ``place``: the line that made it, and ``uses`` those that gave it its values.

    ``after``: without a ``place``, the last line of the output before it that has one. ``reason``: why there is none.
    """

    place: Place | None = None
    uses: tuple[Place, ...] = ()
    reason: str = ""
    target: str | None = None
    version: str | None = None


class Match(Record):
    """An output that a file was taken for. ``line``: where the asked line is in it; ``same``: they are equal."""

    made: Output
    file: OutputFile
    line: int | None
    same: bool


CONSTANT = "it comes from no line of the source: it is the same for every job"
HEADER = "it is the header, which every file of the output has"


def from_map(
    found: Map, line: int, text: str, read: Callable[[str], Source | str], uses_at: Callable[[Span], Iterable[Span]]
) -> Origin:
    """The origin that a map says of line ``line``, whose text is ``text``.

    ``read`` opens a source; ``uses_at`` gives the places of the names that are used.
    """
    entry = found.lines.get(line)
    if entry is None:
        return Origin(reason=_without_origin(text))
    path, number, column = entry
    source = read(path)
    if isinstance(source, str) or number > line_count(source):
        return Origin(Place(path, number, None))
    start = source.offset(number, column)
    span = Span(source, start, max(start, line_span(source, number).end))
    place = Place(path, number, source.line(number))
    return Origin(place, _others(place, uses_at(span)))


def from_output(match: Match, uses: Uses | None) -> Origin:
    """The origin of a line of an output that was compiled just now."""
    unit = match.made.unit
    if match.line is None:
        return Origin(reason="tfdsl does not write this line", target=unit.target, version=unit.shown_version)
    line = next((output_line for output_line in lines_of(match.file) if output_line.place.line == match.line), None)
    place = line.origin if line is not None else None
    if line is None or place is None:
        reason = _without_origin(line.place.text if line is not None else None)
        return Origin(reason=reason, target=unit.target, version=unit.shown_version)
    through = [*line.spans[1:], *(uses.at(line.spans) if uses is not None else ())]
    return Origin(place, _others(place, through), target=unit.target, version=unit.shown_version)


def _without_origin(text: str | None) -> str:
    """Why a line comes from no place."""
    return HEADER if text is not None and is_header(text) else CONSTANT


def _others(place: Place, spans: Iterable[Span]) -> tuple[Place, ...]:
    return tuple(dict.fromkeys(one for span in spans if (one := place_of(span)) != place))


def match(text: str, path: str, line: int, candidates: Sequence[tuple[Output, OutputFile]]) -> Match | None:
    """The candidate that a file is: an equal one, else the most similar one, by its name or by its lines."""
    named = [candidate for candidate in candidates if _ends_like(path, candidate[1].name)]
    for made, file in (*named, *candidates):
        if file.written.text == text:
            return Match(made, file, line, same=True)
    best: tuple[float, Output, OutputFile] | None = None
    for made, file in named or candidates:
        likeness = _likeness(text, file.written.text)
        if likeness >= FEWEST and (best is None or likeness > best[0]):
            best = (likeness, made, file)
    if best is None:
        return None
    _, made, file = best
    return Match(made, file, _counterpart(text, file.written.text, line), same=False)


def _ends_like(path: str, name: str) -> bool:
    parts, wanted = path.replace("\\", "/").split("/"), name.split("/")
    return parts[-len(wanted) :] == wanted


def _likeness(one: str, other: str) -> float:
    from collections import Counter

    ours, theirs = (Counter(line for line in text.split("\n") if line.strip()) for text in (one, other))
    return sum((ours & theirs).values()) / max(sum(ours.values()), 1)


def _counterpart(text: str, other: str, line: int) -> int | None:
    """The line of ``other`` that is line ``line`` of ``text``."""
    for start, there, length in blocks(text.split("\n"), other.split("\n")):
        if start < line <= start + length:
            return there + line - start
    return None


class Map(Record):
    """``lines``: line of the output → path, line and column of the source."""

    sources: tuple[str, ...]
    lines: Mapping[int, tuple[str, int, int]]


def parse_map(text: str) -> Map | str:
    """The source map in ``text``, or why it is not one."""
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"it is not JSON ({error})"
    if not isinstance(data, dict):
        return "it is not a JSON object"
    table = cast("dict[str, object]", data)
    if table.get("version") != VERSION or isinstance(table.get("version"), bool):
        return f"its version is not {VERSION}"
    sources, rows = table.get("sources"), table.get("lines")
    if not isinstance(sources, list) or not isinstance(rows, list):
        return "sources and lines must be lists"
    paths = [str(source) for source in cast("list[object]", sources)]
    lines: dict[int, tuple[str, int, int]] = {}
    for row in cast("list[object]", rows):
        numbers = _numbers(row)
        if numbers is None or numbers[1] >= len(paths):
            return "each of its lines must be four numbers: line, source, line, column"
        lines[numbers[0]] = paths[numbers[1]], numbers[2], numbers[3]
    return Map(tuple(paths), lines)


def _numbers(row: object) -> tuple[int, int, int, int] | None:
    values = cast("list[object]", row) if isinstance(row, list) else []
    numbers = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
    if len(values) != 4 or len(numbers) != 4 or numbers[1] < 0 or min(numbers[0], *numbers[2:]) < 1:
        return None
    return numbers[0], numbers[1], numbers[2], numbers[3]
