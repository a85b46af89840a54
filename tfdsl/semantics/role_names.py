"""Names that are not roles of the language, and what was probably meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, name_rules
from tfdsl.diagnostics.suggest import closest, enumeration, offering, words_of
from tfdsl.vocabulary import attributes

if TYPE_CHECKING:
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
