"""A job that comes as data is refused what a text is refused, by the same rule and in the same words."""

from __future__ import annotations

import json

import pytest

from tfdsl.compiling import pipeline
from tfdsl.compiling.read_json import from_json, in_json
from tfdsl.semantics.request import Request
from tfdsl.text import Source

IMAGE = "r/x:1"
CLAIMED = {"claims": [{"name": "runs", "size": "1Gi"}]}
RUNS = {"kind": "claim", "at": "/runs", "claim": "runs"}


def worker(**fields: object) -> dict[str, object]:
    return {"roles": [{"name": "worker", "image": IMAGE, **fields}]}


def mounted(**fields: object) -> dict[str, object]:
    return worker(mounts=[fields])


def other(name: str, **fields: object) -> dict[str, object]:
    return {"roles": [*worker()["roles"], {"name": name, "image": IMAGE, **fields}]}  # type: ignore[misc]  # a list


def on(**fields: object) -> dict[str, object]:
    return worker() | {"policies": [fields]}


CASES = {
    "TFJ1516": ('role worker { after = ["ps"] }', worker(after=["ps"])),
    "TFJ2006": ('env = { "a b" = "x" }\nrole worker { }', worker(env={"a b": "x"})),
    "TFJ2009": ('workdir = "a\\u{0}"\nrole worker { }', worker(workdir="a\0")),
    "TFJ2101": (
        "role worker { }\nrole chief { }\nrole master { }",
        {"roles": [{"name": name, "image": IMAGE} for name in ("worker", "chief", "master")]},
    ),
    "TFJ2102": ("role worker { }\nrole evaluator { replicas = 2 }", other("evaluator", replicas=2)),
    "TFJ2103": ("role ps { }", {"roles": [{"name": "ps", "image": IMAGE}]}),
    "TFJ2104": (
        'role worker { mount scratch at "/a"\n mount scratch at "/a" }',
        worker(mounts=[{"kind": "scratch", "at": "/a"}] * 2),
    ),
    "TFJ2105": (
        'role worker { output "m" to "hdfs:///m"\n output "m" to "hdfs:///m" }',
        worker(outputs=[{"source": "m", "destination": "hdfs:///m"}] * 2),
    ),
    "TFJ2106": (
        "role worker { }\non evicted => restart pod\non evicted => fail job",
        worker() | {"policies": [{"event": "evicted", "action": action} for action in ("restart pod", "fail job")]},
    ),
    "TFJ2107": (
        "role worker { }\non exit 1..3 => restart pod\non exit 3 => fail job",
        worker()
        | {
            "policies": [
                {"event": "exit", "codes": [1, 2, 3], "action": "restart pod"},
                {"event": "exit", "codes": [3], "action": "fail job"},
            ]
        },
    ),
    "TFJ2111": ("role worker { server = true }", worker(server=True)),
    "TFJ2112": ('command = "run"\nargs = ["a"]\nrole worker { }', worker(command="run", args=["a"])),
    "TFJ2113": ('env = { TF_CONFIG = "x" }\nrole worker { }', worker(env={"TF_CONFIG": "x"})),
    "TFJ2114": ("role worker { replicas = 2, min_available = 3 }", worker(replicas=2, min_available=3)),
    "TFJ2115": ('role worker { after = ["worker"] }', worker(after=["worker"])),
    "TFJ2116": ("role worker { }\nrole tensorboard { }", other("tensorboard")),
    "TFJ2117": (
        "retries = 0\nrole worker { }\non failed => restart pod",
        {"retries": 0} | on(event="failed", action="restart pod"),
    ),
    "TFJ2119": ("cpu = 4\ncpu_limit = 2\nrole worker { }", worker(cpu="4", cpu_limit="2")),
    "TFJ2201": ('mount host "data" at "/a"\nrole worker { }', mounted(kind="host", at="/a", source="data")),
    "TFJ2202": ('mount scratch at "/a/../b"\nrole worker { }', mounted(kind="scratch", at="/a/../b")),
    "TFJ2203": ('mount archive "a.rar" at "/a"\nrole worker { }', mounted(kind="archive", at="/a", source="a.rar")),
    "TFJ2204": (
        'role worker { shm = 1Gi\n mount scratch at "/dev/shm" }',
        worker(shm="1Gi", mounts=[{"kind": "scratch", "at": "/dev/shm"}]),
    ),
    "TFJ2301": (
        'role worker { mount claim 1Gi at "/runs"\n output "m" to "/runs/m" }',
        CLAIMED | worker(mounts=[RUNS], outputs=[{"source": "m", "destination": "/runs/m"}]),
    ),
    "TFJ2302": (
        'role worker { replicas = 2\n output "m" to "hdfs:///m" }',
        worker(replicas=2, outputs=[{"source": "m", "destination": "hdfs:///m"}]),
    ),
    "TFJ2304": (
        "role worker { }\non worker[1] failed => fail job",
        on(role="worker", index=1, event="failed", action="fail job"),
    ),
    "TFJ2305": (
        'role worker { output "m" to "/runs/../m" }',
        worker(outputs=[{"source": "m", "destination": "/runs/../m"}]),
    ),
    "TFJ2401": ("role worker { }\non completed => complete job", on(event="completed", action="complete job")),
    "TFJ2403": (
        "role worker { }\non worker unknown => fail job",
        on(role="worker", event="unknown", action="fail job"),
    ),
    "TFJ2404": ("role worker { }\non failed => complete job", on(event="failed", action="complete job")),
    "TFJ2405": ("role worker { }\non exit 0 => fail job", on(event="exit", codes=[0], action="fail job")),
    "TFJ2406": ("role worker { }\non pending => fail job", on(event="pending", action="fail job")),
    "TFJ2407": (
        "role worker { }\non exit 1 after 1m => fail job",
        on(event="exit", codes=[1], delay="1m", action="fail job"),
    ),
    "TFJ2408": ("role worker { }\non restarted 2 => fail job", on(event="restarted", count=2, action="fail job")),
    "TFJ2502": ('namespace = "N"\nrole worker { }', {"namespace": "N"} | worker()),
    "TFJ2503": ('labels = { team = "a b" }\nrole worker { }', {"labels": {"team": "a b"}} | worker()),
    "TFJ2504": ('tolerations = [{ value = "x" }]\nrole worker { }', worker(tolerations=[{"value": "x"}])),
    "TFJ2506": (
        'env = { A = pod_field("status.phase") }\nrole worker { }',
        worker(env={"A": {"kind": "pod_field", "field": "status.phase"}}),
    ),
    "TFJ1507": (
        'role worker { prepare f { command = ["x"] }\n prepare f { command = ["x"] } }',
        worker(steps=[{"kind": "prepare", "name": "f", "command": ["x"]}] * 2),
    ),
    "TFJ2701": (
        'role worker { prepare f_d { command = ["x"] } }',
        worker(steps=[{"kind": "prepare", "name": "f_d", "command": ["x"]}]),
    ),
    "TFJ2702": (
        f'role worker {{ sidecar f {{ image = "{IMAGE}" }} }}',
        worker(steps=[{"kind": "sidecar", "name": "f", "image": IMAGE}]),
    ),
    "TFJ2602": (
        'role worker { }\nbuild { from = "b"\n copy "/a" to "/b" }',
        worker() | {"build": {"base": "b", "steps": [{"kind": "copy", "source": "/a", "destination": "/b"}]}},
    ),
}


def of_text(body: str) -> set[tuple[str, str, tuple[str, ...]]]:
    text = f'job mnist {{\n  image = "{IMAGE}"\n{body}\n}}\n'
    program = pipeline.load(Source("main.tfjob", text), lambda path: "no file")
    assert not program.diagnostics, program.diagnostics
    told = pipeline.check(program, Request()).diagnostics
    return {(one.rule.code, one.message, tuple(map(in_json, one.helps))) for one in told if one.level == "error"}


@pytest.mark.parametrize("code", CASES)
def test_one_rule(code: str) -> None:
    text, fields = CASES[code]
    read = from_json(Source("job.json", json.dumps({"name": "mnist"} | fields)))
    told = {(one.rule.code, one.message, one.helps) for one in read.diagnostics}
    assert told == of_text(text)
    assert {one for one, _, _ in told} == {code}
