"""How a job with errors becomes an exception."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.api.diagnostics import public
from tfdsl.api.errors import CompileError
from tfdsl.diagnostics.render.text import render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.diagnostics import Diagnostic


def compile_error(action: str, diagnostics: Sequence[Diagnostic]) -> CompileError:
    """The exception for ``diagnostics``, which made ``action`` (``cannot compile main.tfjob``) impossible."""
    shown = [one for one in diagnostics if one.level != "info"]
    return CompileError(public(diagnostics), f"{action}\n{render(shown).rstrip()}")
