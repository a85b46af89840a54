"""Prove the output of the targets yarn and slider by the real programs.

usage: python -m tests.conformance.yarn [build | up | down] [--work FOLDER] [PYTEST ARGUMENTS]

Without a command: build, run the tests (which start and stop the cluster), keep the work folder for the next run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.conformance.yarn import jars, training
from tests.conformance.yarn.cluster import Cluster, NotStartedError
from tests.conformance.yarn.work import Work

HERE = Path(__file__).parent
DEFAULT_WORK = Path(tempfile.gettempdir()) / "tfdsl-yarn"


def main(words: list[str]) -> int:
    """Do what the command line says; gives the exit status."""
    reader = argparse.ArgumentParser(prog="python -m tests.conformance.yarn", allow_abbrev=False)
    reader.add_argument("command", nargs="?", choices=("build", "up", "down"))
    reader.add_argument("--work", type=Path, default=DEFAULT_WORK, help="the work folder")
    given, rest = reader.parse_known_args(words)
    start = time.monotonic()
    try:
        status = _run(given.command, Work(given.work.resolve()), rest)
    except (jars.NotBuiltError, NotStartedError) as problem:
        print(problem, file=sys.stderr)
        status = 1
    print(f"{given.command or 'conformance'}: {time.monotonic() - start:.0f} s", flush=True)
    return status


def _run(command: str | None, work: Work, rest: list[str]) -> int:
    cluster = Cluster(work)
    if command == "down":
        cluster.stop()
        return 0
    jars.build(work)
    training.install(work)
    if command == "up":
        cluster.start()
        print(f"PATH={work.home}/bin:$PATH HADOOP_HOME={work.home} HADOOP_CONF_DIR={work.conf}")
    if command is not None:
        return 0
    options = ["--hadoop-work", str(work.folder), "-o", f"cache_dir={work.folder / 'pytest'}"]
    return subprocess.run([sys.executable, "-m", "pytest", str(HERE), *options, *rest]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
