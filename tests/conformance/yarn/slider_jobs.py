"""Made-up jobs for Slider: all roles, sizes, policies and options, with texts that something could misread."""

from __future__ import annotations

from random import Random

from tests.conformance.kubernetes.generated import HOSTILE, quoted

SEED = "tfdsl-slider-1"
POLICIES = (
    "on failed => restart container",
    "on failed => fail job",
    "on worker failed => restart pod",
    "on exit [3, 137] => fail job\n  on failed => restart container",
    "on exit 42 => ignore",
    "on evicted => restart pod",
    "on pending after 10m => fail job",
    "on failed => restart container\n  on restarted 4 => fail job",
    "on worker completed => complete job",
)
OPTIONS = (
    'metainfo = "xml"',
    'metainfo = "xml", app_version = "1 < 2 & \\"3\\" ]]>"',
    'app_version = "2.0-$x"',
    'allowed_ports = "48000-48100, 50000"',
    "wait_limit = 60",
    'resourcemanager = ["rm1:8088", "https://rm2:8090"]',
    'docker_network = "bridge"',
    'version = "0.91"',
    'config_files = { "train.json" = { "a.b" = "x $y", n = 1 }, "core-site.xml" = { k = "<&>" } }',
    "am_memory = 2048",
    "am_memory = 512, am_heap = 300",
    'placement = { worker = "strict" }',
    'placement = { worker = "anywhere" }',
    "escalate_seconds = { worker = 0 }",
    "escalate_seconds = { worker = 2000000 }",
)
MOUNTS = (
    'hdfs "hdfs://nn/data/$x" at "data"',
    'archive "hdfs://nn/code.tar.gz" at "."',
    'host "/disk1" at "disk"',
    'scratch at "tmp-files"',
)
IMAGES = ('image = "registry.example.com:5000/ml/mnist:1.4"', 'image = "${image}"', "")


def job(number: int) -> str:
    """The text of job ``number``; nearly all of them compile."""
    chance = Random(f"{SEED}/{number}")
    lead = chance.choice(("chief", "master", ""))
    roles = [name for name in (lead, "worker", "ps", "evaluator", "tensorboard") if name]
    roles = [name for name in roles if name in (lead, "worker") or chance.random() < 0.5]
    items = [chance.choice(IMAGES), f"command = {texts(chance)}", f"env = {{ A = {text(chance)}, B = {text(chance)} }}"]
    items += [chance.choice(POLICIES)] if chance.random() < 0.6 else []
    items += [f"queue = {quoted(chance.choice(('research', 'a.b')))}"] if chance.random() < 0.3 else []
    items += [f"retries = {chance.choice((1, 7, 2147483646))}"] if any("restart" in item for item in items) else []
    items += [f"deadline = {chance.choice(('1s', '12h', '90d'))}"] if chance.random() < 0.3 else []
    items += [f"mount {mount}" for mount in MOUNTS if chance.random() < 0.25]
    items += ['output "model" to "hdfs://nn/out/${job.name}"'] if chance.random() < 0.3 else []
    items += [role(chance, name, roles) for name in roles]
    items += [f'cluster {{ discovery = "{chance.choice(("tf_config", "flags", "both", "none"))}" }}']
    options = ", ".join(chance.sample(OPTIONS, 2) if chance.random() < 0.3 else [chance.choice(OPTIONS)])
    once = ("metainfo", "app_v", "am_memory", "config_files", "placement", "escalate")
    items += [f"target slider {{ {options} }}"] if all(options.count(word) < 2 for word in once) else []
    name = f"{chance.choice('abz')}{'-x' * chance.randrange(25)}{number}"
    return f'let image = "example/tf:2"\njob {quoted(name)} {{\n' + "".join(f"  {item}\n" for item in items) + "}\n"


def role(chance: Random, name: str, roles: list[str]) -> str:
    """One role."""
    items = [f"cpu = {chance.choice(('1', '500m', '64'))}"] if chance.random() < 0.7 else []
    items += [f"memory = {chance.choice(('1Gi', '2056Mi', '1Ki', '1500M'))}"] if chance.random() < 0.8 else []
    items += ['node_label = "gpu && !slow"'] if chance.random() < 0.2 else []
    if name in ("worker", "ps"):
        items += [f"replicas = {chance.choice((1, 2, 12, 500))}"]
        items += ['spread = "node"'] if chance.random() < 0.3 else []
        items += ['after = ["ps"]'] if name == "worker" and "ps" in roles and chance.random() < 0.4 else []
    items += ['logdir = "hdfs://nn/logs"'] if name == "tensorboard" else [f"args = {texts(chance)}"]
    return f"role {name} {{ " + ", ".join(items) + " }"


def text(chance: Random) -> str:
    """A string."""
    return quoted(chance.choice((*HOSTILE, "--steps=5000", "${ps_HOST}", "]]>", "<a>&amp;")))


def texts(chance: Random) -> str:
    """A list of one to four strings."""
    return "[" + ", ".join(text(chance) for _ in range(chance.randrange(1, 5))) + "]"
