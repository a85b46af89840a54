"""Names that are not roles of the language, and what was probably meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.diagnostics import Diagnostic, name_rules
from tfdsl.diagnostics.command_rules import UNUSABLE_TARGET
from tfdsl.diagnostics.suggest import alias_table, closest, enumeration, offering, words_of
from tfdsl.vocabulary import attributes

if TYPE_CHECKING:
    from tfdsl.backend import Backend
    from tfdsl.text import Span


def known_role(name: str, span: Span, report: Callable[[Diagnostic], None]) -> bool:
    """Whether ``name``, which is at ``span``, is a role of the language; reported if not."""
    if name in attributes.ROLES_BY_NAME:
        return True
    diagnostic = name_rules.UNKNOWN_ROLE(span, name=name)
    aliases = words_of(attributes.ROLES)
    near = closest(name, attributes.ROLE_NAMES, aliases)
    if near is None:
        report(diagnostic.help(f"roles are {enumeration(attributes.ROLE_NAMES)}"))
    else:
        report(offering(diagnostic, near, attributes.ROLE_NAMES, aliases))
    return False


def target_called(name: str, span: Span) -> Backend | Diagnostic:
    """The target called ``name`` at ``span``, or why it cannot be used."""
    target = targets.find(name)
    problems = targets.problems(name if target is None else target.name)
    if problems:
        return UNUSABLE_TARGET(span, problem=problems[0])
    return target or _unknown(name, span)


def _unknown(name: str, span: Span) -> Diagnostic:
    diagnostic = name_rules.UNKNOWN_TARGET(span, name=name or "(none)")
    known = targets.every()
    words = alias_table(
        ((target.name, (*target.aliases, *target.synonyms)) for target in known),
        ((target.name, target.akin) for target in known),
    )
    names = [target.name for target in known]
    near = closest(name, names, words)
    if near is None:
        return diagnostic.help(f"targets are {enumeration(names)}")
    return offering(diagnostic, near, names, words)
