"""Prepare steps of a task: before the command, natively or in docker, with real files and a stand-in for docker."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.jobs import job, policy, role
from tests.unit.backends.slider.agents import Cluster, Container, until
from tests.unit.backends.slider.parts import mount, output
from tfdsl.ir.model import Cluster as Discovery, EnvVar, Role, RunTimeText, Step, TaskIndex

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

HOSTILE = [
    "",
    " ",
    "a b",
    "'",
    '"',
    "$HOME",
    "${USER_NAME}",
    "{{x}}",
    "`id`",
    "$(id)",
    "\\",
    "\n",
    "*",
    "é😀",
    "-x",
    "%s",
]
SEEN = (
    "import json, os, sys\n"
    "raw = lambda text: os.fsencode(text).hex()\n"
    "json.dump([[raw(a) for a in sys.argv[1:]], {k: raw(v) for k, v in os.environ.items()}], open('seen', 'w'))"
)


def step(name: str, command: object, **fields: object) -> Step:
    return Step.model_validate({"kind": "prepare", "name": name, "command": command, **fields})


def worker(command: str, *steps: Step, **fields: object) -> Role:
    return role("worker", image=None, command=command, steps=steps, **fields)


def run(nodes: Cluster, one: Role, **fields: object) -> Container:
    """The job of one worker, until the stop was asked for."""
    nodes.deploy(job(one, **fields))
    container = nodes.container("worker").start()
    until(lambda: nodes.master.stops)
    return container


def test_steps_run_in_their_order_after_the_mounts_and_before_the_command(cluster: Cluster) -> None:
    data = cluster.folder / "data"
    data.mkdir()
    (data / "set").write_text("set\n")
    steps = (step("first", "cat in/set >>order"), step("second", ("sh", "-c", "echo $A$B >>../order"), workdir="in",
                                                         env={"B": "2"}))  # fmt: skip
    one = worker("echo $A$B >>order", *steps, mounts=(mount("host", "in", source=str(data)),), env={"A": "1"})
    container = run(cluster, one)
    assert (container.task / "order").read_text() == "set\n1\n"
    assert (data.parent / "order").read_text() == "12\n"


def test_a_step_gets_its_texts_byte_for_byte_and_no_addresses(cluster: Cluster) -> None:
    variables = {f"V{number}": text for number, text in enumerate(HOSTILE)}
    mine = RunTimeText(parts=("<", TaskIndex(), ">", EnvVar(name="MODE")))
    spy = step("spy", (sys.executable, "-c", SEEN, *HOSTILE), args=(mine,), env={**variables, "MODE": "own"})
    one = worker('echo "$TF_CONFIG" "$@" >config', spy, env={"MODE": "role"})
    container = run(cluster, one, cluster=Discovery(discovery="both"))
    argv, env = json.loads((container.task / "seen").read_text())
    assert argv == [*(text.encode().hex() for text in HOSTILE), b"<0>own".hex()]
    assert [env[name] for name in variables] == [text.encode().hex() for text in HOSTILE]
    assert "TF_CONFIG" not in env
    config = (container.task / "config").read_text()
    assert '"worker"' in config
    assert "--job_name=worker" in config


def test_a_failing_step_fails_the_task_with_its_status_and_nothing_is_copied(cluster: Cluster) -> None:
    shared = cluster.folder / "shared"
    shared.mkdir()
    outputs = [output("made", f"{shared}/{when}", when=when) for when in ("always", "failure", "success")]
    steps = (step("fetch", "echo made >made; exit 7"), step("never", f"touch {shared}/never"))
    one = worker(
        "touch never", *steps, outputs=tuple(outputs), mounts=(mount("host", str(shared), source=str(shared)),)
    )
    container = run(cluster, one, policies=(policy("exit", "fail job", codes=(7,)),))
    assert "prepare fetch exited with status 7" in container.log
    assert "the command failed with status 7" in container.log
    assert list(shared.iterdir()) == []
    assert not (container.task / "never").exists()


def test_a_step_that_cannot_be_started(cluster: Cluster) -> None:
    container = run(cluster, worker("true", step("fetch", ("/no/such",))))
    assert "cannot start fetch" in container.log
    assert "prepare fetch exited with status 127" in container.log


def test_a_restart_in_place_prepares_again(cluster: Cluster) -> None:
    fetch = step("fetch", 'echo x >>tries; [ "$(wc -l <tries)" -ge 2 ]')
    cluster.deploy(
        job(worker("echo command >>tries", fetch), policies=(policy("failed", "restart container"),), retries=2)
    )
    container = cluster.container("worker").start()
    until(lambda: not container.is_alive())
    container.run("START")
    until(lambda: cluster.master.stops)
    assert (container.task / "tries").read_text() == "x\nx\ncommand\n"


def test_stop_gives_a_step_time_to_end_and_starts_no_command(cluster: Cluster) -> None:
    fetch = step("fetch", "trap 'echo asked >>seen; exit 0' TERM; echo up >>seen; sleep 60 & wait")
    cluster.deploy(job(worker("touch command", fetch, outputs=(output("seen", "hdfs://x/y", when="always"),))))
    container = cluster.container("worker").start()
    seen = container.task / "seen"
    until(lambda: seen.exists() and seen.read_text() == "up\n")
    assert not container.has_state("running"), "peers may not count it as started"
    container.run("STOP")
    until(lambda: "asked" in seen.read_text())
    assert not (container.task / "command").exists()
    assert "copying" not in container.log


DOCKER = f"""#!{sys.executable}
import json, sys
with open({{home!r}} + "/calls", "a") as stream:
    stream.write(json.dumps(sys.argv[1:]) + "\\n")
sys.exit(3 if sys.argv[1] == "run" and "bad" in sys.argv else 0)
"""


@pytest.mark.parametrize("bad", [False, True])
def test_steps_in_docker_have_the_mounts_and_the_image_of_the_role(cluster: Cluster, bad: bool, tmp_path: Path) -> None:
    home = tmp_path / "docker"
    home.mkdir()
    cluster.program("docker", DOCKER.format(home=str(home)))
    fetch = step("fetch", ("./fetch", "bad" if bad else "good"), env={"A": "2", "B": "3"}, workdir="/w")
    one = role("worker", command=("train",), env={"A": "1"}, steps=(fetch,), image="i:1",
               mounts=(mount("host", "/d", source="/srv"),))  # fmt: skip
    run(cluster, one)
    calls = [json.loads(line) for line in (home / "calls").read_text().splitlines()]
    runs = [call for call in calls if call[0] == "run"]
    assert len(runs) == (1 if bad else 2)
    first = runs[0]
    assert first[first.index("i:1") :] == ["i:1", "bad" if bad else "good"]
    assert {"--entrypoint=./fetch", "--env=A=2", "--env=B=3", "--volume=/srv:/d", "--workdir=/w"} <= set(first)
    assert not [word for word in first if word.startswith("--env=TF_CONFIG")]
    if not bad:
        assert {"--entrypoint=train", "--env=A=1"} <= set(runs[1])
        assert [word for word in runs[1] if word.startswith("--env=TF_CONFIG")]
        assert "--env=B=3" not in runs[1]
    assert calls[-1][0] == "rm"
