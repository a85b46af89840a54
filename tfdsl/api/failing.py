"""How a job with errors becomes an exception."""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.api.diagnostics import public
from tfdsl.api.errors import CompileError
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.render.text import render


def compile_error(action: str, diagnostics: Sequence[Diagnostic]) -> CompileError:
    """The exception for ``diagnostics``, which made ``action`` (``cannot compile main.tfjob``) impossible."""
    shown = [one for one in diagnostics if one.level != "info"]
    return CompileError(public(diagnostics), f"{action}\n{render(shown).rstrip()}")
