"""Lines of a source with marks under them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics.render.columns import Measured, visible, width
from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.text import Source, Span

LONGEST = 120
"""The most terminal columns of a source line that are shown; of a longer line, the part around the mark."""

_BEFORE = 30  # columns kept before the mark when a line is clipped, at most a third of the width
_CUT = "..."


class Mark(Record):
    """A place and the text next to its mark. ``primary``: marked with ``^``, the others with ``-``."""

    span: Span
    message: str
    primary: bool


class Line(Record):
    """A line of an excerpt: a source line with its number, or a row of marks (``mark``) without one."""

    number: int | None
    text: str
    mark: Mark | None = None


class _Part(Record):
    """The part of a mark on one source line: columns from 0, ``end`` exclusive."""

    begin: int
    end: int
    message: str
    mark: Mark


class _View(Record):
    """The shown part of a source line. ``offset``: the terminal column of the line at its left edge."""

    text: str
    offset: int


def last_line(span: Span) -> int:
    """The number of the line with the last character of ``span``."""
    return span.source.position(max(span.start, span.end - 1))[0]


class Lines:
    """The lines of sources, each measured once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Source, int], Measured] = {}

    def line(self, source: Source, number: int) -> Measured:
        """Line ``number`` (from 1) of ``source``."""
        known = self._known.get((source, number))
        if known is None:
            known = self._known[source, number] = Measured(source.line(number))
        return known


def excerpt(source: Source, marks: Sequence[Mark], measured: Lines, longest: int = LONGEST) -> list[Line]:
    """Every line with a mark in the order of the file, with a row per mark below it, from left to right.

    ``longest``: the most columns of a source line that are shown.
    """
    rows: dict[int, list[_Part]] = {}
    for mark in sorted(marks, key=lambda mark: mark.span[1:]):
        for number, part in _parts(mark):
            rows.setdefault(number, []).append(part)
    lines: list[Line] = []
    for number in sorted(rows):
        parts = rows[number]
        text = measured.line(source, number)
        view = _view(text, next((part for part in parts if part.mark.primary), parts[0]), longest)
        lines.append(Line(number, view.text.rstrip()))
        lines += [
            Line(None, f"{_draw(text, view, part)} {visible(part.message)}".rstrip(), part.mark) for part in parts
        ]
    return lines


def _parts(mark: Mark) -> list[tuple[int, _Part]]:
    """The first and, if different, the last line of a mark; the message is at the last."""
    source, start, end = mark.span
    number, column = source.position(start)
    last = last_line(mark.span)
    if last == number:
        return [(number, _Part(column - 1, column - 1 + max(1, end - start), mark.message, mark))]
    text = source.line(last)
    until = source.position(end - 1)[1]
    indentation = min(len(text) - len(text.lstrip()), until - 1)
    first = _Part(column - 1, max(len(source.line(number)), column), "", mark)
    return [(number, first), (last, _Part(indentation, until, mark.message, mark))]


def _view(line: Measured, part: _Part, longest: int) -> _View:
    if line.width <= longest:
        return _View(visible(line.text), 0)
    before = line.column(part.begin)
    marked = line.column(part.end) - before
    kept_before = min(_BEFORE, longest // 3)
    left = 0 if before + min(marked, longest - kept_before) <= longest else before - kept_before
    first = line.at(left)
    start = line.column(first)
    kept = visible(line.text[first : line.at(left + longest)])
    prefix = _CUT if start else ""
    suffix = _CUT if line.width >= left + longest else ""
    return _View(f"{prefix}{kept}{suffix}", start - len(prefix))


def _draw(line: Measured, view: _View, part: _Part) -> str:
    """The row of marks; a place outside the view is marked at the edge where it was cut off."""
    sign = "^" if part.mark.primary else "-"
    edge = width(view.text)
    begin = line.column(part.begin) - view.offset
    length = max(1, line.column(part.end) - line.column(part.begin))
    if begin < 0:
        return sign * len(_CUT)
    if edge > LONGEST:  # the line was clipped
        begin = min(begin, edge - len(_CUT))
        length = min(length, edge - begin)
    return " " * begin + sign * length
