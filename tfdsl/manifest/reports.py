"""What the readers of YAML and of JSON have in common: limits and messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics import import_rules as rules

if TYPE_CHECKING:
    from tfdsl.text import Span

DEEPEST: Final = 100
"""The most maps and lists in each other. No object of Kubernetes has more than 40."""


def set_twice(key: str, span: Span, first: Span) -> Diagnostic:
    """The message about a key that is already there."""
    diagnostic = rules.MANIFEST_DUPLICATE_KEY(span, key=key)
    return diagnostic.marked("set again here").note(first, "first set here")
