"""The one layout of a text."""

from __future__ import annotations

from tfdsl.api.failing import compile_error
from tfdsl.api.reading import TEXT
from tfdsl.compiling import pipeline
from tfdsl.syntax.format import format_source
from tfdsl.text import Source


def format(text: str) -> str:
    """``text`` in the layout of ``tfdsl fmt``: the same meaning, all comments kept. Formatting twice changes nothing.

    Raises:
        CompileError: The text has syntax errors.
    """
    formatted, diagnostics = format_source(Source(TEXT, text))
    if pipeline.has_errors(diagnostics):
        raise compile_error("cannot format a text with syntax errors", diagnostics)
    return formatted
