"""One line per diagnostic: ``path:line:column: level[CODE] slug: message``."""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.diagnostics.diagnostic import Diagnostic
from tfdsl.diagnostics.render.columns import begins_command, in_a_line, visible


def render(diagnostics: Sequence[Diagnostic], paths: Sequence[str] = ()) -> str:
    """Lines for editors and ``grep``; lines and columns are counted from 1, columns in characters."""
    return "".join(_line(diagnostic) for diagnostic in diagnostics)


def _line(diagnostic: Diagnostic) -> str:
    source = diagnostic.span.source
    line, column = source.position(diagnostic.span.start)
    rule = diagnostic.rule
    message = in_a_line(diagnostic.message)
    path = f"./{source.path}" if begins_command(source.path) else source.path  # the same file
    return f"{visible(path)}:{line}:{column}: {diagnostic.level}[{rule.code}] {rule.slug}: {message}\n"
