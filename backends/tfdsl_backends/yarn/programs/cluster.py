"""What TensorFlow reads: TF_CONFIG and the four flags."""

from __future__ import print_function

import json
from collections import OrderedDict

IN_CLUSTER = ("chief", "master", "ps", "worker")


def cluster_of(slots, addresses):
    # type: (list[tuple[str, int]], list[str]) -> OrderedDict[str, list[str]]
    """Role -> ``host:port`` of each replica; chief or master, ps and worker only."""
    cluster = OrderedDict()  # type: OrderedDict[str, list[str]]
    for name in IN_CLUSTER:
        hosts = [address for (role, _index), address in zip(slots, addresses) if role == name]
        if hosts:
            cluster[name] = hosts
    return cluster


def tf_config(cluster, role, index):
    # type: (OrderedDict[str, list[str]], str, int) -> str
    """TF_CONFIG as compact JSON."""
    task = OrderedDict([("type", role), ("index", index)])
    value = OrderedDict([("cluster", cluster), ("task", task), ("environment", "cloud")])  # type: OrderedDict[str, object]
    return json.dumps(value, separators=(",", ":"))


def tensorflow_flags(cluster, role, index):
    # type: (OrderedDict[str, list[str]], str, int) -> list[str]
    """The four flags. The chief (master) is worker 0, the workers follow it; no list has an evaluator."""
    chiefs = cluster.get("chief", []) + cluster.get("master", [])
    if role in ("chief", "master"):
        role = "worker"
    elif role == "worker":
        index += len(chiefs)
    return [
        "--ps_hosts=" + ",".join(cluster.get("ps", [])),
        "--worker_hosts=" + ",".join(chiefs + cluster.get("worker", [])),
        "--job_name=" + role,
        "--task_index=%d" % index,
    ]


def cluster_of_flags(flags):
    # type: (list[str]) -> tuple[OrderedDict[str, list[str]], str, int]
    """Cluster, role and index from the flags of the modified client."""
    values = dict(flag.split("=", 1) for flag in flags if flag.startswith("--") and "=" in flag)
    cluster = OrderedDict()  # type: OrderedDict[str, list[str]]
    for role, name in (("ps", "--ps_hosts"), ("worker", "--worker_hosts")):
        hosts = [host for host in values.get(name, "").split(",") if host]
        if hosts:
            cluster[role] = hosts
    return cluster, values.get("--job_name", "worker"), int(values.get("--task_index", "0"))
