"""The pods and Services that a controller makes from a custom resource, with the longest names that it makes.

Whether the server takes them shows only when the controller runs; so they are tried here. Sources: training-operator
1.8.1 `pkg/controller.v1/common/{pod,service}.go`; Volcano `pkg/controllers/job/{job_controller_util.go,plugins/svc}`;
JobSet `pkg/controllers/jobset_controller.go`, which makes Jobs, of which the Job controller makes pods.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def derived(resource: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The objects made from ``resource``; none for a kind of Kubernetes' own, which its server checks itself."""
    if resource["apiVersion"] == "kubeflow.org/v1":
        yield from _of_tfjob(resource)
    if resource["apiVersion"] == "batch.volcano.sh/v1alpha1":
        yield from _of_volcano(resource)
    if resource["kind"] == "JobSet":
        yield from _of_jobset(resource)


def with_claims(resource: dict[str, Any]) -> dict[str, Any]:
    """``resource`` as its controller completes it: a claim that a JobSet makes is a volume where it is mounted."""
    if resource["kind"] != "JobSet":
        return resource
    made = deepcopy(resource)
    policies = made["spec"].get("volumeClaimPolicies", [])
    claims = [template["metadata"]["name"] for policy in policies for template in policy["templates"]]
    for replicated in made["spec"]["replicatedJobs"]:
        pod = replicated["template"]["spec"]["template"]["spec"]
        containers = [*pod.get("initContainers", []), *pod["containers"]]
        mounted = {mount["name"] for container in containers for mount in container.get("volumeMounts", [])}
        for claim in claims:
            if claim in mounted:
                source = {"claimName": f"{claim}-{made['metadata']['name']}"}
                pod.setdefault("volumes", []).append({"name": claim, "persistentVolumeClaim": source})
    return made


def _of_tfjob(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for key, spec in job["spec"]["tfReplicaSpecs"].items():
        name = f"{job['metadata']['name']}-{key.lower()}-{spec['replicas'] - 1}"
        yield _pod(job, name, spec["template"])
        ports = spec["template"]["spec"]["containers"][0].get("ports", [])
        yield _service(job, name, {port["name"]: port["containerPort"] for port in ports} or {"tfjob-port": 2222})


def _of_volcano(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    name, spec = job["metadata"]["name"], job["spec"]
    for task in spec["tasks"]:
        pod = _pod(job, f"{name}-{task['name']}-{task['replicas'] - 1}", task["template"])
        pod["metadata"].setdefault("labels", {}).update(
            {"volcano.sh/job-name": name, "volcano.sh/queue-name": spec["queue"], "volcano.sh/task-spec": task["name"]}
        )
        volumes = pod["spec"].setdefault("volumes", [])
        volumes += [{"name": f"{name}-{'x' * 12}", "emptyDir": {}} for _ in spec.get("volumes", [])[:1]]
        if "svc" in spec["plugins"]:
            pod["spec"] |= {"hostname": pod["metadata"]["name"], "subdomain": name}
            volumes.append({"name": f"{name}-svc", "configMap": {"name": f"{name}-svc"}})
        yield pod
    if "svc" in spec["plugins"]:
        yield _service(job, name, {})


def _of_jobset(resource: dict[str, Any]) -> Iterator[dict[str, Any]]:
    jobset = with_claims(resource)
    name, spec = jobset["metadata"]["name"], jobset["spec"]
    subdomain = spec["network"].get("subdomain", name)
    for replicated in spec["replicatedJobs"]:
        job_name = f"{name}-{replicated['name']}-0"
        labels = {
            "jobset.sigs.k8s.io/jobset-name": name,
            "jobset.sigs.k8s.io/replicatedjob-name": replicated["name"],
            "jobset.sigs.k8s.io/job-index": "0",
        }
        if "coordinator" in spec:
            labels["jobset.sigs.k8s.io/coordinator"] = f"{name}-{spec['coordinator']['replicatedJob']}-0-0.{subdomain}"
        job = deepcopy(replicated["template"])
        job |= {"apiVersion": "batch/v1", "kind": "Job", "metadata": {**_place(jobset, job_name), "labels": labels}}
        template = job["spec"]["template"]
        template.setdefault("metadata", {}).setdefault("labels", {}).update(labels)
        template["spec"]["subdomain"] = subdomain
        yield job
        pod = _pod(jobset, f"{job_name}-{job['spec']['completions'] - 1}-x7k2p", template)
        pod["spec"]["hostname"] = pod["metadata"]["name"].rpartition("-")[0]
        yield pod
    if spec["network"]["enableDNSHostnames"]:
        yield _service(jobset, subdomain, {})


def _pod(job: dict[str, Any], name: str, template: dict[str, Any]) -> dict[str, Any]:
    made = deepcopy(template)
    made |= {"apiVersion": "v1", "kind": "Pod", "metadata": {**made.get("metadata", {}), **_place(job, name)}}
    for field in ("serviceAccountName", "priorityClassName"):  # they need not exist before the job does
        made["spec"].pop(field, None)
    return made


def _service(job: dict[str, Any], name: str, ports: dict[str, int]) -> dict[str, Any]:
    spec = {"clusterIP": "None", "selector": {"x": "y"}, "ports": [{"name": k, "port": v} for k, v in ports.items()]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": _place(job, name), "spec": spec}


def _place(job: dict[str, Any], name: str) -> dict[str, str]:
    return {"name": name, "namespace": job["metadata"].get("namespace", "default")}
