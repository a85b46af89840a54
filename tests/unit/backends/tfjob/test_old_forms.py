"""TFJobs of older APIs become those of v1."""

from __future__ import annotations

import pytest

from tests.unit.backends.trees import data, of, tree
from tfdsl.manifest.nodes import walk
from tfdsl_backends.tfjob.normal import is_tfjob, modern

POD = {"spec": {"containers": [{"name": "tensorflow", "image": "x"}]}}


def job(version: str, spec: dict[str, object], kind: str = "TFJob") -> dict[str, object]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "j"}, "spec": spec}


def spec_of(version: str, spec: dict[str, object], kind: str = "TFJob") -> dict[str, object]:
    made = data(modern(of(job(version, spec, kind))))
    assert (made["apiVersion"], made["kind"]) == ("kubeflow.org/v1", "TFJob")
    return made["spec"]


def test_list_of_replicas_becomes_a_map() -> None:
    pod = {"spec": {**POD["spec"], "restartPolicy": "OnFailure"}}
    spec = spec_of(
        "kubeflow.org/v1alpha1",
        {
            "replicaSpecs": [
                {"replicas": 1, "tfReplicaType": "MASTER", "template": pod},
                {"replicas": 2, "tfReplicaType": "PS", "tfPort": 2222, "template": pod},
                {"tfReplicaType": "WORKER", "tfPort": 3333, "template": pod},
            ],
            "terminationPolicy": {"chief": {"replicaName": "MASTER", "replicaIndex": 0}},
            "cleanupPodPolicy": "Running",
            "RuntimeId": "ab12",
            "schedulerName": "kube-batch",
        },
    )
    scheduled = {"spec": {**POD["spec"], "schedulerName": "kube-batch"}}
    port = [{"name": "tfjob-port", "containerPort": 3333}]
    assert spec == {
        "runPolicy": {"cleanPodPolicy": "Running"},
        "tfReplicaSpecs": {
            "Master": {"replicas": 1, "template": scheduled, "restartPolicy": "OnFailure"},
            "PS": {"replicas": 2, "template": scheduled, "restartPolicy": "OnFailure"},
            "Worker": {
                "template": {
                    "spec": {**scheduled["spec"], "containers": [{"name": "tensorflow", "image": "x", "ports": port}]}
                },
                "restartPolicy": "OnFailure",
            },
        },
    }


def test_first_api_of_all() -> None:
    spec = spec_of(
        "mlkube.io/v1beta1",
        {"replica_specs": [{"replicas": 3, "tf_port": 2222, "tf_replica_type": "WORKER", "template": POD}]},
        "TfJob",
    )
    assert spec == {
        "runPolicy": {"cleanPodPolicy": "All"},
        "tfReplicaSpecs": {"Worker": {"replicas": 3, "template": POD}},
    }


def test_type_has_a_default_and_all_pods_were_deleted() -> None:
    assert spec_of("tensorflow.org/v1alpha1", {"replicaSpecs": [{"template": POD}]}, "TfJob") == {
        "runPolicy": {"cleanPodPolicy": "All"},
        "tfReplicaSpecs": {"Master": {"template": POD}},
    }


@pytest.mark.parametrize("version", ["v1alpha2", "v1beta1", "v1beta2"])
def test_policies_of_the_spec_move_and_the_old_default_is_written(version: str) -> None:
    roles = {"MASTER": {"template": POD}, "ps": {"template": POD}}
    spec = spec_of(f"kubeflow.org/{version}", {"ttlSecondsAfterFinished": 60, "tfReplicaSpecs": roles})
    assert spec == {
        "tfReplicaSpecs": {"Master": {"template": POD}, "PS": {"template": POD}},
        "runPolicy": {"ttlSecondsAfterFinished": 60, "cleanPodPolicy": "Running"},
    }


def test_v1_before_run_policy() -> None:
    spec = spec_of(
        "kubeflow.org/v1",
        {
            "cleanPodPolicy": "All",
            "backoffLimit": 3,
            "runPolicy": {"backoffLimit": 5},
            "tfReplicaSpecs": {"Ps": {"tfReplicaType": "PS", "template": POD}},
        },
    )
    assert spec == {
        "runPolicy": {"cleanPodPolicy": "All", "backoffLimit": 5},
        "tfReplicaSpecs": {"PS": {"template": POD}},
    }


def test_todays_job_is_itself() -> None:
    today = job("kubeflow.org/v1", {"runPolicy": {}, "tfReplicaSpecs": {"Worker": {"replicas": 2, "template": POD}}})
    assert data(modern(of(today))) == today
    old = of(job("kubeflow.org/v1alpha1", {"replicaSpecs": [{"tfPort": 3, "template": POD}]}))
    assert data(modern(modern(old))) == data(modern(old))


def test_two_keys_of_one_role_are_both_kept() -> None:
    spec = spec_of("kubeflow.org/v1", {"tfReplicaSpecs": {"WORKER": {"replicas": 1}, "Worker": {"replicas": 2}}})
    assert spec["tfReplicaSpecs"] == {"WORKER": {"replicas": 1}, "Worker": {"replicas": 2}}


@pytest.mark.parametrize(
    "spec",
    [
        "null",
        "7",
        "[]",
        "{}",
        "{replicaSpecs: null}",
        "{replicaSpecs: 3}",
        "{replicaSpecs: [null, 3, []]}",
        "{replicaSpecs: [{tfReplicaType: 3, template: 5, tfPort: [x]}]}",
        "{tfReplicaSpecs: [a], runPolicy: 4}",
        "{schedulerName: {}, replicaSpecs: [{tfPort: 5, template: {spec: {containers: [3, {ports: 4}]}}}]}",
    ],
)
@pytest.mark.parametrize("version", ["kubeflow.org/v1alpha1", "kubeflow.org/v1beta1", "kubeflow.org/v1"])
def test_any_tree_is_taken(version: str, spec: str) -> None:
    modern(tree(f"apiVersion: {version}\nkind: TFJob\nspec: {spec}\n"))


@pytest.mark.parametrize("text", ["7", "[a]", "{apiVersion: 3, kind: TFJob}", "{apiVersion: batch/v1, kind: Job}"])
def test_others_are_left_alone(text: str) -> None:
    node = tree(text)
    assert not is_tfjob(node)
    assert modern(node) is node


def test_places_are_those_of_what_was_read() -> None:
    text = (
        "apiVersion: kubeflow.org/v1alpha1\nkind: TFJob\nspec:\n  replicaSpecs:\n  - tfReplicaType: PS\n    tfPort: 9\n"
    )
    text += "    template: {spec: {containers: [{name: tensorflow}], restartPolicy: Never}}\n"
    made = {".".join(map(str, path)): node.span.text for path, node in walk(modern(tree(text)))}
    role = "spec.tfReplicaSpecs.PS"
    assert made["apiVersion"] == "kubeflow.org/v1alpha1"
    assert made[f"{role}.restartPolicy"] == "Never"
    assert made[f"{role}.template.spec.containers.0.ports.0.containerPort"] == "9"


def test_kubedl_has_defaults_of_its_own() -> None:
    """api/training/v1alpha1 of KubeDL: ExitCode and Running."""
    made = data(modern(of(job("training.kubedl.io/v1alpha1", {"tfReplicaSpecs": {"worker": {"template": POD}}}))))
    assert made["apiVersion"] == "kubeflow.org/v1"
    assert made["spec"] == {
        "tfReplicaSpecs": {"Worker": {"template": POD, "restartPolicy": "ExitCode"}},
        "runPolicy": {"cleanPodPolicy": "Running"},
    }
    said = {"cleanPodPolicy": "All", "tfReplicaSpecs": {"Worker": {"restartPolicy": "Never", "template": POD}}}
    assert spec_of("training.kubedl.io/v1alpha1", said) == {
        "tfReplicaSpecs": {"Worker": {"restartPolicy": "Never", "template": POD}},
        "runPolicy": {"cleanPodPolicy": "All"},
    }
