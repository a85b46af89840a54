"""A virtual environment with TensorFlow in the work folder."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PACKAGES = ("tensorflow-cpu==2.15.1", "setuptools<81")


class NotInstalledError(Exception):
    """TensorFlow cannot be had; the message says why."""


def programs(work: Path) -> Path:
    """The folder with its programs: ``python3``, ``tensorboard``."""
    return work / "tensorflow/bin"


def install(work: Path) -> None:
    """Make the environment, if it is not there. Raises :class:`NotInstalledError`."""
    mark = work / "tensorflow/.complete"
    if mark.exists() and mark.read_text() == " ".join(PACKAGES):
        return
    _run([sys.executable, "-m", "venv", "--clear", str(work / "tensorflow")])
    _run([str(programs(work) / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES])
    mark.write_text(" ".join(PACKAGES))


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
        raise NotInstalledError(f"{PACKAGES[0]} cannot be installed: {''.join(last)}")
