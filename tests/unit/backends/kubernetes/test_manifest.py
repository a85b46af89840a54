"""Indexed Jobs with a headless Service: what stands where."""

from __future__ import annotations

import json

import pytest

from tests.unit.backends.jobs import amount, job, policy, role, time, unit
from tests.unit.backends.podspec.kubelet import run
from tests.unit.backends.verdicts import codes, documents
from tfdsl import targets
from tfdsl.emit.yaml import write
from tfdsl.ir.model import Claim, ClaimMount, Cluster, Job

INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"


def made_of(made: Job, version: str | None = None) -> dict[str, dict]:
    return {f"{d['kind']}/{d['metadata']['name']}": d for d in documents(unit(made, "kubernetes", version))}


def test_one_indexed_job_per_role_and_a_service() -> None:
    made = job(
        role("chief"),
        role("worker", 2),
        policies=(policy("failed", "restart container"),),
        retries=2,
        namespace="ml",
        labels={"team": "vision"},
        queue="research",
        priority="high",
        deadline=time("12h"),
        ttl=time("1d"),
        suspend=True,
    )
    cluster = (
        '{"cluster":{"chief":["mnist-chief-0.mnist:2222"],'
        '"worker":["mnist-worker-0.mnist:2222","mnist-worker-1.mnist:2222"]},'
    )
    found = made_of(made)
    assert list(found) == ["Job/mnist-chief", "Job/mnist-worker", "Service/mnist"]
    assert found["Job/mnist-worker"] == {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "mnist-worker",
            "namespace": "ml",
            "labels": {
                "team": "vision",
                "tfdsl/job": "mnist",
                "tfdsl/role": "worker",
                "kueue.x-k8s.io/queue-name": "research",
            },
        },
        "spec": {
            "suspend": True,
            "completionMode": "Indexed",
            "completions": 2,
            "parallelism": 2,
            "backoffLimit": 3,
            "activeDeadlineSeconds": 43200,
            "ttlSecondsAfterFinished": 86400,
            "template": {
                "metadata": {
                    "labels": {"tfdsl/job": "mnist", "tfdsl/role": "worker"},
                    "annotations": {"sidecar.istio.io/inject": "false"},
                },
                "spec": {
                    "restartPolicy": "OnFailure",
                    "priorityClassName": "high",
                    "subdomain": "mnist",
                    "containers": [
                        {
                            "name": "tensorflow",
                            "image": "registry.example.com/mnist:1.4",
                            "command": ["python", "train.py"],
                            "ports": [{"name": "tfjob-port", "containerPort": 2222}],
                            "env": [
                                {"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": {"fieldPath": INDEX}}},
                                {
                                    "name": "TF_CONFIG",
                                    "value": cluster
                                    + '"task":{"type":"worker","index":$(JOB_COMPLETION_INDEX)},"environment":"cloud"}',
                                },
                            ],
                        }
                    ],
                },
            },
        },
    }
    assert found["Service/mnist"] == {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "mnist", "namespace": "ml", "labels": {"tfdsl/job": "mnist"}},
        "spec": {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": {"tfdsl/job": "mnist"}},
    }


def test_the_service_finds_the_pods_of_every_job() -> None:
    found = made_of(job(role("chief"), role("ps", 2), role("worker", 3), role("evaluator"), role("tensorboard")))
    selector = found["Service/mnist"]["spec"]["selector"].items()
    for name, document in found.items():
        if document["kind"] == "Job":
            template = document["spec"]["template"]
            assert selector <= template["metadata"]["labels"].items(), name
            assert template["spec"]["subdomain"] == "mnist"
    assert not selector <= found["Deployment/mnist-tensorboard"]["spec"]["template"]["metadata"]["labels"].items()


@pytest.mark.parametrize("index", [0, 1, 2])
def test_what_a_task_sees_is_what_tfconfig_says(index: int) -> None:
    """The container is started as a kubelet would; the index stands on the pod's annotation."""
    show = 'import os,sys,json; print(json.dumps([os.environ["TF_CONFIG"], sys.argv[1:]]))'
    cluster = Cluster(discovery="both")
    made = job(role("chief"), role("worker", 3, command=("python3", "-c", show), args=("$(X)", "'")), cluster=cluster)
    asked = unit(made, "kubernetes")
    container = documents(asked)[1]["spec"]["template"]["spec"]["containers"][0]
    done = run(container, {INDEX: str(index)})
    assert done.returncode == 0, done.stderr
    config, args = json.loads(done.stdout)
    backend = targets.find("kubernetes")
    assert backend is not None
    task = next(t for t in backend.load().tasks(asked) if (t.role, t.index) == ("worker", index))
    assert (config, args) == (task.tf_config, ["$(X)", "'", *task.flags])
    assert json.loads(config)["task"] == {"type": "worker", "index": index}
    assert task.flags[-1] == f"--task_index={index + 1}"
    assert task.differences == ()


def test_evaluator_and_tensorboard_stand_outside_the_cluster() -> None:
    asked = unit(job(role("chief"), role("worker"), role("evaluator"), role("tensorboard")), "kubernetes")
    backend = targets.find("kubernetes")
    assert backend is not None
    seen = {task.role: task.tf_config for task in backend.load().tasks(asked)}
    assert seen["tensorboard"] is None
    assert json.loads(seen["evaluator"] or "") == {
        "cluster": {"chief": ["mnist-chief-0.mnist:2222"], "worker": ["mnist-worker-0.mnist:2222"]},
        "task": {"type": "evaluator", "index": 0},
        "environment": "cloud",
    }


def test_a_server_role_gets_tf_config_whatever_discovery_says() -> None:
    flags = Cluster(discovery="flags")
    found = made_of(job(role("chief"), role("ps", 2, server=True), cluster=flags))

    def names(job_name: str) -> list[str]:
        container = found[job_name]["spec"]["template"]["spec"]["containers"][0]
        return [entry["name"] for entry in container.get("env", ())]

    assert names("Job/mnist-ps") == ["JOB_COMPLETION_INDEX", "TF_CONFIG"]
    assert names("Job/mnist-chief") == []


def test_tensorboard_and_claims() -> None:
    claim = Claim(name="runs", size=amount("1Gi"), access_modes=("ReadWriteMany",), keep=True)
    mount = ClaimMount(at="/runs", claim="runs")
    found = made_of(job(role("worker", mounts=(mount,)), role("tensorboard", mounts=(mount,)), claims=(claim,)))
    assert found["PersistentVolumeClaim/mnist-runs"]["spec"]["accessModes"] == ["ReadWriteMany"]
    deployment, service = found["Deployment/mnist-tensorboard"], found["Service/mnist-tensorboard"]
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"].items() <= labels.items()
    assert service["spec"]["selector"].items() <= labels.items()
    # `kubectl delete jobs,services -l tfdsl/job=…` must leave TensorBoard's Service.
    assert "tfdsl/job" not in service["metadata"]["labels"]


@pytest.mark.parametrize(("version", "fine"), [("1.27", False), ("1.30", False), ("1.31", True), ("1.34", True)])
def test_one_replica_can_end_its_role(version: str, fine: bool) -> None:
    """successPolicy is on by default from 1.31."""
    first = policy("completed", "complete job", role="worker", index=0)
    asked = unit(job(role("worker", 3), policies=(first,)), "kubernetes", version, written=("policies[0].index",))
    assert ("K8S062" in codes(asked, "error")) != fine
    if fine:
        assert documents(asked)[0]["spec"]["successPolicy"] == {"rules": [{"succeededIndexes": "0"}]}


def test_only_the_host_list_grows() -> None:
    def without_hosts(workers: int) -> int:
        cluster = Cluster(discovery="none")
        made = job(role("chief"), role("worker", workers), cluster=cluster)
        return len(write(documents(unit(made, "kubernetes"))).text)

    assert abs(without_hosts(4000) - without_hosts(4)) <= without_hosts(4) * 0.1


def test_names_have_room_for_the_index() -> None:
    def named(length: int, workers: int) -> list[str]:
        made = job(role("worker", workers)).but(name="m" * length)
        return codes(unit(made, "kubernetes"), "error")

    assert named(54, 10) == []  # m…-worker-9 has 63 characters
    assert named(55, 10) == ["K8S040"]
    assert named(54, 11) == ["K8S040"]
    assert codes(unit(job(role("worker")).but(name="7"), "kubernetes"), "error") == ["K8S043"]


def test_numbers() -> None:
    assert codes(unit(job(role("worker", 100_000)), "kubernetes"), "error") == ["K8S041"]  # the host list, not the Job
    cluster = Cluster(discovery="none")
    assert codes(unit(job(role("worker", 100_000), cluster=cluster), "kubernetes"), "error") == []
    assert "K8S104" in codes(unit(job(role("worker"), ttl=time("24856d")), "kubernetes"), "error")


def test_queue_label() -> None:
    clash = job(role("worker", 2), queue="a", labels={"kueue.x-k8s.io/queue-name": "b"})
    assert "K8S045" in codes(unit(clash, "kubernetes"), "error")
    assert "K8S046" in codes(unit(job(role("worker"), queue="a b"), "kubernetes"), "error")
    assert "K8S046" not in codes(unit(job(role("worker"), queue="a.b"), "kubernetes"))


def test_a_job_whose_tasks_do_not_look_for_each_other_needs_no_service() -> None:
    alone = job(role("worker", 2), cluster=Cluster(discovery="none"))
    made = unit(alone, "kubernetes", service=False)
    assert codes(made, "error") == []
    [document] = documents(made)
    assert (document["kind"], document["spec"]["completions"]) == ("Job", 2)
    assert "subdomain" not in document["spec"]["template"]["spec"]


@pytest.mark.parametrize("discovery", ["tf_config", "flags", "both"])
def test_without_the_service_no_address_leads_anywhere(discovery: str) -> None:
    made = job(role("worker", 2), cluster=Cluster(discovery=discovery))
    assert codes(unit(made, "kubernetes", service=False), "error") == ["K8S116"]
    assert codes(unit(made, "kubernetes", service=False, hosts=("h1", "h2")), "error") == []
