"""Output for Volcano against what a real one made of jobs of the same shape (recorded in ``tests/data/volcano``)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.kubernetes.compiling import Compiled, accepted
from tests.unit.backends.podspec.kubelet import environment, run

if TYPE_CHECKING:
    from collections.abc import Iterator

OBSERVED: dict[str, dict[str, Any]] = json.loads((Path(__file__).parents[2] / "data/volcano/observed.json").read_text())
ROLES = {
    "demo-vc": "role ps { cpu = 1 }\n  role worker { replicas = 2, cpu = 1 }",
    "tfplug": "role chief { }\n  role ps { }\n  role worker { replicas = 2 }",
}


def job(name: str, delivery: str) -> Compiled:
    target = f'target volcano {{ tf_config = "{delivery}" }}'
    body = f'image = "x:1"\n  command = ["printenv", "TF_CONFIG"]\n  {ROLES[name]}\n  {target}'
    return accepted(f'job "{name}" {{\n  {body}\n}}\n', "volcano")


def spec(made: Compiled) -> dict[str, Any]:
    return made.documents[0].data["spec"]


def containers(made: Compiled) -> dict[str, dict[str, Any]]:
    """Role → the container that was emitted."""
    return {task["name"]: task["template"]["spec"]["containers"][0] for task in spec(made)["tasks"]}


def pods(name: str) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """The recorded pods with role and index."""
    for pod in OBSERVED[name]["pods"].values():
        yield pod["labels"]["volcano.sh/task-spec"], int(pod["task_index"]), pod


def annotations(pod: dict[str, Any]) -> dict[str, str]:
    """What a fieldRef gives in a recorded pod."""
    return {"metadata.annotations['volcano.sh/task-index']": pod["task_index"]}


@pytest.mark.parametrize("name", ROLES)
def test_gang_is_that_of_the_recorded_pod_group(name: str) -> None:
    made, group = spec(job(name, "plugin")), OBSERVED[name]["pod_group"]
    assert made["minAvailable"] == group["minMember"]
    assert {task["name"]: task["minAvailable"] for task in made["tasks"]} == group["minTaskMember"]


def test_plugin_is_asked_for_what_the_recorded_job_asked_for() -> None:
    ours, theirs = spec(job("tfplug", "plugin"))["plugins"], OBSERVED["tfplug"]["job"]["plugins"]
    assert sorted(ours["tensorflow"]) == sorted(theirs["tensorflow"])
    assert "svc" in ours


def test_plugin_gives_the_tf_config_that_we_predict() -> None:
    predicted = {(task.role, task.index): task.tf_config for task in job("tfplug", "plugin").tasks()}
    assert {(role, index): pod["tf_config"] for role, index, pod in pods("tfplug")} == predicted


@pytest.mark.parametrize("name", ROLES)
def test_predicted_hosts_are_those_of_the_recorded_pods(name: str) -> None:
    hosts = {(role, index): f"{pod['hostname']}.{pod['subdomain']}" for role, index, pod in pods(name)}
    for task in job(name, "static").tasks():
        cluster = json.loads(task.tf_config or "")["cluster"]
        ours = {(role, index): host for role, found in cluster.items() for index, host in enumerate(found)}
        assert ours == {replica: f"{host}:2222" for replica, host in hosts.items()}


@pytest.mark.parametrize("name", ROLES)
def test_static_delivery_works_with_the_annotations_of_the_recorded_pods(name: str) -> None:
    made = job(name, "static")
    predicted = {(task.role, task.index): task.tf_config for task in made.tasks()}
    for role, index, pod in pods(name):
        assert environment(containers(made)[role], annotations(pod))["TF_CONFIG"] == predicted[role, index]


@pytest.mark.parametrize("name", ROLES)
def test_shell_delivery_works_with_the_recorded_files(name: str, tmp_path: Path) -> None:
    made = job(name, "shell")
    predicted = {(task.role, task.index): task.tf_config for task in made.tasks()}
    for file, text in OBSERVED[name]["configmap"].items():
        (tmp_path / file).write_text(text)
    for role, index, pod in pods(name):
        moved = json.loads(json.dumps(containers(made)[role]).replace("/etc/volcano", str(tmp_path)))
        plugin_env = {"name": "VK_TASK_INDEX", "value": pod["task_index"]}
        moved["env"] = [plugin_env, *moved.get("env", [])]
        assert run(moved, annotations(pod)).stdout == f"{predicted[role, index]}\n"
