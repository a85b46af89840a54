"""What Volcano's admission webhook and API server refuse of a job, and what hangs without a word.

Written from pkg/webhooks/admission/jobs (validate) and the notes on name lengths; not from the compiler's output.
"""

from __future__ import annotations

import re
from typing import Any

EVENTS = {"*", "PodPending", "PodFailed", "PodEvicted", "Unknown", "TaskCompleted", "TaskFailed", "JobUpdated"}
ACTIONS = {
    "AbortJob",
    "RestartJob",
    "RestartTask",
    "RestartPod",
    "TerminateJob",
    "CompleteJob",
    "ResumeJob",
    "RestartPartition",
}
PLUGINS = {"ssh", "env", "svc", "tensorflow", "mpi", "pytorch", "hcclrank", "ray"}
LABEL = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?\Z")
GO_DURATION = re.compile(r"([0-9]+(ms|h|m|s))+\Z")


def refusals(job: dict[str, Any]) -> list[str]:
    """Everything that the webhook would complain of, or that would keep a pod from being made."""
    name, spec = job["metadata"]["name"], job["spec"]
    tasks = spec["tasks"]
    found = [f"no host name: {name}"] if not LABEL.match(name) else []
    found += [f"unable to find job plugin: {plugin}" for plugin in spec["plugins"] if plugin not in PLUGINS]
    found += _policies(spec.get("policies", ()), "job")
    names = [task["name"] for task in tasks]
    found += ["duplicated task name"] if len(set(names)) < len(names) else []
    for task in tasks:
        if task["minAvailable"] > task["replicas"]:
            found.append(f"'minAvailable' is greater than 'replicas' in task {task['name']}")
        if len(f"{name}-{task['name']}-{task['replicas'] - 1}") > 63:
            found.append(f"pods of {task['name']} are never made")
        found += _policies(task.get("policies", ()), task["name"])
        for other in task.get("dependsOn", {}).get("name", ()):
            found += [f"{task['name']} depends on {other}"] if other not in names or other == task["name"] else []
    if not 1 <= spec["minAvailable"] <= sum(task["replicas"] for task in tasks):
        found.append("job 'minAvailable'")
    return found + _volumes(job) + _never_starts(spec) + _never_ends(spec)


def _policies(policies: list[dict[str, Any]], where: str) -> list[str]:
    found = []
    seen: list[object] = []
    for policy in policies:
        event, code = policy.get("event"), policy.get("exitCode")
        if (event is None) == (code is None):
            found.append(f"{where}: event and exitCode")
        if event is not None and event not in EVENTS:
            found.append(f"{where}: event {event}")
        if policy["action"] not in ACTIONS:
            found.append(f"{where}: action {policy['action']}")
        if code == 0 or (event or code) in seen:
            found.append(f"{where}: {event or code} twice or 0")
        if not GO_DURATION.match(policy.get("timeout", "1s")):
            found.append(f"{where}: timeout {policy['timeout']}")
        if event == "PodPending" and "timeout" not in policy:
            found.append(f"{where}: PodPending without timeout never acts")
        if code is not None and "PodFailed" in seen:
            found.append(f"{where}: exit code {code} behind PodFailed never acts")
        seen.append(event or code)
    return found


def _volumes(job: dict[str, Any]) -> list[str]:
    volumes = job["spec"].get("volumes", ())
    paths = [volume["mountPath"] for volume in volumes]
    found = ["two volumes at one path"] if len(set(paths)) < len(paths) else []
    found += ["volume name"] if volumes and len(job["metadata"]["name"]) > 50 else []
    found += ["svc volume name"] if len(job["metadata"]["name"]) > 59 else []
    for task in job["spec"]["tasks"]:
        own = [mount["mountPath"] for mount in task["template"]["spec"]["containers"][0].get("volumeMounts", ())]
        found += [f"{task['name']}: two mounts at {path}" for path in own if path in paths]
    return found


def _never_starts(spec: dict[str, Any]) -> list[str]:
    """Seen: with dependsOn a gang that counts pods which are not made yet is never placed."""
    at_once = sum(task["replicas"] for task in spec["tasks"] if "dependsOn" not in task)
    return ["gang counts pods that wait for it"] if spec["minAvailable"] > at_once else []


def _never_ends(spec: dict[str, Any]) -> list[str]:
    """Seen: without a completing policy a job with a task that runs for ever stays Running."""
    policies = [policy for task in spec["tasks"] for policy in task.get("policies", ())]
    ends = any(policy.get("event") == "TaskCompleted" and policy["action"] == "CompleteJob" for policy in policies)
    return [] if ends else ["no policy completes the job"]
