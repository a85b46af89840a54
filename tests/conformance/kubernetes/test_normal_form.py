"""What a server gives back has the normal form of what was sent; what the normal form leaves out, the server adds."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.conformance.kubernetes.compiling import compiled
from tests.conformance.kubernetes.created import Created, unused_name
from tests.conformance.kubernetes.generated import SEED, job
from tests.conformance.kubernetes.stand_in_kubelet import StandInKubelet
from tests.conformance.kubernetes.verdicts import Judge, pod_templates
from tests.conformance.kubernetes.volcano_webhook import mutated
from tests.unit.backends.trees import data, of, tree
from tfdsl_backends.jobset import normal as jobset
from tfdsl_backends.kubernetes import normal as kubernetes
from tfdsl_backends.podspec.normal import tables
from tfdsl_backends.podspec.normal.walk import declared_defaults, joined, kubernetes_types
from tfdsl_backends.tfjob import normal as tfjob
from tfdsl_backends.volcano import normal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conformance.kubernetes.api import Api

NORMAL = {
    "tfjob": tfjob.normal,
    "volcano": normal.normal,
    "kubernetes": kubernetes.normal,
    "jobset": jobset.normal,
}
VERSIONS = {"tfjob": "1.8", "volcano": "1.15", "kubernetes": "1.34", "jobset": "0.12"}
JOBS = (50, pytest.param(200, marks=pytest.mark.long))
"""So many generated jobs that compile, for each target."""


@pytest.fixture(scope="module")
def judge(api: Api) -> Judge:
    return Judge(api)


def form(target: str, document: dict[str, Any] | str) -> Any:
    node = tree(document) if isinstance(document, str) else of(document)
    return data(NORMAL[target]([node], VERSIONS[target])[0])


# --- what is given back --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", NORMAL)
@pytest.mark.parametrize("jobs", JOBS)
def test_generated_jobs_come_back_as_they_were_sent(judge: Judge, target: str, jobs: int) -> None:
    compiling, number = 0, 0
    while compiling < jobs:
        made = compiled(job(target, number), target)
        compiling += bool(made.documents)
        for document in made.documents:
            answer = judge.verdict(document.text, document.data)
            assert answer.fine, answer.message
            given = mutated(answer.data) if target == "volcano" else answer.data
            assert form(target, given) == form(target, document.text), f"job {number} of seed {SEED}"
        number += 1


VERBOSE = """
volumes:
- {name: z, emptyDir: {medium: ""}}
- {name: a, configMap: {name: c, items: [{key: k, path: p}, {key: i, path: j}], optional: false}}
- {name: b, secret: {secretName: s, defaultMode: 256}}
- {name: h, hostPath: {path: /x}}
- {name: bare}
- name: p
  projected:
    sources:
    - serviceAccountToken: {path: t}
    - downwardAPI: {items: [{path: l, fieldRef: {fieldPath: metadata.labels}}]}
restartPolicy: Never
serviceAccount: trainer
automountServiceAccountToken: false
nodeSelector: {}
hostNetwork: true
tolerations: [{key: b, operator: Exists}, {key: a, value: x, effect: NoSchedule}]
securityContext: {}
imagePullSecrets: [{name: z}, {name: a}]
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
    - {weight: 2, podAffinityTerm: {topologyKey: h, labelSelector: {matchLabels: {a: b}}}}
    - {weight: 1, podAffinityTerm: {topologyKey: z}}
initContainers:
- {name: first, image: "x", resources: {limits: {memory: 1024Mi}}}
containers:
- name: tensorflow
  image: registry.example.com/x:latest
  stdin: false
  args: []
  ports:
  - {name: b, containerPort: 81, protocol: UDP}
  - {name: a, containerPort: 80}
  env:
  - {name: Z, value: ""}
  - {name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
  - {name: B, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}
  resources: {requests: {cpu: 1000m}, limits: {cpu: 1, memory: 1.5Gi}}
  livenessProbe: {httpGet: {port: 80}, initialDelaySeconds: 0}
  readinessProbe: {tcpSocket: {port: a}, periodSeconds: 10}
  startupProbe: {grpc: {port: 1}}
  lifecycle: {preStop: {httpGet: {port: 80}}}
  securityContext: {capabilities: {add: [SYS_ADMIN, NET_ADMIN]}, privileged: false}
  volumeMounts:
  - {name: z, mountPath: /z, readOnly: false, subPath: ""}
  - {name: a, mountPath: /a}
"""
"""A pod that says much and means little."""


def verbose_jobs() -> dict[str, dict[str, Any]]:
    """Documents around the verbose pod."""

    def pod() -> dict[str, Any]:
        return {"metadata": {"labels": {"a": "b"}}, "spec": yaml.safe_load(VERBOSE)}

    roles = {"Worker": {"replicas": 2, "template": pod()}, "PS": {"restartPolicy": "ExitCode", "template": pod()}}
    tasks = [{"name": "b", "replicas": 1, "template": pod()}, {"name": "a", "replicas": 2, "template": pod()}]
    replicated = [{"name": name, "template": {"spec": {"template": pod()}}} for name in ("b", "a")]
    return {
        "kubernetes": {"apiVersion": "batch/v1", "kind": "Job", "spec": {"template": pod()}},
        "tfjob": {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "spec": {"runPolicy": {}, "tfReplicaSpecs": roles}},
        "volcano": {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "spec": {"tasks": tasks}},
        "jobset": {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "spec": {"replicatedJobs": replicated}},
    }


@pytest.mark.parametrize("target", NORMAL)
def test_a_verbose_job_comes_back_as_it_was_sent(judge: Judge, target: str) -> None:
    document = {**verbose_jobs()[target], "metadata": {"name": "verbose", "labels": {}, "annotations": {}}}
    answer = judge.verdict(None, document)
    assert answer.fine, answer.message
    given = mutated(answer.data) if target == "volcano" else answer.data
    assert form(target, given) == form(target, document)


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"completions": 3},
        {"parallelism": 1},
        {"parallelism": 2, "completions": 4, "completionMode": "Indexed"},
        {"completionMode": "Indexed", "completions": 2, "backoffLimitPerIndex": 1},
        {"podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]}},
        {"suspend": True, "manualSelector": True, "selector": {"matchLabels": {"a": "b"}}},
    ],
)
@pytest.mark.parametrize("labels", [None, {"a": "b"}, {"c": "d"}])
def test_jobs_come_back_as_they_were_sent(judge: Judge, spec: dict[str, Any], labels: dict[str, str] | None) -> None:
    document = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "x", "labels": labels}}
    container = {"name": "c", "image": "x"}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"restartPolicy": "Never", "containers": [container]}}
    document["spec"] = {**spec, "template": template}
    answer = judge.verdict(None, document)
    assert answer.fine, answer.message
    assert form("kubernetes", answer.data) == form("kubernetes", document)


@pytest.mark.parametrize("target", ["tfjob", "kubernetes"])
def test_created_jobs_stay_what_was_sent(api: Api, target: str) -> None:
    name = unused_name("normal")
    source = f'job {name} {{ image = "x:1"\n command = ["true"]\n role worker {{ replicas = 2 }}\n role ps {{ }} }}'
    made = compiled(source, target, version="1.8" if target == "tfjob" else None)
    with Created(api, made) as created:
        created.kubelet.until_running(3)
        for document in made.documents:
            given = created.object(document.kind, document.name)
            assert given["metadata"]["resourceVersion"]
            assert form(target, given) == form(target, document.text)


# --- what is left out ----------------------------------------------------------------------------------------------


def written_by_the_server(kind: str, value: Any) -> Iterator[tuple[str, str, Any]]:
    """Type, field and value of everything in an object of a server."""
    kind = kind.removeprefix("*")
    fields = kubernetes_types().get(kind, {})
    if kind.startswith("[]"):
        for item in value:
            yield from written_by_the_server(kind[2:], item)
    elif kind.startswith("{}"):
        for item in value.values():
            yield from written_by_the_server(kind[2:], item)
    elif isinstance(value, dict):
        for key, below in value.items():
            yield kind, key, below
            yield from written_by_the_server(fields.get(key, "a"), below)


BARE = """
serviceAccountName: default
volumes:
- {name: c, configMap: {name: c}}
- {name: s, secret: {secretName: s}}
- {name: d, downwardAPI: {items: [{path: l, fieldRef: {fieldPath: metadata.labels}}]}}
- {name: p, projected: {sources: [{serviceAccountToken: {path: t}}]}}
- {name: h, hostPath: {path: /x}}
- {name: i, iscsi: {targetPortal: "10.0.0.1", iqn: "iqn.2000-01.com.example:x", lun: 0}}
- {name: r, rbd: {monitors: [a], image: i}}
- {name: a, azureDisk: {diskName: d, diskURI: "https://example.com/x.vhd"}}
- {name: o, scaleIO: {gateway: g, system: s, secretRef: {name: x}, volumeName: v}}
- name: e
  ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1}}}}}
containers:
- name: c
  image: x:1
  ports: [{containerPort: 1}]
  env:
  - {name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
  - {name: B, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}
  livenessProbe: {httpGet: {port: 80}}
  startupProbe: {grpc: {port: 80}}
"""


def bare_objects() -> list[dict[str, Any]]:
    """Objects that say as little as they can, with one of every type of which a default is left out."""
    pod = {"metadata": {"labels": {"a": "b"}}, "spec": yaml.safe_load(BARE)}
    never = {**pod, "spec": {**pod["spec"], "restartPolicy": "Never"}}
    rules = [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    selector = {"matchLabels": {"a": "b"}}
    named = {"metadata": {"name": "bare"}}
    return [
        {"apiVersion": "v1", "kind": "Pod", **named, "spec": pod["spec"]},
        {"apiVersion": "apps/v1", "kind": "Deployment", **named, "spec": {"selector": selector, "template": pod}},
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            **named,
            "spec": {"template": never, "podFailurePolicy": {"rules": rules}},
        },
        {"apiVersion": "v1", "kind": "Service", **named, "spec": {"selector": {"a": "b"}, "ports": [{"port": 80}]}},
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **named, "spec": claim},
    ]


def test_defaults_are_those_of_the_server(judge: Judge) -> None:
    seen: dict[tuple[str, str], list[Any]] = {}
    for document in bare_objects():
        answer = judge.verdict(None, document)
        assert answer.fine, answer.message
        kind = {"Pod": "PodSpec"}.get(document["kind"])
        root = answer.data["spec"] if kind else answer.data
        for type_name, field, value in written_by_the_server(kind or document["kind"], root):
            seen.setdefault((type_name, field), []).append(value)
    jobs = {key: value for key, value in kubernetes.DEFAULTS["JobSpec"].items() if key != "managedBy"}
    expected = joined(declared_defaults(), tables.WRITTEN, kubernetes.DEFAULTS)
    expected |= {"JobSpec": jobs, "DeploymentStrategy": {"type": "RollingUpdate"}}
    missing = [
        (kind, field, value, seen.get((kind, field)))
        for kind, fields in expected.items()
        for field, value in fields.items()
        if kind not in NOT_TRIED and value != "" and value not in seen.get((kind, field), [])
    ]
    assert missing == []


NOT_TRIED = ("FileKeySelector",)
"""Types of fields that the server does not have yet unless it is asked to."""


@pytest.mark.parametrize("target", ["kubernetes", "tfjob"])
def test_a_pod_of_the_normal_form_is_the_same_pod(judge: Judge, target: str) -> None:
    document = {**verbose_jobs()[target], "metadata": {"name": "verbose"}}
    pods = []
    for one in (document, form(target, document)):
        for _, template in sorted(pod_templates(one["spec"])):
            spec = {**template["spec"], "restartPolicy": "Never", "serviceAccountName": None, "serviceAccount": None}
            body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": spec}
            answer = judge.verdict(None, body)
            assert answer.fine, answer.message
            pods.append(bare_pod(answer.data["spec"]))
    half = len(pods) // 2
    assert pods[:half] == pods[half:]


def bare_pod(value: Any, key: str = "") -> Any:
    """A pod with its sets in order, and without what says what no value says."""
    if isinstance(value, dict):
        meant = {field for fields in tables.MEANT.values() for field in fields}
        return {k: bare_pod(v, k) for k, v in value.items() if k not in meant or v not in (False, {})}
    if isinstance(value, list):
        items = [bare_pod(item) for item in value]
        return items if key in ("command", "args", "containers", "initContainers") else sorted(items, key=str)
    return value


# --- what a controller makes of it ---------------------------------------------------------------------------------


CONTROLLED = """
containers:
- name: tensorflow
  image: x:1
  command: [python, a.py, "$(A)"]
  imagePullPolicy: IfNotPresent
  ports:
  - {name: tfjob-port, containerPort: 2222, protocol: TCP}
  - {name: z, containerPort: 9}
  - {name: a, containerPort: 8}
  env:
  - {name: Z, value: "1"}
  - name: JOB_COMPLETION_INDEX
    valueFrom: {fieldRef: {fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']"}}
  - {name: TF_CONFIG, value: "{}"}
  - {name: A, value: "2"}
  resources: {limits: {cpu: 1000m, memory: 1Gi}, requests: {cpu: 1}}
  volumeMounts: [{name: two, mountPath: /two}, {name: one, mountPath: /one}]
- {name: aside, image: "y"}
volumes:
- {name: two, hostPath: {path: /x, type: ""}}
- {name: one, emptyDir: {}}
hostNetwork: true
restartPolicy: OnFailure
terminationGracePeriodSeconds: 30
schedulerName: default-scheduler
"""


def controlled(target: str, name: str) -> dict[str, Any]:
    """A document of which the controller overwrites much."""
    overwritten = {"training.kubeflow.org/replica-type": "x", "training.kubeflow.org/job-name": "y", "mine": "z"}
    template = {"metadata": {"labels": overwritten}, "spec": yaml.safe_load(CONTROLLED)}
    metadata = {"name": name, "namespace": "default"}
    if target == "tfjob":
        roles = {
            "ps": {"replicas": 1, "template": template},
            "WORKER": {"restartPolicy": "ExitCode", "template": template},
        }
        policy = {"cleanPodPolicy": "None", "suspend": False, "schedulingPolicy": {"minAvailable": 2}}
        spec: dict[str, Any] = {"runPolicy": policy, "successPolicy": "", "tfReplicaSpecs": roles}
        return {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "metadata": metadata, "spec": spec}
    spec = {"completionMode": "Indexed", "completions": 2, "parallelism": 2, "backoffLimit": 6, "template": template}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


@pytest.mark.parametrize("target", ["tfjob", "kubernetes"])
def test_a_controller_makes_the_same_pods_of_the_normal_form(api: Api, target: str) -> None:
    """The pods of a document and of its normal form, which says much less."""
    pods = []
    for says_all in (True, False):
        name = unused_name("alike")
        document = controlled(target, name)
        sent = document if says_all else form(target, document)
        if target == "kubernetes":  # the server wants it to be written
            sent["spec"]["template"]["spec"]["restartPolicy"] = "OnFailure"
        place = api.place(sent["apiVersion"], sent["kind"])
        api.post(place, sent)
        kubelet = StandInKubelet(api, f"{name}-")
        try:
            kubelet.until_running(2)
            pods.append([bare_pod(_without_names(pod, name)) for pod in kubelet.pods()])
        finally:
            api.delete(f"{place}/{name}")
            kubelet.until(lambda kubelet=kubelet: not kubelet.phases(), "the pods are gone", 60)
    assert pods[0] == pods[1]


def _without_names(pod: dict[str, Any], name: str) -> dict[str, Any]:
    """What the controller decides of a pod, without what is another one for each job."""
    spec = {key: value for key, value in pod["spec"].items() if key != "tolerations"}
    env = {one["name"]: {entry["name"]: entry for entry in one.pop("env", [])} for one in spec["containers"]}
    text = json.dumps({"labels": pod["metadata"]["labels"], "spec": spec, "env": env}).replace(name, "NAME")
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "UID", text)
    return json.loads(re.sub(r"NAME-(\d)-\w{5}|kube-api-access-\w{5}", r"\1", text))
