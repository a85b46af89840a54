"""The training operator's admission webhook and TF_CONFIG, re-implemented from its sources for the tests.

Sources: training-operator v1.9.4 `pkg/webhooks/tensorflow/tfjob_webhook.go`, `pkg/apis/kubeflow.org/v1/
tensorflow_{types,defaults}.go`, `pkg/controller.v1/tensorflow/tensorflow.go`.
"""

from __future__ import annotations

import json
import re

DNS_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?\Z")
ROLES = ("Chief", "Master", "PS", "Worker", "Evaluator")


def webhook(tfjob: dict) -> list[str]:
    """The errors of the validating webhook on creation."""
    name, spec = tfjob["metadata"]["name"], tfjob["spec"]
    found = [] if DNS_1035.match(name) and len(name) <= 63 else ["metadata.name: Invalid value"]
    managed = spec.get("runPolicy", {}).get("managedBy")
    if managed not in (None, "kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue"):
        found.append("spec.runPolicy.managedBy: Unsupported value")
    roles = spec.get("tfReplicaSpecs")
    if roles is None:
        return [*found, "spec.tfReplicaSpecs: Required value"]
    if sum(key in ("Chief", "Master") for key in roles) > 1:
        found.append("spec.tfReplicaSpecs: Forbidden: must not have more than 1 Chief or Master role")
    for key, role in roles.items():
        containers = role["template"]["spec"].get("containers", [])
        if not containers:
            found.append(f"{key}: containers: Required value")
        found += [f"{key}: image: Required value" for container in containers if not container.get("image")]
        if not any(container["name"] == "tensorflow" for container in containers):
            found.append(f"{key}: must have at least one container with name tensorflow")
    return found


def never_checked(tfjob: dict) -> list[str]:
    """What passes admission and then hangs or does nothing: odd words, keys, numbers, too long names."""
    spec = tfjob["spec"]
    found = [f"role key {key}" for key in spec["tfReplicaSpecs"] if key not in ROLES]
    if spec["runPolicy"].get("cleanPodPolicy") not in ("All", "Running", "None"):
        found.append("cleanPodPolicy")
    if spec.get("successPolicy") not in (None, "", "AllWorkers"):
        found.append("successPolicy")
    for key, role in spec["tfReplicaSpecs"].items():
        if role.get("restartPolicy") not in ("Never", "OnFailure", "ExitCode"):
            found.append(f"{key}: restartPolicy")
        if role.get("replicas", 0) < 1:
            found.append(f"{key}: replicas")
        longest = f"{tfjob['metadata']['name']}-{key.lower()}-{role['replicas'] - 1}"
        if len(longest) > 63:
            found.append(f"{key}: Service name {longest}")
        if "restartPolicy" in role["template"]["spec"]:
            found.append(f"{key}: restartPolicy of the pod template is overwritten")
    return found


def injected(tfjob: dict, key: str, index: int) -> str | None:
    """The TF_CONFIG that the operator puts into a pod (Go's json.Marshal), or ``None``."""
    roles = tfjob["spec"]["tfReplicaSpecs"]
    if sum(role["replicas"] for role in roles.values()) == 1:
        return None
    name, namespace = tfjob["metadata"]["name"], tfjob["metadata"].get("namespace", "default")
    cluster = {
        role.lower(): [f"{name}-{role.lower()}-{i}.{namespace}.svc:{_port(spec)}" for i in range(spec["replicas"])]
        for role, spec in roles.items()
    }
    task = {"type": key.lower(), "index": index}
    config = {"cluster": dict(sorted(cluster.items())), "task": task, "environment": "cloud"}
    return json.dumps(config, separators=(",", ":"))


def _port(role: dict) -> int:
    containers = role["template"]["spec"]["containers"]
    chosen = next((c for c in containers if c["name"] == "tensorflow"), containers[0])
    return next((p["containerPort"] for p in chosen.get("ports", ()) if p["name"] == "tfjob-port"), 2222)
