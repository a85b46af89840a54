"""How fast tfdsl is here: ``python benchmarks/bench.py``.

Start-up is shown as a ratio to ``python -c pass``, measured in turns with it, so that it says the same on a fast and
a slow machine. Everything runs in processes of its own, with the interpreter that runs this file. Standard library
only.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 25
JOBS = 1_000
LINES = 10_000
WORKERS = (4, 3_900)  # of 4,000 the TF_CONFIG that the operator injects fits no variable (131,071 bytes)
TFDSL = (sys.executable, "-m", "tfdsl.cli.main")
ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT["PYTHONPATH"] = f"{ROOT}{os.pathsep}{ROOT / 'backends'}"

JOB = """\
job {name} {{
  image   = "registry.example.com/mnist:1.4"
  command = ["python", "train.py"]
  role chief  {{ cpu = 4, memory = 16Gi }}
  role worker {{ replicas = {workers}, cpu = 4, memory = 16Gi }}
  role ps     {{ replicas = 2, cpu = 2, memory = 8Gi }}
  on failed => restart container
}}
"""

MANY = """\
import sys, time
from tfdsl import targets, pipeline
from tfdsl.text import Source
target = targets.find("volcano")
texts = [open(sys.argv[1], encoding="utf-8").read().replace("job j ", f"job j{n} ") for n in range(int(sys.argv[2]))]
begin = time.perf_counter()
for text in texts:
    made = pipeline.compile_source(Source("j.tfjob", text, "j.tfjob"), target)
    assert made, "the job does not compile"
print(time.perf_counter() - begin)
"""


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        ENVIRONMENT["PYTHONPYCACHEPREFIX"] = str(Path(folder, "pycache"))  # as after an installation with pip
        start_up(Path(folder))
        large_inputs(Path(folder))
        many_jobs(Path(folder))


def start_up(folder: Path) -> None:
    """Cold starts, in turns with ``python -c pass``. The limits of ``compile`` are 22 x and 45 MiB."""
    job = folder / "j.tfjob"
    job.write_text(JOB.format(name="j", workers=4))
    commands = {
        "--help": (*TFDSL, "--help"),
        "check": (*TFDSL, "check", str(job)),
        "fmt --check": (*TFDSL, "fmt", "--check", str(job)),
        "compile -t volcano": (*TFDSL, "compile", str(job), "-t", "volcano"),
        "compile -t tfjob": (*TFDSL, "compile", str(job), "-t", "tfjob"),
    }
    for command in commands.values():
        run(command)  # compiles the modules
    base: list[float] = []
    times: dict[str, list[float]] = {name: [] for name in commands}
    memory: dict[str, int] = {}
    for _ in range(ROUNDS):
        base.append(run((sys.executable, "-c", "pass"))[0])
        for name, command in commands.items():
            seconds, memory[name] = run(command)
            times[name].append(seconds)
    nothing = statistics.median(base)
    print(f"{'python -c pass':<28}{nothing * 1000:8.1f} ms    1.0 x")
    for name, measured in times.items():
        median = statistics.median(measured)
        print(f"{name:<28}{median * 1000:8.1f} ms {median / nothing:6.1f} x {memory[name] / 1024:6.0f} MiB")


def large_inputs(folder: Path) -> None:
    """A long file, and how a job grows with its replicas."""
    long = folder / "long.tfjob"
    env = "\n".join(f'    VARIABLE_{n} = "value {n}"' for n in range(LINES - 8))
    long.write_text(
        JOB.format(name="long", workers=4).replace("  role chief", f"  env = {{\n{env}\n  }}\n  role chief")
    )
    lines = long.read_text().count("\n")
    show(f"check, {lines} lines", *run((*TFDSL, "check", str(long))))
    for target in ("tfjob", "volcano"):
        for workers in WORKERS:
            job = folder / "j.tfjob"
            job.write_text(JOB.format(name="j", workers=workers))
            out = folder / f"{target}-{workers}.yaml"
            seconds, memory = run((*TFDSL, "compile", str(job), "-t", target, "-o", str(out)))
            show(f"{target}, {workers} workers", seconds, memory, f"{out.stat().st_size:,} bytes")


def many_jobs(folder: Path) -> None:
    """Many jobs one after the other in one process."""
    job = folder / "j.tfjob"
    job.write_text(JOB.format(name="j", workers=4))
    command = (sys.executable, "-c", MANY, str(job), str(JOBS))
    done = subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True, text=True)
    seconds = float(done.stdout)
    show(f"{JOBS} jobs in one process", seconds, peak(), f"{seconds / JOBS * 1000:.2f} ms each")


def run(command: tuple[str, ...]) -> tuple[float, int]:
    """Seconds and the peak memory in KiB of a command, which has to succeed."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    told = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{told.decode(errors='replace')}")
    return seconds, usage.ru_maxrss


def peak() -> int:
    """The largest memory of any child so far, in KiB."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


def show(name: str, seconds: float, memory: int, more: str = "") -> None:
    """One row."""
    print(f"{name:<28}{seconds * 1000:8.1f} ms {memory / 1024:6.0f} MiB  {more}".rstrip())


if __name__ == "__main__":
    main()
