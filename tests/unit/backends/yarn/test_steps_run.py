"""Prepare steps of emitted jobs that really run: before the command, in the task's own container."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.jobs import amount, job, policy, unit
from tests.unit.backends.verdicts import report
from tests.unit.backends.yarn.cluster import Cluster, native, text
from tests.unit.backends.yarn.containers import until
from tfdsl.ir import model
from tfdsl.ir.model import EnvVar, HostMount, MemoryMount, Output, ScratchMount, Step, TaskIndex

if TYPE_CHECKING:
    from tfdsl.ir.model import Job

pytestmark = pytest.mark.slow

HOSTILE = ["", " ", "a b", "'", '"', "$HOME", "{{x}}", "`id`", "$(id)", "\\", "\n", "*", "é😀", "-x", "%s", "A=b"]
SEEN = (
    "import json, os, sys; raw = lambda t: os.fsencode(t).hex(); "
    "json.dump([[raw(a) for a in sys.argv[1:]], {k: raw(v) for k, v in os.environ.items()}, os.getcwd()], "
    "open(os.environ['PWD_OF_TASK'] + '/seen', 'w'))"
)


def step(name: str, command: object, **fields: object) -> Step:
    return Step.model_validate({"kind": "prepare", "name": name, "command": command, **fields})


def run(cluster: Cluster, made: Job, status: int = 0, **options: str) -> None:
    done = cluster.submit(unit(made, "yarn", **options))
    assert done.returncode == status, done.stdout + done.stderr + cluster.logs()


def test_steps_run_in_their_order_after_the_mounts_and_before_the_command(cluster: Cluster) -> None:
    data = cluster.folder / "data"
    data.mkdir()
    (data / "set").write_text("set")
    steps = (
        step("first", "cat in/set >>order; echo first >>order"),
        step(
            "second", ("sh", "-c", "echo $MODE $OWN $TFJOB_INDEX >>../order; cat set"), workdir="in", env={"OWN": "1"}
        ),
    )
    fields: dict[str, object] = {"mounts": (HostMount(at="in", source=str(data)),), "env": {"MODE": "fast"}}
    made = job(
        native("worker", 2, "echo command >>order", steps=(*steps[:1], step("last", "echo last >>order")), **fields),
        native("ps", 1, "echo command >>order; sleep 60", steps=(step("first", "echo ps >order"),)),
    )
    run(cluster, made)
    places = cluster.containers()
    assert (places["worker[1]"] / "order").read_text() == "setfirst\nlast\ncommand\n"
    assert (places["ps[0]"] / "order").read_text() == "ps\ncommand\n"


def test_a_step_gets_its_texts_byte_for_byte_and_no_addresses(cluster: Cluster) -> None:
    variables = {f"V{number}": value for number, value in enumerate(HOSTILE)}
    spying = step(
        "spy",
        (sys.executable, "-c", SEEN, *HOSTILE),
        args=(*HOSTILE, text("<", TaskIndex(), ">", EnvVar(name="MODE"))),
        env={**variables, "PWD_OF_TASK": str(cluster.folder), "MODE": "own", "PART": text(TaskIndex())},
        workdir="w",
    )
    mounts = (ScratchMount(at="w"),)
    made = job(
        native("worker", 1, "echo ${TF_CONFIG+set} >config", steps=(spying,), mounts=mounts, env={"MODE": "role"}),
        native("ps", 1, "sleep 60"),
        cluster=model.Cluster(discovery="both"),
    )
    run(cluster, made)
    argv, env, folder = json.loads((cluster.folder / "seen").read_text())
    raw = [word.encode().hex() for word in HOSTILE]
    assert argv == [*raw, *raw, b"<0>own".hex()], "and no flags"
    assert [env[name] for name in variables] == raw
    assert env["PART"] == b"0".hex()
    assert "TF_CONFIG" not in env
    place = cluster.containers()["worker[0]"]
    assert folder == f"{place}/w"
    assert (place / "config").read_text() == "set\n"


@pytest.mark.parametrize("first", ["no/such", "A=b"])
def test_a_step_that_cannot_start_fails(cluster: Cluster, first: str) -> None:
    run(cluster, job(native("worker", 1, "true", steps=(step("fetch", (first,)),))), 2)
    assert "prepare fetch exited with 127" in cluster.logs()
    assert cluster.containers() == {}, "the command did not start"


@pytest.mark.parametrize("replicas", [1, 2])
def test_a_failing_step_fails_the_replica_with_its_status_and_nothing_is_copied(
    cluster: Cluster, replicas: int
) -> None:
    shared = cluster.folder / "shared"
    shared.mkdir()
    outputs = tuple(
        Output(source="made", destination=str(shared / when), when=when, index=0)
        for when in ("always", "failure", "success")
    )
    mounts = (HostMount(at=str(shared), source=str(shared)), MemoryMount(at="fast", size=amount("1Mi")))
    steps = (step("fetch", "echo made >made; exit 7"), step("never", f"touch {shared}/never"))
    run(cluster, job(native("worker", replicas, "true", steps=steps, mounts=mounts, outputs=outputs)), 2)
    assert "prepare fetch exited with 7" in cluster.logs()
    assert list(shared.iterdir()) == []
    assert cluster.containers() == {}
    statuses = [place.read_text() for place in (cluster.folder / "containers").glob("*/*/status")]
    assert "7" in statuses


def test_exit_policies_see_the_status_and_a_relaunch_prepares_again(cluster: Cluster) -> None:
    shared = cluster.folder / "shared"
    shared.mkdir()
    script = f'echo x >>tries; [ "$(wc -l <tries)" -ge 3 ] || exit 9; echo made >made; echo fetch >>{shared}/order'
    output = Output(source="made", destination=str(shared / "copy"), when="always", index=0)
    made = job(
        native(
            "worker",
            1,
            "cat made",
            steps=(step("fetch", script),),
            outputs=(output,),
            mounts=(HostMount(at=str(shared), source=str(shared)),),
        ),
        policies=(policy("exit", "restart job", codes=(9,)),),
        retries=5,
    )
    run(cluster, made)
    assert (shared / "order").read_text() == "fetch\n"
    assert (shared / "copy").read_text() == "made\n"


def test_ignored_failures_of_steps(cluster: Cluster) -> None:
    made = job(
        native("chief", 1, "true"),
        native("worker", 1, "true", steps=(step("fetch", "exit 3"),)),
        policies=(policy("exit", "ignore", codes=(3,), role="worker"),),
    )
    run(cluster, made)
    assert sorted(cluster.containers()) == ["chief[0]"]


def test_a_step_is_stopped_with_all_that_it_started(cluster: Cluster) -> None:
    """Another task fails while a step runs; the step gets SIGTERM, and after stop_grace SIGKILL."""
    marks = cluster.folder
    stubborn = f"trap '' TERM; sh -c 'trap \"\" TERM; sleep 300 & echo $! >{marks}/child; wait'"
    polite = f"trap 'echo asked >{marks}/was-asked; exit 0' TERM; echo >{marks}/polite; sleep 300 & wait"
    failing = f"until [ -e {marks}/child ] && [ -e {marks}/polite ]; do sleep 0.1; done; exit 5"
    made = job(
        native("chief", 1, failing),
        native("worker", 1, "true", steps=(step("slow", stubborn),)),
        native("ps", 1, "true", steps=(step("polite", polite),)),
    )
    begun = time.monotonic()
    run(cluster, made, 2)
    assert time.monotonic() - begun < 45
    assert (marks / "was-asked").read_text() == "asked\n"
    child = int((marks / "child").read_text())
    until(lambda: not os.path.exists(f"/proc/{child}"))
    assert sorted(cluster.containers()) == ["chief[0]"]


def test_steps_of_the_modified_client(cluster: Cluster) -> None:
    made = job(native("worker", 1, "true", steps=(step("fetch", "exit 7"),)))
    told = [one.rule.slug for one in report(unit(made, "yarn", dialect="yarn-tf")) if one.level == "error"]
    assert told == []
