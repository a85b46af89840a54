"""What Volcano's webhook and controller would object to beyond the schema and the policy file.

Volcano's programs cannot be had as Go modules, so the rules are written down here. Sources: Volcano
`pkg/webhooks/admission/jobs/validate/{admit_job.go,util.go}`, `pkg/controllers/job/plugins`, and what the programs were
seen to do with `dependsOn` in a gang.
"""

from __future__ import annotations

import re
from copy import deepcopy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

QUALIFIED = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?\Z")
QUEUE = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\Z")
LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?\Z")
SVC = "/etc/volcano"
EVENTS = ("*", "PodFailed", "PodEvicted", "PodPending", "Unknown", "TaskCompleted", "TaskFailed")
ACTIONS = (
    "AbortJob",
    "RestartJob",
    "RestartTask",
    "RestartPod",
    "RestartPartition",
    "TerminateJob",
    "CompleteJob",
    "ResumeJob",
)
FLAGS = {
    "env": (),
    "svc": ("publish-not-ready-addresses", "disable-network-policy", "inject-hosts-env"),
    "tensorflow": ("ps", "worker", "chief", "evaluator", "port"),
    "ssh": ("ssh-key-file-path", "ssh-private-key", "ssh-public-key", "ssh-port"),
}
"""Plugins with their flags; the webhook looks at the names only, the controller logs an unknown flag and goes on."""


def objections(job: dict[str, Any]) -> list[str]:
    """What is wrong with a job of batch.volcano.sh/v1alpha1; empty when nothing is."""
    return [f"Volcano {job['metadata']['name']}: {text}" for text in _objections(job)]


def _objections(job: dict[str, Any]) -> Iterator[str]:
    name, spec = job["metadata"]["name"], job["spec"]
    yield from _plugins(spec.get("plugins", {}))
    if len(spec.get("schedulerName", "")) > 63:
        yield f"schedulerName {spec['schedulerName']}"
    queue = spec.get("queue", "default")
    if not QUEUE.match(queue) or queue == "root" or len(queue) > 63:
        yield f"queue {queue}"
    tasks = spec["tasks"]
    names = [task["name"] for task in tasks]
    if len(set(names)) != len(names):
        yield f"two tasks of one name: {names}"
    for position, task in enumerate(tasks):
        for last in (position, task["replicas"] - 1):
            pod = f"{name}-{task['name']}-{last}"
            if len(pod) > 63 or not QUALIFIED.match(pod):
                yield f"pod name {pod}"
        if task.get("minAvailable", task["replicas"]) > task["replicas"]:
            yield f"minAvailable of {task['name']} is above its replicas"
        yield from (f"task {task['name']}: {text}" for text in _policies(task.get("policies", [])))
        yield from (f"task {task['name']}: {text}" for text in _reserved(task["template"], names))
    yield from _policies(spec.get("policies", []))
    yield from _gang(spec, tasks)
    yield from _volumes(spec.get("volumes", []))


def _plugins(plugins: dict[str, list[str]]) -> Iterator[str]:
    for plugin, arguments in plugins.items():
        if plugin not in FLAGS:
            yield f"plugin {plugin}"
            continue
        for argument in arguments:
            flag = re.match(r"--?([a-z-]+)=", argument)
            if flag is None or flag[1] not in FLAGS[plugin]:
                yield f"plugin {plugin} has no flag {argument}"


def _policies(policies: list[dict[str, Any]]) -> Iterator[str]:
    seen_events: list[str] = []
    seen_codes: list[int] = []
    for policy in policies:
        events = [*([policy["event"]] if "event" in policy else []), *policy.get("events", [])]
        code = policy.get("exitCode")
        if bool(events) == (code is not None):
            yield f"a policy needs events or an exitCode: {policy}"
        if policy["action"] not in ACTIONS:
            yield f"action {policy['action']}"
        yield from (f"event {event}" for event in events if event not in EVENTS)
        if "PodPending" in events and "timeout" not in policy:
            yield "PodPending without timeout never fires"
        if code is not None and "PodFailed" in seen_events:
            yield f"the policy of exitCode {code} comes after that of PodFailed, which always wins"
        seen_events += events
        seen_codes += [code] if code is not None else []
    if len(set(seen_events)) != len(seen_events) or ("*" in seen_events and len(seen_events) > 1):
        yield f"two policies of one event: {seen_events}"
    if 0 in seen_codes or len(set(seen_codes)) != len(seen_codes):
        yield f"exit codes {seen_codes}"


def _reserved(template: dict[str, Any], tasks: list[str]) -> Iterator[str]:
    """What the plugins and the controller write themselves: no pod is made, or the value is replaced silently."""
    taken = {
        "VC_TASK_INDEX",
        "VK_TASK_INDEX",
        *(f"VC_{name.upper()}_{what}" for name in tasks for what in ("HOSTS", "NUM")),
    }
    for container in template["spec"]["containers"]:
        yield from (f"mount at {m['mountPath']}" for m in container.get("volumeMounts", []) if m["mountPath"] == SVC)
        yield from (f"variable {entry['name']}" for entry in container.get("env", []) if entry["name"] in taken)
    labels = template.get("metadata", {}).get("labels", {})
    yield from (f"label {name}" for name in labels if name in ("volcano.sh/job-name", "volcano.sh/task-spec"))
    for toleration in template["spec"].get("tolerations", []):
        if not LABEL_VALUE.match(toleration.get("value", "")):
            yield f"toleration value {toleration['value']}"


def _gang(spec: dict[str, Any], tasks: list[dict[str, Any]]) -> Iterator[str]:
    by_name = {task["name"]: task for task in tasks}
    waits = {name: task.get("dependsOn", {}).get("name", []) for name, task in by_name.items()}
    for name, others in waits.items():
        if any(other not in by_name or other == name for other in others) or len(set(others)) != len(others):
            yield f"dependsOn of {name}: {others}"
    done: set[str] = set()
    while ready := {name for name, others in waits.items() if name not in done and set(others) <= done}:
        done |= ready
    if done != set(waits):
        yield f"dependsOn goes in circles: {waits}"
    gang = spec["minAvailable"]
    if gang > sum(task["replicas"] for task in tasks):
        yield "minAvailable is above the replicas of all tasks"
    first = sum(task["replicas"] for task in tasks if not waits[task["name"]])
    if gang > first:
        yield f"never starts: minAvailable {gang}, but only {first} pods wait for no other task"


def _volumes(volumes: list[dict[str, Any]]) -> Iterator[str]:
    paths = [volume.get("mountPath") for volume in volumes]
    if None in paths or "" in paths or len(set(paths)) != len(paths):
        yield f"mount paths {paths}"
    for volume in volumes:
        if ("volumeClaim" in volume) == ("volumeClaimName" in volume):
            yield f"volume {volume} needs volumeClaim or volumeClaimName"


def mutated(job: dict[str, Any]) -> dict[str, Any]:
    """What the webhook makes of a job of batch.volcano.sh/v1alpha1; other objects as they are.

    Source: Volcano `pkg/webhooks/admission/jobs/mutate/mutate_job.go`.
    """
    if job["apiVersion"] != "batch.volcano.sh/v1alpha1":
        return job
    made = deepcopy(job)
    spec = made["spec"]
    spec["queue"] = spec.get("queue") or "default"
    spec["schedulerName"] = spec.get("schedulerName") or "volcano"
    spec["maxRetry"] = spec.get("maxRetry") or 3
    for position, task in enumerate(spec["tasks"]):
        pod = task["template"]["spec"]
        task["name"] = task.get("name") or f"default{position}"
        if pod.get("hostNetwork") and not pod.get("dnsPolicy"):
            pod["dnsPolicy"] = "ClusterFirstWithHostNet"
        if task.get("minAvailable") is None:
            task["minAvailable"] = task.get("replicas", 0)
        task["maxRetry"] = task.get("maxRetry") or 3
    if not spec.get("minAvailable"):
        spec["minAvailable"] = sum(task["minAvailable"] for task in spec["tasks"])
    plugins = spec.get("plugins") or {}
    if plugins.keys() & {"tensorflow", "mpi", "pytorch", "ray"}:
        plugins.setdefault("svc", [])
    if "mpi" in plugins:
        plugins.setdefault("ssh", [])
    return made
