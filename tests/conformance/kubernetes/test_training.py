"""The shipped examples that have a program, trained to the end by TensorFlow in pods."""

from __future__ import annotations

import json
import re
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conformance.kubernetes import images, node
from tests.conformance.kubernetes.compiling import Compiled, accepted
from tests.conformance.kubernetes.created import unused_name
from tests.conformance.kubernetes.on_node import OnNode, claim

if TYPE_CHECKING:
    from tests.conformance.kubernetes.api import Api
    from tests.conformance.kubernetes.work import Work

EXAMPLES = Path(__file__).parents[3] / "examples"


def example(name: str, target: str, version: str | None = None, steps: int = 1000) -> Compiled:
    """An example for one small machine, in the node's namespace, with a job name that no controller remembers."""
    text = (EXAMPLES / name / "main.tfjob").read_text(encoding="utf-8")
    there = f'job {unused_name(name)} {{\n  namespace = "{node.NAMESPACE}"'
    text, count = re.subn(rf"^job {name} {{", there, text, flags=re.M)
    assert count == 1
    return accepted(text.replace("--steps=1000", f"--steps={steps}"), target, version, "laptop")


@pytest.fixture(scope="module")
def shared(api: Api, runs: Path) -> Path:
    """The folder of the claim `runs`, which the examples mount."""
    claim(api, "runs", runs)
    return runs


def add_image(work: Work, name: str, made: Compiled) -> None:
    """Build the image of an example from the Dockerfile that it compiles to."""
    (image,) = {role.image for role in made.units[0].job.roles}
    assert image is not None
    node.add_image(work, images.build_from(work, made.dockerfile, EXAMPLES / name, image))


def checked(path: Path, log: str) -> None:
    """The model is where the output has promised it, and reads digits."""
    assert (path / "saved_model.pb").is_file()
    assert list((path / "variables").glob("variables.data-*"))
    (accuracy,) = re.findall(r"^exported to .*: accuracy ([\d.]+)", log, re.M)
    assert float(accuracy) > 0.9


def test_tfjob_trains_with_parameter_servers_and_resumes(api: Api, work: Work, shared: Path) -> None:
    """The chief is killed after the first checkpoint: it goes on from there."""
    made = example("mnist", "tfjob", "1.8", steps=4000)  # more than are done before it is killed
    add_image(work, "mnist", made)
    with OnNode(api, made) as it:
        folder = shared / it.name
        chief = f"{it.name}-chief-0"
        it.wait(lambda: bool(list(folder.glob("step-*.index"))), "there is a checkpoint", 180)
        node.kill(work, next(pod for pod in it.kubelet.pods() if pod["metadata"]["name"] == chief))
        it.wait(lambda: bool({"Succeeded", "Failed"} & set(it.conditions("TFJob"))), "the TFJob ends", 180)
        assert "Succeeded" in it.conditions("TFJob"), it.logs()
        log = it.log(chief)
        assert re.search(r"^resumed at step [1-9]\d*00$", log, re.M), log
        checked(folder / "export", log)
        it.wait(lambda: kept(it, chief), "the servers are stopped, TensorBoard stays")
        (board,) = (pod for pod in it.kubelet.pods() if "-tensorboard-" in pod["metadata"]["name"])
        it.wait(lambda: curves(board["status"]["podIP"]) == {"log": {"loss"}}, "TensorBoard shows the loss", 60)


def kept(it: OnNode, chief: str) -> bool:
    """Whether the chief's pod and TensorBoard's are all that there is."""
    return [name.replace(f"{it.name}-tensorboard-", "board ").split()[0] for name in it.kubelet.phases()] == [
        chief,
        "board",
    ]


def curves(address: str) -> dict[str, set[str]]:
    """What TensorBoard has: run → the names of its curves."""
    try:
        with urllib.request.urlopen(f"http://{address}:6006/data/plugin/scalars/tags", timeout=10) as answer:
            return {run: set(tags) for run, tags in json.load(answer).items()}
    except OSError:
        return {}


@pytest.mark.long
def test_plain_jobs_train_with_parameter_servers(api: Api, work: Work, shared: Path) -> None:
    made = example("mnist", "kubernetes")
    add_image(work, "mnist", made)
    with OnNode(api, made) as it:
        chief = f"{it.name}-chief"
        it.wait(lambda: bool({"Complete", "Failed"} & set(it.conditions("Job", chief))), "the chief's Job ends", 180)
        assert "Complete" in it.conditions("Job", chief), it.logs()
        (pod,) = (name for name in it.kubelet.phases() if name.startswith(chief))
        checked(shared / it.name / "export", it.log(pod))


def test_plain_jobs_train_in_step(api: Api, work: Work, shared: Path) -> None:
    """Each worker has a copy of the model; one is killed after the first checkpoint, and all go on from there."""
    made = example("multi-worker", "kubernetes")
    add_image(work, "multi-worker", made)
    with OnNode(api, made) as it:
        folder = shared / it.name
        it.wait(lambda: bool(list(folder.glob("step-*.index"))), "there is a checkpoint", 180)
        node.kill(work, it.kubelet.pods()[1])
        it.wait(lambda: bool({"Complete", "Failed"} & set(it.conditions("Job"))), "the Job ends", 240)
        assert "Complete" in it.conditions("Job"), it.logs()
        logs = [it.log(pod) for pod in it.kubelet.phases()]
        assert all("replicas in step: 2" in log and re.search(r"^resumed at step [1-9]00$", log, re.M) for log in logs)
        checked(folder / "export", logs[0])


@pytest.mark.long
def test_tfjob_has_an_evaluator(api: Api, work: Work, shared: Path) -> None:
    """The operator lists it in everybody's cluster, where TensorFlow expects only servers."""
    made = example("evaluator", "tfjob", "1.8")
    add_image(work, "evaluator", made)
    with OnNode(api, made) as it:
        evaluator = f"{it.name}-evaluator-0"
        it.wait(lambda: "evaluated " in it.log(evaluator), "a checkpoint is measured", 240)
        it.wait(lambda: bool({"Succeeded", "Failed"} & set(it.conditions("TFJob"))), "the TFJob ends", 180)
        assert "Succeeded" in it.conditions("TFJob"), it.logs()
        checked(shared / it.name / "export", it.log(f"{it.name}-chief-0"))
