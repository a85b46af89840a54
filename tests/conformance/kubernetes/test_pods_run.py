"""Compiled jobs whose pods really run: trainings with TensorFlow, hostile strings, outputs, signals."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.kubernetes import images, node
from tests.conformance.kubernetes.compiling import Compiled, Manifest, accepted, compiled
from tests.conformance.kubernetes.created import Created, unused_name
from tests.conformance.kubernetes.generated import HOSTILE, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conformance.kubernetes.api import Api
    from tests.conformance.kubernetes.processes import Processes
    from tests.conformance.kubernetes.work import Work

IN_PODS = Path(__file__).parent / "in_pods"
IMAGE = f"{images.REPOSITORY}/tensorflow:1"


@pytest.fixture(scope="module")
def runs(work: Work, processes: Processes, api: Api) -> Iterator[Path]:
    """The folder on the node that jobs mount at /runs; its ``programs`` are mounted at /programs."""
    node.install_packages()
    built = images.build(work)
    folder = work.sub("runs")
    shutil.rmtree(folder)
    shutil.copytree(IN_PODS, folder / "programs", ignore=shutil.ignore_patterns("__pycache__"))
    try:
        node.start(work, processes, api, built)
        yield folder
    finally:
        node.stop(work, processes)


class OnNode(Created):
    """A job that the node runs; deleting pods is the kubelet's business here."""

    def __init__(self, api: Api, made: Compiled) -> None:
        super().__init__(api, made)
        self._server = api

    def wait(self, holds: Callable[[], bool], what: str, seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, f"not in {seconds:.0f} s: {what}\n{self.logs()}"
            time.sleep(0.2)

    def __exit__(self, *error: object) -> None:
        self.remove()
        if error[0] is None:
            self.wait(lambda: not self.kubelet.phases(), "the pods are gone", 60)

    def logs(self) -> str:
        """The end of what each pod has said."""
        return "\n".join(f"{name} {phase}: {self.log(name)[-1500:]}" for name, phase in self.kubelet.phases().items())

    def log(self, pod: str) -> str:
        answer = self._server.call("GET", f"/api/v1/namespaces/default/pods/{pod}/log?tailLines=20")
        return str(answer.data.get("message", answer.data))


def job(name: str, runs: Path, *items: str) -> str:
    mounts = f'mount host "{runs}" at "/runs"', f'mount host "{runs}/programs" at "/programs" readonly'
    body = "".join(f"  {item}\n" for item in (f'image = "{IMAGE}"', *mounts, *items))
    return f"job {name} {{\n{body}}}\n"


def near(path: Path) -> list[float]:
    return [round(weight, 1) for weight in json.loads((path / "weights.json").read_text())]


def test_tfjob_trains_with_parameter_servers(api: Api, runs: Path) -> None:
    name = unused_name("train")
    source = job(
        name,
        runs,
        'command = ["python", "-u", "/programs/train.py", "coordinator", "/tmp/export"]',
        'output "/tmp/export" to "/runs/${job.name}/export"',
        "role chief { }",
        "role worker { replicas = 2, server = true }",
        "role ps { server = true }",
    )
    with OnNode(api, accepted(source, "tfjob", "1.8")) as it:
        it.wait(lambda: bool({"Succeeded", "Failed"} & set(it.conditions("TFJob"))), "the TFJob ends", 180)
        assert "Succeeded" in it.conditions("TFJob"), it.logs()
        assert near(runs / name / "export") == [1.0, 2.0, 3.0, 4.0]
        it.wait(lambda: list(it.kubelet.phases()) == [f"{name}-chief-0"], "the servers are stopped")


def test_plain_jobs_train_in_step(api: Api, runs: Path) -> None:
    name = unused_name("mirror")
    source = job(
        name,
        runs,
        'command = ["python", "-u", "/programs/train.py", "mirrored", "/tmp/export"]',
        'output "/tmp/export" to "/runs/${job.name}/${task.index}" from worker',
        "role worker { replicas = 2 }",
    )
    with OnNode(api, accepted(source, "kubernetes")) as it:
        it.wait(lambda: bool({"Complete", "Failed"} & set(it.conditions("Job"))), "the Job ends", 180)
        assert "Complete" in it.conditions("Job"), it.logs()
        assert [near(runs / name / index) for index in "01"] == [[1.0, 2.0, 3.0, 4.0]] * 2
        assert all("replicas in step: 2" in it.log(pod) for pod in it.kubelet.phases())


@pytest.mark.parametrize("target", ["tfjob", "kubernetes"])
@pytest.mark.parametrize("output", [False, True], ids=["plain", "with output"])
def test_strings_arrive_as_they_are_written(api: Api, runs: Path, target: str, output: bool) -> None:
    name = unused_name("words")
    words = [text for text in HOSTILE if len(text) < 100]
    variables = {f"V{number}": text for number, text in enumerate(words)}
    items = [
        'command = ["python", "/programs/record.py", "/runs/${job.name}.${task.index}"]',
        f"args = [{', '.join(quoted(word) for word in words)}]",
        f"env = {{ {', '.join(f'{key} = {quoted(text)}' for key, text in variables.items())} }}",
        "role worker { replicas = 2 }",
    ]
    items += ['output "/programs/record.py" to "/runs/${job.name}.copy"'] if output else []
    with OnNode(api, accepted(job(name, runs, *items), target, "1.8" if target == "tfjob" else None)) as it:
        for index in "01":
            path = runs / f"{name}.{index}"
            it.wait(path.exists, f"worker {index} has written", 60)
            got: dict[str, Any] = json.loads(path.read_text())
            assert got["words"] == words
            assert {key: got["environment"][key] for key in variables} == variables
            assert json.loads(got["environment"]["TF_CONFIG"])["task"] == {"type": "worker", "index": int(index)}
        kind, ended = ("TFJob", "Succeeded") if target == "tfjob" else ("Job", "Complete")
        it.wait(lambda: ended in it.conditions(kind), "the job ends", 60)
        if output:
            assert (runs / f"{name}.copy").read_bytes() == (IN_PODS / "record.py").read_bytes()


def test_sigterm_reaches_the_command_through_the_output_program(api: Api, runs: Path) -> None:
    name = unused_name("term")
    source = job(
        name,
        runs,
        'command = ["python", "/programs/record.py", "/runs/${job.name}.wait"]',
        'output "/programs/record.py" to "/runs/${job.name}.copy" on always',
        "role worker { }",
    )
    with OnNode(api, accepted(source, "kubernetes")) as it:
        it.wait((runs / f"{name}.wait").exists, "the command runs", 60)
        [pod] = it.kubelet.phases()
        start = time.monotonic()
        it.kubelet.delete(pod)
        it.wait(lambda: pod not in it.kubelet.phases(), "the pod is gone", 40)
        assert time.monotonic() - start < 15, "the command was killed after its time of grace"
        assert (runs / f"{name}.wait.term").read_text() == "15"


@pytest.mark.parametrize("over", [0, 1])
def test_longest_variable_that_starts_a_process(api: Api, runs: Path, over: int) -> None:
    """The limit of our checks (K8S041) is that of the node: one byte more, and the container cannot be started."""
    name = unused_name("long")
    longest = 131_071 - len("LONG=")
    command = 'command = ["python", "/programs/record.py", "/runs/${job.name}"]'

    def source(length: int) -> str:
        return job(name, runs, command, f'env = {{ LONG = "{"x" * length}" }}', "role worker { }")

    assert "K8S041" in compiled(source(longest + 1), "kubernetes").codes()
    made = accepted(source(longest), "kubernetes")
    if over:
        text = made.documents[0].text.replace("x" * longest, "x" * (longest + 1))
        made = replace(made, documents=(Manifest(text, made.documents[0].data), *made.documents[1:]))
    with OnNode(api, made) as it:
        it.wait(lambda: bool({"Complete", "Failed"} & set(it.conditions("Job"))), "the Job ends", 60)
        assert ("Failed" if over else "Complete") in it.conditions("Job")
        if over:
            [pod] = it.kubelet.pods()
            assert "argument list too long" in it.log(pod["metadata"]["name"])


def test_failing_command_keeps_its_status_through_the_output_program(api: Api, runs: Path) -> None:
    name = unused_name("status")
    source = job(
        name,
        runs,
        'command = "exit 42"',
        'output "/programs/record.py" to "/runs/${job.name}.copy" on failure',
        "role worker { }",
    )
    with OnNode(api, accepted(source, "kubernetes")) as it:
        it.wait(lambda: "Failed" in it.conditions("Job"), "the Job fails", 60)
        [pod] = it.kubelet.pods()
        assert pod["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 42
        assert (runs / f"{name}.copy").exists()
