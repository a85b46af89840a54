"""Virtual environments with TensorFlow in the work folder, and which versions that are."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

OLDEST: Final = "2.15.1"
OF_IMAGES: Final = "2.17.0"
NEWEST: Final = "newest"

TRIED: Final = {
    OLDEST: (f"tensorflow-cpu=={OLDEST}", "setuptools<81"),
    OF_IMAGES: (f"tensorflow-cpu=={OF_IMAGES}", "setuptools<81"),
    NEWEST: ("tensorflow", "tensorboard"),
}
"""Each version that pages and examples are trained with, and its packages: the old TensorBoards need an old setuptools.

The oldest, that of all images in examples and pages, and what ``docs/guide/start.md`` says to install.
"""


class NotInstalledError(Exception):
    """TensorFlow cannot be had; the message says why."""


def environment(work: Path, version: str = OLDEST) -> Path:
    """The virtual environment with a version."""
    return work / f"tensorflow-{version}"


def programs(work: Path, version: str = OLDEST) -> Path:
    """The folder with its programs: ``python3``, ``tensorboard``."""
    return environment(work, version) / "bin"


def install(work: Path, *versions: str) -> None:
    """Make the environments that are not there, side by side. Raises :class:`NotInstalledError`."""
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda version: _install(environment(work, version), TRIED[version]), versions or (OLDEST,)))


def _install(folder: Path, packages: tuple[str, ...]) -> None:
    mark = folder / ".complete"
    if mark.exists() and mark.read_text() == " ".join(packages):
        return
    _run([sys.executable, "-m", "venv", "--clear", str(folder)], packages)
    pip = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--no-compile", *packages], packages)
    _run([str(folder / "bin/python"), "-c", "import tensorflow, tensorboard.main"], packages)  # compiles what is used
    mark.write_text(" ".join(packages))


def _run(command: list[str], packages: tuple[str, ...]) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, capture_output=True, text=True, env=kept)
    if done.returncode != 0:
        last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
        raise NotInstalledError(f"{packages[0]} cannot be installed: {''.join(last)}")
