"""Jobs that are absent because the condition of their block is false."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, name_rules
from tfdsl.diagnostics.suggest import enumeration

if TYPE_CHECKING:
    from tfdsl.semantics.derived import Derived
    from tfdsl.syntax import ast


def check_any_left(jobs: Sequence[Derived], report: Callable[[Diagnostic], None]) -> None:
    """Report it if all ``jobs``, which are those that are asked for, are absent."""
    if jobs and all(job.absent for job in jobs):
        report(_none_left(jobs))


def _none_left(jobs: Sequence[Derived]) -> Diagnostic:
    nodes: dict[int, ast.Job] = {}
    for job in jobs:
        nodes.setdefault(id(job.node), job.node)
    named = [(node, node.condition) for node in nodes.values() if node.condition is not None]
    (first, condition), *others = named
    what = f"job {first.name.text} is" if not others else "all jobs are"
    texts = enumeration(f"{each.value.span.text} of {node.name.text}" for node, each in named)
    shown = condition.value.span.text
    alone = "its condition is false" if shown == "false" else f"{shown} is false"
    conditions = alone if not others else f"{texts} are false"
    diagnostic = name_rules.ABSENT_JOBS(condition.value.span, what=what, conditions=conditions)
    for _, other in others:
        diagnostic = diagnostic.note(other.value.span, "this condition is false, too")
    return diagnostic.help("choose other params with --profile or --set")
