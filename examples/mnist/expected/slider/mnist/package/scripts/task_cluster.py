"""The cluster: the address of each task, and the TF_CONFIG and flags that follow from them.

Slider numbers the containers of a component 1 to N and gives a replacement the number of the container it replaces
(the tag), so a task takes its index from the tag; the order of an export list changes.
"""

import json


def addresses(master, roles):
    """``{role: {index: "host:port"}}`` of what is exported now; ``roles`` is ``{role: replicas}``."""
    cluster = {}
    for role, replicas in roles.items():
        cluster[role] = {}
        for entry in master.exported(role):
            tag = str(entry.get("tag") or "")
            value = str(entry.get("value") or "")
            # Until the agent has resolved the port, the value ends in a placeholder.
            if tag.isdigit() and 1 <= int(tag) <= replicas and value.rpartition(":")[2].isdigit():
                cluster[role][int(tag) - 1] = value
    return cluster


def missing(cluster, roles):
    """The tasks without an address, as ``role[index]``, in order."""
    return [
        "%s[%d]" % (role, index)
        for role in sorted(roles)
        for index in range(roles[role])
        if index not in cluster.get(role, {})
    ]


def spec(cluster):
    """Role to addresses, ordered by index; every task has one."""
    return dict((role, [tasks[index] for index in sorted(tasks)]) for role, tasks in cluster.items())


def tf_config(hosts, role, index):
    """TF_CONFIG as compact JSON, keys of the cluster sorted."""
    cluster = json.dumps(hosts, sort_keys=True, separators=(",", ":"))
    return '{"cluster":%s,"task":{"type":"%s","index":%d},"environment":"cloud"}' % (cluster, role, index)


def flags(hosts, job_name, index):
    """The four TensorFlow flags; the chief (master) is the first worker."""
    workers = hosts.get("chief", []) + hosts.get("master", []) + hosts.get("worker", [])
    return [
        "--ps_hosts=" + ",".join(hosts.get("ps", [])),
        "--worker_hosts=" + ",".join(workers),
        "--job_name=" + job_name,
        "--task_index=%d" % index,
    ]
