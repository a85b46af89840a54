"""How fast tfdsl is here: ``python benchmarks/bench.py``.

The costs that :mod:`budgets` limits, of the working tree, how long many jobs take in one process, and how long
``check --fix`` takes over many broken files. Standard library only.
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

BROKEN_FILES = 400
MOST_SECONDS = 8.0
"""Of processor time, for ``check --fix`` over the broken files."""
BROKEN = """\
param workers: integer = '4'
job broken{number}
{{
  imagee: "registry.example.com/mnist:1.4";   // the image
  queue == 'research'
  cpus = 4, memory = "16Gi"
  mount "data" at "/data"
  args = ['it''s', "--steps", "1000"]
  env = {{ STAGE: 'prod'; LEVEL = 'info' }}
  role worker {{ replicas = not workers > 3 ? 1 : workers, gpus = 1 }}
  on PodFailed -> RestartPod
}}
"""
PADDING = "# What this job is for, who runs it, and when.\n"


def main() -> None:
    """Print the tables."""
    table, _ = measured(Path(sys.executable).parent)
    print(table)
    many_jobs()
    many_fixes()


def many_jobs() -> None:
    """Many jobs one after the other in one process."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "job.tfjob").write_text(JOB.format(name="j", workers=WORKERS))
        one, all_of_them = (cost((sys.executable, "-c", MANY, str(number)), Path(folder)) for number in (1, JOBS))
    each = (all_of_them.seconds - one.seconds) / (JOBS - 1)
    print(f"\n{JOBS} jobs in one process: {each * 1000:.2f} ms each, {all_of_them.memory / MIB:.0f} MiB")


def many_fixes() -> None:
    """``check --fix`` over many files of 1 to 2 kB, each with a dozen mistakes; half of them cannot all be fixed."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(BROKEN_FILES):
            text = PADDING * (12 + number % 20) + BROKEN.format(number=number)
            Path(folder, f"broken{number}.tfjob").write_text(text if number % 2 else text.replace("''s", "s"))
        command = (sys.executable, "-m", "tfdsl", "check", "--fix", "--format", "concise", folder)
        taken = cost(command, Path(folder), status=1)
    print(f"\ncheck --fix of {BROKEN_FILES} broken files: {taken.seconds:.1f} s, at most {MOST_SECONDS:.0f} s")
    if taken.seconds > MOST_SECONDS:
        sys.exit(1)


if __name__ == "__main__":
    main()
