"""The fixed programs that run in a pod around, or instead of, the user's command."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tfdsl.emit.server_program import TENSORFLOW_SERVER

__all__ = ["TENSORFLOW_SERVER", "shell_program"]


@cache
def shell_program(name: str) -> str:
    """The text of ``name``.sh without its comments, which would be in every manifest."""
    text = Path(__file__).with_name(f"{name}.sh").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    return "\n".join(line for line in lines if line) + "\n"
