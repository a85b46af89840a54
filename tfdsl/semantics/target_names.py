"""Names that are not a target: which one was probably meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.diagnostics import name_rules
from tfdsl.diagnostics.suggest import alias_table, closest, listing, offering

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.text import Span


def unknown_target(span: Span, name: str) -> Diagnostic:
    """There is no target called ``name``; which one was meant, or why one that is installed cannot be used."""
    diagnostic = name_rules.UNKNOWN_TARGET(span, name=name or "(none)")
    known = targets.every()
    for problem in targets.problems(name):
        diagnostic = diagnostic.help(problem)
    words = alias_table(
        ((target.name, (*target.aliases, *target.synonyms)) for target in known),
        ((target.name, target.akin) for target in known),
    )
    names = [target.name for target in known]
    near = closest(name, names, words)
    if near is None:
        return diagnostic.help(f"targets are {listing(names)}")
    return offering(diagnostic, near, names, words)
