"""Names that a text uses: the roles and targets, and what was probably meant by another name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.diagnostics import Diagnostic, Report, name_rules
from tfdsl.diagnostics.command_rules import UNUSABLE_TARGET
from tfdsl.diagnostics.suggest import alias_table, enumeration, meant, words_of
from tfdsl.text import Span
from tfdsl.vocabulary import attributes

if TYPE_CHECKING:
    from tfdsl.backend import Backend


def known_role(name: str, span: Span, report: Report) -> bool:
    """Whether ``name``, which is at ``span``, is a role of the language; reported if not."""
    if name in attributes.ROLES_BY_NAME:
        return True
    names = attributes.ROLE_NAMES
    diagnostic = name_rules.UNKNOWN_ROLE(span, name=name)
    report(meant(diagnostic, name, names, words_of(attributes.ROLES), f"roles are {enumeration(names)}"))
    return False


def target_called(name: str, span: Span) -> Backend | Diagnostic:
    """The target called ``name`` at ``span``, or why it cannot be used."""
    target = targets.find(name)
    problems = targets.problems(name if target is None else target.name)
    if problems:
        return UNUSABLE_TARGET(span, problem=problems[0])
    if target is not None:
        return target
    known = targets.every()
    words = alias_table(
        ((target.name, (*target.aliases, *target.synonyms)) for target in known),
        ((target.name, target.akin) for target in known),
    )
    names = [target.name for target in known]
    diagnostic = name_rules.UNKNOWN_TARGET(span, name=name or "(none)")
    return meant(diagnostic, name, names, words, f"targets are {enumeration(names)}")
