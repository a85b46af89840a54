"""The program of a ``server`` role, run against stand-ins for TensorFlow 1 and 2."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.backends import jobs
from tests.unit.backends.jobs import role
from tests.unit.backends.podspec import kubelet
from tfdsl.emit.located import plain
from tfdsl.ir.model import Cluster, RunTimeText, TaskIndex
from tfdsl_backends.podspec.plan import PodPlan, index_of
from tfdsl_backends.podspec.pods import container

if TYPE_CHECKING:
    from pathlib import Path

SERVER = """
class Server:
    def __init__(self, cluster, job_name=None, task_index=None, protocol=None):
        print(json.dumps([KIND, cluster, job_name, task_index, protocol]), flush=True)
    def join(self):
        threading.Event().wait(JOIN)
"""
DISTRIBUTE = "train = types.SimpleNamespace(ClusterSpec=dict)\ndistribute = types.SimpleNamespace(Server=Server)\n"
KINDS = {
    "tensorflow 1": "train = types.SimpleNamespace(Server=Server, ClusterSpec=dict)\n",
    "tensorflow 1.12": "distribute = None\ntrain = types.SimpleNamespace(Server=Server, ClusterSpec=dict)\n",
    "tensorflow 2": DISTRIBUTE,
}


def stand_in(folder: Path, kind: str, join: float) -> None:
    text = "import json, threading, types\n" + SERVER + KINDS[kind]
    (folder / "tensorflow.py").write_text(text.replace("KIND", repr(kind)).replace("JOIN", str(join)))


def made(**fields: object) -> dict[str, Any]:
    ps = role("ps", 3, server=True, command=(sys.executable, "train.py"), args=("--never",), **fields)
    plan = PodPlan(index_of(ps, "f"), tf_config='{"cluster":{"ps":["a:1"]},"task":{"type":"ps","index":$(TASK_INDEX)}}')
    data = plain(container(jobs.job(role("chief"), ps, cluster=Cluster(protocol="grpc+verbs")), ps, plan, []))
    assert isinstance(data, dict)
    return data


@pytest.mark.parametrize("kind", KINDS)
def test_it_starts_the_server_of_its_task_and_joins(tmp_path: Path, kind: str) -> None:
    stand_in(tmp_path, kind, 0.1)
    argv, variables = kubelet.process(made(), {"f": "2"})
    done = subprocess.run(
        argv,
        env={**os.environ, **variables, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert json.loads(done.stdout) == [kind, {"ps": ["a:1"]}, "ps", 2, "grpc+verbs"]


def test_sigterm_ends_it_at_once(tmp_path: Path) -> None:
    stand_in(tmp_path, "tensorflow 2", 60)
    argv, variables = kubelet.process(made(), {"f": "0"})
    environment = {**os.environ, **variables, "PYTHONPATH": str(tmp_path)}
    with kubelet.started(argv, environment) as running:
        running.send_signal(signal.SIGTERM)
        assert running.wait(5) == 143


@pytest.mark.parametrize(
    ("command", "interpreter"),
    [
        (("python", "x.py"), "python"),
        (("python3", "x.py"), "python3"),
        (("/opt/venv/bin/python3.11", "x.py"), "/opt/venv/bin/python3.11"),
        (("python3-config",), "python"),
        (("bash", "-c", "x"), "python"),
        ("python3 train.py", "python"),
        ((), "python"),
        ((RunTimeText(parts=(TaskIndex(),)),), "python"),
    ],
)
def test_it_runs_in_the_python_of_the_command(command: object, interpreter: str) -> None:
    ps = role("ps", server=True, command=command)
    data = plain(container(jobs.job(role("chief"), ps), ps, PodPlan(index_of(ps, "f")), []))
    assert isinstance(data, dict)
    words = data["command"]
    assert isinstance(words, list)
    assert words[:2] == [interpreter, "-c"]
    assert words[3] == "grpc"
    assert "args" not in data
