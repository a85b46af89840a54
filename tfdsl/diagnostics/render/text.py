"""Diagnostics for people: the source line with the place marked, and the help below.

The layout follows the language reference, "Diagnostics". Column numbers count characters; the marks are placed by the
width of the characters on a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tfdsl.diagnostics.diagnostic import Diagnostic, count, worst
from tfdsl.diagnostics.render.columns import Measured, line_of, visible, width
from tfdsl.record import Record
from tfdsl.text import Source, Span

Paint: TypeAlias = Callable[[str, str], str]

MOST_SHOWN = 200
"""The most messages shown at once, errors before warnings; the rest is counted."""
LEAST_COLUMNS = 40
"""The narrowest terminal that the layout adapts to."""
MOST_MARKS = 20
"""The most places that one message shows."""

_COLOURS = {"error": "1;31", "warning": "1;33", "info": "1;36", "frame": "1;34", "bold": "1"}


def render(
    diagnostics: Sequence[Diagnostic],
    paths: Sequence[str] = (),
    *,
    colour: bool = False,
    measured: Lines | None = None,
    columns: int | None = None,
) -> str:
    """All diagnostics with a blank line between them and a line that counts them; empty when there are none.

    ``measured``: the lines that earlier calls have measured, when rendering one at a time. ``columns``: the width of
    the terminal, if there is one: source lines are clipped to it, and on a narrow one messages are folded.
    """
    if not diagnostics:
        return ""
    paint = _in_colour if colour else _plain
    measured = measured or Lines()
    room = None if columns is None else max(LEAST_COLUMNS, columns)
    blocks = [_block(diagnostic, paint, measured, room) for diagnostic in worst(diagnostics, MOST_SHOWN)]
    return "\n".join([*blocks, *_summary(diagnostics)])


def _plain(kind: str, text: str) -> str:
    return text


def _in_colour(kind: str, text: str) -> str:
    return f"\x1b[{_COLOURS[kind]}m{text}\x1b[0m" if text else text


def _summary(diagnostics: Sequence[Diagnostic]) -> list[str]:
    errors, warnings = count(diagnostics)
    counted = [f"{n} {word}{'s' * (n != 1)}" for n, word in ((errors, "error"), (warnings, "warning")) if n]
    rest = len(diagnostics) - MOST_SHOWN
    more = [f"{rest:,} more messages are not shown here; --format json has all of them\n"] if rest > 0 else []
    return more + ([f"{', '.join(counted)}\n"] if counted else [])


def _block(diagnostic: Diagnostic, paint: Paint, measured: Lines, room: int | None) -> str:
    rule, level = diagnostic.rule, diagnostic.level
    taken = len(f"{level}[{rule.code}] {rule.slug}: ")
    first, *more = _folded(_lines(diagnostic.message), room, taken, 2)
    lines = [paint(level, f"{level}[{rule.code}]") + paint("bold", f" {rule.slug}: {first}")]
    lines += [f"  {line}" for line in more]
    pictures = _pictures(diagnostic)
    margin = " " * max(len(str(last_line(mark.span))) for _, marks in pictures for mark in marks)
    for source, marks in pictures:
        lines += _picture(source, marks[:MOST_MARKS], diagnostic, margin, paint, measured, room)
    for word, advice in _advice(diagnostic):
        indent = len(f"{margin}  = {word}: ")
        first, *more = _folded(_lines(advice), room, indent, indent)
        lines.append(f"{margin}  {paint('frame', '=')} {paint('bold', f'{word}:')} {first}".rstrip())
        lines += [f"{margin}    {' ' * len(word)}  {line}".rstrip() for line in more]
    return "\n".join(lines) + "\n"


def _picture(
    source: Source,
    marks: Sequence[Mark],
    diagnostic: Diagnostic,
    margin: str,
    paint: Paint,
    measured: Lines,
    room: int | None,
) -> list[str]:
    main = source is diagnostic.span.source
    row, column = source.position(diagnostic.span.start if main else marks[0].span.start)
    lines = [
        f"{margin} {paint('frame', '-->')} {visible(source.path)}:{row}:{column}",
        f"{margin}  {paint('frame', '|')}",
    ]
    longest = LONGEST if room is None else min(LONGEST, room - len(margin) - len("  |  ...") - len("..."))
    for line in excerpt(source, marks, measured, longest):
        number = "" if line.number is None else str(line.number)
        gutter = paint("frame", f" {number:>{len(margin)}} |")
        kind = "" if line.mark is None else diagnostic.level if line.mark.primary else "frame"
        text = paint(kind, line.text) if kind else line.text
        lines.append(f"{gutter} {text}".rstrip())
    return lines


def _pictures(diagnostic: Diagnostic) -> list[tuple[Source, list[Mark]]]:
    """The marks of each source, the diagnostic's first. A label at the same place is next to the main mark."""
    place = diagnostic.span
    texts = [diagnostic.mark, *(label.message for label in diagnostic.labels if label.span == place)]
    message = "; ".join(text for text in texts if text)
    marks = [Mark(place, message, primary=True)]
    marks += [Mark(label.span, label.message, primary=False) for label in diagnostic.labels if label.span != place]
    by_source: dict[Source, list[Mark]] = {}
    for mark in marks:
        by_source.setdefault(mark.span.source, []).append(mark)
    return list(by_source.items())


def _advice(diagnostic: Diagnostic) -> list[tuple[str, str]]:
    advice = [("help", text) for text in diagnostic.helps]
    return advice + [("fix", fix.title) for fix in diagnostic.fixes if fix.title not in diagnostic.helps]


def _folded(lines: list[str], room: int | None, first: int, others: int) -> list[str]:
    """``lines`` for a narrow terminal, on which ``first`` and ``others`` columns are used before the text."""
    if room is None or room >= NARROW:
        return lines
    folded = fold(lines[0], room - first, room - others)
    return folded + [part for line in lines[1:] for part in fold(line, room - others, room - others)]


def _lines(text: str) -> list[str]:
    return [line_of(line) for line in text.split("\n")]


# --- excerpt ---
#
# Lines of a source with marks under them.

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


# --- fold ---
#
# Text on a narrow terminal.

NARROW = 80
"""From this many columns, the terminal's own line breaks are good enough; they can be copied as one line."""


def fold(text: str, first: int, others: int) -> list[str]:
    """``text`` in lines of at most ``first``, then ``others`` characters; words are never broken."""
    lines: list[str] = []
    line, room = "", first
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > room:
            lines.append(line)
            line, room = word, others
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


def hanging(line: str, room: int | None, indent: int) -> list[str]:
    """``line`` for a terminal of ``room`` columns, if there is one; ``indent``: columns before what follows."""
    if room is None:
        return [line]
    text = line.lstrip(" ")
    margin = " " * (len(line) - len(text))
    first, *more = fold(text, room - len(margin), room - indent)
    return [margin + first, *(" " * indent + part for part in more)]
