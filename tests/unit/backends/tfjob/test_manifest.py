"""The manifest: what stands where, in which order, and what is always written."""

from __future__ import annotations

import pytest

from tests.unit.backends.jobs import amount, job, policy, role, time, unit
from tests.unit.backends.verdicts import documents
from tfdsl.emit.yaml import write
from tfdsl.ir.model import Claim, ClaimMount, Job, PvcMount


def tfjob(made: Job, version: str | None = None, **options: str | bool) -> dict:
    return documents(unit(made, "tfjob", version, **options))[0]


def test_a_job_with_everything_common() -> None:
    made = job(
        role(
            "chief", cpu=amount("4"), memory=amount("16Gi"), cpu_limit=amount("8"), memory_limit=amount("16Gi"), gpu=1
        ),
        role("worker", 4, gpu=1, spread="node", port=2223),
        role("ps", 2),
        policies=(policy("failed", "restart container"),),
        namespace="ml",
        labels={"team": "vision"},
        annotations={"note": "y"},
        priority="high",
        retries=2,
        deadline=time("12h"),
        ttl=time("1d"),
        cleanup="all",
        suspend=True,
    )
    pod = {"annotations": {"sidecar.istio.io/inject": "false"}}
    image = {"name": "tensorflow", "image": "registry.example.com/mnist:1.4", "command": ["python", "train.py"]}
    assert tfjob(made) == {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": {"name": "mnist", "namespace": "ml", "labels": {"team": "vision"}, "annotations": {"note": "y"}},
        "spec": {
            "runPolicy": {
                "cleanPodPolicy": "All",
                "ttlSecondsAfterFinished": 86400,
                "activeDeadlineSeconds": 43200,
                "backoffLimit": 3,
                "suspend": True,
                "schedulingPolicy": {"priorityClass": "high"},
            },
            "tfReplicaSpecs": {
                "Chief": {
                    "replicas": 1,
                    "restartPolicy": "OnFailure",
                    "template": {
                        "metadata": pod,
                        "spec": {
                            "priorityClassName": "high",
                            "containers": [
                                {
                                    **image,
                                    "resources": {
                                        "requests": {"cpu": "4", "memory": "16Gi", "nvidia.com/gpu": 1},
                                        "limits": {"cpu": "8", "memory": "16Gi", "nvidia.com/gpu": 1},
                                    },
                                }
                            ],
                        },
                    },
                },
                "PS": {
                    "replicas": 2,
                    "restartPolicy": "OnFailure",
                    "template": {
                        "metadata": pod,
                        "spec": {
                            "priorityClassName": "high",
                            "containers": [
                                {**image, "env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}]},
                            ],
                        },
                    },
                },
                "Worker": {
                    "replicas": 4,
                    "restartPolicy": "OnFailure",
                    "template": {
                        "metadata": pod,
                        "spec": {
                            "priorityClassName": "high",
                            "affinity": {
                                "podAntiAffinity": {
                                    "requiredDuringSchedulingIgnoredDuringExecution": [
                                        {
                                            "labelSelector": {
                                                "matchLabels": {
                                                    "training.kubeflow.org/job-name": "mnist",
                                                    "training.kubeflow.org/replica-type": "worker",
                                                }
                                            },
                                            "topologyKey": "kubernetes.io/hostname",
                                        }
                                    ]
                                }
                            },
                            "containers": [
                                {
                                    **image,
                                    "ports": [{"name": "tfjob-port", "containerPort": 2223}],
                                    "resources": {"requests": {"nvidia.com/gpu": 1}, "limits": {"nvidia.com/gpu": 1}},
                                }
                            ],
                        },
                    },
                },
            },
        },
    }


def test_keys_stand_in_the_order_users_write_them() -> None:
    made = job(role("chief"), role("evaluator"), role("worker", 2), role("ps"), labels={"a": "b"}, namespace="n")
    manifest = tfjob(made)
    assert list(manifest) == ["apiVersion", "kind", "metadata", "spec"]
    assert list(manifest["metadata"]) == ["name", "namespace", "labels"]
    assert list(manifest["spec"]) == ["runPolicy", "tfReplicaSpecs"]
    assert list(manifest["spec"]["tfReplicaSpecs"]) == ["Chief", "PS", "Worker", "Evaluator"]
    assert list(manifest["spec"]["tfReplicaSpecs"]["PS"]) == ["replicas", "restartPolicy", "template"]


@pytest.mark.parametrize("version", ["1.3", "1.5", "1.6", "1.7", "1.8", "1.9"])
def test_what_defaults_changed_is_always_written(version: str) -> None:
    manifest = tfjob(job(role("worker", 2)), version)
    assert manifest["spec"]["runPolicy"] == {"cleanPodPolicy": "Running"}
    assert manifest["spec"]["tfReplicaSpecs"]["Worker"]["replicas"] == 2
    assert manifest["spec"]["tfReplicaSpecs"]["Worker"]["restartPolicy"] == "Never"


def test_master_stays_master() -> None:
    assert list(tfjob(job(role("master"), role("worker")))["spec"]["tfReplicaSpecs"]) == ["Master", "Worker"]


@pytest.mark.parametrize(
    ("roles", "policies", "expected"),
    [
        (("chief", "worker"), (), None),
        (("worker", "ps"), (), "AllWorkers"),
        (("worker",), (policy("completed", "complete job", role="worker", index=0),), ""),
        (
            ("worker",),
            (
                policy("completed", "complete job", role="worker"),
                policy("completed", "complete job", role="worker", index=0),
            ),
            "",
        ),
    ],
)
def test_success_policy(roles: tuple[str, ...], policies: tuple, expected: str | None) -> None:
    made = job(*(role(name, 2 if name == "worker" else 1) for name in roles), policies=policies)
    assert tfjob(made)["spec"].get("successPolicy") == expected


def test_gang_scheduler_gets_one_minimum_for_all_roles() -> None:
    made = job(role("chief"), role("worker", 4, min_available=2), role("ps", 2), queue="research", priority="p")
    scheduling = tfjob(made, gang_scheduler="volcano")["spec"]["runPolicy"]["schedulingPolicy"]
    assert scheduling == {"minAvailable": 5, "queue": "research", "priorityClass": "p"}
    loose = job(role("worker", 4), gang=False)
    assert tfjob(loose, gang_scheduler="volcano")["spec"]["runPolicy"]["schedulingPolicy"] == {"minAvailable": 1}
    assert "schedulingPolicy" not in tfjob(loose)["spec"]["runPolicy"]


def test_kueue_reads_a_label() -> None:
    manifest = tfjob(job(role("worker", 2), queue="research", labels={"a": "b"}), kueue=True)
    assert manifest["metadata"]["labels"] == {"a": "b", "kueue.x-k8s.io/queue-name": "research"}
    assert "schedulingPolicy" not in manifest["spec"]["runPolicy"]


def test_claims_and_tensorboard_are_documents_of_their_own() -> None:
    claim = Claim(name="runs", size=amount("100Gi"), storage_class="fast", access_modes=("ReadWriteMany",), keep=True)
    mount = ClaimMount(at="/runs", claim="runs")
    made = job(
        role("worker", 2, mounts=(mount,)),
        role("tensorboard", mounts=(mount, PvcMount(at="/data", claim="data")), logdir="/runs/logs"),
        claims=(claim,),
        namespace="ml",
    )
    job_document, pvc, deployment, service = documents(unit(made, "tfjob"))
    assert list(job_document["spec"]["tfReplicaSpecs"]) == ["Worker"]
    assert pvc == {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "mnist-runs", "namespace": "ml"},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "fast",
            "resources": {"requests": {"storage": "100Gi"}},
        },
    }
    assert (deployment["kind"], deployment["apiVersion"]) == ("Deployment", "apps/v1")
    assert deployment["metadata"]["name"] == service["metadata"]["name"] == "mnist-tensorboard"
    assert deployment["metadata"]["namespace"] == service["metadata"]["namespace"] == "ml"
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"].items() <= labels.items()
    assert service["spec"]["selector"].items() <= labels.items()
    pod = deployment["spec"]["template"]["spec"]
    assert pod["restartPolicy"] == "Always"
    assert pod["containers"][0]["command"] == [
        "tensorboard", "--logdir", "/runs/logs", "--bind_all", "--port", "6006",
    ]  # fmt: skip
    assert service["spec"]["ports"] == [{"name": "http", "port": 80, "targetPort": 6006}]
    claims = [volume["persistentVolumeClaim"]["claimName"] for volume in pod["volumes"]]
    assert claims == ["mnist-runs", "data"]


def test_the_size_does_not_grow_with_the_replicas() -> None:
    def size(workers: int) -> int:
        made = job(role("chief"), role("ps", 2), role("worker", workers))
        return len(write([documents(unit(made, "tfjob"))[0]]).text)

    assert abs(size(3000) - size(4)) <= size(4) * 0.1  # of more, the operator's TF_CONFIG would not fit a variable


def test_the_same_job_gives_the_same_bytes() -> None:
    def text() -> str:
        made = job(
            role("chief"), role("worker", 3), labels={"b": "1", "a": "2"}, policies=(policy("failed", "restart pod"),)
        )
        return write(documents(unit(made, "tfjob", gang_scheduler="volcano"))).text

    assert text() == text()
