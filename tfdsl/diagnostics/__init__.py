"""Diagnostics: the values, the registry of rules, the renderers."""

from tfdsl.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label, Level, Rule, shortened

__all__ = ["Diagnostic", "Edit", "Fix", "Label", "Level", "Rule", "shortened"]
