"""The levels of lint rules that the project of a file sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.lint.settings import settings_for
from tfdsl.record import replace

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.pipeline import Request
    from tfdsl.semantics.project import Program


def in_project(request: Request, program: Program) -> tuple[Request, tuple[Diagnostic, ...]]:
    """``request`` with the levels that count for the main file of ``program``, and what is wrong with them."""
    found = settings_for(program.files[0].source.origin)
    return (replace(request, levels=found.levels) if found.levels else request), found.problems
