"""Workflow commands that GitHub shows as annotations.

The form and its escapes: docs.github.com, "Workflow commands for GitHub Actions", and ``escapeData`` and
``escapeProperty`` of github.com/actions/toolkit, ``packages/core/src/command.ts``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfdsl.diagnostics.diagnostic import Diagnostic
from tfdsl.diagnostics.render.columns import visible

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def render(diagnostics: Sequence[Diagnostic], paths: Sequence[str] = ()) -> str:
    """One command per line."""
    return "".join(_command(diagnostic) for diagnostic in diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    source, start, end = diagnostic.span
    line, column = source.position(start)
    end_line, end_column = source.position(end)
    properties = {
        "file": source.path,
        "line": str(line),
        "endLine": str(end_line),
        "title": f"{diagnostic.rule.code} {diagnostic.rule.slug}",
    }
    if line == end_line:  # GitHub accepts columns only within one line, and its last column is inclusive
        properties |= {"col": str(column), "endColumn": str(max(column, end_column - 1))}
    written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    text = "\n".join([diagnostic.message, *_notes(diagnostic), *(f"help: {text}" for text in diagnostic.helps)])
    return f"::{_COMMANDS[diagnostic.level]} {written}::{_data(text)}\n"


def _notes(diagnostic: Diagnostic) -> Iterable[str]:
    """The labels: an annotation has only one place, so the others are described in words."""
    for label in diagnostic.labels:
        line, column = label.span.source.position(label.span.start)
        yield f"{label.message}: {label.span.source.path}:{line}:{column}"


def _data(text: str) -> str:
    """Escaped as in the toolkit, after making visible what a terminal would act on."""
    text = "\n".join(visible(line.rstrip("\r")) for line in text.split("\n"))
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
