"""A wrong value gets from JSON what it gets from a text: the same verdict, code and words.

Every attribute and every field of a statement is given every kind of wrong value, once in a text and once in JSON.
Help is compared as JSON writes it. What has no equivalent is in ``APART``, each with its reason.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from tfdsl.compiling import pipeline
from tfdsl.compiling.read_json import from_json, in_json
from tfdsl.semantics.request import Request
from tfdsl.text import Source
from tfdsl.vocabulary import attributes, statements

Told: TypeAlias = set[tuple[str, str, tuple[str, ...]]]
Fields: TypeAlias = dict[str, Any]
Case: TypeAlias = tuple[str, Callable[[Any], tuple[Fields, Fields]]]
"""A text with ``{}`` for the value, and the fields of a role and of the job with it."""

IMAGE = "r/x:1"

VALUES: dict[str, tuple[str, Any]] = {
    "an int": ("7", 7),
    "0": ("0", 0),
    "negative": ("-1", -1),
    "large": ("99999999999", 99999999999),
    "a number": ("0.5", 0.5),
    "a small number": ("0.0001", 0.0001),
    "a bool": ("true", True),
    "a text": ('"Lots of x"', "Lots of x"),
    "an empty text": ('""', ""),
    "a text with NUL": ('"a\\u{0}b"', "a\0b"),
    "an int as a text": ('"16"', "16"),
    "a list": ('["a b", "c"]', ["a b", "c"]),
    "a list of ints": ("[1, 2]", [1, 2]),
    "an empty list": ("[]", []),
    "a map": ('{ a = "b c" }', {"a": "b c"}),
    "a map of ints": ("{ a = 99999 }", {"a": 99999}),
    "a map with another key": ('{ "a b" = "c" }', {"a b": "c"}),
    "an empty map": ("{ }", {}),
    "a list in a list": ("[[1]]", [[1]]),
    "a map in a map": ("{ a = { b = 1 } }", {"a": {"b": 1}}),
}
AMOUNTS: dict[str, tuple[str, Any]] = {
    "a quantity": ("16Gi", "16Gi"),
    "no quantity": ("0Gi", "0Gi"),
    "thousandths or minutes": ("10m", "10m"),
    "a duration": ("2h30m", "2h30m"),
    "no duration": ("0s", "0s"),
    "a bare int": ("16", "16"),
    "a bare number": ("0.0001", "0.0001"),
}
AMOUNT_NAMES = (
    "cpu",
    "memory",
    "cpu_limit",
    "memory_limit",
    "gpu_memory",
    "shm",
    "tmp_size",
    "deadline",
    "ttl",
    "stop_grace",
)

APART: dict[tuple[str, str], str] = {
    ("replicas", "0"): "a role of 0 replicas is left out of a text; JSON is a job that is resolved",
    ("claim.access_modes", "an empty list"): "in JSON it is the default, which depends on the mounts",
}
"""Pairs that have no equivalent, and why."""

NAMES = {"claim.size": ("the source of mount claim ", "size "), "build.base": ("from ", "base ")}
"""What messages call a field of a text, and of JSON, where that differs."""


def of_text(body: str) -> Told:
    program = pipeline.load(
        Source("main.tfjob", f'job mnist {{\nimage = "{IMAGE}"\n{body}\n}}\n'), lambda path: "no file"
    )
    assert not program.diagnostics, program.diagnostics
    told = pipeline.check(program, Request()).diagnostics
    return {(one.rule.code, one.message, tuple(map(in_json, one.helps))) for one in told if one.level == "error"}


def of_json(role: Fields, job: Fields) -> Told:
    roles = [{"name": "worker", "image": IMAGE, **role}]
    read = from_json(Source("job.json", json.dumps({"name": "mnist", "roles": roles, **job})))
    return {(one.rule.code, one.message, one.helps) for one in read.diagnostics}


def pairs(row: attributes.Attribute) -> dict[str, tuple[str, Any]]:
    if row.name not in AMOUNT_NAMES:
        return VALUES
    return {name: pair for name, pair in VALUES.items() if name != "an int as a text"} | AMOUNTS


def mount(kind: str, **fields: Any) -> Fields:
    return {"mounts": [{"kind": kind, "at": "/a", **fields}]}


def claim(**fields: Any) -> tuple[Fields, Fields]:
    return mount("claim", claim="a"), {"claims": [{"name": "a", "size": "1Gi", **fields}]}


def step(**fields: Any) -> Fields:
    return {"steps": [{"kind": "sidecar", "name": "log", "command": ["tail"], **fields}]}


def output(**fields: Any) -> Fields:
    return {"outputs": [{"source": "m", "destination": "hdfs:///m", **fields}]}


def build(**fields: Any) -> tuple[Fields, Fields]:
    return {}, {"build": {"base": "b", **fields}}


def toleration(key: str) -> Case:
    others = {"key": "k", "operator": "Equal"}
    others.pop(key, None)
    written = "".join(f'{name} = "{text}", ' for name, text in others.items())
    body = f"role worker {{{{ tolerations = [{{{{ {written}{key} = {{}} }}}}] }}}}"
    return body, lambda value: ({"tolerations": [{**others, key: value}]}, {})


def sidecar(name: str) -> Case:
    command = "" if name == "command" else 'command = ["tail"]\n'
    return f"role worker {{{{ sidecar log {{{{ {command}{name} = {{}} }}}} }}}}", lambda value: (
        step(**{name: value}),
        {},
    )


AMOUNT_FIELDS = (
    "mount scratch",
    "mount memory",
    "claim.size",
    "sidecar.cpu",
    "sidecar.memory",
    "policy.delay",
    "delay of pending",
)

STATEMENTS: dict[str, Case] = {
    "mount pvc": ('role worker {{ mount pvc {} at "/a" }}', lambda v: (mount("pvc", claim=v), {})),
    "mount pvc.sub_path": (
        'role worker {{ mount pvc "c" at "/a" {{ sub_path = {} }} }}',
        lambda v: (mount("pvc", claim="c", sub_path=v), {}),
    ),
    "mount host": ('role worker {{ mount host {} at "/a" }}', lambda v: (mount("host", source=v), {})),
    "mount host.type": (
        'role worker {{ mount host "/h" at "/a" {{ type = {} }} }}',
        lambda v: (mount("host", source="/h", type=v), {}),
    ),
    "mount configmap": ('role worker {{ mount configmap {} at "/a" }}', lambda v: (mount("configmap", name=v), {})),
    "mount configmap.sub_path": (
        'role worker {{ mount configmap "c" at "/a" {{ sub_path = {} }} }}',
        lambda v: (mount("configmap", name="c", sub_path=v), {}),
    ),
    "mount configmap.items": (
        'role worker {{ mount configmap "c" at "/a" {{ items = {} }} }}',
        lambda v: (mount("configmap", name="c", items=v), {}),
    ),
    "mount secret": ('role worker {{ mount secret {} at "/a" }}', lambda v: (mount("secret", name=v), {})),
    "mount secret.mode": (
        'role worker {{ mount secret "c" at "/a" {{ mode = {} }} }}',
        lambda v: (mount("secret", name="c", mode=v), {}),
    ),
    "mount hdfs": ('role worker {{ mount hdfs {} at "/a" }}', lambda v: (mount("hdfs", uri=v), {})),
    "mount archive": ('role worker {{ mount archive {} at "/a" }}', lambda v: (mount("archive", source=v), {})),
    "mount scratch": ('role worker {{ mount scratch {} at "/a" }}', lambda v: (mount("scratch", size=v), {})),
    "mount memory": ('role worker {{ mount memory {} at "/a" }}', lambda v: (mount("memory", size=v), {})),
    "mount.at": ('role worker {{ mount pvc "c" at {} }}', lambda v: (mount("pvc", claim="c", at=v), {})),
    "claim.size": ('role worker {{ mount claim {} at "/a" }}', lambda v: claim(size=v)),
    "claim.storage_class": (
        'role worker {{ mount claim 1Gi at "/a" {{ storage_class = {} }} }}',
        lambda v: claim(storage_class=v),
    ),
    "claim.access_modes": (
        'role worker {{ mount claim 1Gi at "/a" {{ access_modes = {} }} }}',
        lambda v: claim(access_modes=v),
    ),
    "claim.keep": ('role worker {{ mount claim 1Gi at "/a" {{ keep = {} }} }}', lambda v: claim(keep=v)),
    "output.source": ('role worker {{ output {} to "hdfs:///m" }}', lambda v: (output(source=v), {})),
    "output.destination": ('role worker {{ output "m" to {} }}', lambda v: (output(destination=v), {})),
    "output.overwrite": (
        'role worker {{ output "m" to "hdfs:///m" {{ overwrite = {} }} }}',
        lambda v: (output(overwrite=v), {}),
    ),
    "cluster.discovery": (
        "cluster {{ discovery = {} }}\nrole worker {{ }}",
        lambda v: ({}, {"cluster": {"discovery": v}}),
    ),
    "cluster.protocol": (
        "cluster {{ protocol = {} }}\nrole worker {{ }}",
        lambda v: ({}, {"cluster": {"protocol": v}}),
    ),
    "build.base": ("build {{ from = {} }}\nrole worker {{ }}", lambda v: build(base=v)),
    "build.workdir": ('build {{ from = "b"\nworkdir = {} }}\nrole worker {{ }}', lambda v: build(workdir=v)),
    "build.entrypoint": ('build {{ from = "b"\nentrypoint = {} }}\nrole worker {{ }}', lambda v: build(entrypoint=v)),
    "build.hadoop": ('build {{ from = "b"\nhadoop = {} }}\nrole worker {{ }}', lambda v: build(hadoop=v)),
    "copy.source": (
        'build {{ from = "b"\ncopy {} to "/x" }}\nrole worker {{ }}',
        lambda v: build(steps=[{"kind": "copy", "source": v, "destination": "/x"}]),
    ),
    "copy.destination": (
        'build {{ from = "b"\ncopy "x" to {} }}\nrole worker {{ }}',
        lambda v: build(steps=[{"kind": "copy", "source": "x", "destination": v}]),
    ),
    "run.command": (
        'build {{ from = "b"\nrun {} }}\nrole worker {{ }}',
        lambda v: build(steps=[{"kind": "run", "command": v}]),
    ),
    "delay of pending": (
        "role worker {{ }}\non pending after {} => fail job",
        lambda v: ({}, {"policies": [{"event": "pending", "delay": v, "action": "fail job"}]}),
    ),
    **{f"toleration.{key}": toleration(key) for key in attributes.TOLERATION},
    **{f"sidecar.{name}": sidecar(name) for name in statements.STEP_ATTRIBUTES["sidecar"]},
}


def differing(told: dict[str, tuple[Told, Told]], name: str) -> dict[str, tuple[Told, Told]]:
    """What a text and JSON say differently of a value, and exceptions that are none any more."""
    return {value: pair for value, pair in told.items() if (pair[0] == pair[1]) is ((name, value) in APART)}


@pytest.mark.parametrize("attribute", list(attributes.BY_NAME))
def test_an_attribute(attribute: str) -> None:
    row = attributes.BY_NAME[attribute]
    told: dict[str, tuple[Told, Told]] = {}
    for value, (text, data) in pairs(row).items():
        if row.in_role:
            told[value] = of_text(f"role worker {{ {attribute} = {text} }}"), of_json({attribute: data}, {})
        else:
            told[value] = of_text(f"{attribute} = {text}\nrole worker {{ }}"), of_json({}, {attribute: data})
    assert differing(told, attribute) == {}


@pytest.mark.parametrize("field", STATEMENTS)
def test_a_field_of_a_statement(field: str) -> None:
    body, as_json = STATEMENTS[field]
    values = {**VALUES, **AMOUNTS} if field in AMOUNT_FIELDS else dict(VALUES)
    if field in AMOUNT_FIELDS:
        del values["an int as a text"]
    told: dict[str, tuple[Told, Told]] = {}
    for value, (text, data) in values.items():
        written, read = of_text(body.format(text)), of_json(*as_json(data))
        if field in NAMES:
            written = {(code, message.replace(*NAMES[field], 1), helps) for code, message, helps in written}
        told[value] = written, read
    assert differing(told, field) == {}
