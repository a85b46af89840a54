"""Report diagnostics: which format goes where, and what the exit status is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tfdsl.cli.streams import err, err_columns, err_takes_colour, out
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import OUTPUT_NOT_WRITTEN, UNUSABLE_TARGET
from tfdsl.diagnostics.diagnostic import count, in_file_order
from tfdsl.diagnostics.render import DOCUMENTS, FORMATS, Format, render
from tfdsl.diagnostics.render.columns import visible

if TYPE_CHECKING:
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

        err(as_text(ordered, colour=err_takes_colour(), columns=err_columns()))
    else:
        err(render(form, ordered, paths))
    return status_of(ordered)


def is_for_programs(form: str) -> bool:
    """Whether messages in ``form`` go to standard output."""
    return form in DOCUMENTS or form == "github"


def status_of(diagnostics: Iterable[Diagnostic]) -> int:
    """The exit status for ``diagnostics``."""
    done = list(diagnostics)
    if any(diagnostic.rule in (OUTPUT_NOT_WRITTEN, UNUSABLE_TARGET) for diagnostic in done):
        return USAGE
    return ERRORS if count(done)[0] else OK


def wrong_use(errors: Sequence[Diagnostic], form: Format, more: str, hidden: Hidden | None = None) -> int:
    """Report what is wrong with the command line and which help to read; returns the exit status of wrong use."""
    last = errors[-1].help(f"{more} lists the options")
    report([*errors[:-1], last], (), form, hidden)
    return USAGE


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
