"""The example ``nightly`` on Argo: submitted, shown and ended by ``tfdsl``, trained by TensorFlow, with its faults."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.conformance import nightly
from tests.conformance.kubernetes import argo, images, node
from tests.conformance.kubernetes.api import Api
from tests.conformance.kubernetes.argo import WORKFLOWS, Run
from tests.conformance.kubernetes.created import unused_name
from tests.conformance.kubernetes.on_node import claim
from tests.conformance.nightly import End, Fault
from tests.unit.cli.shell import COMMAND, Ran, environment, tfdsl

if TYPE_CHECKING:
    from concurrent.futures import Future
    from pathlib import Path

    from tests.conformance.kubernetes.processes import Processes
    from tests.conformance.kubernetes.work import Work

pytestmark = pytest.mark.long

PLACES = {"tfjob@1.8": "/apis/kubeflow.org/v1/{}/tfjobs", "kubernetes": "/apis/batch/v1/{}/jobs"}
IN_NODE = f"namespaces/{node.NAMESPACE}"
AT_ONCE = 6
LIMIT = 400
"""Seconds for a whole night on a quiet machine."""

PHASES = {"Succeeded": "succeeded", "Failed": "failed", "Error": "failed", "Omitted": "not run"}
PLAIN = Fault()
ENDLESS = Fault(steps=1_000_000)


class Night:
    """The flow of the example under a name of its own, with a claim of its own."""

    def __init__(self, work: Work, folder: Path, target: str, fault: Fault, schedule: str = "") -> None:
        self.api, self.work, self.target = Api(work), work, target
        self.name = unused_name("nightly")
        self.folder = folder / self.name
        self.shared = work.sub(f"runs/{self.name}")
        claim(self.api, self.name, self.shared)
        nightly.write(
            self.folder,
            fault,
            self.shared,
            ('namespace = "ml"', f'namespace = "{node.NAMESPACE}"'),
            ('mount pvc "runs"', f'mount pvc "{self.name}"'),
            ("flow nightly {\n", f'flow {self.name} {{\n  service_account = "{self.name}"\n'),
            (nightly.SCHEDULE, schedule),
        )
        self.words = ("main.tfjob", "-t", target, "--flow", self.name, "--profile", "laptop")

    def start(self, command: str, *more: str) -> subprocess.Popen[str]:
        """A command line about the flow, as a process: nights run at the same time."""
        words = [*COMMAND, command, *self.words, "--kubeconfig", str(self.work.kubeconfig), *more]
        pipe = subprocess.PIPE
        return subprocess.Popen(words, cwd=self.folder, env=environment(), stdout=pipe, stderr=pipe, text=True)

    def tfdsl(self, command: str, *more: str) -> Ran:
        """The same, when it has ended."""
        process = self.start(command, *more)
        out, err = process.communicate(timeout=LIMIT)
        return Ran(process.returncode, out, err)

    def submit(self, *more: str) -> Run:
        """Its run, of a flow without a schedule."""
        ran = self.tfdsl("submit", *more)
        assert ran.status == 0, ran.err
        (name,) = re.findall(r"workflow/(\S+?)[,\n]", ran.out)
        return Run(self.api, name)

    def status(self, *more: str) -> dict[str, Any]:
        ran = self.tfdsl("status", "--format", "json", *more)
        assert ran.status == 0, ran.err
        (found,) = json.loads(ran.out)["jobs"]
        return dict(found)

    def objects(self) -> dict[str, str]:
        """The objects of its jobs that are not being deleted, of all runs: name → uid."""
        found = self.api.items(PLACES[self.target].format(IN_NODE), f"tfdsl/flow={self.name}")
        about = [one["metadata"] for one in found]
        return {one["name"]: one["uid"] for one in about if "deletionTimestamp" not in one}

    def workflows(self) -> dict[str, str]:
        """Its runs: name → phase."""
        found = self.api.items(WORKFLOWS, f"tfdsl/flow={self.name}")
        return {one["metadata"]["name"]: one.get("status", {}).get("phase", "") for one in found}

    def pods(self, job: str) -> list[dict[str, Any]]:
        """The pods of a job, those that run."""
        pods = self.api.items(f"/api/v1/{IN_NODE}/pods")
        own = [pod for pod in pods if pod["metadata"]["name"].startswith(f"{self.name}-{job}-")]
        return [
            pod for pod in own if pod["status"]["phase"] == "Running" and "deletionTimestamp" not in pod["metadata"]
        ]

    def trains(self, run: Run) -> dict[str, Any]:
        """The pod that trains, when there is a checkpoint."""
        checkpoint = self.shared / "train/checkpoint"
        run.until(lambda: self.pods("train") and checkpoint.exists(), "there is a checkpoint", LIMIT)
        (pod,) = self.pods("train")
        return pod

    def watched(self, run: Run) -> dict[str, Any]:
        """The pod of Argo that waits for the training, which has begun."""
        run.until(lambda: self.pods("train"), "train begins", LIMIT)
        run.until(run.watchers, "it is watched")
        return run.watchers()[-1]

    def remove(self) -> None:
        for kind in ("cronworkflows", "workflows"):
            place = WORKFLOWS.replace("workflows", kind)
            for one in self.api.items(place, f"tfdsl/flow={self.name}"):
                self.api.delete(f"{place}/{one['metadata']['name']}")


def evict(api: Api, pod: dict[str, Any]) -> None:
    about = {"name": pod["metadata"]["name"], "namespace": node.NAMESPACE}
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": about}
    api.post(f"/api/v1/{IN_NODE}/pods/{about['name']}/eviction", eviction)


def kill_training(night: Night, run: Run) -> None:
    node.kill(night.work, night.trains(run))


def evict_training(night: Night, run: Run) -> None:
    evict(night.api, night.trains(run))


def delete_watching(night: Night, run: Run) -> None:
    night.api.delete(f"/api/v1/{IN_NODE}/pods/{night.watched(run)['metadata']['name']}")


def evict_watching(night: Night, run: Run) -> None:
    evict(night.api, night.watched(run))


def kill_watching(night: Night, run: Run) -> None:
    node.kill(night.work, night.watched(run))


Meanwhile = Callable[[Night, Run], None]
MEANWHILE: dict[str, Meanwhile] = {
    nightly.KILLED: kill_training,
    nightly.KILLED_FOR_GOOD: kill_training,
    "train is evicted": evict_training,
    "the watching pod is deleted": delete_watching,
    "the watching pod is drained": evict_watching,
    "the watching pod is killed": kill_watching,
}
"""What is done to a night that was submitted."""

FAULTS = {
    **nightly.FAULTS,
    "train is evicted": Fault("train: worker[0] preempted", nightly.LONG),
    **{name: Fault() for name in MEANWHILE if "watching" in name},
}
CASES = [(name, target) for target in PLACES for name in FAULTS]


class Seen(NamedTuple):
    """A night that has ended. ``shown``: by ``tfdsl status``; ``said``: what a failed test has to know."""

    night: Night
    end: End
    shown: End
    said: str


def ended(night: Night, name: str) -> Seen:
    run = night.submit()
    if name in MEANWHILE:
        MEANWHILE[name](night, run)
    phase = run.ends(LIMIT)
    tasks = run.tasks()
    live = night.status()
    shown = {one["role"]: one["phase"] for one in live["replicas"]}
    end = End(PHASES[phase], {job: PHASES[tasks[job]] for job in shown})
    return Seen(night, end, End(live["phase"], shown), run.said())


@pytest.fixture(scope="module")
def image(work: Work, workflows: Path) -> None:
    """The image of the example, from its Dockerfile."""
    folder = work.sub("nightly")
    shutil.copy(nightly.EXAMPLE / "main.tfjob", folder)
    ran = tfdsl("compile", "main.tfjob", "-t", "kubernetes", "-o", "out", cwd=folder)
    assert ran.status == 0, ran.err
    dockerfile = (folder / "out/fetch.Dockerfile").read_text()
    node.add_image(work, images.build_from(work, dockerfile, nightly.EXAMPLE, nightly.IMAGE))


@pytest.fixture(scope="module")
def nights(
    request: pytest.FixtureRequest, work: Work, image: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[tuple[str, str], Future[Seen]]]:
    """The nights of all tests that were chosen, on their way."""
    items = [
        item for item in request.session.items if isinstance(item, pytest.Function) and "nights" in item.fixturenames
    ]
    chosen = [(str(item.callspec.params["name"]), str(item.callspec.params["target"])) for item in items]
    folder = tmp_path_factory.mktemp("nights")
    made = {case: Night(work, folder, case[1], FAULTS[case[0]]) for case in chosen}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {case: pool.submit(ended, night, case[0]) for case, night in made.items()}
        pool.shutdown(cancel_futures=True)
    for night in made.values():
        night.remove()


@pytest.mark.parametrize(("name", "target"), CASES)
def test_a_night_ends_as_predicted(name: str, target: str, nights: dict[tuple[str, str], Future[Seen]]) -> None:
    seen = nights[name, target].result()
    assert seen.end == nightly.predicted(FAULTS[name], seen.night.words, seen.night.folder), seen.said
    assert seen.shown == seen.end
    nightly.left(name, seen.end, seen.night.shared)


@pytest.fixture
def made(work: Work, image: None, tmp_path: Path) -> Iterator[Callable[..., Night]]:
    """Makes nights of a target."""
    there: list[Night] = []

    def make(target: str, fault: Fault = PLAIN, schedule: str = "") -> Night:
        there.append(Night(work, tmp_path, target, fault, schedule))
        return there[-1]

    yield make
    for night in there:
        night.remove()


def test_the_controller_is_killed_in_the_middle(made: Callable[..., Night], work: Work, processes: Processes) -> None:
    nights = [made(target) for target in PLACES]
    runs = [night.submit() for night in nights]
    for night, run in zip(nights, runs, strict=True):
        night.watched(run)
    processes.stop(argo.CONTROLLER, seconds=0)
    for night, run in zip(nights, runs, strict=True):
        run.until(lambda night=night: not night.pods("train"), "the training ends without Argo", LIMIT)
    argo.start_controller(work, processes)
    for night, run in zip(nights, runs, strict=True):
        assert run.ends(LIMIT) == "Succeeded", run.said()
        assert (night.shared / "models/1/saved_model.pb").is_file()


@pytest.mark.parametrize("target", PLACES)
def test_a_night_is_submitted_shown_replaced_and_cancelled(made: Callable[..., Night], target: str) -> None:
    night = made(target, ENDLESS)
    first = night.submit()
    night.trains(first)
    live = night.status()
    assert live["phase"] == "running"
    assert {one["role"]: one["phase"] for one in live["replicas"]} == {
        "fetch": "succeeded",
        "train": "running",
        "evaluate": "waiting",
        "export": "waiting",
        "notify": "waiting",
    }
    kind = target.partition("@")[0]
    options = ("--kubeconfig", str(night.work.kubeconfig), "-n", node.NAMESPACE)
    fetched = next(one["name"] for one in live["replicas"] if one["role"] == "fetch")
    logs = tfdsl("logs", f"{kind}/{fetched}", *options, cwd=night.folder)
    assert "fetched 5000 pictures for train" in logs.out, logs.err
    before = night.objects()

    second = night.submit("--replace")
    assert second.name != first.name
    first.until(lambda: list(night.workflows()) == [second.name], "the first run is gone")
    first.until(lambda: not before.keys() & night.objects().keys(), "and so are its jobs")
    night.trains(second)
    late = night.tfdsl("status", "--wait", "--timeout", "1s")
    assert (late.status, "running since" in late.out) == (124, True), late.err
    ran = night.tfdsl("cancel")
    assert (ran.status, ran.out) == (0, f"ended workflow/{second.name}\n"), ran.err
    second.until(lambda: not night.workflows() and not night.objects(), "all of it is gone")
    second.until(lambda: not night.pods("train"), "the training too")
    assert night.tfdsl("cancel").status == night.tfdsl("status").status == 3


def test_a_schedule_submitted_twice_at_once(made: Callable[..., Night]) -> None:
    """One is the first; its schedule starts a run, which ``cancel`` ends with it."""
    night = made("kubernetes", ENDLESS, '  schedule = "* * * * *"\n')
    both = [night.start("submit") for _ in range(2)]
    ends = [(process.communicate(timeout=LIMIT), process.returncode) for process in both]
    assert sorted(status for _, status in ends) == [0, 1], ends
    assert "already exists" in next(err for (_, err), status in ends if status)
    run = Run(night.api, night.name)
    run.until(night.workflows, "the schedule starts a run", 90)
    (name,) = night.workflows()
    night.trains(Run(night.api, name))
    assert night.status()["phase"] == "running"
    assert list(night.workflows()) == [name], "overlap is skip"
    assert night.tfdsl("cancel").out == f"ended cronworkflow/{night.name}\n"
    run.until(lambda: not night.workflows() and not night.objects(), "all of it is gone")


def test_a_flow_submitted_twice_at_once_has_two_runs(made: Callable[..., Night]) -> None:
    """Without a schedule: each has its own jobs, and ``--id`` chooses one. They share a folder, where both fail."""
    night = made("tfjob@1.8", Fault(blocked="data"))
    both = [night.start("submit") for _ in range(2)]
    ends = [(process.communicate(timeout=LIMIT), process.returncode) for process in both]
    assert [status for _, status in ends] == [0, 0], ends
    assert len(night.workflows()) == 2
    for name in night.workflows():
        run = Run(night.api, name)
        assert run.ends(LIMIT) == "Failed", run.said()
        live = night.status("--id", name)
        assert (live["phase"], f"the run is Workflow {name}" in live["notes"]) == ("failed", True)
    assert len(night.objects()) == 2
