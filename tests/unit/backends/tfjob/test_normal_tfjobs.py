"""The normal form of TFJobs: values from the operator's defaulting and its controller."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.backends.trees import data, of
from tfdsl_backends.tfjob.normal import aligned, normal

CONTAINER = {"name": "tensorflow", "image": "x:1"}


def normal_of(document: dict[str, Any], version: str = "1.9") -> dict[str, Any]:
    made = normal([of(document)], version)
    assert data(normal(made, version)[0]) == data(made[0])
    return data(made[0])


def pod(container: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    return {"spec": {"containers": [{**CONTAINER, **(container or {})}], **spec}}


def job(roles: dict[str, Any], version: str = "v1", **spec: Any) -> dict[str, Any]:
    document = {"apiVersion": f"kubeflow.org/{version}", "kind": "TFJob", "metadata": {"name": "j"}}
    return {**document, "spec": {**spec, "tfReplicaSpecs": roles}}


WORKERS = {"Worker": {"replicas": 2, "template": pod()}}


def test_what_the_operator_fills_in_is_gone() -> None:
    ports = [{"name": "tfjob-port", "containerPort": 2222, "protocol": "TCP"}]
    labels = {"training.kubeflow.org/replica-type": "worker", "mine": "x"}
    template = {"metadata": {"creationTimestamp": None, "name": "x", "labels": labels}, **pod({"ports": ports})}
    worker = {"replicas": 1, "restartPolicy": "Never", "template": {**template}}
    worker["template"]["spec"] = {**template["spec"], "restartPolicy": "OnFailure"}
    run_policy = {"cleanPodPolicy": "None", "suspend": False, "schedulingPolicy": {"minAvailable": 1}}
    made = normal_of(job({"worker": worker}, runPolicy=run_policy, successPolicy=""))
    assert made == job({"Worker": {"template": {"metadata": {"labels": {"mine": "x"}}, **pod()}}})


def test_the_default_of_clean_pod_policy_depends_on_the_operator() -> None:
    assert normal_of(job(WORKERS, runPolicy={"cleanPodPolicy": "None"})) == job(WORKERS)
    assert normal_of(job(WORKERS, runPolicy={"cleanPodPolicy": "Running"}), "1.5") == job(WORKERS)
    running = job(WORKERS, runPolicy={"cleanPodPolicy": "Running"})
    assert normal_of(running) == running
    none = job(WORKERS, runPolicy={"cleanPodPolicy": "None"})
    assert normal_of(none, "1.5") == none
    assert normal_of(job(WORKERS, runPolicy={"cleanPodPolicy": "Banana"}))["spec"]["runPolicy"] == {
        "cleanPodPolicy": "All"
    }


def test_success_policy_decides_without_a_chief_only() -> None:
    workers = job(WORKERS, successPolicy="AllWorkers")
    assert normal_of(workers) == workers
    roles = {**WORKERS, "Chief": {"template": pod()}}
    assert normal_of(job(roles, successPolicy="AllWorkers")) == job(roles)
    assert normal_of(job(WORKERS, successPolicy="ChiefWorker")) == job(WORKERS)


def test_a_gang_of_all_replicas() -> None:
    def policy(size: int) -> dict[str, Any]:
        return {"schedulingPolicy": {"minAvailable": size, "queue": "q"}}

    assert normal_of(job(WORKERS, runPolicy=policy(2)))["spec"]["runPolicy"] == {"schedulingPolicy": {"queue": "q"}}
    assert normal_of(job(WORKERS, runPolicy=policy(1)))["spec"]["runPolicy"] == policy(1)


def test_tf_config_of_the_operator_hides_that_of_the_manifest() -> None:
    env = [{"name": "TF_CONFIG", "value": "{}"}]
    two = normal_of(job({"Worker": {"replicas": 2, "template": pod({"env": env})}}))
    assert two == job(WORKERS)
    one = job({"Worker": {"template": pod({"env": env})}})
    assert normal_of(one) == one
    used = [*env, {"name": "X", "value": "$(TF_CONFIG)"}]
    kept = job({"Worker": {"replicas": 2, "template": pod({"env": used})}})
    assert normal_of(kept) == kept


@pytest.mark.parametrize(
    "role",
    [
        {"restartPolicy": "ExitCode", "template": pod()},
        {"template": pod({"ports": [{"name": "tfjob-port", "containerPort": 2223}]})},
        {"template": pod({"ports": [{"name": "other", "containerPort": 2222}]})},
        {"template": pod(schedulerName="default-scheduler")},
    ],
)
def test_what_means_something_stays(role: dict[str, Any]) -> None:
    assert normal_of(job({"Worker": role})) == job({"Worker": role})


@pytest.mark.parametrize(
    ("roles", "policy"),
    [
        ({"Worker": {"template": pod()}, "PS": {"replicas": 0, "template": pod()}}, {}),
        ({"Worker": {"template": pod()}}, {"backoffLimit": 3}),
        ({"Worker": {"template": pod()}}, {"backoffLimit": 0}),
    ],
)
def test_what_decides_nothing_goes(roles: dict[str, Any], policy: dict[str, Any]) -> None:
    assert normal_of(job(roles, runPolicy=policy)) == job({"Worker": {"template": pod()}})


def test_limits_of_restarts_that_may_end_the_job_stay() -> None:
    by_status = {"restartPolicy": "ExitCode", "template": pod()}
    assert normal_of(job({"Worker": by_status}, runPolicy={"backoffLimit": 3})) == job({"Worker": by_status})
    sidecar = {"name": "log", "image": "y", "restartPolicy": "Always"}
    for role, limit in (
        ({"restartPolicy": "OnFailure", "template": pod()}, 3),
        ({"restartPolicy": "Always", "template": pod()}, 3),
        (by_status, 0),
        ({"restartPolicy": "ExitCode", "template": pod(initContainers=[sidecar])}, 3),
    ):
        kept = job({"Worker": role}, runPolicy={"backoffLimit": limit})
        assert normal_of(kept) == kept


def test_the_container_of_the_command_is_the_first() -> None:
    main, helper = {"name": "tensorflow", "image": "x"}, {"name": "a", "image": "y"}
    first = {"Worker": {"template": {"spec": {"containers": [main, helper]}}}}
    last = {"Worker": {"template": {"spec": {"containers": [helper, main]}}}}
    assert normal_of(job(last)) == normal_of(job(first))
    helper["lifecycle"] = {"postStart": {"exec": {"command": ["true"]}}}  # type: ignore[assignment]
    assert normal_of(job(last)) != normal_of(job(first))


def test_all_workers_of_one_worker() -> None:
    one = job({"Worker": {"template": pod()}}, successPolicy="AllWorkers")
    assert normal_of(one) == job({"Worker": {"template": pod()}})


def test_old_forms_and_fields_that_are_pruned() -> None:
    old = job({"MASTER": {"template": pod()}}, "v1beta1", tensorboard={"logDir": "/x"})
    assert normal_of(old) == job({"Master": {"template": pod()}}, runPolicy={"cleanPodPolicy": "Running"})


def test_names_that_connect_parts_of_a_pod() -> None:
    def with_names(volume: str, other: str, step: str, port: str) -> dict[str, Any]:
        mounts = [{"name": volume, "mountPath": "/data"}, {"name": other, "mountPath": "/tmp/x"}]
        ports = [{"name": "tfjob-port", "containerPort": 2223}, {"name": port, "containerPort": 80}]
        volumes = [{"name": volume, "persistentVolumeClaim": {"claimName": "d"}}, {"name": other, "emptyDir": {}}]
        steps = [{"name": step, "image": "y", "volumeMounts": mounts[:1]}]
        return pod({"ports": ports, "volumeMounts": mounts}, volumes=volumes, initContainers=steps)

    ours = normal([of(job({"Worker": {"template": with_names("pvc-d", "scratch", "fetch", "http")}}))], "1.9")
    theirs = normal([of(job({"Worker": {"template": with_names("scratch", "x", "init-1", "web")}}))], "1.9")
    assert data(aligned(theirs, ours)[0]) == data(ours[0])
    assert data(aligned(ours, ours)[0]) == data(ours[0])


def test_a_name_that_another_part_gets_is_given_up() -> None:
    def volumes(*pairs: tuple[str, str]) -> list[Any]:
        volumes = [{"name": name, "hostPath": {"path": path}} for name, path in pairs]
        mounts = [{"name": name, "mountPath": path} for name, path in pairs]
        return normal([of(job({"Worker": {"template": pod({"volumeMounts": mounts}, volumes=volumes)}}))], "1.9")

    made = aligned(volumes(("a", "/1"), ("b", "/2")), volumes(("b", "/1")))
    assert data(made[0]) == data(volumes(("b", "/1"), ("b-2", "/2"))[0])


@pytest.mark.parametrize("spec", [None, 3, [], {}, {"tfReplicaSpecs": 3}, {"tfReplicaSpecs": {"Worker": 3}}])
def test_any_document_is_taken(spec: object) -> None:
    document = of({"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "spec": spec, "metadata": 3})
    made = normal([document], "x")
    aligned(made, made)
    aligned(normal([of(job(WORKERS))], "1.9"), made)
    aligned(made, normal([of(job(WORKERS))], "1.9"))
