"""Diagnostics for people: the source line with the place marked, and the help below.

The layout follows the language reference, "Diagnostics". Column numbers count characters; the marks are placed by the
width of the characters on a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics.diagnostic import Diagnostic
from tfdsl.diagnostics.order import count, worst
from tfdsl.diagnostics.render.columns import line_of, visible
from tfdsl.diagnostics.render.excerpt import LONGEST, Lines, Mark, excerpt, last_line
from tfdsl.diagnostics.render.fold import NARROW, fold

if TYPE_CHECKING:
    from tfdsl.text import Source

    Paint = Callable[[str, str], str]

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
