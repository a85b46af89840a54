"""Prove that jobs train with real TensorFlow on this machine: with the oldest one that tfdsl is for, and with today's.

usage: python -m tests.conformance.local [--work FOLDER] [PYTEST ARGUMENTS]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.conformance import tensorflow

HERE = Path(__file__).parent
DEFAULT_WORK = Path(tempfile.gettempdir()) / "tfdsl-local"


def main(words: list[str]) -> int:
    """Do what the command line says; gives the exit status."""
    reader = argparse.ArgumentParser(prog="python -m tests.conformance.local", allow_abbrev=False)
    reader.add_argument("--work", type=Path, default=DEFAULT_WORK, help="the work folder")
    given, rest = reader.parse_known_args(words)
    work = given.work.resolve()
    start = time.monotonic()
    try:
        tensorflow.install(work, tensorflow.OLDEST, tensorflow.NEWEST)
    except tensorflow.NotInstalledError as problem:
        print(problem, file=sys.stderr)
        return 1
    options = ["--local-work", str(work), "-o", f"cache_dir={work / 'pytest'}", "-p", "no:xdist"]
    status = subprocess.run([sys.executable, "-m", "pytest", str(HERE), *options, *rest]).returncode
    print(f"conformance: {time.monotonic() - start:.0f} s", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
