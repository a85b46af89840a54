"""Made-up programs: right ones, wrong ones, and ones that only look like programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import targets

if TYPE_CHECKING:
    from random import Random

ROLES = ("chief", "master", "ps", "worker", "evaluator", "tensorboard", "trainer")
EVENTS = ("completed", "failed", "exit 3", "exit 1..9", "exit [4, 5]", "evicted", "pending", "restarted 3", "unknown")
ACTIONS = ("complete job", "fail job", "abort job", "restart container", "restart pod", "restart role", "restart job",
           "ignore", "dance")  # fmt: skip
KINDS = ("pvc", "claim", "host", "nfs", "configmap", "secret", "scratch", "memory", "hdfs", "archive", "hostPath")
JOB = ("namespace", "labels", "annotations", "queue", "priority", "scheduler", "gang", "retries", "deadline", "ttl",
       "cleanup", "suspend", "checkpoint")  # fmt: skip
ROLE = ("labels", "annotations", "image", "image_pull_policy", "image_pull_secrets", "command", "args", "workdir",
        "env", "env_from",
        "cpu", "memory", "cpu_limit", "memory_limit", "gpu", "gpu_resource", "gpu_memory", "resources", "shm",
        "tmp_size",
        "port",
        "host_network", "service_account", "run_as_user", "run_as_group", "fs_group", "privileged", "capabilities",
        "restricted",
        "stop_grace", "ports",
        "node_selector", "node_label", "tolerations", "spread", "replicas",
        "min_available", "after", "server", "logdir")  # fmt: skip
STEP = ("image", "command", "args", "workdir", "env", "cpu", "memory", "gpu", "port")
FITTING = {
    "namespace": '"ml"', "labels": '{ a = "b" }', "annotations": '{ a = "b" }', "queue": '"q"', "priority": '"high"',
    "scheduler": '"s"', "gang": "false", "retries": "3", "deadline": "1h", "ttl": "0s", "cleanup": '"all"',
    "suspend": "true", "checkpoint": '"/c/${task.index}"', "image": '"i:${role.name}"', "image_pull_policy": '"Always"',
    "image_pull_secrets": '["k"]', "command": '["a", "${task.index}"]', "args": '["$(X)", "{{ }}", "\\u{1F600}\\n"]',
    "workdir": '"/w"',
    "env": '{ A = "1", B = 2, C = true, D = secret("s", "k"), E = 1.50, F = pod_field("spec.nodeName") }',
    "env_from": '[configmap("c"), secret("s")]', "cpu": "500m",
    "memory": "4Gi", "cpu_limit": "8", "memory_limit": "8Gi", "gpu": "1", "gpu_resource": '"amd.com/gpu"',
    "gpu_memory": "1Gi", "resources": '{ "rdma/hca" = 1 }', "shm": "1Gi", "tmp_size": "1Gi", "port": "2223",
    "host_network": "true",
    "service_account": '"sa"', "run_as_user": "0", "run_as_group": "1000", "fs_group": "1000", "privileged": "true",
    "capabilities": '["IPC_LOCK"]', "restricted": "true", "stop_grace": "1h", "ports": "{ debug = 9090 }",
    "node_selector": '{ a = "b" }', "node_label": '"gpu"',
    "tolerations": '[{ key = "a", operator = "Exists" }]', "spread": '"node"', "replicas": "2", "min_available": "1",
    "after": '["ps"]', "server": "true", "logdir": '"/l"',
}  # fmt: skip
LITERALS = ("0", "1", "-1", "42", "1.5", "007", "99999999999999999999", '"x"', '""', '"\\u{0}"', "true", "false",
            "500m", "4Gi", "1h30m", "10m", "4GB", "[]", "{}", '["a", 1]', "{ a = 1 }", "a", "b", "c", "unknown",
            "job.name", "job.namespace", "job.user", "role.name", "role.replicas", "roles.worker.replicas",
            "roles.ps.replicas",
            "task.index", '"${task.index}"', '"${env.HOME}/x"', '"${job.user}"', '"${a}"', "secret(\"s\", \"k\")",
            'secret("s")', 'pod_field("x")',
            '"/data"', '"server:/x"', '"hdfs:///x"', "'''\n  raw\n  '''", "null", "a.b.c", "a[0]",
            'a["k"]', "matrix.lr", "matrix.index", '"${matrix.lr}"')  # fmt: skip
OPERATORS = ("+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||")
FUNCTIONS = ("min", "max", "len", "lower", "upper", "trim", "join", "split", "replace", "format", "file", "secret",
             "configmap", "pod_field", "env_file", "nope")  # fmt: skip
TARGETS = (*targets.names(), "k8s")


def expression(random: Random, depth: int = 0) -> str:
    """Any expression, most of them wrong."""
    if depth > 3 or random.random() < 0.45:
        return random.choice(LITERALS)
    inner = [expression(random, depth + 1) for _ in range(3)]
    return random.choice(
        (
            f"{inner[0]} {random.choice(OPERATORS)} {inner[1]}",
            f"({inner[0]}) {random.choice(OPERATORS)} ({inner[1]})",
            f"{inner[0]} == {inner[1]} ? {inner[2]} : {inner[0]}",
            f"{random.choice(FUNCTIONS)}({', '.join(inner[: random.randrange(4)])})",
            f"[{', '.join(inner)}]",
            f"{{ a = {inner[0]}, b = {inner[1]} }}",
            f"!{inner[0]}",
            f"-{inner[0]}",
            f"({inner[0]})[{inner[1]}]",
            f"({inner[0]}).x",
        )
    )


def _value(random: Random, name: str, fitting: float) -> str:
    return FITTING[name] if random.random() < fitting else expression(random)


def _statement(random: Random, fitting: float, *, own: bool) -> str:
    subject = (
        "" if own or random.random() < 0.5 else random.choice(ROLES) + random.choice(("", "", "[0]", "[9]", "[1.5]"))
    )
    after = random.choice(("", "", " after 10m", " after a"))
    path = random.choice(("/data", "/runs", "/dev/shm", "/tmp", "data", "/", "~", "/a/${role.name}", "/data/"))
    source = random.choice(('"vol"', "1Gi", '"/x"', '"s:/x"', '"hdfs:///x.tar"', "", expression(random)))
    options = random.choice(("", "", "", ' { sub_path = "x" }', " { keep = true }", ' { mode = "0440" }', " { a = 1 }"))
    return random.choice(
        (
            f"on {subject} {random.choice(EVENTS)}{after} => {random.choice(ACTIONS)}",
            f'mount {random.choice(KINDS)} {source} at "{path}"{random.choice(("", " readonly"))}{options}',
            f'output "/tmp/x" to "{random.choice(("/runs/x", "/data/${task.index}", "hdfs:///x", "/x"))}"'
            f"{random.choice(('', ' on always', ' on never'))}{f' from {subject}' if subject else ''}",
            f"use {random.choice(('t', 't2', 'nope'))}",
            f"{random.choice(('prepare', 'sidecar'))} {random.choice(('fetch', 'a_b', chr(34) + 'x-1' + chr(34)))} "
            f"{{ {', '.join(_attributes(random, STEP, random.randrange(3), fitting))} }}",
            f"cpu = {_value(random, 'cpu', fitting)}",
        )
    )


def _attributes(random: Random, names: tuple[str, ...], count: int, fitting: float) -> list[str]:
    return [f"{name} = {_value(random, name, fitting)}" for name in random.sample(names, count)]


def _role(random: Random, name: str, fitting: float) -> str:
    items = _attributes(random, ROLE, random.randrange(6), fitting)
    items += [_statement(random, fitting, own=True) for _ in range(random.randrange(3))]
    return f"role {name} {{ " + ", ".join(items) + " }"


def clean_program(random: Random) -> str:
    """A file with one job that is right."""
    single = tuple(name for name in ROLE if name not in ("after", "server", "logdir", "replicas", "min_available"))
    lines = [
        "param a: int = 3",
        "let b = a + 1",
        'let c = "x"',
        "job j {",
        'image = "i"',
        "role worker { replicas = a }",
    ]
    lines += _attributes(random, JOB, random.randrange(8), 1.0)
    for name in random.sample(("chief", "ps", "evaluator"), random.randrange(4)):
        items = _attributes(random, single, random.randrange(12), 1.0)
        lines.append(f"role {name} {{ {', '.join(items)} }}")
    lines += random.sample(
        (
            "on failed => restart container",
            "on worker completed => complete job",
            "on exit [137, 143] => restart pod",
            "on exit 1..9 => ignore",
            "on evicted after 5m => restart job",
            "on pending after 1h => abort job",
            "on worker[2] failed => ignore",
            "on unknown => fail job",
            'mount pvc "runs" at "/runs" { sub_path = "${env.USER}" }',
            'mount claim 1Gi at "/claim" { keep = true }',
            'mount nfs "s:/x/${task.index}" at "/nfs"',
            'mount secret "s" at "/s" { items = { a = "b" }, mode = "0400" }',
            'mount hdfs "hdfs:///x" at "h"',
            'mount scratch at "/tmp/${role.name}"',
            'output "/tmp/x" to "hdfs:///x"',
            'output "/tmp/x" to "hdfs:///x-${task.index}" from worker { overwrite = true }',
            'cluster { discovery = "both" }',
            'build { from = "x", copy "a" to "/a", run "b", entrypoint = ["c"] }',
            'role tensorboard { logdir = "/logs", sidecar log { image = "l" } }',
            'prepare fetch { command = ["x", "${task.index}"], env = { A = "b" }, cpu = 1 }',
            'sidecar "log-1" { image = "l", memory = 1Gi, workdir = "/l" }',
            "matrix { lr = [0.1, 1e-3], size = [a, b] }",
            'target volcano { patch "metadata.x" = { a = [1, 1.5, true, 10m, 4Gi] }, queue = "b" }',
        ),
        random.randrange(8),
    )
    return "\n".join((*lines, "}")) + "\n"


def program(random: Random) -> str:
    """A file of params, lets, templates and jobs; how much of it is right differs from file to file."""
    fitting = random.choice((0.0, 0.5, 0.95, 1.0))
    lines = [
        f"param a: {random.choice(('int', 'string', 'quantity', 'list<string>', 'map<int>'))} = {expression(random)}",
        f"let b = {expression(random)}",
        f"let c = {expression(random)}",
        f"template t {{ {', '.join(_attributes(random, ROLE, 2, fitting))}\n use t2 }}",
        f"template t2 {{ {_statement(random, fitting, own=True)} }}",
        f"profile p {{ a = {expression(random)} }}",
    ]
    for number in range(random.randrange(1, 3)):
        name = random.choice((f"j{number}", f"j{number}", f'"j{number}-${{{random.choice(LITERALS)}}}"'))
        lines.append(f"job {name} {{")
        if random.random() < 0.3:
            lines.append(f"matrix {{ lr = [{expression(random)}], n = [1, {random.choice(LITERALS)}] }}")
        lines.append('image = "i"')
        lines += _attributes(random, JOB, random.randrange(5), fitting)
        lines += [_statement(random, fitting, own=False) for _ in range(random.randrange(4) if fitting < 1 else 0)]
        lines += [
            _role(random, name, fitting)
            for name in random.sample(ROLES[: 6 if fitting > 0.9 else 7], random.randrange(1, 5))
        ]
        for target in random.sample(TARGETS[: -1 if fitting > 0.9 else None], random.randrange(3)):
            lines.append(f"target {target} {{ {', '.join(_attributes(random, JOB + ROLE[2:20], 2, fitting))} }}")
        lines.append("}")
    return "\n".join(lines) + "\n"


def mutated(random: Random, text: str) -> str:
    """``text`` with a few pieces lost, doubled, swapped or replaced."""
    for _ in range(random.randrange(1, 5)):
        at, end = sorted((random.randrange(len(text) + 1), random.randrange(len(text) + 1)))
        end = min(end, at + random.choice((1, 3, 20)))
        piece = random.choice(
            ("", text[at:end] * 2, "}", "{", '"', "${", "=", "\n", " on ", "\u00e9", "# ", "[", "'''")
        )
        text = text[:at] + piece + text[end:]
    return text
