"""How fast tfdsl is here: ``python benchmarks/bench.py``.

The costs that :mod:`budgets` limits, of the working tree, and how long many jobs take in one process. Standard library
only.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from budgets import JOB, MIB, WORKERS, cost, measured

JOBS = 1_000
MANY = """\
import sys
from tfdsl import targets, pipeline
from tfdsl.text import Source
target = targets.find("volcano")
texts = [open("job.tfjob", encoding="utf-8").read().replace("job j ", f"job j{n} ") for n in range(int(sys.argv[1]))]
for text in texts:
    made = pipeline.compile_source(Source("j.tfjob", text, "j.tfjob"), target)
    assert made, "the job does not compile"
"""


def main() -> None:
    """Print the tables."""
    table, _ = measured(Path(sys.executable).parent)
    print(table)
    many_jobs()


def many_jobs() -> None:
    """Many jobs one after the other in one process."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "job.tfjob").write_text(JOB.format(name="j", workers=WORKERS))
        one, all_of_them = (cost((sys.executable, "-c", MANY, str(number)), Path(folder)) for number in (1, JOBS))
    each = (all_of_them.seconds - one.seconds) / (JOBS - 1)
    print(f"\n{JOBS} jobs in one process: {each * 1000:.2f} ms each, {all_of_them.memory / MIB:.0f} MiB")


if __name__ == "__main__":
    main()
