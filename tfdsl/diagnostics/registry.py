"""Every rule of the language, by code and by slug.

Rules are in the modules ``<subject>_rules``; callers add those of lint and of the targets.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib import import_module

from tfdsl.diagnostics.diagnostic import Rule

MODULES = ("syntax_rules", "name_rules", "value_rules", "command_rules")
"""The modules of this package with rules."""


def rules() -> tuple[Rule, ...]:
    """All rules of the language in the order of their codes."""
    rows = [
        value
        for module in MODULES
        for value in vars(import_module(f"tfdsl.diagnostics.{module}")).values()
        if isinstance(value, Rule)
    ]
    return tuple(sorted(rows, key=lambda rule: rule.code))


def by_name(known: Iterable[Rule]) -> dict[str, Rule]:
    """Code → rule and slug → rule; the first of several rules with one slug (a row with variants)."""
    table: dict[str, Rule] = {}
    for rule in known:
        table.setdefault(rule.code, rule)
        table.setdefault(rule.slug, rule)
    return table


# --- page ---
#
# The pages that explain the rules of the language: ``pages/<slug>.md``.

FOLDER = os.path.join(os.path.dirname(__file__), "pages")


def text_of(slug: str) -> str | None:
    """The page of a rule in Markdown, its title first; ``None`` for lint rules and rules of targets."""
    try:
        with open(os.path.join(FOLDER, f"{slug}.md"), encoding="utf-8") as page:
            return page.read()
    except FileNotFoundError:
        return None
