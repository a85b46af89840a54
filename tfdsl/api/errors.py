"""The exceptions of the public interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfdsl import diagnostics
    from tfdsl.api.diagnostics import Diagnostic


class UsageError(ValueError):
    """A call that is wrong whatever the job is: an unknown target, version or task. The command line exits with 2."""

    __module__ = "tfdsl"


class CompileError(ValueError):
    """A job has errors. The command line exits with 1.

    ``diagnostics`` holds all messages, in file order. ``str()`` shows the errors and warnings as the command does:
    with the lines of the text and the places marked.
    """

    __module__ = "tfdsl"

    def __init__(self, diagnostics: tuple[Diagnostic, ...], rendered: str) -> None:
        super().__init__(diagnostics, rendered)  # both are needed to pickle it, for pools of processes
        self.diagnostics = diagnostics
        self._rendered = rendered

    def __str__(self) -> str:
        """The errors and warnings, ready to be printed."""
        return self._rendered


def usage_error(diagnostic: diagnostics.Diagnostic) -> UsageError:
    """``diagnostic`` about an argument of a call."""
    return UsageError("; ".join((diagnostic.message, *diagnostic.helps)))
