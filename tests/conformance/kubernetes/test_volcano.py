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
    for pod in OBSERVED[name]["pods"]:
        labels = pod["metadata"]["labels"]
        yield labels["volcano.sh/task-spec"], int(labels["volcano.sh/task-index"]), pod


@pytest.mark.parametrize("name", ROLES)
def test_gang_is_that_of_the_recorded_pod_group(name: str) -> None:
    made, group = spec(job(name, "plugin")), OBSERVED[name]["podGroup"]
    assert made["minAvailable"] == group["minMember"]
    assert {task["name"]: task["minAvailable"] for task in made["tasks"]} == group["minTaskMember"]


def test_plugin_is_asked_for_what_the_recorded_job_asked_for() -> None:
    ours, theirs = spec(job("tfplug", "plugin"))["plugins"], OBSERVED["tfplug"]["job"]["spec"]["plugins"]
    assert sorted(ours["tensorflow"]) == sorted(theirs["tensorflow"])
    assert "svc" in ours


def test_plugin_gives_the_tf_config_that_we_predict() -> None:
    predicted = {(task.role, task.index): task.tf_config for task in job("tfplug", "plugin").tasks()}
    recorded = {
        (role, index): environment({"env": [e for e in pod["spec"]["containers"][0]["env"] if "value" in e]}, {})
        for role, index, pod in pods("tfplug")
    }
    assert {task: variables["TF_CONFIG"] for task, variables in recorded.items()} == predicted


@pytest.mark.parametrize("name", ROLES)
def test_predicted_hosts_are_those_of_the_recorded_pods(name: str) -> None:
    files = OBSERVED[name]["configMap"]
    hosts = {f"{pod['spec']['hostname']}.{pod['spec']['subdomain']}" for _, _, pod in pods(name)}
    for task in job(name, "static").tasks():
        cluster = json.loads(task.tf_config or "")["cluster"]
        assert {host.removesuffix(":2222") for role in cluster.values() for host in role} == hosts
        for role, addresses in cluster.items():
            assert "\n".join(address.removesuffix(":2222") for address in addresses) == files[f"{role}.host"]
    assert OBSERVED[name]["service"]["name"] == name


@pytest.mark.parametrize("name", ROLES)
def test_static_delivery_works_with_the_annotations_of_the_recorded_pods(name: str) -> None:
    made = job(name, "static")
    predicted = {(task.role, task.index): task.tf_config for task in made.tasks()}
    for role, index, pod in pods(name):
        fields = {f"metadata.annotations['{key}']": text for key, text in pod["metadata"]["annotations"].items()}
        assert environment(containers(made)[role], fields)["TF_CONFIG"] == predicted[role, index]


@pytest.mark.parametrize("name", ROLES)
def test_shell_delivery_works_with_the_files_and_variables_of_the_recorded_pods(name: str, tmp_path: Path) -> None:
    made = job(name, "shell")
    predicted = {(task.role, task.index): task.tf_config for task in made.tasks()}
    for file, text in OBSERVED[name]["configMap"].items():
        (tmp_path / file).write_text(text)
    for role, index, pod in pods(name):
        [mount] = pod["spec"]["containers"][0]["volumeMounts"]
        moved = json.loads(json.dumps(containers(made)[role]).replace(mount["mountPath"], str(tmp_path)))
        given = [
            entry for entry in pod["spec"]["containers"][0]["env"] if "value" in entry and "TF_" not in entry["name"]
        ]
        given += [] if given else [{"name": "VK_TASK_INDEX", "value": str(index)}]  # tfplug was made without plugin env
        moved["env"] = [*given, *moved.get("env", [])]
        fields = {f"metadata.annotations['{key}']": text for key, text in pod["metadata"]["annotations"].items()}
        assert run(moved, fields).stdout == f"{predicted[role, index]}\n"
