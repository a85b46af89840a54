"""Removes diagnostics that only follow from a syntax error, so that one mistake gives one message."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tfdsl.diagnostics import name_rules, syntax_rules, value_rules
from tfdsl.diagnostics.diagnostic import Diagnostic

if TYPE_CHECKING:
    from tfdsl.semantics.project import Program

# What is missing may be in the part that could not be read.
_MISSING = (
    name_rules.MISSING_PARAM,
    name_rules.ABSENT_JOBS,
    name_rules.NOTHING_TO_UNSET,
    name_rules.NO_MATRIX,
    name_rules.NOTHING_TO_UNSET,
    value_rules.BAD_AXIS,
    value_rules.BUILD_FROM,
    value_rules.STEP_WITHOUT_COMMAND,
    value_rules.MISSING_IMAGE,
    value_rules.NO_TRAINING_ROLE,
    value_rules.MISSING_LOGDIR,
)

# A value or a type that ends at such a place, or spans it, is not the intended one.
_CUT_SHORT = (
    syntax_rules.JOB_NAME,
    syntax_rules.UNCLOSED_INTERPOLATION,
    syntax_rules.UNFINISHED,
    syntax_rules.UNCLOSED_BRACKET,
    syntax_rules.NESTING_TOO_DEEP,
    syntax_rules.FORBIDDEN_CHARACTER,
)

# A guessed name: it need not exist.
_GUESSED = (syntax_rules.ODD_NAME, syntax_rules.UNQUOTED_KEY)

# A name that is declared in the wrong place is not unknown.
_UNKNOWN = (name_rules.UNKNOWN_NAME, name_rules.UNKNOWN_TEMPLATE)


def independent(diagnostics: Iterable[Diagnostic], program: Program) -> list[Diagnostic]:
    """``diagnostics`` without those that follow from the syntax errors of ``program``."""
    guessed = {(id(each.span.source), each.span.start) for each in program.diagnostics if each.rule in _GUESSED}
    inside = syntax_rules.DECLARATION_INSIDE
    declared = {each.span.text.split()[-1] for each in program.diagnostics if each.rule is inside}
    places = _places(program)
    return [
        each
        for each in diagnostics
        if each.rule not in _MISSING
        and (id(each.span.source), each.span.start) not in guessed
        and not (each.rule in _UNKNOWN and each.span.text in declared)
        and not _is_cut(each, places)
    ]


def _places(program: Program) -> dict[int, list[int]]:
    """For each text, by its identity, where something is cut short."""
    places: dict[int, list[int]] = {}
    for each in program.diagnostics:
        if each.rule in _CUT_SHORT:
            places.setdefault(id(each.span.source), []).append(each.span.start)
    for starts in places.values():
        starts.sort()
    return places


def _is_cut(diagnostic: Diagnostic, places: dict[int, list[int]]) -> bool:
    starts = places.get(id(diagnostic.span.source), [])
    first = bisect_left(starts, diagnostic.span.start)
    return first < len(starts) and starts[first] <= diagnostic.span.end
