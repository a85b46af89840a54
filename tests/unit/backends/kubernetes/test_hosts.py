"""Jobs on named hosts, as simpletfjob made them.

Expected values: the document in simpletfjob's README and the output of its own program for the cases named here.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.jobs import job, policy, role, unit
from tests.unit.backends.verdicts import codes, documents, report
from tfdsl.ir.model import Job, PvcMount

if TYPE_CHECKING:
    from tfdsl.backend import Unit

IN_PLACE = policy("failed", "restart container")


def readme(ps: int = 1, workers: int = 2) -> Job:
    common = {
        "image": "tensorflow/tensorflow:1.13.1-py3",
        "command": ("python", "mnist_cnn.py", "--strategy=ps", "--steps=5000"),
        "workdir": "/root/share/tensorflow/mnist",
        "mounts": (PvcMount(at="/root/share", claim="nfs-pvc"),),
    }
    return job(role("ps", ps, **common), role("worker", workers, **common), policies=(IN_PLACE,), retries=3)


def on(made: Job, *hosts: str, exclude: tuple[str, ...] = ()) -> Unit:
    return unit(made, "kubernetes", hosts=hosts, exclude=exclude)


def config(document: dict) -> dict:
    entries = document["spec"]["template"]["spec"]["containers"][0]["env"]
    return json.loads(next(entry["value"] for entry in entries if entry["name"] == "TF_CONFIG"))


def test_every_value_of_the_readme_is_there() -> None:
    made = documents(on(readme(), "h10", "h100", "h14"))
    expected = [
        ("mnist-ps-0", "h10", "ps", 0),
        ("mnist-worker-0", "h100", "worker", 0),
        ("mnist-worker-1", "h14", "worker", 1),
    ]
    assert len(made) == len(expected)
    for document, (name, host, task, index) in zip(made, expected, strict=True):
        assert (document["apiVersion"], document["kind"]) == ("batch/v1", "Job")
        assert document["metadata"]["name"] == name
        assert document["spec"]["backoffLimit"] == 4
        pod = document["spec"]["template"]["spec"]
        assert pod["nodeName"] == host
        assert pod["hostNetwork"] is True
        assert pod["restartPolicy"] == "OnFailure"
        (container,) = pod["containers"]
        assert container["name"] == "tensorflow"
        assert container["image"] == "tensorflow/tensorflow:1.13.1-py3"
        assert container["command"] == ["python", "mnist_cnn.py", "--strategy=ps", "--steps=5000"]
        assert container["workingDir"] == "/root/share/tensorflow/mnist"
        assert container["ports"] == [{"name": "tfjob-port", "containerPort": 2222, "hostPort": 2222}]
        (mount,), (volume,) = container["volumeMounts"], pod["volumes"]
        assert mount["mountPath"] == "/root/share"
        assert mount["name"] == volume["name"]
        assert volume["persistentVolumeClaim"] == {"claimName": "nfs-pvc"}
        seen = config(document)
        assert seen.pop("environment") == "cloud"
        assert seen == {
            "cluster": {"ps": ["h10:2222"], "worker": ["h100:2222", "h14:2222"]},
            "task": {"index": index, "type": task},
        }


@pytest.mark.parametrize(
    ("ps", "workers", "hosts", "exclude", "expected"),
    [
        pytest.param(
            3, 1, "h10 h100 h14 h23", "", "mnist-ps-0:h10 mnist-ps-1:h100 mnist-ps-2:h14 mnist-worker-0:h23", id="g02"
        ),
        pytest.param(
            1, 3, "h10 h100 h14 h23", "", "mnist-ps-0:h10 mnist-worker-0:h100 mnist-worker-1:h14 mnist-worker-2:h23",
            id="g03",
        ),
        pytest.param(1, 2, "h1 h2 h3", "", "mnist-ps-0:h1 mnist-worker-0:h2 mnist-worker-1:h3", id="g06"),
        pytest.param(1, 1, "h10 h100 h14 h23", "h10 h14", "mnist-ps-0:h100 mnist-worker-0:h23", id="g07"),
        pytest.param(1, 1, "h10 h100 h14 h23", "h10 h14 h99", "mnist-ps-0:h100 mnist-worker-0:h23", id="g07-more"),
    ],
)  # fmt: skip
def test_hosts_are_taken_in_order(ps: int, workers: int, hosts: str, exclude: str, expected: str) -> None:
    made = documents(on(readme(ps, workers), *hosts.split(), exclude=tuple(exclude.split())))
    placed = [f"{d['metadata']['name']}:{d['spec']['template']['spec']['nodeName']}" for d in made]
    assert placed == expected.split()
    used = [pair.partition(":")[2] + ":2222" for pair in placed]
    assert all(config(d)["cluster"] == {"ps": used[:ps], "worker": used[ps:]} for d in made)


def test_roles_take_hosts_ps_first_then_chief_worker_evaluator() -> None:
    made = job(role("chief"), role("ps"), role("worker"), role("evaluator"), role("tensorboard"))
    all_made = documents(on(made, "a", "b", "c", "d"))
    jobs = [d for d in all_made if d["kind"] == "Job"]
    placed = {d["metadata"]["name"]: d["spec"]["template"]["spec"]["nodeName"] for d in jobs}
    assert placed == {"mnist-ps-0": "a", "mnist-chief-0": "b", "mnist-worker-0": "c", "mnist-evaluator-0": "d"}
    (deployment,) = [d for d in all_made if d["kind"] == "Deployment"]
    pod = deployment["spec"]["template"]["spec"]
    assert "nodeName" not in pod
    assert "hostNetwork" not in pod
    assert "evaluator" not in config(jobs[0])["cluster"]
    assert [d["kind"] for d in all_made].count("Service") == 1  # TensorBoard's; hosts need none


def test_too_few_hosts_are_counted() -> None:
    """e08: simpletfjob invented an empty fourth host here."""
    made = readme(1, 3)
    (found,) = [d for d in report(on(made, *"abcdef", exclude=("a", "b", "c"))) if d.level == "error"]
    assert found.rule.code == "K8S101"
    for part in ("4 replicas (1 ps, 3 worker)", "hosts has 6", "3 of them excluded", "1 too few"):
        assert part in found.message
    assert "K8S101" in codes(on(readme(1, 1), "h1"), "error")  # e01
    assert "K8S101" not in codes(on(readme(1, 1), "h1", "h2", "h3"))


def test_a_host_twice_is_an_error_that_counts() -> None:
    (found,) = [d for d in report(on(readme(), "h1", "h2", "h1", "h1", "h3")) if d.level == "error"]
    assert found.rule.code == "K8S100"
    assert "h1" in found.message
    assert "3 times" in found.message


def test_an_empty_list_of_hosts_is_no_list_of_none() -> None:
    assert "K8S101" in codes(on(readme()), "error")
    assert "K8S101" not in codes(unit(readme(), "kubernetes"))


def test_exclude_alone_means_nothing() -> None:
    assert "K8S103" in codes(unit(readme(), "kubernetes", exclude=("h1",)), "error")


@pytest.mark.parametrize("host", ["", "H1", "a b", "h_1", "-h", "x" * 254, "h1\n", "{{h}}", "h..1"])
def test_what_cannot_be_a_node(host: str) -> None:
    assert "K8S102" in codes(on(readme(), "h1", "h2", host), "error")


@pytest.mark.parametrize("host", ["10.0.0.1", "node-1.rack.example.com", "9"])
def test_what_can_be_a_node(host: str) -> None:
    assert "K8S102" not in codes(on(readme(), "h1", "h2", host))


def test_names_on_hosts() -> None:
    """The Job's name is a label of its pods: 63 characters. No Service is made, so it may begin with a digit."""

    def named(name: str, *others: str) -> Unit:
        made = job(role("worker", 11), *(role(other) for other in others)).but(name=name)
        return on(made, *(f"h{index}" for index in range(11)))

    assert "K8S040" not in codes(named("m" * 53))
    assert "K8S040" in codes(named("m" * 54), "error")
    assert "K8S043" not in codes(named("7seas"))
    assert "K8S043" in codes(named("7seas", "tensorboard"), "error")


def test_options_that_hosts_make_void() -> None:
    loud = job(role("worker", 2, host_network=False, spread="node"), scheduler="s")
    asked = on(loud, "a", "b")
    written = unit(loud, "kubernetes", hosts=("a", "b"), written=("scheduler", "roles[worker].host_network"))
    assert {"K8S051", "K8S057"} <= set(codes(written, "warning"))
    assert "K8S044" not in codes(asked)
    assert not {"K8S051", "K8S057"} & set(codes(unit(loud, "kubernetes")))


def test_flags_on_hosts_are_constants() -> None:
    from tfdsl.ir.model import Cluster

    made = job(role("chief"), role("worker", 2), cluster=Cluster(discovery="flags"))
    containers = [d["spec"]["template"]["spec"]["containers"][0] for d in documents(on(made, "a", "b", "c"))]
    assert [c["args"] for c in containers] == [
        ["--ps_hosts=", "--worker_hosts=a:2222,b:2222,c:2222", "--job_name=worker", f"--task_index={index}"]
        for index in range(3)
    ]
    assert all(c["command"] == ["python", "train.py"] and "env" not in c for c in containers)
    assert "K8S001" not in codes(on(made, "a", "b", "c"))
    assert "K8S001" in codes(unit(made, "kubernetes"))
