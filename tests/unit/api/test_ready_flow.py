"""Flows made in Python or read from JSON: as their text on each target, refused at their place for the same reasons."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import jsonschema
import pydantic
import pytest

import tfdsl
from tests.headers import without_header
from tests.unit.cli.shell import ROOT, tfdsl as command
from tests.unit.cli.test_flows import TRAIN, text as flow_text
from tfdsl import targets
from tfdsl.api.calls import options_of
from tfdsl.compiling import front_end, pipeline
from tfdsl.compiling.jobs import plain_flows
from tfdsl.diagnostics import Diagnostic
from tfdsl.ir import WholeFlow, flow_run, job, role, whole_flow
from tfdsl.ir.flow import schema
from tfdsl.semantics.request import Choice, Request
from tfdsl.targets import find
from tfdsl.text import Argument, Source, Span

if TYPE_CHECKING:
    from pathlib import Path

NIGHTLY = (ROOT / "examples/nightly/main.tfjob").read_text(encoding="utf-8")
TEXT = flow_text(train=TRAIN)
RUN = 'role worker { command = ["x", "/runs/${flow.run}", "${job.name}"] }'
SETTINGS = """flow nightly {
  schedule = "0 2 * * 1-5", time_zone = "Europe/Berlin", overlap = "skip", deadline = 2h, service_account = "flows"
  namespace = "ml", common_labels = { team = "vision" }
  run fetch, run train after fetch ended
}
"""
OTHERS = {
    "a run's name": flow_text("flow nightly { run fetch }\n", ("fetch",), fetch=RUN),
    "settings": flow_text(SETTINGS, ("fetch", "train")),
    "tensorboard": flow_text(
        "flow nightly { run fetch }\n", ("fetch",), fetch='role worker { }\nrole tensorboard { logdir = "/x" }'
    ),
    "one of several": flow_text("flow nightly { run fetch }\n", ("fetch", "train")),
}
OPTIONS: dict[str, dict[str, Any]] = {"yarn": {"files": ["train.py"]}}
"""What a text says in the blocks of its jobs for a target, and JSON cannot."""


@cache
def whole(text: str, target: str | None = None) -> WholeFlow:
    """The flow of a text with its jobs, as they are for ``target`` if one is given."""
    found = plain_flows(front_end.read(Source("main.tfjob", text), lambda path: "no file"), Request())
    (flow,) = found.flows
    its = tfdsl.load(text=text).jobs(target) if target is not None else [one.job for one in flow.jobs.values()]
    return WholeFlow(**flow.flow.stated(), jobs=tuple(its))


def made(given: Any, target: str) -> tuple[list[tuple[str, str]], list[str], list[str]]:
    """Files and their texts, the errors of the target, and the names of what is made."""
    backend = find(target)
    assert backend is not None
    options = options_of(target, OPTIONS.get(target, {}))
    done = front_end.compiled(given, Request(options=options), [Choice(backend)])
    said = [f"{one.rule.code} {one.message}" for one in done.diagnostics if one.level == "error"]
    documents = [
        (str(document.file), pipeline.written(document).text) for one in done.outputs for document in one.documents
    ]
    return documents, sorted(set(said)), [one.unit.name for one in done.outputs]


# --- the same as a text ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nightly", *OTHERS])
def test_a_flow_is_the_same_from_its_json_for_each_target(name: str) -> None:
    text = NIGHTLY if name == "nightly" else OTHERS[name]
    for target in targets.names():
        flow = whole(text, target)
        written = flow.model_dump_json(indent=2)
        jsonschema.Draft202012Validator(schema()).validate(json.loads(written))
        assert WholeFlow.model_validate_json(written) == flow
        given = front_end.read_json(Source("flow.json", written))
        assert given.flow is not None, given.diagnostics
        of_text = made(front_end.read(Source("main.tfjob", text), lambda path: "no file"), target)
        assert made(given, target) == of_text
        assert made(front_end.of_node(flow), target) == of_text


@pytest.mark.parametrize(
    "words",
    [
        ("compile", "-t", "volcano"),
        ("check", "-t", "slurm"),
        ("simulate", "-t", "volcano", "--format", "json"),
        ("simulate", "-t", "jobset", "--inject", "train: worker[1] exit 3"),
        ("graph",),
        ("graph", "--flow", "nightly", "--format", "json"),
        ("matrix",),
        ("compile", "-t", "tfjob", "--job", "train"),
        ("compile", "-t", "tfjob", "--job", "train", "--name", "alone"),
        ("run", "--flow", "nightly", "--dry-run"),
    ],
    ids=" ".join,
)
def test_commands_do_the_same_with_both(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "flow.tfjob").write_text(TEXT)
    (tmp_path / "flow.json").write_text(whole(TEXT).model_dump_json(indent=2))
    first, second = (command(words[0], file, *words[1:], cwd=tmp_path) for file in ("flow.tfjob", "flow.json"))
    assert first.status == second.status
    left, right = (without_header(done.out) if words[0] == "compile" else done.out for done in (first, second))
    if words[0] == "graph" and "json" in words:
        left, right = (json.dumps(_without_places(json.loads(one))) for one in (left, right))
    if words[0] != "simulate" or "json" not in words:
        assert left == right.replace("flow.json", "flow.tfjob")
    else:
        assert _outcomes(left) == _outcomes(right)


def _without_places(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_places(one) for key, one in value.items() if key not in ("file", "line", "column", "end")}
    return [_without_places(one) for one in value] if isinstance(value, list) else value


def _outcomes(text: str) -> list[Any]:
    (flow,) = json.loads(text)["flows"]
    return [(one["inject"], one["language"], [on["outcome"] for on in one["targets"]]) for one in flow["scenarios"]]


def test_info_has_the_flow_and_where_names_its_lines(tmp_path: Path) -> None:
    (tmp_path / "flow.json").write_text(whole(TEXT).model_dump_json(indent=2))
    info = json.loads(command("info", "flow.json", "--format", "json", cwd=tmp_path).out)
    assert [one["name"] for one in info["jobs"]] == ["fetch", "train", "eval", "export", "notify"]
    (flow,) = info["flows"]
    assert (flow["name"], flow["schedule"], flow["runs"][1]) == (
        "nightly",
        "0 2 * * 1-5",
        {"job": "train", "after": ["fetch"], "ending": "succeeded"},
    )
    found = command("where", "flow.json:3", "-t", "volcano", cwd=tmp_path)  # its schedule
    assert (found.status, "0 2 * * 1-5" in found.out) == (0, True)


def test_the_schema_is_what_the_command_prints(tmp_path: Path) -> None:
    printed = json.loads(command("schema", cwd=tmp_path).out)
    jsonschema.Draft202012Validator.check_schema(printed)
    validator = jsonschema.Draft202012Validator(printed)
    document = json.loads(whole(TEXT).model_dump_json())
    validator.validate(document)
    validator.validate(document["jobs"][0])
    assert not validator.is_valid({**document, "overlap": "never"})
    assert not validator.is_valid({**document, "runs": [{"jobs": "fetch"}]})


# --- what is wrong -----------------------------------------------------------------------------------------------


def document(**fields: Any) -> dict[str, Any]:
    jobs = [{"name": name, "roles": [{"name": "worker", "image": "a:1"}]} for name in ("fetch", "train")]
    runs = [{"job": "fetch"}, {"job": "train", "after": ["fetch"]}]
    return {"name": "nightly", "runs": runs, "jobs": jobs, **fields}


def told(given: dict[str, Any]) -> list[Diagnostic]:
    read = front_end.read_json(Source("flow.json", json.dumps(given)))
    assert bool(read.diagnostics) is (not read.jobs)
    return list(read.diagnostics)


def a_job(name: str = "fetch", **fields: Any) -> dict[str, Any]:
    return {"name": name, "roles": [{"name": "worker", "image": "a:1"}], **fields}


WRONG: list[tuple[dict[str, Any], str, str, str]] = [
    ({"runs": [{"job": "fetch"}, {"job": "trian"}]}, "TFJ1105", '"trian"', "did you mean train?"),
    ({"runs": [{"job": "x"}], "jobs": []}, "TFJ1105", '"x"', "add it to jobs"),
    ({"jobs": [a_job(), a_job(), a_job("train")]}, "TFJ1103", '"fetch"', ""),
    ({"jobs": [a_job(), a_job("train"), a_job("nightly")]}, "TFJ2813", '"nightly"', "give one of them another name"),
    (
        {"jobs": [a_job(), a_job("train"), a_job("nightly-train")]},
        "TFJ2813",
        '"train"',
        "give one of them another name",
    ),
    ({"jobs": [a_job(ttl="5s"), a_job("train")]}, "TFJ2812", '"fetch"', "set ttl to 1m or more"),
    ({"jobs": [a_job(namespace="a"), a_job("train")]}, "TFJ2811", '"train"', "give all jobs of the flow one namespace"),
    ({"jobs": [a_job(rolse=[]), a_job("train")]}, "TFJ1501", '"rolse"', "did you mean roles?"),
    ({"jobs": None}, "TFJ1800", "null", ""),
    ({"jobs": [7, a_job("train"), a_job()]}, "TFJ1800", "7", ""),
    ({"schedul": "@daily"}, "TFJ1510", '"schedul"', "did you mean schedule?"),
    ({"cron": "@daily"}, "TFJ1510", '"cron"', "did you mean schedule?"),
    ({"runs": [{"job": "fetch", "aftr": []}]}, "TFJ1510", '"aftr"', "did you mean after?"),
    ({"runs": []}, "TFJ2801", "{", 'add {"job": "JOB"} to "runs"'),
    ({"runs": [{"job": "train", "after": ["fetch"]}]}, "TFJ2807", '"fetch"', 'add {"job": "fetch"} to "runs"'),
    ({"runs": [{"after": []}]}, "TFJ1800", "{", ""),
    ({"runs": {}}, "TFJ1800", "{", ""),
    ({"runs": [{"job": "train", "after": ["fetch", "fetch"]}, {"job": "fetch"}]}, "TFJ2803", '"fetch"', ""),
]


@pytest.mark.parametrize(
    ("fields", "code", "place", "help_"), WRONG, ids=lambda one: one if isinstance(one, str) else ""
)
def test_a_mistake_is_at_its_place(fields: dict[str, Any], code: str, place: str, help_: str) -> None:
    (one,) = told(document(**fields))
    assert (one.rule.code, one.span.text) == (code, place)
    assert "; ".join(one.helps).startswith(help_)


SETTING: list[tuple[str, Any]] = [
    ('schedule = "61 * * * *"', {"schedule": "61 * * * *"}),
    ('time_zone = "UTC"', {"time_zone": "UTC"}),
    ('schedule = "@daily", time_zone = "+02:00"', {"schedule": "@daily", "time_zone": "+02:00"}),
    ('overlap = "Forbid"', {"overlap": "Forbid"}),
    ("deadline = 0s", {"deadline": "0s"}),
    ("deadline = 5", {"deadline": 5}),
    ('namespace = "A b"', {"namespace": "A b"}),
    ('common_labels = { "a b" = "c" }', {"common_labels": {"a b": "c"}}),
    ("service_account = 7", {"service_account": 7}),
]
RUNS: list[tuple[str, list[dict[str, Any]]]] = [
    ("", []),
    ("run fetch, run fetch", [{"job": "fetch"}, {"job": "fetch"}]),
    ("run fetch after fetch", [{"job": "fetch", "after": ["fetch"]}]),
    ("run fetch after train", [{"job": "fetch", "after": ["train"]}]),
    ("run fetch, run nobody", [{"job": "fetch"}, {"job": "nobody"}]),
    (
        "run fetch after train, run train after fetch",
        [{"job": "fetch", "after": ["train"]}, {"job": "train", "after": ["fetch"]}],
    ),
]


@pytest.mark.parametrize(
    ("body", "fields"),
    [(f"{body}, run fetch", {**fields, "runs": [{"job": "fetch"}]}) for body, fields in SETTING]
    + [(body, {"runs": runs}) for body, runs in RUNS],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_mistake_is_told_as_in_a_text(body: str, fields: dict[str, Any]) -> None:
    text = flow_text(f"flow nightly {{ {body} }}\n", ("fetch", "train"))
    said = pipeline.check(pipeline.load(Source("main.tfjob", text), lambda path: "no file"), Request()).diagnostics
    expected = {(one.rule.code, one.message) for one in said if one.level == "error"}
    assert expected
    assert {(one.rule.code, one.message) for one in told(document(**fields))} == expected


VALUES: list[Any] = [None, True, -1, 1e400, "", "\0", "a b", [], [[]], {}, {"a": {}}, [None], "x" * 5000, 10**30]


def test_no_value_anywhere_is_a_traceback() -> None:
    base = document(schedule="@daily", overlap="skip", common_labels={"a": "b"}, deadline="1h")
    places: list[tuple[Any, ...]] = []

    def walk(value: Any, at: tuple[Any, ...]) -> None:
        places.append(at)
        for key, one in (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        ):
            walk(one, (*at, key))

    walk(base, ())
    for at in places[1:]:
        for value in VALUES:
            changed = json.loads(json.dumps(base))
            here = changed
            for step in at[:-1]:
                here = here[step]
            here[at[-1]] = value
            assert all(one.message and one.span.source.path == "flow.json" for one in told(changed))


def _words(messages: str) -> list[str]:
    return [line for line in messages.splitlines() if line.startswith(("error", "   = "))]


@pytest.mark.parametrize(
    "words", [("--flow", "nightlY"), ("--flow", "train"), ("--job", "nightly"), ("--job", "trian")]
)
def test_what_there_is_not_is_told_as_of_a_text(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "flow.tfjob").write_text(TEXT)
    (tmp_path / "flow.json").write_text(whole(TEXT).model_dump_json(indent=2))
    first, second = (command("check", file, *words, cwd=tmp_path) for file in ("flow.tfjob", "flow.json"))
    assert (first.status, second.status) == (1, 1)
    assert _words(first.err) == _words(second.err)


def test_a_job_needs_its_flow_for_the_name_of_the_run() -> None:
    read = front_end.read_json(Source("flow.json", whole(OTHERS["a run's name"]).model_dump_json()))
    outcome = front_end.run(read, Request(job=Argument("fetch", Span(Source("<command line>", "fetch"), 0, 5))))
    assert [one.rule.slug for one in outcome.diagnostics] == ["flow-run-here"]
    assert outcome.diagnostics[0].helps == ("write --flow nightly",)
    assert not front_end.run(read, Request()).diagnostics


def test_a_text_with_the_name_of_the_variable_needs_no_flow() -> None:
    """Only ``${flow.run}`` itself does, wherever in the job it is."""
    shell = job(
        name="a", roles=[role(name="worker", image="r/x:1", command=["sh", "-c", "echo ${TFDSL_FLOW_RUN:-none}"])]
    )
    read = front_end.read_json(Source("job.json", shell.model_dump_json()))
    assert not front_end.run(read, Request()).diagnostics


@pytest.mark.parametrize("deep", [120, 600, 900, 5000])
@pytest.mark.parametrize("where", ['"runs": {}', '"runs": [{{"job": "a"}}], "common_labels": {}', '"jobs": {}'])
def test_nothing_is_too_deep(where: str, deep: int) -> None:
    text = f'{{"name": "n", {where.format("[" * deep + "]" * deep)}}}'
    (error,) = front_end.read_json(Source("flow.json", text)).diagnostics
    assert (error.rule.code, error.message) == ("TFJ1800", "this is nested too deep")


def test_a_long_flow_is_read_and_a_long_ring_is_one_message() -> None:
    names = [f"j{at}" for at in range(100)]
    runs = [{"job": name, "after": [names[at - 1]] if at else []} for at, name in enumerate(names)]
    jobs = [a_job(name) for name in names]
    assert told(document(runs=runs, jobs=jobs)) == []
    runs[0]["after"] = [names[-1]]
    (ring,) = told(document(runs=runs, jobs=jobs))
    assert ring.rule.code == "TFJ2805"


# --- made in Python ----------------------------------------------------------------------------------------------


def test_python_makes_flows() -> None:
    worker = role(name="worker", image="a:1")
    jobs = [job(name="fetch", roles=[worker]), job(name="train", roles=[worker])]
    runs = [flow_run(job="fetch"), flow_run(job="train", after=["fetch"], ending="ended")]
    flow = whole_flow(name="nightly", runs=runs, jobs=jobs, schedule="@daily", deadline="2h")
    assert flow.deadline == tfdsl.ir.Duration("2h")
    result = tfdsl.compile(flow, "jobset")
    assert ([one.name for one in result.flows], result.jobs) == (["nightly"], ())
    assert [one.flow for one in tfdsl.graph(flow)] == ["nightly"]
    assert {one.flow for one in tfdsl.simulate_flow(flow, targets="jobset")} == {"nightly"}
    errors = [one for one in tfdsl.check(flow.but(time_zone="Europe/Berlin"), "slurm") if one.level == "error"]
    assert "<flow nightly>:4:16" in [str(error.span) for error in errors]
    with pytest.raises(pydantic.ValidationError, match="the file has no job called tarin"):
        flow.but(runs=(flow_run(job="tarin"),))
    with pytest.raises(TypeError, match="expected a path, a Program, a Job or a WholeFlow, not FlowRun"):
        tfdsl.compile(runs[0], "jobset")  # type: ignore[call-overload]
