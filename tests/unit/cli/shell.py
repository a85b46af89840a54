"""Running ``tfdsl``: a command line in this process, or, where only that shows something, as a process of its own."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple, TextIO
from unittest import mock

from tfdsl.cli import streams
from tfdsl.cli.main import main

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
SHELLCHECK = str(Path(sys.executable).with_name("shellcheck"))


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


def tfdsl(*words: str, cwd: Path, stdin: bytes = b"", onto: TextIO | None = None, **more: str) -> Ran:
    """Run a command line in folder ``cwd``; ``onto``: what it writes to; ``more`` are environment variables.

    It runs in this process: starting another one costs a hundred times as much. What an interpreter reads when it
    starts (``PYTHON…``, the locale) has no effect here; see :func:`process`.
    """
    assert not any(name.startswith(("PYTHON", "LC_")) for name in more)
    out, err, given = (io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="") for data in (b"", b"", stdin))
    streams.choose_colour("auto")  # as at the start of a process
    with (
        contextlib.chdir(cwd),
        mock.patch.dict(os.environ, environment(**more), clear=True),
        mock.patch.multiple(sys, stdin=given, stdout=onto or out, stderr=onto or err),
    ):
        status = main(words)
    return Ran(status, *(one.buffer.getvalue().decode("utf-8", "replace") for one in (out, err)))


def lines(script: str, cwd: Path) -> Ran:
    """Run simple command lines; gives the end of the last ``tfdsl …`` among them, and the messages of all.

    ``< FILE`` is standard input, and what follows a ``#`` is a comment.
    """
    ran, messages = Ran(0, "", ""), ""
    for line in script.splitlines():
        words = shlex.split(line, comments=True)
        if words:
            if words[0] != "tfdsl":
                subprocess.run(words, cwd=cwd, check=True)
                continue
            at = words.index("<") if "<" in words else len(words)
            stdin = (cwd / words[at + 1]).read_bytes() if at < len(words) else b""
            ran = tfdsl(*words[1:at], cwd=cwd, stdin=stdin)
            messages += ran.err
    return ran._replace(err=messages)


def process(*words: str, cwd: Path, stdin: bytes = b"", **more: str) -> Ran:
    """Run a command line as a process of its own."""
    done = subprocess.run(
        [*COMMAND, *words], cwd=cwd, input=stdin, capture_output=True, env=environment(**more), timeout=20
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace"))
