"""What is said of jobs that pods, Jobs or JobSets cannot have as they are written."""

from __future__ import annotations

import pytest

from tests.unit.backends.test_messages_of_jobs import said

WORKERS = "role worker { replicas = 2 }"
COPIED = 'output "/tmp/x" to "/d/x", mount pvc "d" at "/d"'
STEPS = ", ".join(f'prepare "s{number}" {{ command = ["x"] }}' for number in range(20))
LOG = 'sidecar log { command = ["x"] }'

SAID = (
    ("protocol", f'cluster {{ protocol = "grpc+verbs" }}\n{WORKERS}'),
    ("gpu-memory", "role worker { gpu_memory = 4Gi }"),
    ("node-label", 'role worker { node_label = "gpu" }'),
    ("undefined-variable", 'role worker { args = ["${env.HOME}"] }'),
    ("run-time-workdir", 'role worker { workdir = "/w/${task.index}" }'),
    ("run-time-source", 'role worker { mount host "/d/${task.index}" at "/d" }'),
    ("hdfs-mount", 'role worker { mount hdfs "hdfs://nn/x" at "/x" }'),
    ("archive-mount", 'role worker { mount archive "hdfs://nn/a.zip" at "/x" }'),
    ("hdfs-output", 'role worker { output "/tmp/x" to "hdfs://nn/x" }'),
    ("fs-group-unchanged", 'role worker { fs_group = 7, mount nfs "h:/x" at "/d" }'),
    ("capabilities-of-user", 'role worker { run_as_user = 7, capabilities = ["IPC_LOCK"] }'),
    ("stop-grace-rounded", "role worker { stop_grace = 500ms }"),
    ("stop-grace-with-output", f"role worker {{ stop_grace = 5m, {COPIED} }}"),
    ("mode-of-user", 'role worker { run_as_user = 7, mount secret "keys" at "/keys" { mode = "0400" } }'),
    ("sidecar-counted", 'on failed => restart container\nrole worker { sidecar log { command = ["x"] } }'),
    ("priority-number", f"priority = 5\n{WORKERS}"),
    ("deadline-rounded", f"deadline = 1500ms\n{WORKERS}"),
    ("ttl-rounded", f"ttl = 1500ms\n{WORKERS}"),
    ("step-resources", 'role worker { cpu = 1, sidecar log { command = ["x"] } }'),
    ("value-too-large", f'role worker {{ env = {{ A = "{"x" * 140000}" }} }}'),
    ("no-command", f"role worker {{ command = [], {COPIED} }}"),
    ("host-port", "role worker { host_network = true }\nrole ps { host_network = true }"),
    ("job-label", 'role worker { labels = { "batch.kubernetes.io/job-name" = "x" } }'),
    ("kueue-label", f'queue = "a", labels = {{ "kueue.x-k8s.io/queue-name" = "b" }}\n{WORKERS}'),
    ("resource-name", 'role worker { resources = { "x" = 1 } }'),
    ("relative-path", 'role worker { mount scratch at "data" }'),
    ("variable-in-shell", f'role worker {{ env = {{ "A.B" = "1" }}, {COPIED} }}'),
    (
        "restarted-replica",
        f"on failed => restart container\non worker[1] restarted 2 => fail job\n{WORKERS}",
    ),
    (
        "too-many-rules",
        f"on failed => restart job\non exit 3 => fail job\nrole worker {{ {STEPS}, {LOG} }}",
    ),
)
"""The end of the slug, and the items of a job."""
_TWO = "jobs = { worker = 2 }"
SAID_OF_OPTIONS = (
    ("unequal-jobs", "role worker { replicas = 3 }", _TWO),
    ("no-index", "role worker { replicas = 4 }", _TWO),
    ("no-index", 'role worker { replicas = 4, args = ["${task.index}"] }\ncluster { discovery = "none" }', _TWO),
    ("completed-of-several-jobs", f"on worker[0] completed => complete job\n{WORKERS}", _TWO),
    ("success", f"on ps completed => complete job\nrole ps {{ }}\n{WORKERS}", 'success = "all"'),
)


@pytest.mark.parametrize(("slug", "items"), SAID, ids=[slug for slug, _ in SAID])
def test_a_job_gets_the_message(slug: str, items: str) -> None:
    messages = said("jobset", items, "")
    assert f"jobset-{slug}" in messages, messages


@pytest.mark.parametrize(("slug", "items", "options"), SAID_OF_OPTIONS)
def test_a_job_gets_the_message_for_its_options(slug: str, items: str, options: str) -> None:
    messages = said("jobset", items, options)
    assert f"jobset-{slug}" in messages, messages
