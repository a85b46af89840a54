"""Prove the output of the target slurm by a real Slurm.

usage: python -m tests.conformance.slurm [up | down] [--work FOLDER] [PYTEST ARGUMENTS]

Without a command: run the tests, which start and stop Slurm; the work folder is kept for the next run. With -mlong, the
tests that are left out otherwise.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.conformance.slurm.cluster import Cluster, NotStartedError, install

HERE = Path(__file__).parent
DEFAULT_WORK = Path(tempfile.gettempdir()) / "tfdsl-slurm"


def main(words: list[str]) -> int:
    """Do what the command line says; gives the exit status."""
    reader = argparse.ArgumentParser(prog="python -m tests.conformance.slurm", allow_abbrev=False)
    reader.add_argument("command", nargs="?", choices=("up", "down"))
    reader.add_argument("--work", type=Path, default=DEFAULT_WORK, help="the work folder")
    given, rest = reader.parse_known_args(words)
    start = time.monotonic()
    try:
        status = _run(given.command, given.work.resolve(), rest)
    except NotStartedError as problem:
        print(problem, file=sys.stderr)
        status = 1
    print(f"{given.command or 'conformance'}: {time.monotonic() - start:.0f} s", flush=True)
    return status


def _run(command: str | None, work: Path, rest: list[str]) -> int:
    cluster = Cluster(work / "slurm")
    if command == "down":
        cluster.stop()
        return 0
    install()
    if command == "up":
        cluster.start()
        print(f"SLURM_CONF={cluster.folder}/slurm.conf")
        return 0
    options = ["--slurm-work", str(work), "-o", f"cache_dir={work / 'pytest'}"]
    return subprocess.run([sys.executable, "-m", "pytest", str(HERE), *options, *rest]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
