"""The docker runtime: what ``docker`` is called with, and what becomes of its status and files (a stand-in records)."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.jobs import amount, job, role, time
from tests.unit.backends.slider.agents import Cluster, Container, kill_supervisor, until
from tests.unit.backends.slider.parts import mount, output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.backend import OptionValue
    from tfdsl.ir.model import Role

pytestmark = pytest.mark.slow

DOCKER = f"""#!{sys.executable}
import json, os, shutil, sys, time
home = {{home!r}}
with open(home + "/calls", "a") as stream:
    stream.write(json.dumps(sys.argv[1:]) + "\\n")
word = sys.argv[1]
if word == "run":
    print("in the container", flush=True)
    while not os.path.exists(home + "/finish"):
        if os.path.exists(home + "/stopped"):
            sys.exit(143)
        time.sleep(0.02)
    sys.exit(int(open(home + "/finish").read()))
if word == "stop":
    open(home + "/stopped", "w").close()
if word == "inspect":
    print("/image/workdir")
if word == "cp":
    place = sys.argv[2].partition(":")[2]
    if place != "/image/workdir/model":
        sys.exit(1)
    open(sys.argv[3], "w").write("from the container")
"""


class Node:
    """A node with docker."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.home = cluster.folder / "docker"
        self.home.mkdir()
        cluster.program("docker", DOCKER.format(home=str(self.home)))

    def start(self, *roles: Role, **options: OptionValue) -> Container:
        self.cluster.deploy(job(*roles), **options)
        container = self.cluster.container("worker").start()
        until(lambda: self.calls("run"))
        return container

    def finish(self, status: int) -> None:
        (self.home / "finish.new").write_text(str(status))
        os.rename(self.home / "finish.new", self.home / "finish")

    def calls(self, word: str) -> list[list[str]]:
        path = self.home / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        return [call for call in map(json.loads, lines) if call[0] == word]


@pytest.fixture
def node(cluster: Cluster) -> Node:
    """A node with docker."""
    return Node(cluster)


def words(call: Sequence[str], option: str) -> list[str]:
    return [word.partition("=")[2] for word in call if word.startswith(option + "=")]


def test_the_command_line(node: Node) -> None:
    source = node.cluster.folder / "data"
    source.mkdir()
    worker = role(
        "worker",
        image="tensorflow-hdfs:2.7.3",
        command=("python", "a b", "$X"),
        args=("--c",),
        env={"A": "x'\"\n$(y)", "TZ": "UTC"},
        memory=amount("2056Mi"),
        shm=amount("1Gi"),
        tmp_size=amount("32Mi"),
        mounts=(
            mount("host", "/data", source=str(source), readonly=True),
            mount("host", "link", source=str(source)),
            mount("memory", "/fast", size=amount("64Mi")),
            mount("scratch", "/tmp/s"),
        ),
    )
    container = node.start(worker, cgroup_root="/hadoop-yarn/")
    (call,) = node.calls("run")
    name = f"container_1488787200000_0007_01_{container.name}"
    assert node.calls("rm")[0] == ["rm", "--force", name], "what an earlier start has left"
    assert call[-4:] == ["tensorflow-hdfs:2.7.3", "a b", "$X", "--c"]
    assert words(call, "--entrypoint") == ["python"]
    assert words(call, "--name") == [name]
    assert words(call, "--cgroup-parent") == [f"/hadoop-yarn/{name}"]
    assert words(call, "--memory") == ["2056m"]
    assert words(call, "--shm-size") == [str(1 << 30)]
    assert words(call, "--net") == ["host"]
    assert words(call, "--publish") == []
    assert words(call, "--user") == [f"{os.getuid()}:{os.getgid()}"]
    assert words(call, "--tmpfs") == [f"/fast:size={64 << 20},mode=1777", f"/tmp:size={32 << 20},mode=1777"]
    assert words(call, "--workdir") == [str(container.task)], "the job has a link there"
    env = dict(word.partition("=")[::2] for word in words(call, "--env"))
    assert env["A"] == "x'\"\n$(y)"
    assert env["TZ"] == "UTC"
    assert env["TF_CONFIG"] == (
        f'{{"cluster":{{"worker":["127.0.0.1:{container.port}"]}},"task":{{"type":"worker","index":0}},'
        '"environment":"cloud"}'
    )
    assert env["HADOOP_USER_NAME"] == "alice"
    volumes = words(call, "--volume")
    assert f"{source}:/data:ro" in volumes
    assert f"{source}:{source}" in volumes, "what the link points to"
    assert f"{container.task}:{container.task}" in volumes
    assert f"{container.task}/.mounts/3:/tmp/s" in volumes
    node.finish(0)
    until(lambda: node.cluster.master.stops)
    until(lambda: node.calls("rm")[1:] == [["rm", "--force", name]])
    assert "in the container" in container.log


def test_the_entrypoint_of_the_image_is_left_alone(node: Node) -> None:
    node.start(role("worker", command=(), args=("--steps=5",)), docker_network="bridge", docker_user="image")
    (call,) = node.calls("run")
    port = node.cluster.containers[0].port
    assert call[-2:] == ["registry.example.com/mnist:1.4", "--steps=5"]
    assert words(call, "--entrypoint") == words(call, "--user") == words(call, "--workdir") == []
    assert words(call, "--net") == ["bridge"]
    assert words(call, "--publish") == [f"{port}:{port}"]
    node.finish(0)
    until(lambda: node.cluster.master.stops)


def test_the_status_of_the_container_counts(node: Node) -> None:
    container = node.start(role("worker"))
    node.finish(7)
    until(lambda: node.cluster.master.stops)
    assert container.note("state") == {"state": "failed", "status": 7, "index": 0}


def test_outputs_come_out_of_the_ended_container(node: Node) -> None:
    runs = node.cluster.folder / "runs"
    runs.mkdir()
    outputs = (output("model", "/runs/m"), output("/runs/log", "/runs/kept"))
    node.start(role("worker", mounts=(mount("host", "/runs", source=str(runs)),), outputs=outputs))
    (runs / "log").write_text("in the mount")
    node.finish(0)
    until(lambda: node.cluster.master.stops)
    assert (runs / "m").read_text() == "from the container"
    assert (runs / "kept").read_text() == "in the mount"
    assert len(node.calls("cp")) == 1, "what lies in a mount needs no copy out of the container"


def test_stop_stops_the_container(node: Node) -> None:
    container = node.start(role("worker", stop_grace=time("2500ms")))
    assert container.run("STOP") == 0
    assert node.calls("stop") == [["stop", "--time=3", f"container_1488787200000_0007_01_{container.name}"]]
    assert not container.is_alive()


def test_a_container_whose_supervisor_was_killed_is_stopped(node: Node) -> None:
    container = node.start(role("worker"))
    kill_supervisor(container)
    assert not container.is_alive()
    assert [call[-1] for call in node.calls("stop")] == [f"container_1488787200000_0007_01_{container.name}"]
