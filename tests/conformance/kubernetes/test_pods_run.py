"""Compiled jobs whose pods really run: hostile strings, outputs, signals."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.kubernetes import images
from tests.conformance.kubernetes.compiling import Manifest, accepted, compiled
from tests.conformance.kubernetes.created import unused_name
from tests.conformance.kubernetes.generated import HOSTILE, quoted
from tests.conformance.kubernetes.node import NAMESPACE
from tests.conformance.kubernetes.on_node import OnNode

if TYPE_CHECKING:
    from tests.conformance.kubernetes.api import Api

IN_PODS = Path(__file__).parent / "in_pods"
IMAGE = f"{images.REPOSITORY}/{images.WITH_TENSORFLOW}:1"


def job(name: str, runs: Path, *items: str) -> str:
    mounts = f'mount host "{runs}" at "/runs"', f'mount host "{runs}/programs" at "/programs" readonly'
    here = f'namespace = "{NAMESPACE}"', f'image = "{IMAGE}"'
    body = "".join(f"  {item}\n" for item in (*here, *mounts, *items))
    return f"job {name} {{\n{body}}}\n"


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


def test_steps_run_before_and_beside_the_command(api: Api, runs: Path) -> None:
    """A prepare step writes what the command reads; a sidecar is up while it runs, and is stopped after it."""
    name = unused_name("steps")
    beside = f"python /programs/record.py /runs/{name}.beside.wait"
    source = job(
        name,
        runs,
        'mount scratch at "/data"',
        'env = { WORD = "role\'s" }',
        'prepare fetch { command = "cat /proc/self/environ >/data/environ; echo ${task.index} $WORD >/data/word" }',
        f'sidecar beside {{ command = {quoted(f"exec {beside}")}, env = {{ WORD = "sidecar\'s" }}, memory = 64Mi }}',
        'prepare late { command = "echo late >>/data/word" }',
        f"""command = '''
    until [ -e /runs/{name}.beside.wait ]; do sleep 0.1; done
    cp /data/word /data/environ /runs/{name}.out/
    '''""",
        "role worker { }",
    )
    (runs / f"{name}.out").mkdir()
    with OnNode(api, accepted(source, "kubernetes", "1.34")) as it:
        it.wait(lambda: bool({"Complete", "Failed"} & set(it.conditions("Job"))), "the Job ends", 90)
        assert "Complete" in it.conditions("Job"), it.logs()
        assert (runs / f"{name}.out" / "word").read_text() == "0 role's\nlate\n"
        assert "TF_CONFIG" not in (runs / f"{name}.out" / "environ").read_text()
        got = json.loads((runs / f"{name}.beside.wait").read_text())
        assert got["environment"]["WORD"] == "sidecar's"
        assert (runs / f"{name}.beside.wait.term").read_text() == "15"


@pytest.mark.parametrize(("status", "pods"), [(3, 1), (4, 3)])
def test_the_status_of_a_prepare_step_decides(api: Api, runs: Path, status: int, pods: int) -> None:
    """``exit 3`` fails the job at once, any other status takes a new pod; nothing of the command runs."""
    name = unused_name("prepare")
    source = job(
        name,
        runs,
        f'prepare fetch {{ command = "echo x >>/runs/{name}.tries; exit {status}" }}',
        f'command = "touch /runs/{name}.ran"',
        "on exit 3 => fail job",
        "on failed => restart pod",
        "retries = 2",
        "role worker { }",
    )
    with OnNode(api, accepted(source, "kubernetes", "1.34")) as it:
        it.wait(lambda: "Failed" in it.conditions("Job"), "the Job fails", 120)
        assert (runs / f"{name}.tries").read_text() == "x\n" * pods
        assert not (runs / f"{name}.ran").exists()
