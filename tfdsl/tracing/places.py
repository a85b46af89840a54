"""Lines of files: as they are asked about, and as they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.patterns import regex
from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.text import Source, Span

_ASKED = regex(r"(?s)(.+?):([0-9]{1,9})(?::([0-9]{1,9}))?:?")


class Asked(Record):
    """``FILE:LINE`` or ``FILE:LINE:COLUMN``, counted from 1."""

    path: str
    line: int
    column: int | None = None


class Place(Record):
    """A line of a file. ``text``: the line, ``None`` where it is not known."""

    path: str
    line: int
    text: str | None


def asked(text: str) -> Asked | None:
    """The place that ``text`` names; ``None`` if it names none."""
    match = _ASKED.fullmatch(text)
    if match is None:
        return None
    line, column = int(match[2]), int(match[3]) if match[3] else None
    return Asked(match[1], line, column) if line and column != 0 else None


def line_count(source: Source) -> int:
    """How many lines a text has; what is after the last line end counts only if it is not empty."""
    return len(source.line_starts) - (source.text.endswith("\n") or not source.text)


def place_of(span: Span) -> Place:
    """The line on which ``span`` begins."""
    line, _ = span.source.position(span.start)
    return Place(span.source.path, line, span.source.line(line))


def holds(outer: Span, inner: Span) -> bool:
    """Whether ``inner`` is a part of ``outer``, or the same."""
    return outer.source is inner.source and outer.start <= inner.start and inner.end <= outer.end
