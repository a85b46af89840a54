"""An example for each word of the language, as a part of a job. The tests check that none gets a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfdsl.vocabulary import attributes

ATTRIBUTES = {
    "scheduler": 'scheduler = "batch-scheduler"',
    "retries": "retries = 5\non failed => restart pod",
    "checkpoint": 'mount pvc "runs" at "/runs"\ncheckpoint = "/runs/${job.name}"',
    "args": 'command = ["python", "/app/train.py"]\nargs = ["--steps=5000"]',
    "cpu_limit": "cpu = 2\ncpu_limit = 4",
    "memory_limit": "memory = 8Gi\nmemory_limit = 16Gi",
    "gpu_resource": 'gpu = 1\ngpu_resource = "amd.com/gpu"',
    "shm": "memory = 16Gi\nshm = 8Gi",
    "replicas": "role worker { replicas = 4 }",
    "min_available": "role worker { replicas = 4, min_available = 2 }",
    "after": 'role ps { }\nrole worker { after = ["ps"] }',
    "server": "role chief { }\nrole worker { replicas = 2, server = true }",
    "logdir": 'mount pvc "runs" at "/runs"\nrole worker { }\nrole tensorboard { logdir = "/runs/mnist" }',
}
"""Attributes whose example needs more than the attribute itself."""

EVENTS = {
    "completed": "role chief { }\nrole worker { }\non worker completed => complete job",
    "failed": "on failed => restart pod",
    "exit": "on exit [137, 143] => restart pod",
    "evicted": "on evicted => restart job",
    "pending": "on pending after 30m => fail job",
    "restarted": "on failed => restart container\non restarted 10 => fail job",
    "unknown": "on unknown => restart job",
}

ACTIONS = {
    "complete job": "role chief { }\nrole worker { }\non worker completed => complete job",
    "fail job": "on exit 2 => fail job",
    "abort job": "on evicted => abort job",
    "restart container": "on failed => restart container",
    "restart pod": "on evicted => restart pod",
    "restart role": "role ps { }\nrole worker { replicas = 4 }\non worker failed => restart role",
    "restart job": "on evicted => restart job",
    "ignore": "role chief { }\nrole evaluator { }\non evaluator failed => ignore",
}

ROLES = {
    "chief": "role chief { cpu = 4 }\nrole worker { replicas = 3, cpu = 4 }",
    "master": "role master { cpu = 4 }\nrole worker { replicas = 3, cpu = 4 }",
    "ps": "role ps { replicas = 2 }\nrole worker { replicas = 4 }",
    "worker": "role worker { replicas = 4, gpu = 1 }",
    "evaluator": "role chief { }\nrole worker { replicas = 2 }\nrole evaluator { }",
    "tensorboard": 'mount pvc "runs" at "/runs"\nrole worker { }\nrole tensorboard { logdir = "/runs" }',
}

MOUNTS = {
    "pvc": 'mount pvc "mnist-data" at "/data" readonly { sub_path = "train" }',
    "claim": 'mount claim 100Gi at "/work" { storage_class = "fast", keep = true }',
    "host": 'mount host "/mnt/data" at "/data" readonly { type = "Directory" }',
    "nfs": 'mount nfs "10.0.0.2:/export/data" at "/data" readonly',
    "configmap": 'mount configmap "mnist-config" at "/etc/mnist" { items = { "train.yaml" = "train.yaml" } }',
    "secret": 'mount secret "hub-token" at "/secrets" { mode = "0400" }',
    "scratch": 'mount scratch 50Gi at "/scratch"',
    "memory": 'memory = 16Gi\nmount memory 2Gi at "/fast"',
    "hdfs": 'mount hdfs "hdfs://namenode/data/mnist" at "/data"',
    "archive": 'mount archive "hdfs://namenode/code/mnist.tar.gz" at "/code"',
}

STEPS = {
    "prepare": 'mount scratch at "/data"\nprepare fetch { command = ["python", "/app/fetch.py", "/data"], cpu = 1 }',
    "sidecar": 'sidecar "log-shipper" { image = "registry.example.com/fluent-bit:3.1", cpu = 100m, memory = 64Mi }',
}

FUNCTIONS = {
    "secret": 'env = { TOKEN = secret("hub", "token") }',
    "configmap": 'env = { LEVEL = configmap("mnist-config", "level") }',
    "pod_field": 'env = { POD_IP = pod_field("status.podIP"), NODE = pod_field("spec.nodeName") }',
    "min": "role worker { replicas = min(8, 4) }",
    "max": "role worker { memory = max(4Gi, 512Mi) }",
    "len": 'role worker { replicas = len(["a", "b"]) }',
    "lower": 'labels = { team = lower("Vision") }',
    "upper": 'env = { STAGE = upper("prod") }',
    "trim": 'env = { OWNER = trim(" ada ") }',
    "join": 'args = ["--zones=${join(",", ["a", "b"])}"]',
    "split": 'args = split(" ", "--steps=5000 --batch=64")',
    "replace": 'labels = { run = replace("2026/03", "/", "-") }',
    "format": 'args = [format("--name=%s-%d", job.name, 3)]',
    "file": 'command = file("train.sh")',
    "env_file": 'env = env_file("prod.env") + { MODE = "fast" }',
}

OTHERS = {
    "output": 'mount pvc "runs" at "/runs"\noutput "/tmp/export" to "/runs/${job.name}/export"',
    "cluster": 'role ps { }\nrole worker { }\ncluster { discovery = "both" }',
    "build": 'build {\n  from = "tensorflow/tensorflow:2.17.0"\n  copy "train.py" to "/app/train.py"\n}',
}

PATCHES = {
    "patch": 'target volcano {\n  patch "metadata.annotations" += { "example.com/note" = "x" }\n'
    '  patch pod "spec.dnsPolicy" = "Default"\n  role worker { patch pod "spec.hostPID" = true }\n}',
    "unpatch": 'target kubernetes { unpatch pod "metadata.annotations" }',
}


WORDS = {
    "when": 'param workers: int = 4\njob mnist {\n  image = "registry.example.com/mnist:1.4"\n'
    "  role worker { replicas = workers, gpu = 1 when workers > 8 }\n  role ps when workers > 2 { }\n}",
    "unset": 'env = { DEBUG = "1", MODE = "fast" }\nrole worker { unset env["DEBUG"] }',
    "matrix": 'matrix { lr = [0.1, 0.01], batch = [32, 64] }\nargs = ["--lr=${matrix.lr}", "--batch=${matrix.batch}"]',
}


def of_attribute(attribute: attributes.Attribute) -> str:
    """The example of an attribute."""
    written = ATTRIBUTES.get(attribute.name)
    if written is not None:
        return written
    line = f"{attribute.name} = {attribute.example}"
    return line if attribute.in_job else f"role worker {{ {line} }}"
