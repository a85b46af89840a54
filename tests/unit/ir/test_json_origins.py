"""Jobs as JSON: diagnostics at their places, and origins that point into the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.ir.test_model import FULL
from tfdsl.compiling import front_end
from tfdsl.compiling.read_json import dump, from_json
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic


FETCH = '{"kind": "prepare", "name": "fetch", "command": ["x"], "cpu": "1"}'


def found(text: str) -> list[Diagnostic]:
    read = from_json(Source("job.json", text))
    assert (not read.jobs) is bool(read.diagnostics)
    return list(read.diagnostics)


def job(role: str = "", more: str = "") -> str:
    return f'{{"name": "mnist", "roles": [{{"name": "worker", "image": "r/x:1"{role}}}]{more}}}'


@pytest.mark.parametrize(
    ("text", "code", "place", "message"),
    [
        ("{", "TFJ1800", "", "this is not JSON: expecting property name enclosed in double quotes"),
        ("[" * 100_000, "TFJ1800", "", "this is nested too deep"),
        ("[]", "TFJ1800", "[", "the job: input should be an object"),
        (job(', "gpu": 1, "port": 1, "gpu": 2'), "TFJ1407", '"gpu"', "gpu is set twice"),
        ('{"name": "j"}', "TFJ1800", "{", "roles is missing"),
        (job(', "memory": "x"'), "TFJ1301", '"x"', "memory must be a quantity such as 16Gi, not a string"),
        (job(', "memory": "16"'), "TFJ2007", '"16"', None),
        (job(', "replica": 2'), "TFJ1501", '"replica"', None),
        (job(', "replicas": 0'), "TFJ2001", "0", "roles[0].replicas must be at least 1, not 0"),
        (job(', "spread": "rack"'), "TFJ2002", '"rack"', 'spread must be "node" or "none", not "rack"'),
        (job(', "workdir": ""'), "TFJ2005", '""', None),
        (job(', "env": {"TF_CONFIG": "x"}'), "TFJ2113", '"TF_CONFIG"', None),
        (job(', "env": {"..": "x"}'), "TFJ2006", '".."', None),
        (job(', "args": ["a", 5]'), "TFJ1301", "5", None),
        (job(', "min_available": 2'), "TFJ2114", "2", None),
        (job(', "mounts": [{"kind": "pvz", "at": "/a"}]'), "TFJ1509", '"pvz"', None),
        (job(', "mounts": [{"kind": "pvc", "at": "/a", "claim": "A"}]'), "TFJ2502", '"A"', None),
        (job("", ', "namespace": "N"'), "TFJ2502", '"N"', None),
        (job(f', "steps": [{FETCH}, {FETCH}]'), "TFJ1507", '"fetch"', "prepare fetch appears twice in one role"),
        (job(', "steps": [{"kind": "prepare", "name": "a_b", "command": ["x"]}]'), "TFJ2701", '"a_b"', None),
        (job(', "steps": [{"kind": "prepare", "name": "ab"}]'), "TFJ2702", '"ab"', None),
        (job(', "steps": [{"kind": "init", "name": "ab", "command": ["x"]}]'), "TFJ2002", '"init"', None),
        (job(', "steps": [{"kind": "prepare", "name": "ab", "image": "A"}]'), "TFJ2502", '"A"', None),
        (job(', "steps": [{"kind": "prepare", "name": "ab", "command": "x", "args": ["y"]}]'), "TFJ2112", '"x"', None),
        (job(f', "steps": [{FETCH[:-1]}, "env": {{"TF_CONFIG": "x"}}}}]'), "TFJ2113", '"TF_CONFIG"', None),
    ],
)
def test_what_is_wrong_is_at_its_place(text: str, code: str, place: str, message: str | None) -> None:
    [one] = found(text)
    assert (one.rule.code, one.span.text) == (code, place)
    assert message is None or one.message == message


def test_the_same_words_as_for_a_text() -> None:
    mounts = '"mounts": [{"kind": "scratch", "at": "/a"}, {"kind": "scratch", "at": "/a"}]'
    [one] = found(job(f", {mounts}"))
    assert one.rule.slug == "duplicate-mount-path"
    assert one.span.start > one.labels[0].span.start
    assert (one.span.text, one.labels[0].span.text, one.mark) == ('"/a"', '"/a"', "mounted again here")
    assert one.helps == ("give one of them another path",)


def test_origins_point_into_the_text() -> None:
    text = job(
        ', "labels": {"team": "a"}, "args": ["x", "y"], "mounts": [{"kind": "host", "at": "/a", "source": "/b"}]'
        f', "steps": [{FETCH}]',
        ', "gang": true, "queue": null, "checkpoint": "/c"',
    )
    ((_, origins),) = from_json(Source("job.json", text)).jobs
    for path, written in {
        "gang": "true",
        "roles[worker]": '"worker"',
        "roles[worker].labels[team]": '"a"',
        "roles[worker].labels[team].key": '"team"',
        "roles[worker].args[1]": '"y"',
        "roles[worker].mounts[0]": '"host"',
        "roles[worker].mounts[0].at": '"/a"',
        "roles[worker].env[CHECKPOINT_DIR]": '"/c"',
        "roles[worker].steps[0]": '"fetch"',
        "roles[worker].steps[0].cpu": '"1"',
        "roles[worker].steps[0].command[0]": '"x"',
    }.items():
        span = origins.written(path)
        assert span is not None, path
        assert span.text == written
    assert origins.written("queue") is None
    assert origins.written("roles[worker].port") is None
    assert origins.span("roles[worker].port").text == '"worker"'


def test_a_job_without_a_text_has_the_places_of_its_own_json() -> None:
    ((_, origins),) = front_end.of_node(FULL).jobs
    assert origins.job.source.path == "<job mnist>"
    assert origins.job.source.text == dump(FULL)
    keep = origins.written(f"{FULL.claims[0].path}.keep")
    assert keep is not None
    assert keep.text == "true"
    action = origins.written("policies[1]")
    assert action is not None
    assert action.text == '"restart job"'
    assert origins.written("policies[2]") is None
    ((job, again),) = from_json(origins.job.source).jobs
    assert job == FULL
    assert {path: again.span(path).start for path in again.paths()} == {
        path: origins.span(path).start for path in origins.paths()
    }
