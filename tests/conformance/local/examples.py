"""The shipped examples with folders of a test, run by ``tfdsl run``."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.unit.cli.shell import COMMAND, environment

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES = Path(__file__).parents[3] / "examples"
PATIENCE = 240
"""Seconds for one run."""


class Run(NamedTuple):
    """How a run has ended. ``checkpoints``: seconds from the start after which each was written, by its step."""

    status: int
    out: str
    err: str
    folder: Path
    seconds: float
    checkpoints: dict[int, float]

    def said_by(self, task: str) -> str:
        """What one task has printed."""
        label = re.compile(rf"^{re.escape(task)} *\| ", re.M)
        return "".join(label.sub("", line) for line in self.out.splitlines(keepends=True) if label.match(line))

    @property
    def accuracy(self) -> float:
        """Of the model that was exported last."""
        return float(re.findall(r"exported to .*: accuracy ([\d.]+)", self.out)[-1])

    @property
    def resumed_at(self) -> int | None:
        """The step at which the training went on, if it did."""
        steps = re.findall(r"resumed at step (\d+)$", self.out, re.M)
        return int(steps[-1]) if steps else None


def run(
    programs: Path,
    folder: Path,
    name: str,
    *words: str,
    steps: int = 1000,
    meanwhile: Callable[[str], None] = lambda said: None,
) -> Run:
    """Run an example whose folders are below ``folder``, with the TensorFlow of ``programs``.

    ``meanwhile`` gets standard error, again and again.
    """
    runs, export = folder / "runs", folder / "export"
    runs.mkdir(parents=True)
    text = (EXAMPLES / name / "main.tfjob").read_text(encoding="utf-8")
    text = text.replace('"/runs', f'"{runs}').replace('"/tmp/export"', f'"{export}"')
    args = f'  args = ["--steps={steps}", "--export={export}"]'
    text = re.sub(r"^  args .*\n", "", text, flags=re.M)
    text = re.sub(r"^  command .*$", rf"\g<0>\n{args}", text, count=1, flags=re.M)
    (folder / "main.tfjob").write_text(text, encoding="utf-8")
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    more = {"PATH": path, "TF_CPP_MIN_LOG_LEVEL": "2", "CUDA_VISIBLE_DEVICES": "", "PYTHONPYCACHEPREFIX": ""}
    command = [*COMMAND, "run", str(folder / "main.tfjob"), "--mount", f"{runs}={runs}", *words]
    start, wall = time.monotonic(), time.time()
    with open(folder / "out", "wb") as out, open(folder / "err", "wb") as err:
        process = subprocess.Popen(
            command, cwd=EXAMPLES / name, env=environment(**more), stdout=out, stderr=err, stdin=subprocess.DEVNULL
        )
        written: dict[int, float] = {}
        try:
            while process.poll() is None:
                assert time.monotonic() - start < PATIENCE, (folder / "err").read_text()
                for one in (runs / name).glob("step-*.index"):
                    written.setdefault(int(one.stem.rpartition("-")[2]), time.time() - wall)
                meanwhile((folder / "err").read_text())
                time.sleep(0.2)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    said = [(folder / stream).read_text(encoding="utf-8") for stream in ("out", "err")]
    return Run(process.returncode, said[0], said[1], runs / name, time.monotonic() - start, written)
