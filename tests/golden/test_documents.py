"""Each example that restates a published document sets every value that the document sets.

What an output may have beyond the document: more keys, TF_CONFIG's ``environment``, generated volume names, more plugin
arguments, and the default policies after the document's.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tfdsl.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ROOT / "tests" / "data" / "documents"
KEYS = ("name", "event", "mountPath", "containerPort")
"""What identifies an element of a list of maps."""


@pytest.fixture
def output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Compile an example and give the folder of its output."""

    def compiled(example: str, target: str, *more: str) -> Path:
        monkeypatch.chdir(ROOT / "examples" / example)
        assert main(["compile", "main.tfjob", "-t", target, "-o", f"{tmp_path}/", *more]) == 0
        return tmp_path

    return compiled


def documents(path: Path) -> list[Any]:
    return list(yaml.safe_load_all(path.read_text()))


def missing(wanted: Any, made: Any, at: str = "") -> list[str]:
    """The places of ``wanted`` that are not so in ``made``."""
    if isinstance(wanted, dict):
        if not isinstance(made, dict):
            return [at]
        return [gap for key, value in wanted.items() for gap in missing(value, made.get(key), f"{at}.{key}")]
    if isinstance(wanted, list):
        if not isinstance(made, list):
            return [at]
        return [gap for n, value in enumerate(wanted) for gap in missing(value, element(value, made, n), f"{at}[{n}]")]
    return [] if wanted == made else [f"{at}: {made!r} instead of {wanted!r}"]


def element(wanted: Any, made: list[Any], position: int) -> Any:
    """What in ``made`` stands for ``wanted``: of one identity, else at one position."""
    if isinstance(wanted, dict):
        key = next((key for key in KEYS if key in wanted), None)
        if key is not None:
            return next((one for one in made if isinstance(one, dict) and one.get(key) == wanted[key]), None)
    return made[position] if position < len(made) else None


def test_the_comparison_finds_what_is_missing() -> None:
    assert missing({"a": [{"name": "x", "v": 1}]}, {"a": [{"name": "y"}, {"name": "x", "v": 2}]}) == [
        ".a[0].v: 2 instead of 1"
    ]
    assert missing({"a": {}}, {}) == [".a"]


def volcano_document() -> Any:
    (document,) = documents(DOCUMENTS / "volcano.yaml")
    for task in document["spec"]["tasks"]:
        for container in task["template"]["spec"]["containers"]:
            del container["command"]  # compared by what it does, below
    return document


@pytest.mark.parametrize("tf_config", ["shell", "static", "plugin"])
def test_volcano(output: Any, tf_config: str) -> None:
    folder = output("volcano", "volcano", "-O", f"volcano.tf_config={tf_config}")
    (made,) = documents(folder / "tensorflow-dist-mnist.yaml")
    wanted = volcano_document()
    plugins = wanted["spec"].pop("plugins")
    policies = wanted["spec"].pop("policies")
    assert missing(wanted, made) == []
    assert set(plugins) <= set(made["spec"]["plugins"])
    on_events = [policy for policy in made["spec"]["policies"] if "event" in policy]
    assert on_events[: len(policies)] == policies
    statuses = [policy for policy in made["spec"]["policies"] if "exitCode" in policy]  # of pods that are deleted
    assert [(one["exitCode"], one["action"]) for one in statuses] == [(137, "RestartJob"), (143, "RestartJob")]
    assert ("tensorflow" in made["spec"]["plugins"]) == (tf_config == "plugin")
    has_variable = "TF_CONFIG" in json.dumps(made["spec"]["tasks"])
    assert has_variable == (tf_config != "plugin")


def test_the_volcano_command_builds_tf_config_from_the_hosts_files(output: Any) -> None:
    folder = output("volcano", "volcano")
    (made,) = documents(folder / "tensorflow-dist-mnist.yaml")
    for task in made["spec"]["tasks"]:
        (container,) = task["template"]["spec"]["containers"]
        text = container["command"][2]
        assert container["command"][:2] == ["/bin/sh", "-c"]
        assert "/etc/volcano/ps.host" in text
        assert "/etc/volcano/worker.host" in text
        assert "export TF_CONFIG=" in text
        assert container["args"] == ["python", "/var/tf_dist_mnist/dist_mnist.py"]


def test_simpletfjob(output: Any) -> None:
    made = documents(output("simpletfjob", "kubernetes") / "mnist.yaml")
    wanted = documents(DOCUMENTS / "simpletfjob.yaml")
    assert [one["metadata"]["name"] for one in made] == [one["metadata"]["name"] for one in wanted]
    for ours, theirs in zip(made, wanted, strict=True):
        our_config, their_config = tf_config_of(ours), tf_config_of(theirs)
        assert our_config.pop("environment") == "cloud"
        assert our_config == their_config
        our_mounts, their_mounts = claims_of(ours), claims_of(theirs)
        assert our_mounts == their_mounts == {"/root/share": "nfs-pvc"}
        assert missing(theirs, ours) == []


def tf_config_of(job: Any) -> Any:
    """Take TF_CONFIG out of a job."""
    env = job["spec"]["template"]["spec"]["containers"][0]["env"]
    entry = next(one for one in env if one["name"] == "TF_CONFIG")
    return json.loads(entry.pop("value"))


def claims_of(job: Any) -> dict[str, str]:
    """Take the mounts out of a job: path to claim."""
    pod = job["spec"]["template"]["spec"]
    volumes = {one["name"]: one["persistentVolumeClaim"]["claimName"] for one in pod.pop("volumes")}
    return {one["mountPath"]: volumes[one["name"]] for one in pod["containers"][0].pop("volumeMounts")}


def test_tfjob(output: Any) -> None:
    folder = output("tfjob", "tfjob")
    made = documents(folder / "module6-ex1-gpu.yaml")
    (wanted,) = documents(DOCUMENTS / "tfjob.yaml")
    jobs = [one for one in made if one["kind"] == "TFJob"]
    assert len(jobs) == 1
    assert missing(wanted, jobs[0]) == []
    assert sorted(one["kind"] for one in made) == ["Deployment", "Service", "TFJob"]
    lines = (folder / "module6-ex1-gpu.Dockerfile").read_text().splitlines()
    instructions = [line for line in lines if line and not line.startswith("#")]
    assert instructions[0] == "FROM tensorflow/tensorflow:1.10.0"
    assert json.loads(instructions[1].removeprefix("COPY ")) == ["main.py", "/app/main.py"]
    assert json.loads(instructions[2].removeprefix("ENTRYPOINT ")) == ["python", "/app/main.py"]


@pytest.mark.parametrize("file", ["metainfo", "appConfig", "resources"])
def test_slider(output: Any, file: str) -> None:
    made = json.loads((output("slider", "slider") / "tensorflow" / f"{file}.json").read_text())
    wanted = json.loads((DOCUMENTS / f"slider-{file}.json").read_text())
    assert missing(wanted, made) == []


def test_yarn(output: Any) -> None:
    folder = output("yarn", "yarn") / "trainer"
    submit, job = (folder / "submit.sh").read_text(), (folder / "job.sh").read_text()
    assert "yarn.io/gpu=1" in submit
    assert len(re.findall(r"-num_containers 2\b", submit)) == 2
    for word in (
        "tar ",
        "/disk1/data",
        "ln -s",
        "ps_hosts",
        "worker_hosts",
        "job_name",
        "task_index",
        "/mnt/results/trainer",
    ):
        assert word in job
