"""Made-up jobs for YARN: all roles, sizes, mounts, outputs, policies and options, with texts that could be misread."""

from __future__ import annotations

from random import Random

from tests.conformance.yarn.slider_jobs import text, texts

SEED = "tfdsl-yarn-import-1"
POLICIES = (
    "",
    "on failed => restart job",
    "on failed => restart container",
    "on worker failed => ignore",
    "on exit [3, 137] => fail job\n  on failed => restart job",
    "on exit 42 => ignore",
    "on exit 3..6 => restart job",
    "on pending after 10m => fail job",
    "on pending after 1500ms => fail job",
    "on worker[0] failed => restart job",
    "on worker[0] completed => complete job",
)
OPTIONS = (
    "",
    'applications = "per-role"',
    'applications = "one"',
    'version = "2.10"',
    'version = "3.1"',
    'version = "3.3"',
    'store = "/shared/x"',
    'store = "hdfs://nn/x y"',
    'webhdfs = "http://nn:9870"',
    'hadoop_home = "/opt/hadoop"',
    "rendezvous_seconds = 60",
    'port_range = "21000-22000"',
    "reuse_port = true",
    "am_memory = 1024",
    'python = "python3.9"',
    'files = ["a/b.py", "c"]',
    'placement = { worker = "IN,RACK,ps" }',
    'placement = { worker = "AND(java!=1.8:NOTIN,NODE,worker)" }',
    'placement = { worker = "CARDINALITY,NODE,worker,0,2" }',
    'dialect = "yarn-tf"',
)
MOUNTS = (
    'hdfs "hdfs://nn/data/$x" at "data"',
    'archive "hdfs://nn/code.tar.gz" at "."',
    'archive "my code.zip" at "code"',
    'host "/disk1" at "disk"',
    'host "/disk2" at "/disk2" readonly',
    'host "/disk3" at "/data" { type = "Directory" }',
    'scratch at "tmp-files"',
    'memory 1Gi at "mem"',
    'memory 1Gi at "/mem"',
)
ITEMS = (
    (0.3, 'queue = "a.b"'),
    (0.2, "priority = 5"),
    (0.3, "deadline = 12h"),
    (0.3, 'checkpoint = "hdfs://nn/c/${job.user}"'),
    (0.2, 'workdir = "code"'),
    (0.2, "stop_grace = 1500ms"),
    (0.15, 'prepare fetch { command = ["./fetch", "a b"], env = { P = "1", Q = "${task.index}" } }'),
    (0.15, 'prepare two { command = "echo hi > $X" }'),
    (0.3, 'output "model" to "hdfs://nn/out/${job.name}"'),
    (0.2, 'output "m" to "hdfs://nn/o2/${task.index}" on always from worker[0] { overwrite = true }'),
)
OF_ROLES = (
    (0.5, ("worker", "ps", "chief", "master"), "memory = 2056Mi"),
    (0.5, ("worker", "ps", "chief", "master"), "cpu = 4"),
    (0.4, ("worker",), "gpu = 2"),
    (0.2, ("worker",), 'resources = { "example.com/fpga" = 1 }'),
    (0.3, ("worker",), 'spread = "node"'),
    (0.2, ("worker", "ps", "evaluator"), 'node_label = "gpu"'),
    (0.3, ("ps",), "server = true"),
    (0.2, ("worker", "ps"), 'output "w" to "hdfs://nn/w/${task.index}"'),
    (1.0, ("tensorboard",), 'logdir = "hdfs://nn/logs"'),
)


def job(number: int) -> str:
    """The text of job ``number``; three of four compile."""
    chance = Random(f"{SEED}/{number}")
    lead = chance.choice(("chief", "master", ""))
    roles = [name for name in (lead, "worker", "ps", "evaluator", "tensorboard") if name]
    roles = [name for name in roles if name in (lead, "worker") or chance.random() < 0.5]
    shell = 'command = "exec run $HOME ${env.Q} ${task.index} \\"$@\\""'
    items = [f"command = {texts(chance)}" if chance.random() < 0.7 else shell]
    items += [f'env = {{ A = {text(chance)}, B = "x${{env.A}}-${{task.index}}" }}'] if chance.random() < 0.6 else []
    items += [
        chance.choice(('image = "registry.example.com:5000/ml/mnist:1.4"', "", 'image = "a/b:1", privileged = true'))
    ]
    items += [chance.choice(POLICIES)]
    items += [item for likely, item in ITEMS if chance.random() < likely]
    items += [f"mount {mount}" for mount in MOUNTS if chance.random() < 0.15]
    items += [role(chance, name, roles) for name in roles]
    if chance.random() < 0.4:
        items.append(f'cluster {{ discovery = "{chance.choice(("none", "flags", "both"))}" }}')
    items.append(f"target yarn {{ {chance.choice(OPTIONS)} }}")
    return f"job j{number} {{\n  " + "\n  ".join(filter(None, items)) + "\n}\n"


def role(chance: Random, name: str, roles: list[str]) -> str:
    """A role with some of what it can have."""
    items = [item for likely, names, item in OF_ROLES if name in names and chance.random() < likely]
    if name in ("worker", "ps"):
        items.append(f"replicas = {chance.choice((1, 2, 3))}")
    if name != "tensorboard" and chance.random() < 0.3:
        items.append(f"args = {texts(chance)}")
    if name == "worker" and "ps" in roles and chance.random() < 0.3:
        items.append('after = ["ps"]')
    return f"role {name} {{ {', '.join(items)} }}"
