"""Jobs made up for a target: texts that use everything the language has for it, with hostile strings in them.

Job ``n`` is always the same one (``SEED``). Some of what is drawn no target takes (a label with blanks in it), so that
the compiler's own refusals are tried as well.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

HOSTILE = (
    "",
    " ",
    " both ends ",
    "double \" and single '",
    "back\\slash",
    "$HOME $$ $(HOSTNAME) $$(X) `id`",
    "${not} {{ .Values }} {% raw %} <%= %>",
    "line one\nline two\n",
    "ends\r\nwith CRLF\r\n",
    "tab\there",
    "# no comment",
    "key: value",
    "- item",
    "y",
    "no",
    "~",
    "null",
    "012",
    "1e3",
    "0x1F",
    "12:30:45",
    "2026-11-28",
    ".inf",
    "---",
    "...",
    "%YAML 1.2",
    "@at &anchor *alias !tag |block >fold",
    "naïve 中文 🚀 \u202e",
    "next\u0085line \u2028 separator \ufeff",
    "\x01\x7f",
    "x" * 3000,
)
QUANTITIES = ("64Mi", "1Gi", "16Gi", "500M", "1500Mi", "2 * 3Gi")
CPUS = ("1", "4", "500m", "0.5", "2500m")

POLICIES: dict[str, tuple[str, ...]] = {
    "tfjob": (
        "on failed => restart container",
        "on failed => restart pod",
        "on failed => fail job",
        "on exit 1..127 => fail job\n  on failed => restart pod",
        "on evicted => restart pod",
        "on worker failed => restart container",
        "on worker completed => complete job",
        "on worker[0] completed => complete job",
        "on chief completed => complete job",
        "on failed => restart container\n  on restarted 4 => fail job",
    ),
    "volcano": (
        "on failed => restart container",
        "on failed => restart pod",
        "on failed => restart role",
        "on failed => restart job",
        "on failed => abort job",
        "on failed => ignore",
        "on failed after 5m => restart job",
        "on evicted => restart job",
        "on evicted after 90s => restart pod",
        "on evicted => ignore",
        "on worker failed => restart pod",
        "on ps failed => abort job",
        "on exit [3, 137] => restart role",
        "on worker exit 130..143 => restart pod",
        "on pending after 10m => abort job",
        "on worker pending after 1h30m => restart job",
        "on unknown => restart job",
        "on unknown => ignore",
        "on worker completed => complete job",
        "on chief completed => complete job",
        "on ps completed => restart job",
        "on failed => restart container\n  on restarted 4 => abort job",
    ),
    "kubernetes": (
        "on failed => restart container",
        "on failed => restart pod",
        "on failed => fail job",
        "on worker failed => restart pod",
        "on ps failed => restart container",
        "on evicted => restart pod",
        "on exit 1..127 => fail job\n  on failed => restart pod",
        "on exit [3, 137] => restart pod",
        "on exit 42 => ignore",
        "on worker completed => complete job",
        "on worker[0] completed => complete job",
        "on chief completed => complete job",
    ),
    "jobset": (
        "on failed => restart job",
        "on failed => restart container",
        "on failed => restart pod",
        "on failed => fail job",
        "on worker failed => restart pod",
        "on ps failed => restart container",
        "on evicted => restart job",
        "on evicted => restart pod",
        "on worker evicted => fail job",
        "on exit [3, 137] => restart pod",
        "on exit 1..127 => fail job\n  on failed => restart job",
        "on worker exit 130..143 => restart job",
        "on worker[0] failed => restart job",
        "on worker[0] exit 7 => fail job",
        "on worker completed => complete job",
        "on worker[0] completed => complete job",
        "on chief completed => complete job",
        "on failed => restart container\n  on restarted 1 => restart job",
        "on failed => ignore",
    ),
}
VERSIONS = {
    "tfjob": ("1.3", "1.5", "1.6", "1.7", "1.8", "1.9"),
    "volcano": ("1.5.0", "1.6", "1.9", "1.11", "1.12.0", "1.12.4", "1.13.0", "1.13.2", "1.14", "1.15"),
    "kubernetes": ("1.27", "1.30", "1.34"),
    "jobset": ("0.8", "0.10", "0.11", "0.12"),
}
OPTIONS = {
    "tfjob": ('tf_config = "static"', 'gang_scheduler = "volcano"', "kueue = true"),
    "volcano": ('tf_config = "plugin"', 'tf_config = "static"', 'tf_config = "shell"'),
    "kubernetes": ('hosts = ["h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9", "h10.example.com"]',),
    "jobset": (
        'subdomain = "trainers"',
        'exclusive_topology = "example.com/rack"',
        'job_names = { worker = "trainer" }',
    ),
}
MOUNTS = (
    'pvc "data" at "{path}"',
    'pvc "data" at "{path}" readonly {{ sub_path = "runs/${{job.name}}" }}',
    'pvc "data" at "{path}" {{ sub_path = "shard-${{task.index}}" }}',
    'claim 10Gi at "{path}"',
    'claim 100Gi at "{path}" {{ storage_class = "fast", keep = true, access_modes = ["ReadWriteMany"] }}',
    'host "/disk1/data" at "{path}"',
    'host "/disk1/data" at "{path}" readonly {{ type = "DirectoryOrCreate" }}',
    'nfs "10.0.0.2:/export/data" at "{path}"',
    'nfs "nfs.example.com:/export" at "{path}" readonly',
    'configmap "settings" at "{path}"',
    'configmap "settings" at "{path}" {{ items = {{ conf = "etc/app.conf" }} }}',
    'secret "keys" at "{path}" {{ mode = "0400" }}',
    'secret "keys" at "{path}" {{ items = {{ "id_rsa" = "ssh/id" }}, mode = "0440" }}',
    'scratch at "{path}"',
    'scratch 20Gi at "{path}"',
    'memory 1Gi at "{path}"',
)
ODD_MOUNTS = (
    'pvc "Data" at "{path}"',
    'pvc "data" at "{path}" {{ sub_path = "../up" }}',
    'pvc "data" at "{path}" {{ sub_path = "/absolute" }}',
    'claim 10Gi at "{path}" {{ storage_class = "Fast Disk" }}',
    'claim 10Gi at "{path}" {{ access_modes = ["ReadWriteOncePod", "ReadWriteMany"] }}',
    'host "/disk1/../data" at "{path}"',
    'host "/disk1/data" at "{path}" {{ type = "Folder" }}',
    'nfs "10.0.0.2:relative" at "{path}"',
    'nfs "a b:/export" at "{path}"',
    'configmap "Settings" at "{path}"',
    'configmap "settings" at "{path}" {{ items = {{ "bad key" = "x" }} }}',
    'configmap "settings" at "{path}" {{ items = {{ key = "../x" }} }}',
    'configmap "settings" at "{path}" {{ items = {{ key = "/x" }} }}',
    'secret "keys" at "{path}" {{ mode = "1777" }}',
    'secret "keys" at "{path}" {{ mode = "0999" }}',
    'scratch 1m at "{path}"',
    'memory 500m at "{path}"',
)
"""What a server refuses one way or another."""

ODD_PATHS = ("/with:colon", "/a/../b", "/trailing/", "//double", "/")
PATHS = ("/data", "/runs", "/work dir/$x", "/a/b/c/d", "/dev/shm", "/opt/中文", "/etc/conf.d")


SEED = "tfdsl-1"

ODD_IMAGES = ("y", "012", "No Image:", " in front", "behind\n", "x@sha256:0", "$(IMAGE)", "{{ image }}", "a" * 300)
NAMES = ("a", "mnist", "y", "no", "null", "e2e-1", "x" * 40, "long-" + "x" * 44, "z" * 46, "a" * 63, "0abc")
LABELS = ("", "a", "fast", "v1.2-3_x", "y", "012", "1e3", "a" * 63)
KEYS = ("team", "example.com/team", "Team_1.x", "a" * 63)
BAD_LABELS = ("x y", "-bad-", "日本", "a" * 64)
BAD_KEYS = ("two words", "-x", "a/b/c", "", "a" * 64)
ENV_NAMES = ("MODE", "a.b-c", "EPOCHS", "_x", "TASK_INDEX", "PATH", "JOB_COMPLETION_INDEX", "lower_9")
ENV_VALUES = (
    *("5", "0.25", "true", 'secret("hub", "token")', 'configmap("conf", "x.y")'),
    *(
        'pod_field("status.podIP")',
        'pod_field("status.hostIPs")',
        "pod_field(\"metadata.annotations['Example.com/A']\")",
    ),
)
STEP_NAMES = ("fetch", "0-check", "a" * 63, "log-shipper", "y", "null", "012")
ENV_SOURCES = ('configmap("settings")', 'secret("hub")', 'secret("a.b-c")')
RUN_TIME = ('"--shard=${task.index}"', '"${role.name}-${task.index}"', '"$(X) of ${role.replicas}"')
COMMANDS = (
    '["python", "/app/train.py"]',
    '"exec python train.py \\"$@\\""',
    "'''\n    set -e\n    echo \"it's $(hostname) ${X} {{ y }} $@\"\n    '''",
)
ODD_ATTRIBUTES = (
    'image_pull_secrets = ["Bad_Secret"]',
    'image_pull_secrets = ["a", "a"]',
    'gpu = 9999999999, gpu_resource = "nvidia.com/gpu"',
    'resources = { "gpus" = 1 }',
    'resources = { "a.b/c" = 500 }, gpu = 1, gpu_resource = "a.b/c"',
    'resources = { "kubernetes.io/x" = 1 }',
    'resources = { "requests.x.y/z" = 1 }',
    'resources = { "hugepages-2Mi" = 4 }',
    "cpu = 2, cpu_limit = 1",
    "cpu_limit = 2, memory_limit = 2Gi",
    "memory = 2Gi, memory_limit = 1Gi",
    "cpu = 0, memory = 0Gi",
    'env = { A = secret("No Name", "key") }',
    'env = { A = secret("name", "no key") }',
    'env = { A = configmap("name", "..") }',
    'env = { A = pod_field("status.phase") }',
    'env = { A = pod_field("metadata.labels") }',
    "env = { A = pod_field(\"metadata.labels['a b']\") }",
    "env = { A = pod_field(\"spec.nodeName['a']\") }",
    'env_from = [secret("No Name")]',
    'env_from = [configmap("a/b")]',
    'env = { A = "${env.B}", B = "${env.C}", C = "c" }',
    'env = { KUBERNETES_SERVICE_HOST = "x", VC_PS_HOSTS = "y", VK_TASK_INDEX = 1 }',
    'tolerations = [{ key = "a", operator = "Exists", value = "x" }]',
    'tolerations = [{ key = "bad key" }]',
    'tolerations = [{ operator = "Equal", value = "x" }]',
    'tolerations = [{ key = "a", effect = "Never" }]',
    'tolerations = [{ key = "a", effect = "NoSchedule", toleration_seconds = 5 }]',
    'annotations = { "kueue.x-k8s.io/queue-name" = "x", "volcano.sh/preemptable" = "true" }',
    'labels = { "tfdsl/job" = "other", "training.kubeflow.org/job-name" = "z" }',
    'workdir = "with:colon"',
    'scheduler = "a/b"',
    'queue = "root"',
    'queue = "a..b"',
    "port = 22",
    "cpu = 1m, memory = 1Mi",
    "cpu = 0.0001",
    "memory = 0.5Gi, shm = 1Ti",
    "shm = 0Mi",
    "gpu_memory = 4Gi, gpu = 1",
    "gpu_memory = 100Mi",
    'labels = { "kubernetes.io/metadata.name" = "x", "app" = "" }',
    'annotations = { "sidecar.istio.io/inject" = "true" }',
    'checkpoint = "/runs/${task.index}"',
    'priority = "system-node-critical"',
    "ttl = 100000d",
    "deadline = 100000d",
    "retries = 4000000000",
)
"""What is at the edge of what servers take, or over it."""
TOLERATIONS = (
    '{ key = "nvidia.com/gpu", operator = "Exists", effect = "NoSchedule" }',
    '{ key = "pool", operator = "Equal", value = "gpu" }',
    '{ operator = "Exists", effect = "NoExecute", toleration_seconds = 60 }',
    '{ key = "a" }',
)


def quoted(text: str) -> str:
    """``text`` as a string of the language."""
    out = text.replace("\\", "\\\\").replace('"', '\\"').replace("${", "\\${")
    for char, name in (("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        out = out.replace(char, name)
    return '"' + "".join(c if c.isprintable() else f"\\u{{{ord(c):X}}}" for c in out) + '"'


def job(target: str, number: int) -> str:
    """The text of job ``number`` that may compile for ``target``."""
    return _Draw(f"{SEED}/{target}/{number}", target).job()


RANGES = (0x20, 0xA0, 0x390, 0x4E00, 0x1F600)
"""Blocks of characters to draw from: Latin twice, Greek, Han, emoji; 0x7F and 0xFF are in them."""


class _Draw(Random):
    """A source of chance, and what is drawn from it."""

    def __init__(self, seed: str, target: str) -> None:
        super().__init__(seed)
        self.target = target
        self.lead = ""
        self.roles: list[str] = []

    def once_in(self, times: int) -> bool:
        """True once in so many times."""
        return self.randrange(times) == 0

    def job(self) -> str:
        """A whole job."""
        self.lead = self.choice(("chief", "master", "", ""))
        self.roles = [name for name in (self.lead, "worker", "ps") if name and (name != "ps" or self.once_in(2))]
        self.roles += [name for name in ("evaluator", "tensorboard") if self.once_in(4)]
        if self.lead and self.once_in(5):
            self.roles.remove("worker")
        image = self.choice(ODD_IMAGES) if self.once_in(12) else "registry.example.com:5000/ml/mnist:1.4"
        items = [f"image = {quoted(image)}", f"command = {self.command()}"]
        items += self.job_attributes() + self.attributes(1) + self.mounts()
        items += [self.choice(ODD_ATTRIBUTES)] if self.once_in(8) else []
        if self.once_in(5):
            items += ['mount pvc "results" at "/results"', 'output "/tmp/it\'s" to "/results/${job.name} $(X)"']
        items += self.steps() if self.once_in(4) else []
        items += [self.role(name) for name in self.roles] + self.policies()
        if self.once_in(3):
            items.append(f'cluster {{ discovery = "{self.choice(("tf_config", "flags", "both", "none"))}" }}')
        items.append(self.target_block())
        name = self.choice(NAMES) if self.once_in(3) else f"job-{self.randrange(10 ** self.randrange(1, 30))}"
        return f"job {quoted(name)} {{\n" + "".join(f"  {item}\n" for item in items) + "}\n"

    # --- parts -----------------------------------------------------------------------------------------------------

    def role(self, name: str) -> str:
        """One role."""
        items = self.attributes(4)
        if name in ("worker", "ps"):
            replicas = self.choice((1, 1, 2, 3, 12))
            items.append(f"replicas = {replicas}")
            items += [f"min_available = {max(1, replicas - 1)}"] if self.once_in(8) else []
            alone = name == "worker" and not self.lead
            items += ["server = true"] if self.once_in(10) and not alone else []
            waits = name == "worker" and "ps" in self.roles and self.target in ("volcano", "jobset")
            items += ['after = ["ps"]'] if waits and self.once_in(6) else []
        if name == "tensorboard":
            items = [item for item in items if not item.startswith("args")] + ['logdir = "/runs/logs"']
        items += [f"labels = {self.labels()}"] if self.once_in(10) else []
        items += [f"annotations = {self.map(KEYS, self.text)}"] if self.once_in(10) else []
        items += self.mounts() if self.once_in(8) else []
        items += self.steps() if self.once_in(5) else []
        return f"role {name} {{\n" + "".join(f"    {item}\n" for item in items) + "  }"

    def attributes(self, thin: int) -> list[str]:
        """Attributes of a job or role, each with its own odds, ``thin`` times as rare."""
        table: tuple[tuple[str, int, Callable[[], str]], ...] = (
            ("image_pull_policy", 6, lambda: self.choice(('"Always"', '"IfNotPresent"', '"Never"'))),
            ("image_pull_secrets", 8, lambda: '["registry-key", "other.key"]'),
            ("args", 2, lambda: self.list(self.string)),
            ("workdir", 5, lambda: self.choice(('"/app"', '"/work dir/$(X)"', '"relative"'))),
            ("env", 2, lambda: self.map(ENV_NAMES, self.env_value)),
            ("env_from", 6, lambda: self.list(lambda: self.choice(ENV_SOURCES))),
            ("cpu", 3, lambda: self.choice(CPUS)),
            ("memory", 3, lambda: self.choice(QUANTITIES)),
            ("cpu_limit", 8, lambda: self.choice(('"none"', "64"))),
            ("memory_limit", 8, lambda: self.choice(('"none"', "64Gi"))),
            ("gpu", 3, lambda: self.choice(("0", "1", "8"))),
            ("gpu_resource", 12, lambda: self.choice(('"amd.com/gpu"', '"nvidia.com/mig-1g.5gb"', '"gpu"'))),
            ("resources", 10, lambda: self.choice(('{ "rdma/hca" = 1 }', '{ "example.com/fpga" = 2, "a.b/c" = 4 }'))),
            ("shm", 6, lambda: self.choice(QUANTITIES)),
            ("port", 8, lambda: self.choice(("1", "2223", "65535"))),
            ("host_network", 12, lambda: "true"),
            ("run_as_user", 10, lambda: self.choice(("0", "1000", "2147483647"))),
            ("run_as_group", 12, lambda: self.choice(("0", "1000", "2147483647"))),
            ("fs_group", 10, lambda: self.choice(("0", "2000"))),
            ("privileged", 12, lambda: "true"),
            ("capabilities", 10, lambda: self.choice(('["IPC_LOCK"]', '["ALL", "SYS_PTRACE"]', "[]"))),
            ("stop_grace", 8, lambda: self.choice(("0s", "90s", "1500ms", "24855d"))),
            (
                "ports",
                8,
                lambda: self.choice(("{ metrics = 9090 }", '{ "d-1" = 1234, "0a" = 65534 }', '{ "a_b" = 9 }')),
            ),
            ("service_account", 8, lambda: self.choice(('"trainer"', '"a.b"', '"Trainer"'))),
            ("node_selector", 8, self.node_labels),
            ("tolerations", 8, lambda: self.list(lambda: self.choice(TOLERATIONS))),
            ("spread", 8, lambda: '"node"'),
        )
        return [f"{name} = {value()}" for name, odds, value in table if self.once_in(odds * thin)]

    def job_attributes(self) -> list[str]:
        """Attributes that only a job has."""
        table: tuple[tuple[str, int, Callable[[], str]], ...] = (
            ("namespace", 8, lambda: self.choice(('"ml"', '"team-1"', '"Bad_Name"'))),
            ("labels", 6, self.labels),
            ("annotations", 6, lambda: self.map(KEYS, self.text)),
            ("queue", 5, lambda: self.choice(('"research"', '"a.b-c"', '"y"', '"Bad Queue"'))),
            ("priority", 6, lambda: self.choice(('"high"', '"a.b"', '"Very High"'))),
            ("scheduler", 10, lambda: self.choice(('"my-scheduler"', '"default-scheduler"', '"no good"'))),
            ("gang", 6, lambda: self.choice(("true", "false"))),
            ("retries", 5, lambda: self.choice(("1", "7", "2147483646"))),
            ("deadline", 5, lambda: self.choice(("1s", "12h", "1500ms", "90d"))),
            ("ttl", 5, lambda: self.choice(("1s", "1d", "1h30m"))),
            ("cleanup", 5, lambda: self.choice(('"running"', '"all"', '"none"'))),
            ("suspend", 14, lambda: "true"),
            ("checkpoint", 8, lambda: self.choice(('"/runs/ckpt"', '"/runs/${task.index}"'))),
        )
        return [f"{name} = {value()}" for name, odds, value in table if self.once_in(odds)]

    def mounts(self) -> list[str]:
        """Mounts at different paths."""
        paths = self.sample(PATHS, self.choice((0, 0, 1, 1, 2, 3)))
        odd = self.once_in(40)
        paths = [self.choice(ODD_PATHS), *paths] if self.once_in(40) else paths
        return [f"mount {self.choice(ODD_MOUNTS if odd else MOUNTS).format(path=path)}" for path in paths]

    def steps(self) -> list[str]:
        """Steps of different names, in any order."""
        names = self.sample(STEP_NAMES, self.choice((1, 1, 2, 3)))
        return [f"{self.choice(('prepare', 'prepare', 'sidecar'))} {quoted(name)} {self.step()}" for name in names]

    def step(self) -> str:
        """The braces of a step."""
        table: tuple[tuple[str, int, Callable[[], str]], ...] = (
            ("image", 2, lambda: '"registry.example.com/fetch:1"'),
            ("args", 3, lambda: self.list(self.string)),
            ("workdir", 8, lambda: self.choice(('"/app"', '"relative"'))),
            ("env", 3, lambda: self.map(ENV_NAMES, self.env_value)),
            ("env_from", 8, lambda: self.list(lambda: self.choice(ENV_SOURCES))),
            ("cpu", 3, lambda: self.choice(CPUS)),
            ("memory", 3, lambda: self.choice(QUANTITIES)),
            ("gpu", 6, lambda: self.choice(("0", "1"))),
        )
        written = [f"{name} = {value()}" for name, odds, value in table if self.once_in(odds)]
        return f"{{ {', '.join([f'command = {self.command()}', *written])} }}"

    def policies(self) -> list[str]:
        """Policies about the roles that there are, of different events."""
        fitting = [
            policy
            for policy in POLICIES[self.target]
            if all(name in self.roles for name in ("chief", "worker", "ps") if f"on {name}" in policy)
        ]
        found: dict[str, str] = {}
        for policy in self.sample(fitting, self.choice((0, 1, 1, 2))):
            found.setdefault(policy.partition("=>")[0].split()[1], policy)
        return list(found.values())

    def target_block(self) -> str:
        """The block of the target: its version and options."""
        versions = VERSIONS[self.target]
        items = [f'version = "{versions[-1] if self.once_in(2) else self.choice(versions)}"']
        items += [self.choice(OPTIONS[self.target])] if self.once_in(3) else []
        return f"target {self.target} {{ " + ", ".join(items) + " }"

    # --- values ----------------------------------------------------------------------------------------------------

    def text(self) -> str:
        """A string without run-time values, quoted."""
        if self.once_in(2):
            return quoted(self.choice(HOSTILE))
        if self.once_in(2):
            return quoted(self.choice(("--steps=5000", "train.py", "a b", "/data/x")))
        return quoted("".join(chr(self.choice(RANGES) + self.randrange(96)) for _ in range(self.randrange(12))))

    def string(self) -> str:
        """A string for a place that takes run-time values."""
        return self.choice(RUN_TIME) if self.once_in(4) else self.text()

    def env_value(self) -> str:
        """The value of a variable."""
        return self.choice(ENV_VALUES) if self.once_in(3) else self.string()

    def command(self) -> str:
        """What to run."""
        return self.list(self.string) if self.once_in(2) else self.choice(COMMANDS)

    def labels(self) -> str:
        """Labels; one map in fifteen has one that is none."""
        if self.once_in(15):
            return self.map(KEYS + BAD_KEYS, lambda: quoted(self.choice(LABELS + BAD_LABELS)))
        return self.map(KEYS, lambda: quoted(self.choice(LABELS)))

    def node_labels(self) -> str:
        """Labels of nodes; one value in three is a list."""
        return self.map(KEYS, lambda: self.list(self.label) if self.once_in(3) else self.label())

    def label(self) -> str:
        """The value of a label."""
        return quoted(self.choice(LABELS))

    def map(self, keys: tuple[str, ...], value: Callable[[], str]) -> str:
        """A map of one to three entries."""
        chosen = self.sample(keys, self.randrange(1, 4))
        return "{ " + ", ".join(f"{quoted(key)} = {value()}" for key in chosen) + " }"

    def list(self, item: Callable[[], str]) -> str:
        """A list of one to four items."""
        return "[" + ", ".join(item() for _ in range(self.randrange(1, 5))) + "]"
