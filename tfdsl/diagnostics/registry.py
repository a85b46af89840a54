"""Every rule of the language, by code and by slug.

Rules are in the modules ``<subject>_rules``; callers add those of lint and of the targets.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from tfdsl.diagnostics.diagnostic import Rule

MODULES = (
    "syntax_rules",
    "name_rules",
    "job_rules",
    "value_rules",
    "output_rules",
    "waiver_rules",
    "usage_rules",
    "import_rules",
    "diff_rules",
    "where_rules",
    "run_mount_rules",
    "fault_rules",
    "run_rules",
)
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
