"""What the controllers make of emitted TFJobs and Jobs: pods, names, addresses and variables as predicted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.kubernetes.compiling import accepted
from tests.conformance.kubernetes.created import Created, unused_name
from tests.unit.backends.podspec.kubelet import environment

if TYPE_CHECKING:
    from tests.conformance.kubernetes.api import Api
    from tests.conformance.kubernetes.compiling import Compiled

BODY = """
  image   = "registry.example.com/mnist:1.4"
  command = ["python", "/app/train.py", "--literal=$(HOSTNAME)", "--shard=${task.index}"]
  env     = { MODE = "it's $(fast) \\"now\\"", EPOCHS = 5 }
  mount pvc "data" at "/data" readonly
  mount scratch 1Gi at "/scratch"
  output "/tmp/export" to "/runs/${job.name}"
  mount nfs "10.0.0.2:/runs" at "/runs"
"""
SHAPES = {
    "all roles": "role chief { } role worker { replicas = 2, port = 2223 } role ps { replicas = 2 } role evaluator { }",
    "master": "role master { } role worker { replicas = 2 } role ps { }",
    "twelve workers": "role worker { replicas = 12 }",
    "servers": "role chief { } role worker { replicas = 2, server = true } role ps { server = true }",
    "one worker": "role worker { }",
}
POLICIES = {
    "tfjob": ("", "on failed => restart container", "on exit 1..127 => fail job\n  on failed => restart pod"),
    "kubernetes": ("", "on failed => restart container", "on failed => restart pod"),
}


def text(name: str, shape: str, more: str = "") -> str:
    roles = SHAPES[shape].replace("} ", "}\n  ")
    return f"job {name} {{{BODY}  {roles}\n  {more}\n}}\n"


def index_fields(pod: dict[str, Any]) -> dict[str, str]:
    """What a fieldRef gives: labels and annotations of the pod."""
    return {
        f"metadata.{where}['{key}']": value
        for where in ("labels", "annotations")
        for key, value in pod["metadata"].get(where, {}).items()
    }


def main_container(pod: dict[str, Any]) -> dict[str, Any]:
    return next(one for one in pod["spec"]["containers"] if one["name"] == "tensorflow")


def seen(pod: dict[str, Any]) -> dict[str, str]:
    """The variables that the container's process gets; the last of a name wins."""
    return environment(main_container(pod), index_fields(pod))


def endpoints(api: Api, service: str) -> dict[str, str]:
    """Address → host name of the pods behind a Service, ready or not."""
    path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
    slices = api.items(path, f"kubernetes.io/service-name={service}")
    found = [endpoint for one in slices for endpoint in one.get("endpoints") or []]
    return {endpoint["addresses"][0]: endpoint.get("hostname", "") for endpoint in found}


def same_pod(pod: dict[str, Any], template: dict[str, Any], added: set[str]) -> None:
    """The pod is what the template says; only the variables ``added`` came on top, and the account's token."""
    spec, container, sent = pod["spec"], main_container(pod), template["containers"][0]
    for field in ("image", "command", "args", "workingDir", "resources"):
        assert container.get(field) == sent.get(field) or (field == "resources" and not container[field]), field
    names = [entry["name"] for entry in container.get("env", [])]
    assert set(names) == {entry["name"] for entry in sent.get("env", [])} | added
    assert container["env"][: len(sent.get("env", []))] == _defaulted(sent.get("env", []))
    own = [volume["name"] for volume in spec["volumes"] if not volume["name"].startswith("kube-api-access-")]
    assert own == [volume["name"] for volume in template["volumes"]]
    mounted = [mount for mount in container["volumeMounts"] if not mount["name"].startswith("kube-api-access-")]
    assert mounted == sent["volumeMounts"]


def _defaulted(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = json.loads(json.dumps(entries))
    for entry in found:
        if "fieldRef" in entry.get("valueFrom", {}):
            entry["valueFrom"]["fieldRef"]["apiVersion"] = "v1"
    return found


# --- TFJob ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("delivery", ["operator", "static"])
def test_tfjob_pods_are_as_predicted(api: Api, shape: str, delivery: str) -> None:
    made = accepted(
        text(unused_name("tf"), shape, f'target tfjob {{ tf_config = "{delivery}" }}'), "tfjob", version="1.8"
    )
    tasks = {(task.role, task.index): task for task in made.tasks()}
    with Created(api, made) as job:
        job.kubelet.until_running(len(tasks))
        pods = {pod["metadata"]["name"]: pod for pod in job.kubelet.pods()}
        assert set(pods) == {f"{job.name}-{role}-{index}" for role, index in tasks}
        keys = {"chief": "Chief", "master": "Master", "ps": "PS", "worker": "Worker", "evaluator": "Evaluator"}
        for (role, index), task in tasks.items():
            pod = pods[f"{job.name}-{role}-{index}"]
            template = job.template("TFJob", keys[role])
            same_pod(pod, template, {"TF_CONFIG"} if len(tasks) > 1 else set())
            assert pod["spec"]["restartPolicy"] == "Never"
            sent = template["containers"][0].get("ports", [])
            port = sent[0]["containerPort"] if sent else 2222
            ports = main_container(pod)["ports"]
            assert [(p["name"], p["containerPort"]) for p in ports] == [("tfjob-port", port)]
            assert tf_config(pod, wrapped=delivery == "static" and len(tasks) > 1) == task.tf_config
            assert (
                api.get(f"/api/v1/namespaces/default/services/{job.name}-{role}-{index}")["spec"]["clusterIP"] == "None"
            )
        addressed(api, job, made, pods)


def tf_config(pod: dict[str, Any], wrapped: bool) -> str | None:
    """The TF_CONFIG that the command sees: the variable, or the parameter of the program that sets it."""
    if not wrapped:
        return seen(pod).get("TF_CONFIG")
    container = main_container(pod)
    assert container["command"][:2] == ["/bin/sh", "-c"]
    return environment({"env": [*container["env"], {"name": "x", "value": container["args"][0]}]}, index_fields(pod))[
        "x"
    ]


OWN = """
  image   = "registry.example.com/mnist:1.4"
  command = ["python", "/app/train.py"]
  env     = { TF_CONFIG = "{\\"task\\": {\\"index\\": ${task.index}}}" }
  role worker { replicas = 2 }
  cluster { discovery = "none" }
"""


def test_the_operators_tf_config_does_not_reach_a_command_with_its_own(api: Api) -> None:
    made = accepted(f"job {unused_name('tf')} {{{OWN}}}\n", "tfjob", version="1.8")
    with Created(api, made) as job:
        job.kubelet.until_running(2)
        pods = {pod["metadata"]["name"]: pod for pod in job.kubelet.pods()}
        for index, task in enumerate(made.tasks()):
            pod = pods[f"{job.name}-worker-{index}"]
            assert "cluster" in json.loads(seen(pod)["TF_CONFIG"]), "the operator's is the last of the two"
            assert tf_config(pod, wrapped=True) == task.tf_config == f'{{"task": {{"index": {index}}}}}'


def addressed(api: Api, job: Created, made: Compiled, pods: dict[str, dict[str, Any]]) -> None:
    """Every ``host:port`` of every TF_CONFIG leads to the pod of that role and index, and to its port."""
    for task in made.tasks():
        cluster: dict[str, list[str]] = json.loads(task.tf_config)["cluster"] if task.tf_config else {}
        for role, hosts in cluster.items():
            for index, host in enumerate(hosts):
                name, _, port = host.rpartition(":")
                pod = pod_behind(api, job, name, pods)
                assert pod is pods[f"{job.name}-{role}-{index}"], host
                assert port in {str(p["containerPort"]) for p in main_container(pod)["ports"]}, host


def pod_behind(api: Api, job: Created, host: str, pods: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The pod to which DNS leads: by a Service of its own, or by host name and Service."""
    first, _, rest = host.partition(".")
    by_service = rest in ("", "default.svc")
    service = first if by_service else rest
    job.until(lambda: len(endpoints(api, service)) == (1 if by_service else len(pods)), f"addresses of {service}")
    found = {ip for ip, name in endpoints(api, service).items() if by_service or name == first}
    assert len(found) == 1, host
    return next(pod for pod in pods.values() if pod["status"]["podIP"] in found)


@pytest.mark.parametrize("policy", POLICIES["tfjob"])
def test_tfjob_restart_policies_become_those_of_the_pods(api: Api, policy: str) -> None:
    made = accepted(text(unused_name("tf"), "master", policy), "tfjob", version="1.8")
    expected = {"": "Never", POLICIES["tfjob"][1]: "OnFailure", POLICIES["tfjob"][2]: "Never"}[policy]
    with Created(api, made) as job:
        job.kubelet.until_running(4)
        assert {pod["spec"]["restartPolicy"] for pod in job.kubelet.pods()} == {expected}


# --- plain Jobs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_job_pods_are_as_predicted(api: Api, shape: str) -> None:
    made = accepted(text(unused_name("kj"), shape), "kubernetes")
    tasks = {(task.role, task.index): task for task in made.tasks()}
    with Created(api, made) as job:
        job.kubelet.until_running(len(tasks))
        pods = {pod["spec"]["hostname"]: pod for pod in job.kubelet.pods()}
        assert set(pods) == {f"{job.name}-{role}-{index}" for role, index in tasks}
        for (role, index), task in tasks.items():
            pod = pods[f"{job.name}-{role}-{index}"]
            assert pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"] == str(index)
            same_pod(pod, job.template("Job", f"{job.name}-{role}"), {"JOB_COMPLETION_INDEX"})
            assert pod["spec"]["restartPolicy"] == "Never"
            assert seen(pod).get("TF_CONFIG") == task.tf_config
        addressed(api, job, made, pods)


@pytest.mark.parametrize("policy", POLICIES["kubernetes"])
def test_job_restart_policies_become_those_of_the_pods(api: Api, policy: str) -> None:
    made = accepted(text(unused_name("kj"), "master", policy), "kubernetes")
    expected = "OnFailure" if policy == POLICIES["kubernetes"][1] else "Never"
    with Created(api, made) as job:
        job.kubelet.until_running(4)
        assert {pod["spec"]["restartPolicy"] for pod in job.kubelet.pods()} == {expected}


def test_pinned_jobs_run_on_their_hosts(api: Api) -> None:
    hosts = ["h10", "h100.example.com", "h14", "h15"]
    block = f"target kubernetes {{ hosts = {json.dumps(hosts)} }}"
    made = accepted(text(unused_name("pin"), "master", block), "kubernetes")
    tasks = made.tasks()
    with Created(api, made) as job:
        job.kubelet.until_running(len(tasks))
        order = ["ps", "master", "worker"]
        by_task = sorted(tasks, key=lambda task: (order.index(task.role), task.index))
        for host, task in zip(hosts, by_task, strict=True):
            job_name = f"{job.name}-{task.role}-{task.index}"
            [pod] = [p for p in job.kubelet.pods() if p["metadata"]["labels"]["job-name"] == job_name]
            assert (pod["spec"]["nodeName"], pod["spec"]["hostNetwork"]) == (host, True)
            assert main_container(pod)["ports"][0]["hostPort"] == main_container(pod)["ports"][0]["containerPort"]
            assert seen(pod).get("TF_CONFIG") == task.tf_config
            own = json.loads(task.tf_config or "")
            assert own["cluster"][task.role][task.index] == f"{host}:2222"
