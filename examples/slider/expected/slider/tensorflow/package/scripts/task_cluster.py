"""The cluster: who listens where, and what TF_CONFIG and the flags of a task are.

Slider numbers the containers of a component 1 to N and gives a replacement the number of the container it replaces
(the tag), so the tag gives an index that stays, while the order of an export list does not.
"""

import json


def addresses(master, roles):
    """``{role: {index: "host:port"}}`` of what is exported now; ``roles`` is ``{role: replicas}``."""
    found = {}
    for role, replicas in roles.items():
        found[role] = {}
        for entry in master.exported(role):
            tag = str(entry.get("tag") or "")
            value = str(entry.get("value") or "")
            # A port that the agent has not resolved yet still holds its placeholder.
            if tag.isdigit() and 1 <= int(tag) <= replicas and value.rpartition(":")[2].isdigit():
                found[role][int(tag) - 1] = value
    return found


def missing(found, roles):
    """The tasks without an address, as ``role[index]``, in order."""
    return ["%s[%d]" % (role, index) for role in sorted(roles) for index in range(roles[role])
            if index not in found.get(role, {})]


def spec(found):
    """Role to addresses by index, complete."""
    return dict((role, [tasks[index] for index in sorted(tasks)]) for role, tasks in found.items())


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
