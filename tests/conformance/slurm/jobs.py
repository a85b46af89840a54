"""Jobs as a user has them: compiled by the command line, submitted by the emitted script, looked at afterwards."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.lifecycle.recorded import injected
from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.lifecycle.scenario import Prediction, play
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conformance.slurm.cluster import Cluster

ROOT = Path(__file__).parents[3]
TASK = ROOT / "tests/conformance/in_tasks/task.py"
LIMIT = 240
"""Seconds for one job, with all others that run at the same time."""

HEAD = "param program: string\nparam records: string\nparam shared: string\n"
"""In front of each text: the stand-in program, and the run's own folders for records and for what all nodes share."""

COMMAND = 'command = ["python3", program, records, "${role.name}", "${task.index}"]'
SMALL = "cpu = 1, memory = 128Mi"


@dataclass(frozen=True)
class Job:
    """What is to be run.

    ``files``: made beside the source before the submission, name -> bytes. ``meanwhile``: is called while the job runs,
    from another thread. ``variables`` and ``umask``: of the one who submits. ``values``: of further params.
    ``words``: what else submit.sh is given.
    """

    text: str
    options: tuple[str, ...] = ()
    files: dict[str, bytes] = field(default_factory=dict)
    meanwhile: Callable[[Run], None] | None = None
    variables: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    umask: int = -1
    words: tuple[str, ...] = ()


@dataclass
class Run:
    """A job that runs or has ended. ``folder``: its own; ``status`` of ``submit.sh --wait``."""

    cluster: Cluster
    job: Job
    folder: Path
    status: int = -1
    seconds: float = 0
    process: subprocess.Popen[bytes] | None = None

    def until(self, what: Callable[[], Any], seconds: float = LIMIT) -> Any:
        """Wait for ``what`` to give something; gives that."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = what()
            if found:
                return found
            time.sleep(0.2)
        raise AssertionError(f"it did not come to that:\n{self.story}")

    def until_running(self, role: str, index: int = 0, tries: int = 1) -> dict[str, Any]:
        """Wait until a task has written its record of that try; gives it."""
        found: dict[str, Any] = self.until(
            lambda: next((one for one in self.tries(role, index) if one["try"] == tries and "own" in one), None)
        )
        return found

    def start_at_once(self, *first: str) -> None:
        """Slurm lets a job that is queued again wait for two minutes, until its credentials have expired.

        ``first``: a command of scontrol that it needs before. Both do nothing until the last run is cleared up.
        """
        self.until(lambda: self.cluster.state(self.id) == "PENDING")
        time.sleep(3)  # what starts in the second in which its old credential was revoked is killed

        def starts() -> bool:
            if first:
                self.cluster.ask("scontrol", *first, self.id)
            self.cluster.ask("scontrol", "update", f"jobid={self.id}", "StartTime=now")
            time.sleep(2)
            return self.cluster.state(self.id) != "PENDING"

        self.until(starts)

    @property
    def id(self) -> str:
        """The number of the job."""
        found: str = self.until(lambda: re.search(r"submitted as (\d+)", self.output))[1]
        return found

    @property
    def output(self) -> str:
        """What ``submit.sh`` has said so far."""
        path = self.folder / "submit.log"
        return path.read_text(errors="replace") if path.exists() else ""

    @property
    def log(self) -> str:
        """What the batch script has said."""
        return "".join(path.read_text(errors="replace") for path in self.folder.glob("tfjob-runs/*/job.log"))

    def log_of(self, name: str) -> str:
        """What a task has written."""
        return "".join(path.read_text(errors="replace") for path in self.folder.glob(f"tfjob-runs/*/{name}.log"))

    @property
    def records(self) -> list[dict[str, Any]]:
        """What the stand-in programs wrote down, by role, index and try."""
        return [json.loads(path.read_text()) for path in sorted((self.folder / "records").glob("*.json"))]

    def tries(self, role: str, index: int = 0) -> list[dict[str, Any]]:
        """What one task wrote down, each try."""
        return [one for one in self.records if (one["role"], one["index"]) == (role, index)]

    @property
    def starts(self) -> dict[str, int]:
        """``worker[1]`` -> how often its command was started."""
        found: dict[str, int] = {}
        for one in self.records:
            name = f"{one['role']}[{one['index']}]"
            found[name] = found.get(name, 0) + 1
        return found

    def left_over(self, seconds: float = 15) -> list[int]:
        """Processes of the job that are still there after a while."""
        end = time.monotonic() + seconds
        found = [one["pid"] for one in self.records]
        while time.monotonic() < end:
            found = [pid for pid in found if self._is_task(pid)]
            if not found:
                break
            time.sleep(0.2)
        return found

    def _is_task(self, pid: int) -> bool:
        try:
            return str(self.folder).encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False

    @property
    def story(self) -> str:
        """All that can be told about it, for messages."""
        logs = "".join(
            f"--- {path.name}\n{path.read_text(errors='replace')}" for path in self.folder.glob("tfjob-runs/*/*.log")
        )
        return f"status {self.status} after {self.seconds:.0f} s\n{self.output}\n{self.starts}\n{logs}"


def source(job: Job) -> str:
    """The whole text."""
    return HEAD + job.text if "param program" not in job.text else job.text


def tfdsl(run: Run, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command of the compiler about the run's job, which must succeed."""
    values = {"program": TASK, "records": run.folder / "records", "shared": run.folder / "shared", **run.job.values}
    words = [sys.executable, "-m", "tfdsl", command, "job.tfjob", "-t", "slurm", *arguments, *run.job.options]
    for name, value in values.items():
        words += ["--set", f"{name}={value}"] if f"param {name}:" in source(run.job) else []
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT}/backends"}
    done = subprocess.run(words, cwd=run.folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def prepared(cluster: Cluster, job: Job, folder: Path) -> tuple[Run, Path]:
    """The compiled job; gives it with the folder of its scripts."""
    for name in ("records", "shared"):
        (folder / name).mkdir(parents=True)
    for name, data in job.files.items():
        (folder / name).write_bytes(data)
    going = Run(cluster, job, folder)
    (folder / "job.tfjob").write_text(source(job), encoding="utf-8")
    tfdsl(going, "compile", "-o", "out")
    (emitted,) = (path for path in (folder / "out").iterdir() if path.is_dir())
    return going, emitted


def run(cluster: Cluster, job: Job, folder: Path) -> Run:
    """Compile ``job``, submit it, wait for its end."""
    going, emitted = prepared(cluster, job, folder)
    start = time.monotonic()
    with (folder / "submit.log").open("wb") as log:
        going.process = subprocess.Popen(
            ["bash", str(emitted / "submit.sh"), "--wait", *job.words],
            cwd=folder,
            env={**cluster.environment, **job.variables},
            umask=job.umask,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        if job.meanwhile is not None:
            job.meanwhile(going)
        going.status = going.process.wait(LIMIT)
    finally:
        if going.process.poll() is None:
            cluster.ask("scancel", going.id)
            going.process.kill()
            going.process.wait()
    going.seconds = time.monotonic() - start
    return going


def predicted(run: Run) -> dict[str, list[str]]:
    """``worker[1]`` -> what ``tfdsl tfconfig`` predicts of TF_CONFIG and the flags, with the addresses filled in."""
    address = {}
    for one in run.records:
        variables = one["environment"]
        place = f"{variables['SLURMD_NODENAME']}:{variables['TFJOB_PORT']}"
        address[f"HOST-{one['role']}-{one['index']}:PORT"] = place
    found: dict[str, list[str]] = {}
    for line in tfdsl(run, "tfconfig").stdout.splitlines():
        if not line.startswith((" ", "#")):
            found[line] = []
        elif line.strip().startswith(("TF_CONFIG=", "--")):
            found[list(found)[-1]].append(re.sub(r"HOST-\w+-\d+:PORT", lambda match: address[match[0]], line.strip()))
    return found


def seen(run: Run) -> dict[str, list[str]]:
    """The same, as the tasks saw it."""
    found = {}
    for one in run.records:
        config = one["environment"].get("TF_CONFIG")
        flags = [word for word in one["words"] if word.startswith("--")]
        found[f"{one['role']}[{one['index']}]"] = [*([f"TF_CONFIG={config}"] if config else []), *flags]
    return found


def foretold(job: str, *faults: str, finish: bool = True) -> Prediction:
    """What tfdsl says that becomes of ``job`` when ``faults`` happen."""
    backend = targets.find("slurm")
    assert backend is not None
    program = pipeline.load(
        Source("job.tfjob", HEAD.replace(": string", ': string = "/any"') + job), lambda path: "no files here"
    )
    [values] = pipeline.check(program, Request(), [Choice(backend)]).jobs
    unit = pipeline.unit_of(backend, values)
    behaviour = backend.behaviour(unit, backend.load().generate(unit))
    assert behaviour is not None
    return play(behaviour, injected(faults), finish=finish)
