"""``tfdsl submit``, ``status``, ``logs`` and ``cancel`` of jobs whose pods really run, with the real kubectl."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.conformance.kubernetes import images, node
from tests.conformance.kubernetes.created import unused_name
from tests.conformance.kubernetes.operated import Operated
from tests.conformance.kubernetes.processes import PATIENCE
from tests.unit.cli.shell import COMMAND, environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conformance.kubernetes.api import Api
    from tests.conformance.kubernetes.work import Work

IMAGE = f"{images.REPOSITORY}/{images.WITH_TENSORFLOW}:1"
TARGETS = ["kubernetes", pytest.param("tfjob@1.8", marks=pytest.mark.long)]
INTERRUPTED = 130
BREAK = "\n  "
OTHER_NODES = re.compile(r"0/\d+ nodes(.*), \d+ node\(s\) were unschedulable")
"""What the scheduler says besides of the nodes that the tests beside these have made up."""


class State(NamedTuple):
    """What becomes of a job with ``body``: its phase, its first reason, and a part of the line that this names."""

    body: str
    phase: str
    sentence: str = ""
    line: str = ""
    log: tuple[str, ...] = ()
    policy: str = ""
    written: str = ""


STATES = {
    "succeeded": State('command = "echo done"', "succeeded"),
    "fails": State(
        """command = "echo reading; sleep 1; echo no data >&2; exit 3"
  on exit 1..127 => fail job
  on failed => restart pod""",
        "failed",
        "worker[0] exited with status 3",
        "command =",
        ("reading", "no data"),
        "on exit 1..127 => fail job",
    ),
    "memory": State(
        """command = ["python", "-c", "bytearray(200_000_000)"]
  memory = 48Mi""",
        "failed",
        "worker[0] needed more memory than the limit and was killed",
        "memory = 48Mi",
        written="48Mi",
    ),
    "program": State(
        'command = ["no-such-program"]',
        "failed",
        "the image of worker[0] does not have the program no-such-program",
        "no-such-program",
    ),
    "step": State(
        """command = "true"
  prepare fetch { command = "echo no bucket; exit 4" }""",
        "failed",
        "the step fetch of worker[0] exited with status 4",
        "prepare fetch",
        ("no bucket",),
    ),
    "image": State(
        f"""command = "true"
  image = "{images.REPOSITORY}/nothing:1"
  image_pull_policy = "Never\"""",
        "starting",
        "the node of worker[0] does not have the image, and image_pull_policy is Never",
        "nothing:1",
    ),
    "claim": State(
        """command = "true"
  mount pvc "nothing" at "/data\"""",
        "waiting",
        "worker[0] cannot be placed: there is no claim nothing",
        'pvc "nothing"',
    ),
    "room": State(
        """command = "true"
  gpu = 8""",
        "waiting",
        "worker[0] cannot be placed: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu",
        "gpu = 8",
        written="8",
    ),
    "configmap": State(
        """command = "true"
  mount configmap "nothing" at "/data\"""",
        "starting",
        "worker[0] cannot start: there is no configmap nothing",
        'configmap "nothing"',
    ),
    "secret": State(
        """command = "true"
  env = { KEY = secret("nothing", "key") }""",
        "starting",
        "worker[0] cannot start: there is no secret nothing",
        'secret("nothing"',
    ),
    "account": State(
        """command = "true"
  service_account = "nobody\"""",
        "waiting",
        "there is no ServiceAccount nobody, so no pod is created",
        "service_account",
    ),
    "loop": State(
        """command = "echo round; exit 5"
  on failed => restart container
  retries = 6""",
        "starting",
        "worker[0] exited with status 5 again and again, and Kubernetes waits before the next start",
        "command =",
        ("round",),
    ),
}


class Commands(Operated):
    """Commands for jobs of the node's namespace; ``names``: of those that were written."""

    names: tuple[str, ...] = ()

    def process(self, *words: str) -> subprocess.Popen[str]:
        """A command line as a process."""
        given = [*COMMAND, *words, "-n", self.namespace, "--kubeconfig", str(self.settings)]
        pipe = subprocess.PIPE
        return subprocess.Popen(given, cwd=self.folder, env=environment(), stdout=pipe, stderr=pipe, text=True)

    def wait(self, holds: Callable[[], bool], what: str, seconds: float = 25) -> None:
        end = time.monotonic() + PATIENCE * seconds
        while not holds():
            assert time.monotonic() < end, f"not in {seconds:.0f} s: {what}"
            time.sleep(0.3)


@pytest.fixture
def commands(api: Api, work: Work, runs: Path, tmp_path: Path) -> Iterator[Commands]:
    made = Commands(api, work, tmp_path, node.NAMESPACE)
    yield made
    for kind, group in (("jobs", "/apis/batch/v1"), ("tfjobs", "/apis/kubeflow.org/v1"), ("services", "/api/v1")):
        for one in made.items(kind, group):
            if one["name"].startswith(tuple(made.names)):
                made.api.delete(f"{group}/namespaces/{node.NAMESPACE}/{kind}/{one['name']}")


def write(commands: Commands, jobs: dict[str, str]) -> str:
    """A file with jobs of one worker, which have these bodies."""
    file = commands.folder / "jobs.tfjob"
    usual = {"image =": f'image = "{IMAGE}"', "memory =": "memory = 64Mi", "role ": "role worker { }"}
    commands.names += tuple(jobs)
    for name, body in jobs.items():
        items = ["cpu = 50m", *(text for word, text in usual.items() if word not in body), body]
        with file.open("a") as stream:
            stream.write(f"job {name} {{\n  {BREAK.join(items)}\n}}\n")
    return file.name


@pytest.mark.parametrize("target", TARGETS)
def test_every_state_says_why_and_where(commands: Commands, target: str) -> None:
    """All in one file: what is waited for is waited for at the same time; some states come and go."""
    names = {name: unused_name(name) for name in STATES}
    file = write(commands, {names[name]: state.body for name, state in STATES.items()})
    ran = commands.run("submit", file, "-t", target)
    assert ran.status == 0, ran.err
    lines = ["", *(commands.folder / file).read_text().splitlines()]
    last: dict[str, State] = {}
    left = dict(STATES)

    def settled() -> bool:
        ran = commands.run("status", file, "-t", target, "--format", "json")
        assert ran.status == 0, ran.err
        found = {one["name"]: one for one in json.loads(ran.out)["jobs"]}
        for name, state in list(left.items()):
            last[name] = seen(found[names[name]], state, lines)
            if last[name] == state:
                del left[name]
        return not left

    try:
        commands.wait(settled, "every state")
    except AssertionError:
        pytest.fail(f"not as expected: { {name: last[name] for name in left} }")


def seen(job: dict[str, Any], state: State, lines: list[str]) -> State:
    """What ``tfdsl status`` says of a job that should be in ``state``."""
    first: dict[str, Any] = next(iter(job["reasons"]), dict[str, Any]())
    line = lines[int(first.get("place", ":0").partition(":")[2] or 0)]
    policies = [one["sentence"].partition(": ")[2] for one in job["reasons"] if one["slug"] == "policy"]
    return State(
        state.body,
        job["phase"],
        OTHER_NODES.sub(r"0/1 nodes\1", first.get("sentence", "")),
        state.line if state.line in line and bool(state.line) == bool(line) else line,
        tuple(first.get("log", ())) if state.log else (),
        "".join(policies) if state.policy else "",
        first.get("written", "") if state.written else "",
    )


LIFE = """\
command = '''
    trap 'exit 0' TERM
    n=$(cat /data/n 2>/dev/null || echo 0)
    echo $((n + 1)) >/data/n
    echo "run $n of $I"
    [ $n = 0 ] && sleep 8 && exit 3  # long enough to be seen between two readings
    until [ -e RUNS/NAME.go ]; do sleep 0.2; done
    echo "end of $I"
  '''
  retries = 5
  mount scratch at "/data"
  mount host "RUNS" at "RUNS"
  env = { I = "${task.index}" }
  prepare fetch { command = "echo fetched" }
  SIDECAR
  common_labels = { run = "NAME" }
  role worker { replicas = 2 }
  on failed => restart container"""


@pytest.mark.parametrize("target", TARGETS)
def test_a_job_from_submit_through_a_restart_to_its_end(commands: Commands, runs: Path, target: str) -> None:
    name = unused_name("life")
    sidecar = 'sidecar beside { command = "trap exit TERM; echo up; while :; do sleep 0.2; done", memory = 32Mi }'
    body = LIFE.replace("RUNS", str(runs)).replace("NAME", name)
    file = write(commands, {name: body.replace("SIDECAR", sidecar if target == "kubernetes" else "")})
    of_job = (file, "-t", target)
    following = commands.process("submit", *of_job, "--follow")
    commands.wait(lambda: bool(jobs(commands, target, name)), "it is submitted", 30)

    def again() -> bool:
        live = commands.status(*of_job)
        return [(one["phase"], one["restarts"]) for one in live["replicas"]] == [("running", 1)] * 2

    commands.wait(again, "both run again")
    live = commands.status(*of_job)
    assert (live["phase"], [one["end"]["status"] for one in live["replicas"]]) == ("running", [3, 3])
    shown = {
        ("worker[0]", "--previous"): "run 0 of 0\n",
        ("worker[1]/fetch",): "fetched\n",
        ("worker", "--previous"): "worker[0] | run 0 of 0\nworker[1] | run 0 of 1\n",
    }
    for words, text in shown.items():
        ran = commands.run("logs", file, *words, "-t", target)
        assert (ran.status, "".join(sorted(ran.out.splitlines(True)))) == (0, text), ran.err
    every = commands.run("logs", f"{target.partition('@')[0]}/{name}").out.splitlines()
    assert {line.replace(" ", "") for line in every} >= {
        "worker[0]|run1of0",
        "worker[1]|run1of1",
        "worker[1]/fetch|fetched",
    }
    labelled = "-l", f"run={name}"
    of_label = kubectl(commands, "logs", *labelled, "-c", "tensorflow").splitlines()
    assert sorted(of_label) == ["run 1 of 0", "run 1 of 1"]
    late = commands.run("status", *of_job, "--wait", "--timeout", "1s")
    assert (late.status, "running since" in late.out) == (124, True)
    (runs / f"{name}.go").touch()
    out, err = following.communicate(timeout=90)
    assert following.returncode == 0, err
    assert f"job {name}: succeeded" in err
    text = [line.partition("| ")[2] for line in out.splitlines() if line.startswith("worker[") and "/" not in line]
    for index in (0, 1):
        assert [line for line in text if line.endswith(f"of {index}")] == [
            f"run 0 of {index}",
            f"run 1 of {index}",
            f"end of {index}",
        ]
    kinds = "services,jobs" if target == "kubernetes" else "tfjobs"
    kubectl(commands, "delete", kinds, *labelled)
    commands.wait(lambda: not kubectl(commands, "get", f"{kinds},pods", *labelled, "-o", "name"), "nothing is left")


def kubectl(commands: Commands, *words: str) -> str:
    """What kubectl prints."""
    given = ["kubectl", *words, "-n", commands.namespace, "--kubeconfig", str(commands.settings)]
    return subprocess.run(given, check=True, capture_output=True, text=True).stdout


def jobs(commands: Commands, target: str, name: str) -> list[str]:
    """The uids of the job's own objects."""
    group, kind = ("kubeflow.org/v1", "tfjobs") if target.startswith("tfjob") else ("batch/v1", "jobs")
    return [one["uid"] for one in commands.items(kind, f"/apis/{group}") if one["name"].startswith(name)]


WAITS = """\
command = "trap 'exit 0' TERM; echo ready; while :; do sleep 0.2; done"
"""


@pytest.mark.parametrize("target", TARGETS)
def test_waiting_replacing_and_ending(commands: Commands, target: str) -> None:
    """Ctrl-C leaves the job; the time of ``--timeout`` too; ``--replace`` and ``cancel`` end what runs."""
    name = unused_name("waits")
    file = write(commands, {name: WAITS})
    waiting = commands.process("submit", file, "-t", target, "--follow")
    assert waiting.stdout is not None
    assert any("ready" in line for line in waiting.stdout)  # it prints what runs
    waiting.send_signal(signal.SIGINT)
    _, err = waiting.communicate(timeout=30)
    assert waiting.returncode == INTERRUPTED
    assert "the job goes on: tfdsl status" in err
    before = jobs(commands, target, name)
    assert commands.status(file, "-t", target)["phase"] == "running"
    replaced = commands.run("submit", file, "-t", target, "--replace", "--wait", "--timeout", "4s")
    assert replaced.status == 124, replaced.err
    after = jobs(commands, target, name)
    assert len(after) == 1
    assert after != before
    own = commands.folder / file
    own.write_text(own.read_text().replace("echo ready; while", "echo bad; exit 7; while"))
    failed = commands.run("submit", file, "-t", target, "--replace", "--wait")
    assert failed.status == 1, failed.err
    assert "why: worker[0] exited with status 7" in failed.out
    assert "    bad" in failed.out
    assert commands.run("cancel", file, "-t", target).status == 0
    assert commands.run("status", file, "-t", target).status == 3
    assert [pod for pod in commands.items("pods") if pod["name"].startswith(name)] == []
