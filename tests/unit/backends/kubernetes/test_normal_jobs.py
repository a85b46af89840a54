"""The normal form of plain Jobs and of what is beside them: values from ``SetDefaults_Job`` and the Job's strategy."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.backends.trees import data, of
from tfdsl_backends.kubernetes.normal import aligned, normal

UID = "5f0e4c3a-0000-4000-8000-000000000001"
POD = {"spec": {"containers": [{"name": "c", "image": "x:1"}], "restartPolicy": "Never"}}


def normal_of(document: dict[str, Any]) -> dict[str, Any]:
    made = normal([of(document)], "1.31")
    assert data(normal(made, "1.31")[0]) == data(made[0])
    return data(made[0])


def job(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {"template": POD, **spec}}


def test_a_job_as_the_server_gives_it_back() -> None:
    labels = {"a": "b", "batch.kubernetes.io/controller-uid": UID, "controller-uid": UID, "job-name": "j"}
    labels["batch.kubernetes.io/job-name"] = "j"
    document = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "j",
            "namespace": "default",
            "uid": UID,
            "resourceVersion": "7",
            "generation": 1,
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": labels,
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"},
            "managedFields": [{"manager": "kubectl"}],
        },
        "spec": {
            "parallelism": 1,
            "completions": 1,
            "backoffLimit": 6,
            "completionMode": "NonIndexed",
            "suspend": False,
            "manualSelector": False,
            "podReplacementPolicy": "TerminatingOrFailed",
            "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": UID}},
            "template": {
                "metadata": {"creationTimestamp": None, "labels": labels},
                "spec": {**POD["spec"], "dnsPolicy": "ClusterFirst"},
            },
        },
        "status": {"active": 1},
    }
    assert normal_of(document) == job(template={"metadata": {"labels": {"a": "b"}}, **POD})


@pytest.mark.parametrize(
    ("spec", "left"),
    [
        ({"parallelism": 1}, {"parallelism": 1}),
        ({"completions": 1}, {"completions": 1}),
        ({"parallelism": 1, "completions": 3}, {"completions": 3}),
        ({"parallelism": 3, "completions": 3}, {"parallelism": 3, "completions": 3}),
        ({"parallelism": 0}, {"parallelism": 0}),
        ({"backoffLimit": 0}, {"backoffLimit": 0}),
        ({"backoffLimit": 6, "backoffLimitPerIndex": 1}, {"backoffLimit": 6, "backoffLimitPerIndex": 1}),
        ({"backoffLimit": 2**31 - 1, "backoffLimitPerIndex": 1}, {"backoffLimitPerIndex": 1}),
        ({"suspend": True}, {"suspend": True}),
        ({"manualSelector": True, "selector": {"matchLabels": {"a": "b"}}}, None),
        ({"podReplacementPolicy": "Failed"}, {"podReplacementPolicy": "Failed"}),
        ({"ttlSecondsAfterFinished": 0}, {"ttlSecondsAfterFinished": 0}),
        ({"managedBy": "kubernetes.io/job-controller"}, {}),
    ],
)
def test_defaults_of_jobs(spec: dict[str, Any], left: dict[str, Any] | None) -> None:
    assert normal_of(job(**spec)) == job(**(spec if left is None else left))


def test_one_completion_is_the_default_of_a_job_that_says_nothing() -> None:
    assert normal_of(job(completions=1, parallelism=1)) == job()
    assert normal_of(job(completions=1)) != normal_of(job(parallelism=1)) != job()


def test_failure_policy() -> None:
    rules = [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]
    made = normal_of(job(podFailurePolicy={"rules": rules}, podReplacementPolicy="Failed"))
    bare = [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]
    assert made == job(podFailurePolicy={"rules": bare})


def test_variable_of_the_index() -> None:
    field = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
    entry = {"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": {"fieldPath": field}}}

    def env(mode: str, *entries: dict[str, Any]) -> object:
        spec = {"containers": [{"name": "c", "env": [*entries]}]}
        return normal_of(job(completionMode=mode, template={"spec": spec}))["spec"]["template"]["spec"]["containers"]

    assert env("Indexed", entry) == [{"name": "c"}]
    assert env("NonIndexed", entry) == [{"name": "c", "env": [entry]}]
    user = {"name": "A", "value": "$(JOB_COMPLETION_INDEX)"}
    assert env("Indexed", entry, user) == [{"name": "c", "env": [entry, user]}]


def test_objects_beside_a_job() -> None:
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "s"},
        "spec": {
            "clusterIP": "10.0.0.7",
            "clusterIPs": ["10.0.0.7"],
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "internalTrafficPolicy": "Cluster",
            "sessionAffinity": "None",
            "type": "ClusterIP",
            "selector": {"a": "b"},
            "ports": [{"port": 80, "targetPort": 80, "protocol": "TCP"}, {"port": 81, "targetPort": "http"}],
        },
    }
    assert normal_of(service)["spec"] == {
        "selector": {"a": "b"},
        "ports": [{"port": 80}, {"port": 81, "targetPort": "http"}],
    }
    headless = {**service, "spec": {"clusterIP": "None", "clusterIPs": ["None"], "selector": {}}}
    assert normal_of(headless)["spec"] == {"clusterIP": "None"}
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "c", "finalizers": ["kubernetes.io/pvc-protection"]},
        "spec": {
            "accessModes": ["ReadWriteOnce", "ReadOnlyMany"],
            "resources": {"requests": {"storage": "1024Mi"}},
            "volumeMode": "Filesystem",
            "volumeName": "pvc-1",
            "storageClassName": "",
        },
        "status": {"phase": "Bound"},
    }
    unbound = {key: value for key, value in claim.items() if key != "status"}
    assert normal_of(unbound)["spec"]["volumeName"] == "pvc-1"
    assert normal_of(claim) == {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "c"},
        "spec": {
            "accessModes": ["ReadOnlyMany", "ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
            "storageClassName": "",
        },
    }
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d", "annotations": {"deployment.kubernetes.io/revision": "1"}},
        "spec": {
            "replicas": 1,
            "progressDeadlineSeconds": 600,
            "revisionHistoryLimit": 10,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
            "selector": {"matchLabels": {"a": "b"}},
            "template": {"spec": {"restartPolicy": "Always"}},
        },
    }
    assert normal_of(deployment) == {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}},
    }


@pytest.mark.parametrize("text", ["x", 3, [], {}, {"kind": "Job"}, {"apiVersion": "batch/v1", "kind": "Job"}])
def test_any_document_is_taken(text: object) -> None:
    normal([of(text)], "")


def aligned_env(ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> list[str]:
    def of_env(env: list[dict[str, Any]]) -> Any:
        spec = {"containers": [{"name": "c", "env": env}]}
        return normal([of(job(template={"spec": spec}))], "1.31")

    made = data(aligned(of_env(ours), of_env(theirs))[0])
    return [entry["name"] for entry in made["spec"]["template"]["spec"]["containers"][0]["env"]]


def test_what_both_have_comes_first() -> None:
    a, m, z = ({"name": name, "value": "1"} for name in "AMZ")
    assert aligned_env([a, m, z], [z, a]) == ["A", "Z", "M"]
    assert aligned_env([a, z], [m, z]) == ["Z", "A"]
    user = {"name": "Z", "value": "$(M)"}
    assert aligned_env([a, m, user], [a, user]) == ["A", "M", "Z"], "at the end, M would not be seen"

    def volumes(*names: str) -> Any:
        volumes = [{"name": name, "hostPath": {"path": f"/{name}"}} for name in names]
        return normal([of(job(template={"spec": {"volumes": volumes, "containers": []}}))], "1.31")

    made = data(aligned(volumes("a", "b", "c"), volumes("c", "a"))[0])
    assert [volume["name"] for volume in made["spec"]["template"]["spec"]["volumes"]] == ["a", "c", "b"]
