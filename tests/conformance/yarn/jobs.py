"""Jobs as a user has them: compiled by the command line, submitted by the emitted script, looked at afterwards."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.conformance.yarn import training

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conformance.yarn.cluster import Application, Cluster

ROOT = Path(__file__).parents[3]
TASK = ROOT / "tests/conformance/in_tasks/task.py"
GIVEN_BACK = -100
"""YARN at times gives DistributedShell one container more than it asked for."""

LIMIT = 240
"""Seconds for one job, with all others that run at the same time."""

HEAD = """\
param program: string
param records: string
param shared: string
param webhdfs: string
param files: string
param python: string
"""
"""In front of each text: the stand-in program, the run's own folders for records and for what all nodes share, the
addresses of HDFS, and a Python with TensorFlow. The values come from the command line."""

COMMAND = 'command = ["python3", program, records, "${role.name}", "${task.index}"]'
SMALL = "cpu = 1, memory = 128Mi"
FOLDER_STORE = 'store = "${shared}/meet"'


@dataclass(frozen=True)
class Job:
    """What is to be run.

    ``files``: made beside the source before the submission, name -> bytes. ``edit``: changes the emitted files.
    ``meanwhile``: is called while the job runs, from another thread. ``alone``: no other job runs at the same time.
    """

    text: str
    options: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    files: dict[str, bytes] = field(default_factory=dict)
    before: Callable[[Cluster, Path], None] | None = None
    edit: Callable[[Path], None] | None = None
    meanwhile: Callable[[Run], None] | None = None
    alone: bool = False


@dataclass
class Run:
    """A job that runs or has ended. ``folder``: its own; ``status`` and ``output`` of ``submit.sh``."""

    cluster: Cluster
    job: Job
    folder: Path
    process: subprocess.Popen[bytes] | None = None
    status: int = -1
    seconds: float = 0
    noted: dict[str, Any] = field(default_factory=dict)

    # --- while it runs ---------------------------------------------------------------------------------------------

    def until(self, what: Callable[[], Any], seconds: float = LIMIT) -> Any:
        """Wait for ``what`` to give something; gives that."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = what()
            if found:
                return found
            if self.process is not None and self.process.poll() is not None:
                break
            time.sleep(0.2)
        raise AssertionError(f"it did not come to that:\n{self.output}")

    def interrupt(self) -> None:
        """Ctrl-C: SIGINT to all processes of the terminal."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGINT)

    # --- what is seen ----------------------------------------------------------------------------------------------

    @property
    def output(self) -> str:
        """What ``submit.sh`` has said so far."""
        path = self.folder / "submit.log"
        return path.read_text(errors="replace") if path.exists() else ""

    @property
    def ids(self) -> list[str]:
        """The applications that ``submit.sh`` has named, in their order."""
        return list(dict.fromkeys(re.findall(r"is (application_\d+_\d+);", self.output)))

    @property
    def applications(self) -> list[Application]:
        """What the ResourceManager says about them."""
        all_of_them = self.cluster.applications()
        return [all_of_them[name] for name in self.ids]

    @property
    def records(self) -> list[dict[str, Any]]:
        """What the stand-in programs wrote down, by role, index and try."""
        return [json.loads(path.read_text()) for path in sorted((self.folder / "records").glob("*.json"))]

    def tries(self, role: str, index: int = 0) -> list[dict[str, Any]]:
        """What one task wrote down, each try."""
        return [one for one in self.records if (one["role"], one["index"]) == (role, index)]

    def task(self, role: str, index: int = 0) -> dict[str, Any]:
        """What the only try of one task wrote down."""
        found = self.tries(role, index)
        assert len(found) == 1, f"{role}[{index}] was tried {len(found)} times:\n{self.story}"
        return found[0]

    @property
    def logs(self) -> dict[str, str]:
        """Container -> what it wrote to its error output, the application masters left out."""
        return self._written("stderr")

    @property
    def printed(self) -> dict[str, str]:
        """The same of its standard output."""
        return self._written("stdout")

    def _written(self, stream: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for name in self.ids:
            for container, folder in list(self.cluster.containers(name).items())[1:]:
                found[container] = (folder / stream).read_text(errors="replace")
        return found

    @property
    def statuses(self) -> dict[str, int]:
        """Container -> the exit status that YARN saw; without those that were given back before they had started."""
        found: dict[str, int] = {}
        for name in self.ids:
            for container, folder in list(self.cluster.containers(name).items())[:1]:
                text = (folder / "AppMaster.stderr").read_text(errors="replace")
                assert container.endswith("_000001")
                for one, status in re.findall(r"containerID=(container_\w+), state=COMPLETE, exitStatus=(-?\d+)", text):
                    if int(status) != GIVEN_BACK:
                        found[one] = int(status)
        return found

    @property
    def by_task(self) -> dict[str, int]:
        """``worker[1]`` -> the exit status that YARN saw of its container."""
        found: dict[str, int] = {}
        for container, status in self.statuses.items():
            named = re.findall(r"^\[tfjob (\w+(?:\[\d+\])?)\]", self.logs.get(container, ""), re.M)
            names = [name for name in named if name != "coordinator"]
            found[names[-1] if names else container] = status
        return found

    @property
    def story(self) -> str:
        """All that can be told about it, for messages."""
        logs = "".join(f"--- {name}\n{text}" for name, text in self.logs.items())
        return f"status {self.status} after {self.seconds:.0f} s\n{self.output}\n{self.statuses}\n{logs}"


def source(job: Job) -> str:
    """The whole text: with the params of HEAD that it does not declare itself."""
    head = [line for line in HEAD.splitlines() if f"{line.partition(':')[0]}:" not in job.text]
    return "\n".join([*head, job.text])


def tfdsl(run: Run, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command of the compiler about the run's job, which must succeed."""
    values = {
        "program": TASK,
        "records": run.folder / "records",
        "shared": run.folder / "shared",
        "webhdfs": run.cluster.webhdfs,
        "files": run.cluster.files,
        "python": training.python(run.cluster.work),
        "runs": run.folder / "shared",
        "tensorflow": training.environment(run.cluster.work),
    }
    words = [sys.executable, "-m", "tfdsl", command, "job.tfjob", "-t", "yarn", *arguments, *run.job.options]
    for name, value in values.items():
        words += ["--set", f"{name}={value}"] if f"param {name}:" in source(run.job) else []
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT}/backends"}
    done = subprocess.run(words, cwd=run.folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def compiled(run: Run) -> Path:
    """Compile the job in the run's folder; gives the folder of the emitted files."""
    (run.folder / "job.tfjob").write_text(source(run.job))
    run.noted["told"] = tfdsl(run, "compile", "-o", "out").stderr
    (emitted,) = (path for path in (run.folder / "out").iterdir() if path.is_dir())
    return emitted


def predicted(run: Run) -> dict[str, list[str]]:
    """``worker[1]`` -> ``TF_CONFIG=...`` and the flags that ``tfdsl tfconfig`` predicts, with the addresses filled in.

    The addresses are those that YARN and the task program told each task (NM_HOST, TFJOB_PORT).
    """
    address = {}
    for one in run.records:
        variables = one["environment"]
        address[f"HOST-{one['role']}-{one['index']}:PORT"] = f"{variables['NM_HOST']}:{variables['TFJOB_PORT']}"
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


def run(cluster: Cluster, job: Job, folder: Path) -> Run:
    """Compile ``job``, submit it, wait for the end of ``submit.sh``."""
    for name in ("records", "shared"):
        (folder / name).mkdir(parents=True)
    for name, data in job.files.items():
        (folder / name).write_bytes(data)
    going = Run(cluster, job, folder)
    if job.before is not None:
        job.before(cluster, folder)
    emitted = compiled(going)
    if job.edit is not None:
        job.edit(emitted)
    start = time.monotonic()
    with (folder / "submit.log").open("wb") as log:
        going.process = subprocess.Popen(
            [str(emitted / "submit.sh"), *job.arguments],
            cwd=folder,
            env=cluster.work.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        if job.meanwhile is not None:
            job.meanwhile(going)
        going.status = going.process.wait(LIMIT)
    finally:
        if going.process.poll() is None:
            os.killpg(going.process.pid, signal.SIGKILL)
            going.process.wait()
    going.seconds = time.monotonic() - start
    return going
