"""A reader's home: nothing is in it but what docs/editors.md says, done as it says it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.editors.terminal.page import ROOT, section

if TYPE_CHECKING:
    from collections.abc import Mapping

CHECKOUT = "/path/to/tfdsl"
"""How the page calls the folder of the checkout."""


class Home:
    """A home folder and a folder of jobs in it."""

    def __init__(self, folder: Path, programs: Path) -> None:
        """Make the home; ``programs`` and the server are on its path."""
        self.folder = folder
        self.jobs = folder / "jobs"
        self.jobs.mkdir(parents=True)
        (self.jobs / "tfdsl.toml").touch()
        server = Path(sys.executable).parent
        kept = {name: value for name, value in os.environ.items() if name in ("LANG", "TMPDIR")}
        self.environment: Mapping[str, str] = {
            **kept,
            "HOME": str(folder),
            "LC_ALL": "C.UTF-8",
            "PATH": f"{programs}:{server}:{os.defpath}:/usr/local/bin",
            "SHELL": "/bin/sh",
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
        }

    def follow(self, name: str) -> None:
        """Do what the section of the page says: write each file, run each command in the checkout."""
        for block in section(name):
            text = block.text.replace(CHECKOUT, str(ROOT))
            if block.file is not None:
                path = self.folder / block.file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            elif block.language == "sh":
                self.checkout(text)

    def checkout(self, lines: str) -> str:
        """What a shell prints that runs the lines in the checkout."""
        return self.run("sh", "-euc", lines, folder=ROOT)

    def job(self, name: str, text: str) -> Path:
        """Write a job."""
        path = self.jobs / name
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *command: str | Path, folder: Path | None = None, more: Mapping[str, str] | None = None) -> str:
        """What a program prints; a failure fails the test with what it said."""
        done = subprocess.run(
            [shutil.which(command[0], path=self.environment["PATH"]) or command[0], *command[1:]],
            cwd=folder or self.jobs,
            env={**self.environment, **(more or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout
