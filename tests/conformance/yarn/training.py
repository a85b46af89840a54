"""A Python with TensorFlow, for the jobs that really train."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from tests.conformance.yarn.jars import NotBuiltError, reason

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conformance.yarn.work import Work

TENSORFLOW = "tensorflow-cpu==2.15.1"


def environment(work: Work) -> Path:
    """The virtual environment that has it."""
    return work.folder / "tensorflow"


def python(work: Work) -> Path:
    """Its Python."""
    return environment(work) / "bin/python"


def install(work: Work) -> None:
    """Make an environment with TensorFlow in the work folder; raise when it cannot be had."""
    mark = environment(work) / ".complete"
    if mark.exists() and mark.read_text() == TENSORFLOW:
        return
    _run([sys.executable, "-m", "venv", "--clear", str(environment(work))])
    _run([str(python(work)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", TENSORFLOW])
    mark.write_text(TENSORFLOW)


def _run(command: list[str]) -> None:
    done = subprocess.run(["nice", "-n", "10", *command], capture_output=True, text=True)
    if done.returncode != 0:
        raise NotBuiltError(f"{TENSORFLOW} cannot be had: {reason(done.stderr)}")
