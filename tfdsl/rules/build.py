"""The build block (language reference, "Statements": build)."""

from __future__ import annotations

from tfdsl.diagnostics import value_rules
from tfdsl.rules.broken import Broken


def copied(path: str) -> Broken | None:
    """What is copied into the image must be in the build context."""
    if not path.startswith("/") and ".." not in path.split("/"):
        return None
    problem = "is outside the build context: write a path relative to the source"
    return Broken(value_rules.BUILD_COPY, (), {"path": f'"{path}"', "problem": problem})
