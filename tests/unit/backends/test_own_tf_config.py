"""A TF_CONFIG that the job sets itself: each target delivers it, also to servers, and ``tfconfig`` shows it.

The programs that export it are run in the tests of tfjob, yarn and slider.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import tfdsl
from tests.unit.backends.jobs import job, role, unit
from tests.unit.backends.verdicts import documents
from tfdsl import ir, targets

if TYPE_CHECKING:
    from tfdsl.backend import TaskConfig

TEXT = """job mnist {
  image = "registry.example.com/mnist:1.4"
  command = ["python", "t.py"]
  memory = 4Gi
  cluster { discovery = "none" }
  env = { TF_CONFIG = "{\\"task\\": {\\"index\\": ${task.index}}}" }
  role chief { }
  role worker { replicas = 2, server = true }
}
"""
OFF = ir.Cluster(discovery="none")


def value(index: int) -> str:
    return f'{{"task": {{"index": {index}}}}}'


@pytest.mark.parametrize("target", targets.names())
def test_tfconfig_shows_it(target: str) -> None:
    tasks = tfdsl.tfconfig(text=TEXT, target=target)
    seen = {(task.role, task.index): (task.tf_config, task.flags, task.differences) for task in tasks}
    expected = {("chief", 0): 0, ("worker", 0): 0, ("worker", 1): 1}
    assert seen == {place: ({"task": {"index": index}}, (), ()) for place, index in expected.items()}


@pytest.mark.parametrize("target", ["kubernetes", "volcano"])
def test_it_is_the_only_entry(target: str) -> None:
    env = {"TF_CONFIG": ir.RunTimeText(parts=('{"task": {"index": ', ir.TaskIndex(), "}}"))}
    made = job(role("chief"), role("worker", 2, env=env, server=True), cluster=OFF)
    entries = [
        entry["value"]
        for document in documents(unit(made, target))
        for entry in _env_of_workers(document)
        if entry["name"] == "TF_CONFIG"
    ]
    assert len(entries) == 1
    assert "cluster" not in json.loads(entries[0].replace("$(TASK_INDEX)", "1").replace("$(JOB_COMPLETION_INDEX)", "1"))


def _env_of_workers(data: Any) -> list[dict[str, str]]:
    """The variables of the container that has one called TF_CONFIG, wherever it is in ``data``."""
    if isinstance(data, dict):
        own = data.get("env", [])
        if any(one["name"] == "TF_CONFIG" for one in own):
            return list(own)
    items = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [entry for item in items for entry in _env_of_workers(item)]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (ir.SecretRef(name="a", key="b"), 'secret("a", "b")'),
        (ir.ConfigMapRef(name="a", key="b"), 'configmap("a", "b")'),
        (ir.PodField(field="metadata.name"), 'pod_field("metadata.name")'),
        (ir.RunTimeText(parts=("x-", ir.EnvVar(name="HOME"))), "x-${env.HOME}"),
        ("[1]", "[1]"),
    ],
)
def test_what_is_not_an_object_is_shown_as_written(written: object, shown: str) -> None:
    made = job(role("worker", env={"TF_CONFIG": written, "HOME": "/h"}), cluster=OFF)
    assert _tasks("kubernetes", made)[0].tf_config == shown
    (task,) = tfdsl.tfconfig(made, "kubernetes")
    assert (task.tf_config, task.differences) == (None, (f"TF_CONFIG is {shown}",))


def _tasks(target: str, made: ir.Job) -> list[TaskConfig]:
    backend = targets.find(target)
    assert backend is not None
    return list(backend.load().tasks(unit(made, target)))
