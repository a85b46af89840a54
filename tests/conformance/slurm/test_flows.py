"""Flows on the real Slurm: fetch, train, evaluate, export, and a branch for failures, with a fault in each place."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.slurm.cluster import Another
from tests.unit.cli.shell import Ran, tfdsl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from tests.conformance.slurm.cluster import Cluster

LIMIT = 240
AT_ONCE = 5
FLOW = """\
flow nightly {
  SETTINGS
  run fetch
  run train  after fetch
  run eval   after train
  run export after [train, eval]
  run notify after train failed
  run tidy   after train ended
}
"""
JOBS = ("fetch", "train", "eval", "export", "notify", "tidy")
JOB = """\
job NAME {
  command = ["bash", "-c", "echo NAME >>ran; COMMAND"]
  ROLES
}
"""
ROLES = "deadline = 5m\n  role worker { cpu = 1, memory = 100Mi }"
SIZES = "deadline = 5m\n  role chief { cpu = 1, memory = 100Mi }\n  role worker { cpu = 2, memory = 100Mi }"
"""Two components."""

ONCE = "[ -e again ] || { touch again; "


@dataclass(frozen=True)
class Fault:
    """What goes wrong in which job, and what follows.

    ``commands``, ``lines``: of jobs, instead of ``true`` and :data:`ROLES`. ``meanwhile``: is called with the flow when
    it was submitted. ``ran``: the jobs whose commands have begun. ``status``: of ``flow.sh --wait``.
    """

    ran: str
    status: int
    commands: dict[str, str] = field(default_factory=dict[str, str])
    lines: dict[str, str] = field(default_factory=dict[str, str])
    meanwhile: Callable[[Called], None] | None = None
    setting: str = 'overlap = "allow"'


class Called:
    """A flow in a folder of its own."""

    def __init__(self, cluster: Cluster, folder: Path, fault: Fault) -> None:
        self.cluster, self.folder = cluster, folder
        self.folder.mkdir(parents=True)
        jobs = [
            JOB.replace("NAME", name)
            .replace("COMMAND", fault.commands.get(name, "true"))
            .replace("ROLES", fault.lines.get(name, ROLES))
            for name in JOBS
        ]
        (self.folder / "nightly.tfjob").write_text("".join([*jobs, FLOW.replace("SETTINGS", fault.setting)]))
        done = tfdsl("compile", "nightly.tfjob", "-t", "slurm", "-o", "out", cwd=self.folder)
        assert done.status == 0, done.err

    def start(self, *words: str) -> subprocess.Popen[str]:
        """``flow.sh`` with the output in flow.log."""
        with (self.folder / "flow.log").open("a") as log:
            return subprocess.Popen(
                [self.folder / "out/nightly/flow.sh", *words], cwd=self.folder,
                env={**self.cluster.environment, "TFJOB_POLL": "0.3"},
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, text=True,
            )  # fmt: skip

    @property
    def log(self) -> str:
        return (self.folder / "flow.log").read_text()

    @property
    def ran(self) -> set[str]:
        """The jobs whose commands have begun."""
        path = self.folder / "ran"
        return set(path.read_text().split()) if path.exists() else set()

    def until(self, what: Callable[[], Any]) -> Any:
        """Wait for ``what`` to give something; gives that."""
        end = time.monotonic() + LIMIT
        while not (found := what()):
            assert time.monotonic() < end, self.log
            time.sleep(0.2)
        return found

    def number(self, job: str) -> str:
        """The number of a job."""
        return str(self.until(lambda: re.search(rf"  {job} is job (\d+)", self.log))[1])

    def when(self, job: str, state: str) -> str:
        """Wait until a job is in that state; gives its number."""
        number = self.number(job)
        self.until(lambda: self.cluster.state(number) == state)
        return number


def cancel_running(flow: Called) -> None:
    flow.until(lambda: "train" in flow.ran)  # a job is RUNNING before its command is
    flow.cluster.ask("scancel", flow.number("train"))


def cancel_waiting(flow: Called) -> None:
    flow.cluster.ask("scancel", flow.number("train"))


def start_again(flow: Called) -> None:
    """Slurm lets a job that is queued again wait for two minutes. Until then nothing that comes after it starts."""
    flow.until(lambda: (flow.folder / "again").exists())
    number = flow.when("train", "PENDING")
    time.sleep(4)
    assert flow.ran == {"fetch", "train"}
    assert flow.cluster.state(flow.number("eval")) == flow.cluster.state(flow.number("notify")) == "PENDING"

    def starts() -> bool:
        flow.cluster.ask("scontrol", "update", f"jobid={number}", "StartTime=now")
        time.sleep(2)
        return flow.cluster.state(number) != "PENDING"

    flow.until(starts)


ALL = "fetch train eval export tidy"
FAULTS = {
    "none": Fault(ALL, 0),
    "fetch fails": Fault("fetch", 2, {"fetch": "exit 3"}),
    "train fails": Fault("fetch train notify tidy", 2, {"train": "exit 3"}),
    "components": Fault(ALL, 0, lines={"train": SIZES}),
    "a component fails": Fault("fetch train notify tidy", 2, {"train": "sleep 1; exit 3"}, {"train": SIZES}),
    "the deadline passes": Fault("fetch", 2, {"fetch": "sleep 200"}, setting='overlap = "allow"\n  deadline = 4s'),
    "eval fails": Fault(ALL.replace("export ", ""), 2, {"eval": "exit 3"}),
    "export fails": Fault(ALL, 2, {"export": "exit 3"}),
    "notify fails": Fault("fetch train notify tidy", 2, {"train": "exit 3", "notify": "exit 4"}),
    "tidy fails": Fault(ALL, 2, {"tidy": "exit 4"}),
    "train restarts": Fault(ALL, 0, {"train": f"{ONCE} exit 3; }}"}, {"train": f"{ROLES}\n  on failed => restart pod"}),
    "train is too slow": Fault(
        "fetch train notify tidy", 2, {"train": "sleep 200"}, {"train": ROLES.replace("5m", "3s")}
    ),
    "train is cancelled": Fault("fetch train notify tidy", 2, {"train": "sleep 200"}, meanwhile=cancel_running),
    "train is cancelled while it waits": Fault("fetch notify tidy", 2, {"fetch": "sleep 5"}, meanwhile=cancel_waiting),
    "the script of train is killed": Fault(
        "fetch train notify tidy", 2, {"train": "scancel --signal=KILL --full $SLURM_JOB_ID; sleep 60"}
    ),
    "train is queued again": Fault(
        ALL,
        0,
        {"train": f"{ONCE} scontrol requeue $SLURM_JOB_ID; sleep 60; }}"},
        {"train": f"{ROLES}\n  on evicted => restart job"},
        start_again,
    ),
}
SHORT = ("none", "fetch fails", "train fails", "a component fails", "the deadline passes")


def ended(flow: Called, fault: Fault) -> tuple[Called, int]:
    """The flow with its fault when it is over, and the status of ``flow.sh --wait``."""
    process = flow.start("--wait")
    try:
        if fault.meanwhile is not None:
            fault.meanwhile(flow)
        return flow, process.wait(LIMIT)
    finally:
        process.kill()


@pytest.fixture(scope="module")
def flows(
    request: pytest.FixtureRequest, cluster: Cluster, home: Path
) -> Iterator[dict[str, Future[tuple[Called, int]]]]:
    """The flows of all tests that were chosen, on their way."""
    items = [
        item for item in request.session.items if isinstance(item, pytest.Function) and "flows" in item.fixturenames
    ]
    chosen = [str(item.callspec.params["name"]) for item in items]
    made = {name: Called(cluster, home / "flows" / str(at), FAULTS[name]) for at, name in enumerate(chosen)}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {name: pool.submit(ended, flow, FAULTS[name]) for name, flow in made.items()}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize(
    "name", [name if name in SHORT else pytest.param(name, marks=pytest.mark.long) for name in FAULTS]
)
def test_jobs_run_as_the_flow_says(name: str, flows: dict[str, Future[tuple[Called, int]]]) -> None:
    flow, status = flows[name].result()
    fault = FAULTS[name]
    assert flow.ran == set(fault.ran.split()), flow.log
    assert status == fault.status, flow.log
    told = subprocess.run(
        [flow.folder / "out/nightly/flow.sh", "--status"],
        cwd=flow.folder,
        env=flow.cluster.environment,
        capture_output=True,
        text=True,
    )
    assert told.returncode == fault.status, told.stdout
    told_ran = {
        line.split()[0] for line in told.stdout.splitlines() if line.startswith("  ") and "did not run" not in line
    }
    assert told_ran - {"train"} == flow.ran - {"train"}, told.stdout  # of one that is cancelled first, that it failed


def test_a_refused_submission_leaves_nothing(cluster: Cluster, tmp_path: Path) -> None:
    flow = Called(cluster, tmp_path / "it's", Fault("", 1, lines={"eval": f'{ROLES}\n  queue = "nowhere"'}))
    assert flow.start().wait(LIMIT) == 1
    assert "invalid partition specified: nowhere" in flow.log
    assert "job eval could not be submitted, so none was" in flow.log
    names = cluster.ask("squeue", "--noheader", "--format=%Z %T").splitlines()
    assert not [line for line in names if line.startswith(f"{flow.folder} ")]
    assert os.listdir(flow.folder / "tfjob-runs") == ["nightly.lock"]
    assert flow.ran == set()


@pytest.mark.long
def test_an_earlier_run_is_replaced(cluster: Cluster, tmp_path: Path) -> None:
    fault = Fault("", 0, {"fetch": "[ -e begun ] || { touch begun; sleep 200; }"}, setting='overlap = "replace"')
    flow = Called(cluster, tmp_path / "flow", fault)
    first = flow.start("--wait")
    old = flow.number("fetch")
    flow.until((flow.folder / "begun").exists)
    assert flow.start("--wait").wait(LIMIT) == 0, flow.log
    assert cluster.state(old) == "CANCELLED"
    assert first.wait(LIMIT) == 2, flow.log


@pytest.mark.long
def test_two_at_once_submit_one_run(cluster: Cluster, tmp_path: Path) -> None:
    waits = {"fetch": "until [ -e go ]; do sleep 0.2; done"}
    flow = Called(cluster, tmp_path / "flow", Fault("", 0, waits, setting='overlap = "skip"'))
    processes = [flow.start("--wait") for _ in range(3)]
    flow.until(lambda: sum(process.poll() is not None for process in processes) == 2)
    (flow.folder / "go").touch()
    assert sorted(process.wait(LIMIT) for process in processes) == [0, 3, 3], flow.log
    assert len(re.findall("submitted the run", flow.log)) == 1


@pytest.mark.long
def test_tfdsl_submits_shows_and_cancels_a_flow(cluster: Cluster, tmp_path: Path) -> None:
    """A run goes to its end, and one is cancelled: nothing of it starts because of that."""
    flow = Called(cluster, tmp_path / "flow", Fault("", 0, {"train": "[ -e second ] || exit 3; sleep 200"}))
    words = ("nightly.tfjob", "-t", "slurm")

    def operated(command: str, *more: str) -> Ran:
        settings = cluster.environment["SLURM_CONF"]
        return tfdsl(command, *words, *more, cwd=flow.folder, SLURM_CONF=settings)

    ran = operated("submit", "--wait", "--timeout", f"{LIMIT}s")
    assert ran.status == 1, ran.err
    assert "why: train has failed: worker[0] exited with status 3" in ran.out
    assert flow.ran == {"fetch", "train", "notify", "tidy"}
    (flow.folder / "ran").unlink()
    (flow.folder / "second").touch()
    assert operated("submit").status == 0
    flow.until(lambda: "train" in flow.ran)
    (shown,) = json.loads(operated("status", "--format", "json").out)["jobs"]
    assert shown["phase"] == "running"
    assert [one["phase"] for one in shown["replicas"][:2]] == ["succeeded", "running"]
    assert operated("cancel").status == 0
    (shown,) = json.loads(operated("status", "--format", "json").out)["jobs"]
    assert shown["phase"] == "failed"
    assert flow.ran == {"fetch", "train"}
    assert operated("cancel").status == 3


@pytest.mark.long
def test_the_controller_dies_and_comes_back(folder: Path, tmp_path: Path) -> None:
    """A job that ends meanwhile is known afterwards, and the flow goes on; ``flow.sh --wait`` waits for that."""
    cluster = Another(folder / "another")
    try:
        cluster.start()
        flow = Called(cluster, tmp_path / "flow", Fault(ALL, 0, {"train": "until [ -e go ]; do sleep 0.2; done"}))
        process = flow.start("--wait")
        flow.when("train", "RUNNING")
        cluster.kill_controller()
        (flow.folder / "go").touch()
        place = re.search(r"  train is job .*; logs in (.*)", flow.log)
        assert place is not None
        flow.until((Path(place[1]) / "ended").exists)
        assert flow.ran == {"fetch", "train"}
        ran = tfdsl(
            "status", "nightly.tfjob", "-t", "slurm", cwd=flow.folder, SLURM_CONF=cluster.environment["SLURM_CONF"]
        )
        assert (ran.status, "Traceback" in ran.err) == (1, False), ran.out
        cluster.start_controller()
        assert process.wait(LIMIT) == 0, flow.log
        assert flow.ran == set(ALL.split())
    finally:
        cluster.stop()
