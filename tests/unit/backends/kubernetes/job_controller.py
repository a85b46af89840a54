"""Validation of batch/v1 Jobs and what the Job controller does on a pod's end, re-implemented for the tests.

Sources: Kubernetes `pkg/apis/batch/validation/validation.go`, `pkg/controller/job/job_controller.go` and
`pod_failure_policy.go`.
"""

from __future__ import annotations

import re

DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\Z")


def problems(job: dict) -> list[str]:
    """What the API server refuses beyond the schema."""
    spec, name = job["spec"], job["metadata"]["name"]
    pod = spec["template"]["spec"]
    found = [] if DNS_LABEL.match(name) else [f"name {name}"]
    if pod.get("restartPolicy") not in ("Never", "OnFailure"):
        found.append(f"restartPolicy {pod.get('restartPolicy')}")
    if spec.get("completionMode") == "Indexed":
        last = f"{name}-{spec['completions'] - 1}"
        if not DNS_LABEL.match(last):
            found.append(f"will not able to create pod with invalid DNS label: {last}")
        if spec["parallelism"] > 100_000:
            found.append("parallelism")
    elif "successPolicy" in spec:
        found.append("successPolicy requires indexed completion mode")
    if pod.get("hostNetwork"):
        ports = [port for container in pod["containers"] for port in container.get("ports", ())]
        found += [
            f"hostPort {port}" for port in ports if port.get("hostPort", port["containerPort"]) != port["containerPort"]
        ]
    found += [f"index {rule}" for rule in spec.get("successPolicy", {}).get("rules", ()) if not _in_range(rule, spec)]
    return found + _failure_policy(spec, pod)


def _in_range(rule: dict, spec: dict) -> bool:
    return rule["succeededIndexes"].isdigit() and int(rule["succeededIndexes"]) < spec["completions"]


def _failure_policy(spec: dict, pod: dict) -> list[str]:
    rules = spec.get("podFailurePolicy", {}).get("rules", [])
    found = ["podFailurePolicy needs restartPolicy Never"] if rules and pod["restartPolicy"] != "Never" else []
    found += ["too many rules"] if len(rules) > 20 else []
    for rule in rules:
        found += [] if rule["action"] in ("FailJob", "Ignore", "Count") else [f"action {rule}"]
        found += [] if ("onExitCodes" in rule) != ("onPodConditions" in rule) else [f"requirements {rule}"]
        codes = rule.get("onExitCodes")
        if codes:
            values = codes["values"]
            if (
                not 1 <= len(values) <= 255
                or values != sorted(set(values))
                or (codes["operator"] == "In" and 0 in values)
            ):
                found.append(f"values {values}")
            names = [container["name"] for container in (*pod["containers"], *pod.get("initContainers", ()))]
            if "containerName" in codes and codes["containerName"] not in names:
                found.append(f"container {codes}")
    return found


def outcome(job: dict, status: int | None, *, evicted: bool) -> str:
    """What happens on the first failure: ``fail``, ``restart in place``, ``new pod`` (counted), ``new pod, uncounted``.

    ``status``: exit status of the container, ``None`` when the pod was lost without one. ``evicted``: the pod has the
    condition DisruptionTarget.
    """
    spec = job["spec"]
    if spec["template"]["spec"]["restartPolicy"] == "OnFailure":
        if not evicted:
            return "restart in place"
        return "new pod" if spec["backoffLimit"] >= 1 else "fail"
    action = next((rule["action"] for rule in _matching(spec, status, evicted)), "Count")
    if action == "Ignore":
        return "new pod, uncounted"
    return "fail" if action == "FailJob" or spec["backoffLimit"] < 1 else "new pod"


def _matching(spec: dict, status: int | None, evicted: bool) -> list[dict]:
    return [rule for rule in spec.get("podFailurePolicy", {}).get("rules", ()) if _matches(rule, status, evicted)]


def _matches(rule: dict, status: int | None, evicted: bool) -> bool:
    if "onPodConditions" in rule:
        return evicted and rule["onPodConditions"] == [{"type": "DisruptionTarget", "status": "True"}]
    codes = rule["onExitCodes"]
    if not status:
        return False
    return (status in codes["values"]) == (codes["operator"] == "In")
