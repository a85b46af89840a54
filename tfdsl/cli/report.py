"""Report diagnostics: which format goes where, and what the exit status is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Final, NoReturn

from tfdsl.cli.streams import Ended, columns, err, out, takes_colour
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import OUTPUT_NOT_WRITTEN, UNUSABLE_TARGET
from tfdsl.diagnostics.diagnostic import at_first_sight, count, in_file_order
from tfdsl.diagnostics.render import DOCUMENTS, FORMATS, Format, render
from tfdsl.diagnostics.render.columns import line_of, visible

if TYPE_CHECKING:
    from typing import TypeVar

    from tfdsl.cli.arguments import Arguments
    from tfdsl.compiling.masking import Hidden


OK, ERRORS, USAGE = 0, 1, 2


def report(
    diagnostics: Iterable[Diagnostic], paths: Sequence[str], form: Format = "text", hidden: Hidden | None = None
) -> int:
    """Print ``diagnostics`` in file order, each once; returns the exit status.

    The status is 2 when output could not be written or an installed target cannot be used. ``hidden``: values of the
    command line that must not be shown.

    Messages for people go to standard error. What a program reads (a document, GitHub's commands) goes to standard
    output.
    """
    ordered: Sequence[Diagnostic] = in_file_order(diagnostics, paths)
    if hidden is not None and hidden.values:
        from tfdsl.compiling.masking import masked

        ordered = masked(ordered, hidden)
    if form == "sarif":
        from tfdsl.cli.message_pages import body_of
        from tfdsl.diagnostics.render.sarif import render as as_sarif

        out(as_sarif(ordered, paths, body_of))
    elif is_for_programs(form):
        out(render(form, ordered, paths))
    elif form == "text":
        from tfdsl.diagnostics.render.text import render as as_text

        err(as_text(ordered, colour=takes_colour(sys.stderr), columns=columns(sys.stderr)))
    else:
        err(render(form, ordered, paths))
    return status_of(ordered)


def notes_line(diagnostics: Sequence[Diagnostic], how: str) -> str:
    """The line that counts the notes that are not shown, and says ``how`` to see them; none beside an error."""
    hidden = len(at_first_sight(diagnostics, notes=True)) - len(at_first_sight(diagnostics))
    return f"{hidden} {'note' if hidden == 1 else 'notes'}, shown by: {how}\n" if hidden else ""


def is_for_programs(form: str) -> bool:
    """Whether messages in ``form`` go to standard output."""
    return form in DOCUMENTS or form == "github"


def status_of(diagnostics: Iterable[Diagnostic]) -> int:
    """The exit status for ``diagnostics``."""
    done = list(diagnostics)
    if any(diagnostic.rule in (OUTPUT_NOT_WRITTEN, UNUSABLE_TARGET) for diagnostic in done):
        return USAGE
    return ERRORS if count(done)[0] else OK


def end(diagnostics: Iterable[Diagnostic], form: Format = "text", hidden: Hidden | None = None) -> NoReturn:
    """Report why the command cannot go on; it ends with the status of wrong use."""
    report(diagnostics, (), form, hidden)
    raise Ended(USAGE)


def end_if(diagnostics: Sequence[Diagnostic], form: Format = "text", hidden: Hidden | None = None) -> None:
    """Report ``diagnostics``, and end the command with their status; go on if there are none."""
    if diagnostics:
        raise Ended(report(diagnostics, (), form, hidden))


def refuse(
    errors: Sequence[Diagnostic],
    arguments: Arguments | None,
    form: Format = "text",
    hidden: Hidden | None = None,
) -> None:
    """If something is wrong with the command line, report it and which help to read, and end the command."""
    if errors:
        command = "tfdsl" if arguments is None else f"tfdsl {arguments.command.name}"
        end([*errors[:-1], errors[-1].help(f"{command} --help lists the options")], form, hidden)


def document(version: int, data: Mapping[str, object]) -> str:
    """An answer for programs. ``version``: that of its form."""
    from tfdsl.diagnostics.render.json import dumped

    return dumped({"version": version, **data})


def lines_for_people(lines: Iterable[str], hidden: Hidden) -> str:
    """``lines`` without ``hidden`` values and without what could command a terminal."""
    from tfdsl.compiling.masking import hide

    return "".join(f"{line_of(hide(line, hidden))}\n" for line in lines)


def asked_format(words: Sequence[str]) -> Format:
    """The format that a command line asks for, even if the rest of it is wrong."""
    asked = [word.removeprefix("--format=") for word in words if word.startswith("--format=")]
    asked += [words[at + 1] for at, word in enumerate(words[:-1]) if word == "--format"]
    known: dict[str, Format] = {form: form for form in FORMATS}
    return known.get(asked[-1], "text") if asked else "text"


def internal_error(error: Exception, words: Sequence[str], form: Format) -> None:
    """Ask for a bug report, without secrets of the command line: one line, or a document if that is the format."""
    from tfdsl.compiling.masking import hidden_in, hide

    hidden = hidden_in(words)
    cause = hide(" ".join(f"{type(error).__name__}: {error}".split()), hidden)
    message = f"this is a bug in tfdsl: report it with the input ({cause})"
    if form not in DOCUMENTS:
        err(f"tfdsl: {visible(message)}; TFDSL_DEBUG=1 shows where\n")
        return
    from tfdsl.cli.arguments import command_line
    from tfdsl.diagnostics.command_rules import INTERNAL_ERROR
    from tfdsl.text import Span

    source, _ = command_line(words)
    report([INTERNAL_ERROR(Span(source, 0, len(source.text)), what=message)], (), form, hidden)


if TYPE_CHECKING:
    Item = TypeVar("Item")

MANY: Final = 100
"""With fewer files nothing is shown: they are done before anyone wonders."""

_CELLS: Final = 16  # with the words around it, a bar for up to 9,999 files fits into 40 columns
_PAUSE: Final = 0.1  # seconds between two drawings; nobody sees more, and a remote terminal would slow down
_ERASE: Final = "\r\x1b[K"


class Progress:
    """Shows on standard error that ``count`` files are being processed.

    On a terminal a bar is drawn, and erased when the work is done, so that messages start in its place. Elsewhere one
    line says what has started, and the same files always give the same bytes.

    ``steps``: how many times all files are processed. ``quiet``: no line is written, because standard error is read by
    a program or nobody wants it.
    """

    def __init__(self, verb: str, count: int, *, steps: int = 1, quiet: bool = False) -> None:
        self._verb, self._count, self._steps = verb, count, steps
        self._total = count * steps
        self._done = 0
        self._drawn: float | None = None
        many = count >= MANY
        self._bar = many and _draws()
        if self._bar:
            self._draw()
        elif many and not quiet:
            err(f"{verb} {count} files\n")

    def over(self, items: Iterable[Item]) -> Iterator[Item]:
        """The same items; each counts as done when the next one is requested."""
        for item in items:
            yield item
            self._done += 1
            if self._bar and (self._drawn is None or monotonic() - self._drawn >= _PAUSE):
                self._draw()

    def end(self) -> None:
        """Erase the progress bar, if it is shown."""
        if self._bar:
            self._bar = False
            err(_ERASE)

    def _draw(self) -> None:
        self._drawn = monotonic()
        full = _CELLS * self._done // self._total
        bar = "#" * full + "." * (_CELLS - full)
        err(f"\r{self._verb} {bar} {self._done // self._steps}/{self._count}")


def _draws() -> bool:
    """Whether standard error is a terminal that can redraw a line."""
    return os.environ.get("TERM") != "dumb" and bool(sys.stderr) and sys.stderr.isatty()
