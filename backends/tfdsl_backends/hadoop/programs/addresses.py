"""What TensorFlow reads: TF_CONFIG and the four flags."""

import json


def tf_config(cluster, role, index):
    # type: (dict[str, list[str]], str, int) -> str
    """TF_CONFIG as compact JSON, the roles of the cluster in the order of their names."""
    hosts = json.dumps(cluster, sort_keys=True, separators=(",", ":"))
    return '{"cluster":%s,"task":{"type":"%s","index":%d},"environment":"cloud"}' % (hosts, role, index)


def tensorflow_flags(cluster, job_name, index):
    # type: (dict[str, list[str]], str, int) -> list[str]
    """The four flags of the task that is number ``index`` of ``job_name``; the chief (master) is the first worker."""
    return [
        "--ps_hosts=" + ",".join(cluster.get("ps", [])),
        "--worker_hosts=" + ",".join(cluster.get("chief", []) + cluster.get("master", []) + cluster.get("worker", [])),
        "--job_name=" + job_name,
        "--task_index=%d" % index,
    ]
