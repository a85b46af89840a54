"""Diagnostics: the values, the registry of rules, the renderers."""

from tfdsl.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label, Level, Report, Rule, repeated, shortened

__all__ = ["Diagnostic", "Edit", "Fix", "Label", "Level", "Report", "Rule", "repeated", "shortened"]
