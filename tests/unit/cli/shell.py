"""Running ``tfdsl`` as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
JOB = """\
job mnist {
  image   = "registry.example.com/mnist:1.4"
  command = ["python", "train.py"]
  role chief  { cpu = 4, memory = 16Gi }
  role worker { replicas = 2, cpu = 4, memory = 16Gi }
}
"""
COMMAND = (sys.executable, "-m", "tfdsl.cli.main")


class Ran(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str


def environment(**more: str) -> dict[str, str]:
    """The environment in which the working tree is found."""
    dropped = ("NO_COLOR", "FORCE_COLOR", "TFDSL_DEBUG", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    cache = Path(tempfile.gettempdir(), "tfdsl-tests-pycache")
    paths = {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'backends'}", "PYTHONPYCACHEPREFIX": str(cache)}
    return kept | paths | more


def tfdsl(*words: str, cwd: Path, stdin: bytes = b"", **more: str) -> Ran:
    """Run a command line in folder ``cwd``; ``more`` are environment variables."""
    done = subprocess.run(
        [*COMMAND, *words], cwd=cwd, input=stdin, capture_output=True, env=environment(**more), timeout=20
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace"))
