"""``tfdsl fmt``: format files."""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.cli.arguments import Arguments, Command, Flag, Positional
from tfdsl.cli.inputs import named_files
from tfdsl.cli.report import ERRORS, OK, USAGE, Progress, refuse, report
from tfdsl.cli.streams import err, out
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT, OUTPUT_NOT_WRITTEN
from tfdsl.diagnostics.render.columns import visible
from tfdsl.text import Source

CHECK = Flag("--check", "change nothing; list the files that would change")
DIFF = Flag("--diff", "change nothing; show what would change")

COMMAND = Command(
    "fmt",
    (
        Positional(
            "FILE", "a .tfjob file, a folder of them, or - to format standard input to standard output", many=True
        ),
    ),
    (CHECK, DIFF),
    ("tfdsl fmt mnist.tfjob", "tfdsl fmt --diff mnist.tfjob", "tfdsl fmt --check ."),
    "With --check and --diff the exit status is 1 if a file would change. In a file with syntax errors only the\n"
    "declarations without errors are formatted, and the exit status is 1.",
)


def run(arguments: Arguments) -> int:
    """Format files in place, or with ``--check`` and ``--diff`` say what would change."""
    from tfdsl.syntax.format import format_source

    check, diff = arguments.value(CHECK.name), arguments.value(DIFF.name)
    if check is not None and diff is not None:
        refuse([BAD_ARGUMENT(diff.span, what="--check cannot be used with --diff")], arguments)
    named = named_files(arguments.rest, folders=True)
    sources = named.sources
    diagnostics: list[Diagnostic] = []
    changed: list[tuple[Source, str]] = []
    progress = Progress("formatting", len(sources))
    try:
        for source in progress.over(sources):
            text, errors = format_source(source)
            diagnostics += errors
            if text != source.text or source.origin is None:
                changed.append((source, text))
    finally:
        progress.end()
    status = report([*named.empty, *diagnostics], [source.path for source in sources])
    if named.unreadable:
        report(named.unreadable, ())
        status = USAGE
    dry = check is not None or diff is not None
    done = _show(changed, as_diff=diff is not None) if dry else _write(changed, arguments)
    return status or done


def _show(changed: Sequence[tuple[Source, str]], *, as_diff: bool) -> int:
    """Show what would change; returns 1 if anything would."""
    different = [(source, text) for source, text in changed if source.text != text]
    for source, text in different:
        if as_diff:
            from difflib import unified_diff
            from io import StringIO

            old, new = ([*StringIO(part, newline="\n")] for part in (source.text, text))  # only \n ends a line
            path = visible(source.path)
            lines = unified_diff(old, new, path, path)
            out("".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines))
        else:
            err(f"would change {visible(source.path)}\n")
    return ERRORS if different else OK


def _write(changed: Sequence[tuple[Source, str]], arguments: Arguments) -> int:
    from tfdsl.writing import File, write_all

    failure = write_all([File(source.origin, text) for source, text in changed if source.origin is not None])
    if failure is not None:
        return report([OUTPUT_NOT_WRITTEN(arguments.line, path=failure.path, reason=failure.reason)], ())
    for source, text in changed:
        if source.origin is None:
            out(text)
        else:
            err(f"changed {visible(source.path)}\n")
    return OK
