"""Short ways to build sources, places and diagnostics."""

from __future__ import annotations

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.text import Source, Span

DUPLICATE = Rule("TFJ2104", "duplicate-mount-path", "error", "role {role} has two mounts at {path}")
SLOW = Rule("TFJ3001", "slow", "warning", "this is slow")
TOLD = Rule("VOL001", "told", "info", "this is a default")


def source(text: str, path: str = "mnist.tfjob") -> Source:
    """A text in a file."""
    return Source(path, text, path)


def place(of: Source, text: str, nth: int = 0) -> Span:
    """The ``nth`` occurrence of ``text``."""
    at = -1
    for _ in range(nth + 1):
        at = of.text.index(text, at + 1)
    return Span(of, at, at + len(text))


def duplicate(at: Span) -> Diagnostic:
    """The example of the language reference."""
    return DUPLICATE(at, role="worker", path="/data")
