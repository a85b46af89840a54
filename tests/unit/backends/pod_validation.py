"""What the API server checks of pods beyond their schema (pkg/apis/core/validation), as far as we emit it."""

from __future__ import annotations

import re

LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\Z")
LABEL_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?\Z")
LABEL_KEY = re.compile(r"(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?\Z")
PORT_NAME = re.compile(r"(?=.*[a-z])[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?\Z")
UNITS = {"": 1, "m": 0.001, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
UNITS |= {f"{unit}i": 1024**power for power, unit in enumerate("KMGTPE", 1)}


def pod_problems(template: dict) -> list[str]:
    """What a server would refuse in the pods of ``template``."""
    spec = template["spec"]
    volumes = [volume["name"] for volume in spec.get("volumes", ())]
    found = [f"volume name {name}" for name in volumes if not LABEL.match(name)]
    found += [f"volume {name} twice" for name in volumes if volumes.count(name) > 1]
    found += _labels(template.get("metadata", {}).get("labels", {}))
    for container in spec["containers"]:
        found += _container(container, volumes, host_network=spec.get("hostNetwork", False))
    return found


def _labels(labels: dict) -> list[str]:
    found = [f"label key {key}" for key in labels if not LABEL_KEY.match(key)]
    return found + [f"label value {value}" for value in labels.values() if not LABEL_VALUE.match(value)]


def _container(container: dict, volumes: list[str], *, host_network: bool) -> list[str]:
    mounts = container.get("volumeMounts", ())
    paths = [mount["mountPath"] for mount in mounts]
    found = [f"mount of no volume: {mount['name']}" for mount in mounts if mount["name"] not in volumes]
    found += [f"two mounts at {path}" for path in paths if paths.count(path) > 1]
    found += [f"relative mount path {path}" for path in paths if not path.startswith("/")]
    for port in container.get("ports", ()):
        if not PORT_NAME.match(port["name"]) or not 0 < port["containerPort"] < 65536:
            found.append(f"port {port}")
        if host_network and port.get("hostPort", port["containerPort"]) != port["containerPort"]:
            found.append(f"host port {port}")
    names = [entry["name"] for entry in container.get("env", ())]
    found += [f"env {name} twice" for name in names if names.count(name) > 1]
    found += [f"env name {name}" for name in names if not re.match(r"[-._a-zA-Z][-._a-zA-Z0-9]*\Z", name)]
    return found + _resources(container.get("resources", {}))


def _resources(resources: dict) -> list[str]:
    limits = resources.get("limits", {})
    found = []
    for name, wanted in resources.get("requests", {}).items():
        if name in limits and _amount(wanted) > _amount(limits[name]):
            found.append(f"request of {name} above its limit")
        if "/" in name and limits.get(name) != wanted:
            found.append(f"{name}: extended resources need a limit equal to the request")
    return found


def _amount(quantity: str | int) -> float:
    match = re.fullmatch(r"([0-9.]+)([A-Za-z]*)", str(quantity))
    assert match is not None, quantity
    return float(match[1]) * UNITS[match[2]]
