"""Prove the output of the Kubernetes family by the real programs.

usage: python -m tests.conformance.kubernetes [build | up | down] [--work FOLDER] [-- PYTEST ARGUMENTS]

Without a command: build, start the control plane, run the tests in some processes that share it, stop everything. The
work folder is kept for the next run.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.conformance.kubernetes import control_plane, images, node, programs
from tests.conformance.kubernetes.api import Api, RefusedError
from tests.conformance.kubernetes.processes import NotStartedError, Processes
from tests.conformance.kubernetes.work import Work

HERE = Path(__file__).parent
DEFAULT_WORK = Path(tempfile.gettempdir()) / "tfdsl-kubernetes"
PROCESSES = 4
"""That run the tests: most of them wait."""


def main(words: list[str]) -> int:
    """Do what the command line says; gives the exit status."""
    reader = argparse.ArgumentParser(prog="python -m tests.conformance.kubernetes", allow_abbrev=False)
    reader.add_argument("command", nargs="?", choices=("build", "up", "down"))
    reader.add_argument("--work", type=Path, default=DEFAULT_WORK, help="the work folder")
    own, rest = _split(words)
    given = reader.parse_args(own)
    work = Work(given.work.resolve())
    start = time.monotonic()
    try:
        status = _run(given.command, work, rest)
    except (programs.NotBuiltError, NotStartedError, RefusedError) as problem:
        print(problem, file=sys.stderr)
        status = 1
    print(f"{given.command or 'conformance'}: {time.monotonic() - start:.0f} s", flush=True)
    return status


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """What stands before and behind ``--``."""
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]


def _run(command: str | None, work: Work, rest: list[str]) -> int:
    processes = Processes(work)
    if command == "down":
        processes.stop(*processes.names())
        return 0
    _build(work)
    if command == "up":
        processes.stop(*processes.names())
        control_plane.start(work, processes, Api(work))
    if command is not None:
        return 0
    options = ["--work", str(work.folder), "-o", f"cache_dir={work.folder / 'pytest'}"]
    options += ["-n", str(PROCESSES), "--dist", "loadfile", "--no-loadscope-reorder", "--durations", "25"]
    with control_plane.serving(work, processes, Api(work)):
        return subprocess.run([sys.executable, "-m", "pytest", str(HERE), *options, *rest]).returncode


def _build(work: Work) -> None:
    """Build the programs and, beside them, the images."""
    with ThreadPoolExecutor() as pool:
        node_needs = pool.submit(_build_images, work)
        programs.build(work)
        node_needs.result()


def _build_images(work: Work) -> None:
    if os.geteuid() == 0:  # else the tests that need a node say why they cannot have one
        node.install_packages()
        images.build(work)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
