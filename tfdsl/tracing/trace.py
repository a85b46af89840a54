"""The lines of an output, each with all the places in the source that it comes from.

Also which lines of two texts are the same ones (:func:`blocks`), in bounded time for any two texts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from tfdsl.patterns import regex
from tfdsl.record import Record, replace

if TYPE_CHECKING:
    from tfdsl.compiling.output_files import OutputFile
    from tfdsl.ir.fields import Origins
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


_HOLDERS = regex(r"roles\[[^\]]*\](?:\.steps\[[0-9]+\])?|build")
"""The paths of what holds others: where a role is written is no place that its attributes come from."""
_ROLE = regex(r"roles\[([^\]]*)\]")


class OutputLine(Record):
    """A line of a file. ``spans``: where it comes from, the nearest place first; ``role``: whose it is, if any's.

    ``row``: which line of the nearest place it is, where that is a text of as many lines; ``None`` for all others.
    """

    place: Place
    spans: tuple[Span, ...]
    role: str | None = None
    row: int | None = None

    @property
    def origin(self) -> Place | None:
        """The line of the source that made it."""
        if not self.spans:
            return None
        place = place_of(self.spans[0])
        if not self.row:
            return place
        line = place.line + self.row
        return Place(place.path, line, self.spans[0].source.line(line))


class Trace:
    """The lines of some files, in order, and which of them come from a place."""

    def __init__(self, files: Iterable[OutputFile]) -> None:
        self.lines: list[OutputLine] = [line for file in files for line in lines_of(file)]
        self._by_span: dict[Span, list[int]] = {}
        for number, line in enumerate(self.lines):
            for span in line.spans:
                self._by_span.setdefault(span, []).append(number)

    def made_by(self, place: Span, *, whole: bool = True) -> list[OutputLine]:
        """The lines that come from what is written at ``place``.

        A map or list that is written around ``place`` counts where nothing smaller does: each of its parts makes lines
        of its own. ``whole``: all of a value counts that begins there.
        """
        overlapping = [span for span in self._by_span if _overlap(span, place)]
        strong = [span for span in overlapping if span.start >= place.start or not _is_container(span)]
        lines = [line for line in self._of(strong) if any(_is_from(line, span, place, whole=whole) for span in strong)]
        if lines or not overlapping:
            return lines
        return self._of([min(overlapping, key=lambda span: span.end - span.start)])

    def inside(self, place: Span, roles: Sequence[str] | None = None) -> list[OutputLine]:
        """The lines that come from anything within ``place``. ``roles``: only lines of these."""
        spans = [span for span in self._by_span if holds(place, span)]
        return [line for line in self._of(spans) if roles is None or line.role in roles]

    def _of(self, spans: Iterable[Span]) -> list[OutputLine]:
        numbers = {number for span in spans for number in self._by_span[span]}
        return [self.lines[number] for number in sorted(numbers)]


def lines_of(file: OutputFile) -> list[OutputLine]:
    """The lines of a file with their places."""
    known: dict[str, tuple[tuple[Span, ...], str | None]] = {}
    texts = file.written.text.split("\n")
    output_lines: list[OutputLine] = []
    for number, path in enumerate(file.written.lines, 1):
        if path is not None and path not in known:
            origins, inner = file.place_of(path)
            role = _ROLE.match(inner)
            known[path] = (spans_of(origins, inner), role[1] if role is not None else None)
        spans, role_name = known[path] if path is not None else ((), None)
        output_lines.append(OutputLine(Place(file.name, number, texts[number - 1]), spans, role_name))
    return _with_rows(output_lines)


def _with_rows(lines: list[OutputLine]) -> list[OutputLine]:
    """``lines``, those of a text block each with its row: the quotes have the row of what introduces the block."""
    start = 0
    for end in range(1, len(lines) + 1):
        spans = lines[start].spans
        if end < len(lines) and spans and lines[end].spans[:1] == spans[:1]:
            continue
        if spans and end - start > 1 and spans[0].text.count("\n") == end - start:
            lines[start:end] = [replace(line, row=row) for row, line in enumerate(lines[start:end])]
        start = end
    return lines


def _is_from(line: OutputLine, span: Span, place: Span, *, whole: bool) -> bool:
    """Whether ``line``, which may come from ``span``, comes from the part of it that is at ``place``."""
    if span not in line.spans:
        return False
    nearest = line.spans[0]
    if span != nearest:  # another part of the value than the one at place, unless that was written elsewhere
        return (whole and span.start >= place.start) or not holds(span, nearest)
    if line.row is None:
        return True
    rows = range(
        _line(place, place.start) - _line(span, span.start), _line(place, place.end) - _line(span, span.start) + 1
    )
    return line.row in rows or rows.start >= span.text.count("\n")


def _line(span: Span, offset: int) -> int:
    return span.source.position(offset)[0]


def spans_of(origins: Origins, path: str) -> tuple[Span, ...]:
    """The place of ``path``, then those of the values that it is a part of.

    A limit that is not written is what is asked for: it comes from there.
    """
    if origins.written(path) is None and origins.written(path.removesuffix("_limit")) is not None:
        path = path.removesuffix("_limit")
    spans = [origins.span(path)]
    while path := path[: max(path.rfind("."), path.rfind("["), 0)]:
        span = origins.written(path)
        if span is not None and span not in spans and not _HOLDERS.fullmatch(path):
            spans.append(span)
    return tuple(spans)


def _overlap(span: Span, other: Span) -> bool:
    return span.source is other.source and span.start < max(other.end, other.start + 1) and other.start < span.end


def _is_container(span: Span) -> bool:
    """Whether a map or list is written here."""
    return span.source.text[span.start : span.start + 1] in ("{", "[")


MOST_PAIRS: Final = 4_000_000
"""Pairs of lines that are compared; beyond that only the beginning and the end that two texts have in common count."""


def blocks(one: Sequence[Hashable], other: Sequence[Hashable]) -> Iterator[tuple[int, int, int]]:
    """Runs of equal lines: where each begins in ``one`` and in ``other`` (from 0), and its length."""
    shortest = min(len(one), len(other))
    head = 0
    while head < shortest and one[head] == other[head]:
        head += 1
    tail = 0
    while tail < shortest - head and one[-1 - tail] == other[-1 - tail]:
        tail += 1
    if head:
        yield 0, 0, head
    inner, outer = one[head : len(one) - tail], other[head : len(other) - tail]
    if inner and outer and len(inner) * len(outer) <= MOST_PAIRS:
        for block in SequenceMatcher(None, inner, outer, autojunk=False).get_matching_blocks():
            if block.size:
                yield head + block.a, head + block.b, block.size
    if tail:
        yield len(one) - tail, len(other) - tail, tail


def unmatched(one: Sequence[Hashable], other: Sequence[Hashable]) -> tuple[list[int], int]:
    """The lines of ``other`` that are not in ``one``, and how many of ``one`` are not in ``other``."""
    matched: set[int] = set()
    for _, start, length in blocks(one, other):
        matched.update(range(start, start + length))
    return [number for number in range(len(other)) if number not in matched], len(one) - len(matched)
