"""What the steps of the action share: its inputs, the command, annotations, and texts that give no commands."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path

WRONG_USE = 2


def lines(name: str) -> list[str]:
    """An input of one entry a line."""
    return [line.strip() for line in os.environ.get(name, "").splitlines() if line.strip()]


def flag(name: str) -> bool:
    """An input that is true or false."""
    value = os.environ.get(name, "").strip().lower()
    if value not in ("", "true", "false"):
        error(f"{name.lower()} must be true or false, not {value}")
        sys.exit(WRONG_USE)
    return value == "true"


def tfdsl(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command line; its messages go to the log, and standard output comes back."""
    command = str(Path(sys.executable).with_name("tfdsl"))
    return subprocess.run([command, *words], stdout=subprocess.PIPE, encoding="utf-8", check=False)


def error(message: str, path: str = "", line: int = 1, level: str = "error") -> None:
    """Annotate a line, or without a path the run as a whole; ``level`` is that of the annotation.

    The escapes are those of ``escapeData`` and ``escapeProperty`` in github.com/actions/toolkit.
    """
    place = f"file={_property(path)},line={line}," if path else ""
    print(f"::{level} {place}title=tfdsl::{_data(message)}", flush=True)


def show(text: str) -> None:
    """Print a text of somebody else's: a line of it that looks like a command to GitHub's runner is none."""
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}\n{text}\n::{token}::", flush=True)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
