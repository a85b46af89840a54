"""The normal form of pods: values from Kubernetes' defaulting, its API's comments, and the kubelet."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.backends.trees import data, of
from tfdsl_backends.kubernetes.normal import normal
from tfdsl_backends.podspec.normal.rules import pull_policy
from tfdsl_backends.podspec.quantities import canonical

SERVERS_POD = {
    "dnsPolicy": "ClusterFirst",
    "restartPolicy": "Always",
    "terminationGracePeriodSeconds": 30,
    "securityContext": {},
    "schedulerName": "default-scheduler",
    "enableServiceLinks": True,
    "serviceAccount": "default",
    "serviceAccountName": "default",
    "hostNetwork": False,
    "nodeSelector": {},
    "tolerations": [],
    "affinity": {},
}
SERVERS_CONTAINER = {
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "imagePullPolicy": "IfNotPresent",
    "resources": {},
    "securityContext": {},
    "command": [],
    "env": [],
    "workingDir": "",
    "stdin": False,
}


def pod_of(pod: dict[str, Any]) -> dict[str, Any]:
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {"template": {"spec": pod}}}
    made = normal([of(job)], "1.31")
    again = normal(made, "1.31")
    assert data(made[0]) == data(again[0]), "the normal form of a normal form is itself"
    return data(made[0]).get("spec", {}).get("template", {}).get("spec", {})


def container_of(container: dict[str, Any], **pod: Any) -> dict[str, Any]:
    return pod_of({"containers": [{"name": "c", "image": "x:1", **container}], **pod})["containers"][0]


def test_what_the_server_fills_in_is_gone() -> None:
    pod = {**SERVERS_POD, "containers": [{"name": "c", "image": "x:1", **SERVERS_CONTAINER}]}
    assert pod_of(pod) == {"containers": [{"name": "c", "image": "x:1"}]}


@pytest.mark.parametrize(
    "pod",
    [
        {"dnsPolicy": "Default"},
        {"terminationGracePeriodSeconds": 0},
        {"serviceAccountName": "trainer"},
        {"automountServiceAccountToken": False},
        {"enableServiceLinks": False},
        {"priority": 0},
        {"securityContext": {"runAsUser": 0}},
        {"hostNetwork": True},
    ],
)
def test_what_means_something_stays(pod: dict[str, Any]) -> None:
    assert pod_of({**pod, "containers": [{"name": "c"}]}) == {**pod, "containers": [{"name": "c"}]}


@pytest.mark.parametrize(
    "container",
    [
        {"securityContext": {"runAsNonRoot": False}},
        {"securityContext": {"allowPrivilegeEscalation": False}},
        {"command": [""]},
        {"env": [{"name": "A", "value": " "}]},
        {"livenessProbe": {"tcpSocket": {"port": 80}, "terminationGracePeriodSeconds": 0}},
        {"ports": [{"containerPort": 80, "protocol": "UDP"}]},
        {"args": ["--x", "--x"]},
    ],
)
def test_what_means_something_in_a_container_stays(container: dict[str, Any]) -> None:
    assert container_of(container) == {"name": "c", "image": "x:1", **container}


def test_what_all_containers_say_of_themselves_is_said_of_the_pod() -> None:
    of_pod = {"securityContext": {"runAsUser": 7}, "containers": [{"name": "a"}, {"name": "b"}]}
    of_each = {"containers": [{"name": name, "securityContext": {"runAsUser": 7}} for name in "ab"]}
    assert pod_of(of_each) == pod_of(of_pod) == of_pod
    over = [{"name": name, "securityContext": {"runAsUser": 7}} for name in "ab"]
    assert pod_of({"securityContext": {"runAsUser": 5}, "containers": over}) == of_pod
    apart = {"containers": [{"name": "a", "securityContext": {"runAsUser": 7}}, {"name": "b"}]}
    assert pod_of(apart) == apart


def test_old_name_of_the_service_account() -> None:
    assert pod_of({"serviceAccount": "a"}) == {"serviceAccountName": "a"}
    assert pod_of({"serviceAccount": "a", "serviceAccountName": "b"}) == {"serviceAccountName": "b"}


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("x", "Always"),
        ("x:latest", "Always"),
        ("x:1", "IfNotPresent"),
        ("host:5000/x", "Always"),
        ("host:5000/x:1", "IfNotPresent"),
        ("x@sha256:" + "0" * 64, "IfNotPresent"),
        ("x:latest@sha256:" + "0" * 64, "Always"),
        ("<user>/x", "IfNotPresent"),
        ("X", "IfNotPresent"),
        ("Org/x", "Always"),
        ("", "IfNotPresent"),
        ("0" * 64, "IfNotPresent"),
    ],
)
def test_pull_policy_follows_the_tag(image: str, policy: str) -> None:
    assert pull_policy(image) == policy
    assert "imagePullPolicy" not in container_of({"image": image, "imagePullPolicy": policy})
    other = "Always" if policy == "IfNotPresent" else "IfNotPresent"
    assert container_of({"image": image, "imagePullPolicy": other})["imagePullPolicy"] == other


@pytest.mark.parametrize(
    ("written", "shortest"),
    [
        ("1000m", "1"),
        ("1024Mi", "1Gi"),
        ("1Gi", "1Gi"),
        ("1073741824", "1Gi"),
        ("16G", "16G"),
        ("0.5", "500m"),
        (".5", "500m"),
        ("1.", "1"),
        ("2e3", "2k"),
        ("1E", "1E"),
        ("1E3", "1k"),
        ("+4", "4"),
        ("-1500m", "-1500m"),
        ("0", "0"),
        ("-0", "0"),
        ("0Gi", "0"),
        ("100n", "100n"),
        ("1.5Gi", "1536Mi"),
    ],
)
def test_amounts_have_one_spelling(written: str, shortest: str) -> None:
    assert canonical(written) == shortest
    assert canonical(shortest) == shortest


@pytest.mark.parametrize("text", ["", "m", "1 Gi", "1gi", "1K", "1e", "x", "1e999", "9" * 100, "١"])
def test_what_is_no_amount(text: str) -> None:
    assert canonical(text) is None


def test_requests_follow_limits() -> None:
    resources = {"requests": {"cpu": 2, "memory": "512Mi"}, "limits": {"cpu": "2000m", "memory": "1Gi", "x/gpu": 1}}
    assert container_of({"resources": resources})["resources"] == {
        "requests": {"cpu": "2", "memory": "512Mi", "x/gpu": "1"},
        "limits": {"cpu": "2", "memory": "1Gi", "x/gpu": "1"},
    }
    assert container_of({"resources": {"requests": {"cpu": "1"}}})["resources"] == {"requests": {"cpu": "1"}}
    pods = {"resources": {"limits": {"cpu": "2"}}}
    assert pod_of(pods) == pods, "the requests of a pod are those of its containers"


def test_probes_and_field_references() -> None:
    probe = {"httpGet": {"path": "/", "port": 80, "scheme": "HTTP"}, "timeoutSeconds": 1, "periodSeconds": 10}
    assert container_of({"readinessProbe": {**probe, "successThreshold": 1, "failureThreshold": 3}}) == {
        "name": "c",
        "image": "x:1",
        "readinessProbe": {"httpGet": {"port": 80}},
    }
    entry = {"name": "A", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}}
    assert container_of({"env": [entry]})["env"][0]["valueFrom"] == {"fieldRef": {"fieldPath": "metadata.name"}}


def test_ports_on_the_network_of_the_node() -> None:
    ports = [{"containerPort": 1, "hostPort": 1, "protocol": "TCP"}, {"containerPort": 2, "hostPort": 0}]
    assert container_of({"ports": ports}, hostNetwork=True)["ports"] == [{"containerPort": 1}, {"containerPort": 2}]
    assert container_of({"ports": ports})["ports"] == [{"containerPort": 1, "hostPort": 1}, {"containerPort": 2}]


# --- env ---------------------------------------------------------------------------------------------------------


def env_of(*entries: tuple[str, str]) -> list[tuple[str, str]]:
    env = [{"name": name, "value": value} for name, value in entries]
    return [(entry["name"], entry.get("value", "")) for entry in container_of({"env": env})["env"]]


def test_variables_are_a_set() -> None:
    assert env_of(("B", "1"), ("A", "2")) == env_of(("A", "2"), ("B", "1")) == [("A", "2"), ("B", "1")]


def test_a_variable_sees_those_before_it() -> None:
    assert env_of(("Z", "1"), ("A", "$(Z)"), ("B", "2")) == [("B", "2"), ("Z", "1"), ("A", "$(Z)")]
    assert env_of(("A", "$(Z)"), ("Z", "1")) == [("A", "$$(Z)"), ("Z", "1")]
    assert env_of(("B", "$$(C)"), ("A", "$(MISSING)")) == [("A", "$(MISSING)"), ("B", "$$(C)")]


def test_the_last_of_a_name_counts_unless_a_value_refers_to_it() -> None:
    assert env_of(("A", "1"), ("B", "x"), ("A", "2")) == [("A", "2"), ("B", "x")]
    kept = (("A", "1"), ("B", "$(A)"), ("A", "2"))
    assert env_of(*kept) == [*kept]


# --- volumes -----------------------------------------------------------------------------------------------------


def test_volumes() -> None:
    pod = {
        "volumes": [
            {"name": "z", "emptyDir": {"medium": ""}},
            {"name": "m", "secret": {"secretName": "s", "defaultMode": 0o644, "optional": False}},
            {"name": "h", "hostPath": {"path": "/x", "type": ""}},
            {"name": "e"},
        ]
    }
    assert pod_of(pod)["volumes"] == [
        {"name": "e", "emptyDir": {}},
        {"name": "h", "hostPath": {"path": "/x"}},
        {"name": "m", "secret": {"secretName": "s"}},
        {"name": "z", "emptyDir": {}},
    ]


@pytest.mark.parametrize(("path", "clean"), [("/a/", "/a"), ("/a", "/a"), ("/", "/"), ("/a//", "/a"), ("", None)])
def test_path_of_a_mount(path: str, clean: str | None) -> None:
    made = container_of({"volumeMounts": [{"name": "x", "mountPath": path}]})
    assert made["volumeMounts"][0].get("mountPath") == clean


def test_volumes_of_one_source_are_one() -> None:
    claim = {"persistentVolumeClaim": {"claimName": "data"}}
    mounts = [{"name": "b", "mountPath": "/b"}, {"name": "a", "mountPath": "/a"}, {"name": "t", "mountPath": "/t"}]
    pod = {
        "containers": [{"name": "c", "volumeMounts": mounts}],
        "volumes": [{"name": "b", **claim}, {"name": "a", **claim}, {"name": "t", "emptyDir": {}}, {"name": "u"}],
    }
    made = pod_of(pod)
    assert [volume["name"] for volume in made["volumes"]] == ["a", "t", "u"]
    assert [(m["name"], m["mountPath"]) for m in made["containers"][0]["volumeMounts"]] == [
        ("a", "/a"),
        ("a", "/b"),
        ("t", "/t"),
    ]


@pytest.mark.parametrize("value", [None, 3, "x", True, [], {}, [None], [3], ["x"], {"a": None}, {"a": {"b": [1]}}])
@pytest.mark.parametrize(
    "field",
    [
        "containers",
        "volumes",
        "initContainers",
        "securityContext",
        "affinity",
        "tolerations",
        "serviceAccount",
        "hostNetwork",
        "imagePullSecrets",
        "dnsPolicy",
        "unknownField",
    ],
)
def test_any_value_is_taken(field: str, value: object) -> None:
    pod_of({"hostNetwork": True, field: value})
    for inner in ("env", "ports", "volumeMounts", "resources", "image", "livenessProbe", "command"):
        pod_of({"hostNetwork": True, "containers": [{inner: value}, {inner: [value]}, value]})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("echo $(date)", "echo $$(date)"),
        ("$(hostname -f)$", "$$(hostname -f)$$"),
        ("$HOME", "$HOME"),
        ("a$$b", "a$b"),
    ],
)
def test_a_reference_to_nothing_is_a_text(one: str, other: str) -> None:
    """expansion.go: what is not found stays as it is, and $$ is one $."""
    assert container_of({"args": [one]}) == container_of({"args": [other]})


@pytest.mark.parametrize("name", ["A", "lower", "KUBE_X", "MY_SERVICE_HOST"])
def test_what_may_be_a_reference_stays(name: str) -> None:
    env = [{"name": "A", "value": "1"}, {"name": "lower", "value": "2"}]
    for field in ("args", "command"):
        assert container_of({"env": env, field: [f"$({name})"]})[field] == [f"$({name})"]
        assert container_of({"env": env, field: [f"$$({name})"]})[field] == [f"$$({name})"]


def test_a_variable_does_not_see_later_ones() -> None:
    before = container_of({"env": [{"name": "B", "value": "1"}, {"name": "A", "value": "$(B)"}]})
    after = container_of({"env": [{"name": "A", "value": "$(B)"}, {"name": "B", "value": "1"}]})
    text = container_of({"env": [{"name": "B", "value": "1"}, {"name": "A", "value": "$$(B)"}]})
    assert before != after
    assert after == text
