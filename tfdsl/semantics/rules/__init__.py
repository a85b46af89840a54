"""The rules of a job: what has to hold between its values. One file per subject, each with ``check(job, report)``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.semantics import resolved


def check_job(job: resolved.Job, report: Callable[[Diagnostic], None]) -> None:
    """Report everything in ``job`` that breaks a rule of the language."""
    from tfdsl.semantics.rules import commands, names, outputs, policies, roles, tolerations

    for rules in (names, roles, commands, tolerations, outputs, policies):
        rules.check(job, report)
