"""What commands may cost: the one table, which CONTRIBUTING.md shows, and which `make budgets` holds.

A cost is the processor time (user and system) of a command as it is installed with pip, divided by that of
``python -c pass`` with the same interpreter, so it says the same on a fast and on a slow machine.

``python benchmarks/budgets.py`` builds the wheel, installs it into an environment of its own, measures, and exits 1 if
a command costs too much; ``--clean-venv FOLDER`` takes an environment in which the wheel is installed already. Run it
alone, because ratios are larger on a busy machine. Standard library only.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
MIB = 1024  # KiB

WORKERS = 4
MANY_WORKERS = 3_000
LINES = 10_000
FEW_LINES = 2_500
PODS = 4_000

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


class Budget(NamedTuple):
    """What a command may cost, in times ``python -c pass``.

    ``words``: the command line, in a folder with the files of :func:`write_inputs`, and where a cluster is asked with
    the client of :func:`write_client`, whose time counts, too. ``nominal``: the budget.
    ``worst``: the most that it may be on a quiet machine.
    """

    name: str
    words: tuple[str, ...]
    nominal: float
    worst: float

    @property
    def limit(self) -> float:
        """From what on ``make budgets`` fails."""
        return round(self.worst * BUSY, 1)


BUSY = 1.2
"""So many times the worst a build machine may take, which does other things too."""

BUDGETS = (
    Budget("compile -t volcano", ("compile", "job.tfjob", "-t", "volcano"), 20, 23),
    Budget("compile -t slurm", ("compile", "job.tfjob", "-t", "slurm", "-o", "slurm"), 27, 30),
    Budget("compile -t yarn", ("compile", "job.tfjob", "-t", "yarn", "-o", "yarn"), 34, 38),
    Budget("check", ("check", "job.tfjob"), 6, 8),
    Budget("fmt --check", ("fmt", "--check", "job.tfjob"), 4, 5),
    Budget("--help", ("--help",), 1.8, 2.2),
    Budget(f"check of {LINES:,} lines", ("check", "long.tfjob"), 65, 80),
    Budget("status", ("status", "volcano/few"), 8, 10),
    Budget(f"status of {PODS:,} pods", ("status", "volcano/many"), 18, 20.8),
)

MEMORY = {"compile": 45 * MIB, "status": 80 * MIB}
"""The most memory of a command, for any job and target above."""


class Pair(NamedTuple):
    """What must not cost ``most`` times as much as something smaller."""

    name: str
    small: tuple[str, ...]
    large: tuple[str, ...]
    most: float


PAIRS = (
    Pair(
        f"compile of {MANY_WORKERS:,} workers instead of {WORKERS}",
        ("compile", "job.tfjob", "-t", "volcano"),
        ("compile", "many.tfjob", "-t", "volcano"),
        1.15,
    ),
    Pair(
        f"check of {LINES:,} lines instead of {FEW_LINES:,}",
        ("check", "short.tfjob"),
        ("check", "long.tfjob"),
        LINES / FEW_LINES * 1.15,
    ),
)
"""The cost does not grow with the replicas, and with the text no faster than the text."""


def write_inputs(folder: Path) -> None:
    """The files of the command lines above."""
    (folder / "job.tfjob").write_text(JOB.format(name="job", workers=WORKERS))
    (folder / "many.tfjob").write_text(JOB.format(name="many", workers=MANY_WORKERS))
    (folder / "long.tfjob").write_text(long_text("long", LINES))
    (folder / "short.tfjob").write_text(long_text("short", FEW_LINES))


def write_client(folder: Path, tfdsl: tuple[str, ...]) -> None:
    """A ``kubectl`` in ``folder/bin`` that only prints what is in files: all pods of a job run."""
    script = "#!/bin/sh\ncase $* in\n"
    for name, pods in (("few", WORKERS), ("many", PODS)):
        asked = subprocess.run([*tfdsl, "status", f"volcano/{name}", "--dry-run"], capture_output=True, text=True)
        for line in asked.stdout.splitlines():
            match = re.search(r" get (\w+)(.*)range \.items\[\*\]\}(.*)\{end\}\{\"(.*?)\\n", line)
            assert match is not None, line
            what, which, row, end = match.groups()
            count = {"pods": pods, "jobs": 1}.get(what, 0)
            file = folder / f"{name}.{what}"
            file.write_text("".join(_row(row, what[:-1], name, number) for number in range(count)) + f"{end}\n")
            script += f'*"get {what}"*{name if name in which else ""}*) exec cat {file} ;;\n'
    (folder / "bin").mkdir()
    client = folder / "bin/kubectl"
    client.write_text(f"{script}esac\n")
    client.chmod(0o755)


def _row(template: str, kind: str, name: str, number: int) -> str:
    """What ``kubectl -o jsonpath`` prints of one object."""
    labels = {"volcano.sh/job-name": name, "volcano.sh/task-spec": "worker", "volcano.sh/task-index": str(number)}
    container = {"name": "tensorflow", "restartCount": 0, "state": {"running": {"startedAt": "2026-11-29T10:00:00Z"}}}
    values = {
        ".apiVersion": "v1",
        ".kind": kind.capitalize(),
        ".metadata.name": f"{name}-worker-{number}" if kind == "pod" else name,
        ".metadata.namespace": "default",
        ".metadata.uid": f"{kind}-{number}",
        ".metadata.creationTimestamp": "2026-11-29T10:00:00Z",
        ".metadata.labels": json.dumps(labels),
        ".spec.nodeName": f"node-{number}",
        ".status": json.dumps({"phase": "Running", "containerStatuses": [container]} if kind == "pod" else {}),
    }
    parts = re.findall(r'\{"(.*?)"\}|\{([^}]*)\}', template)
    return "".join(text.encode().decode("unicode_escape") if text else values.get(path, "") for text, path in parts)


def long_text(name: str, lines: int) -> str:
    """The job with so many lines, most of them variables."""
    begin, end = JOB.format(name=name, workers=WORKERS).split("  role chief")
    missing = lines - begin.count("\n") - end.count("\n") - 2
    variables = "".join(f'    VARIABLE_{number} = "value {number}"\n' for number in range(missing))
    return f"{begin}  env = {{\n{variables}  }}\n  role chief{end}"


def documented() -> str:
    """The table in the documentation."""
    rows = [("command", "budget", "`make budgets` fails above")]
    rows += [("---", "---", "---")]
    rows += [
        (f"`{one.name}`" if "of" not in one.name else one.name, f"{one.nominal:g}", f"{one.limit:g}") for one in BUDGETS
    ]
    rows += [(f"memory of these `{name}`", "", f"{most // MIB} MiB") for name, most in MEMORY.items()]
    rows += [(one.name, "", f"{one.most:g} times as much") for one in PAIRS]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


# --- measuring -------------------------------------------------------------------------------------------------


class Cost(NamedTuple):
    """Processor time in seconds and peak memory in KiB."""

    seconds: float
    memory: int

    def least(self, other: Cost) -> Cost:
        """The lower of both times, and the higher memory."""
        return Cost(min(self.seconds, other.seconds), max(self.memory, other.memory))


def cost(command: tuple[str, ...], folder: Path, *, status: int = 0) -> Cost:
    """What a command costs in ``folder``, whose files it may read; it has to end with ``status``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    kept["PATH"] = f"{folder / 'bin'}{os.pathsep}{kept['PATH']}"
    process = subprocess.Popen(command, cwd=folder, env=kept, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    told = process.stderr.read()
    _, ended, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(ended)
    if process.returncode != status:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{told.decode(errors='replace')}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss)


class Bench:
    """The least cost of each command line so far, measured in turns with ``python -c pass``."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.nothing = (str(programs / "python"), "-c", "pass")
        self.tfdsl = (str(programs / "tfdsl"),)
        self.folder = folder
        self.least: dict[tuple[str, ...], Cost] = {}
        write_inputs(folder)
        write_client(folder, self.tfdsl)

    def measure(self, *lines: tuple[str, ...]) -> None:
        """Measure ``python -c pass`` and each of ``lines`` once."""
        for command in (self.nothing, *(self.tfdsl + words for words in lines)):
            spent = cost(command, self.folder)
            self.least[command] = spent.least(self.least.get(command, spent))

    def of(self, words: tuple[str, ...]) -> Cost:
        """The least cost of a command line."""
        return self.least[self.tfdsl + words]

    def ratio(self, words: tuple[str, ...]) -> float:
        """In times ``python -c pass``."""
        return self.of(words).seconds / self.least[self.nothing].seconds

    def growth(self, pair: Pair) -> float:
        """How many times as much the larger one costs."""
        return self.of(pair.large).seconds / self.of(pair.small).seconds


def broken(bench: Bench) -> list[str]:
    """What costs more than it may, each with what it costs."""
    told = []
    for one in BUDGETS:
        if bench.ratio(one.words) > one.limit:
            told.append(f"{one.name} costs {bench.ratio(one.words):.1f} times python -c pass, of {one.limit:g}")
        most = MEMORY.get(one.words[0])
        if most is not None and bench.of(one.words).memory > most:
            told.append(f"{one.name} takes {bench.of(one.words).memory / MIB:.1f} MiB, of {most / MIB:g}")
    told += [
        f"{pair.name} costs {bench.growth(pair):.2f} times as much, of {pair.most:g}"
        for pair in PAIRS
        if bench.growth(pair) > pair.most
    ]
    return told


def report(bench: Bench) -> str:
    """What was measured, beside what it may be."""
    lines = [f"python -c pass  {bench.least[bench.nothing].seconds * 1000:.1f} ms of processor time", ""]
    lines.append(f"{'':<44}{'times':>7}{'budget':>8}{'limit':>7}{'MiB':>7}")
    for one in BUDGETS:
        spent = bench.of(one.words)
        ratio = f"{bench.ratio(one.words):7.1f}{one.nominal:8g}{one.limit:7g}"
        lines.append(f"{one.name:<44}{ratio}{spent.memory / MIB:7.1f}")
    lines += [f"{pair.name:<44}{bench.growth(pair):7.2f}{'':8}{pair.most:7g}" for pair in PAIRS]
    return "\n".join(lines)


FEWEST_ROUNDS, MOST_ROUNDS = 8, 40
"""The least of so many rounds counts. It goes on as long as something costs too much: only noise gets less."""


def measured(programs: Path) -> tuple[str, list[str]]:
    """The costs of the commands in a folder of programs, as a table, and what costs too much."""
    pairs = [words for pair in PAIRS for words in (pair.small, pair.large)]
    lines = dict.fromkeys([*(one.words for one in BUDGETS), *pairs])
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(programs, Path(folder))
        for number in range(MOST_ROUNDS):
            bench.measure(*lines)
            if number + 1 >= FEWEST_ROUNDS and not broken(bench):
                break
    return report(bench), broken(bench)


def installed(scratch: Path) -> Path:
    """An environment with nothing but the wheel of this tree in it; built by the interpreter that runs this file."""
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(scratch / "dist"), str(ROOT))
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = (scratch / "dist").glob("*.whl")
    clean = scratch / "clean"
    subprocess.run((sys.executable, "-m", "venv", str(clean)), check=True)
    pip = (str(clean / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel))
    subprocess.run(pip, check=True)
    return clean


def main() -> int:
    """Hold the budgets; the exit status is 1 if something costs too much."""
    parser = argparse.ArgumentParser(description="Fail if a command of the installed package costs too much.")
    parser.add_argument("--clean-venv", metavar="FOLDER", type=Path, help="an environment with the built wheel in it")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        clean = asked.clean_venv or installed(Path(scratch))
        table, too_much = measured(clean.absolute() / "bin")
    print(table)
    for line in too_much:
        print(f"too much: {line}", file=sys.stderr)
    return int(bool(too_much))


if __name__ == "__main__":
    sys.exit(main())
