"""Flows on their way to a target: which jobs they take, the names there, and what is told."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from tests import flows_of_a_target
from tfdsl import targets
from tfdsl.compiling import front_end
from tfdsl.compiling.output_files import output_files
from tfdsl.compiling.pipeline import Outcome, load
from tfdsl.emit.located import plain
from tfdsl.ir.flow import Flow
from tfdsl.ir.model import EnvVar, RunTimeText, TaskIndex
from tfdsl.record import replace
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Argument, Source, Span

JOBS = """\
job fetch { image = "a:1", role worker { args = [job.name] } }
job train { image = "a:1", role worker { replicas = 2 }
  target volcano { patch "metadata.labels.team" = "vision" } }
job alone { image = "a:1", role worker { } }
"""
NIGHTLY = 'flow nightly { namespace = "ml"\n run fetch\n run train after fetch }\n'


def made(text: str, target: str = "volcano", versions: tuple[str | None, ...] = (None,), **asked: str) -> Outcome:
    """The text compiled to a target that has flows, or to one without."""
    backend = targets.find(target)
    assert backend is not None
    backend = replace(backend, flows=flows_of_a_target.__name__ if target == "volcano" else "")
    words = {name: Argument(word, Span(Source("--", word), 0, len(word))) for name, word in asked.items()}
    program = load(Source("nightly.tfjob", text), lambda path: "no such file")
    request = Request(job=words.get("job"), flow=words.get("flow"))
    return front_end.compiled(program, request, [Choice(backend, version) for version in versions])


def told(outcome: Outcome) -> list[str]:
    return [f"{one.rule.slug}: {one.message}" for one in outcome.diagnostics if one.level != "info"]


@pytest.mark.parametrize(
    ("asked", "jobs", "flows"),
    [
        ({}, ["alone"], {"nightly": ["fetch", "train"], "weekly": ["train"]}),
        ({"flow": "weekly"}, [], {"weekly": ["train"]}),
        ({"job": "train"}, ["train"], {}),
    ],
)
def test_what_is_made(asked: dict[str, str], jobs: list[str], flows: dict[str, list[str]]) -> None:
    outcome = made(JOBS + NIGHTLY + "flow weekly { run train }\n", "volcano", (None,), **asked)
    assert [one.unit.name for one in outcome.made] == jobs
    assert {one.unit.name: [job.run.job for job in one.unit.jobs] for one in outcome.flows} == flows


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"runs": []}, "TFJ2801"),
        ({"runs": [{"job": "a"}, {"job": "a"}]}, "TFJ2802"),
        ({"runs": [{"job": "a", "after": ["a"]}]}, "TFJ2804"),
        ({"runs": [{"job": "a", "after": ["b"]}, {"job": "b", "after": ["a"]}]}, "TFJ2805"),
        ({"runs": [{"job": "a", "ending": "failed"}]}, "TFJ2806"),
        ({"runs": [{"job": "a", "after": ["b"]}]}, "TFJ2807"),
        ({"runs": [{"job": "A b"}]}, "TFJ2501"),
        ({"name": "F"}, "TFJ2502"),
        ({"schedule": "5/15 * * * *"}, "TFJ2808"),
        ({"time_zone": "UTC"}, "TFJ2810"),
    ],
)
def test_json_breaks_the_same_rules(fields: dict[str, object], code: str) -> None:
    text = json.dumps({"name": "nightly", "runs": [{"job": "a"}], **fields})
    with pytest.raises(ValidationError, match=code):
        Flow.model_validate_json(text)


@pytest.mark.parametrize(
    ("asked", "shown"), [(("1.9", "1.15"), ["1.9", "1.15"]), ((None, "1.15"), ["1.15"]), (("1.9", "1.9.0"), ["1.9"])]
)
def test_each_version_of_a_target_has_the_flow_once(asked: tuple[str | None, ...], shown: list[str]) -> None:
    outcome = made(JOBS + NIGHTLY, versions=asked)
    assert [[one.unit.shown_version for one in flow.jobs] for flow in outcome.flows] == [[one] * 2 for one in shown]


def test_a_job_of_a_run_that_is_left_out_is_not_made_alone() -> None:
    outcome = made(JOBS + "flow nightly { run fetch, run train when false }\n")
    assert [one.unit.name for one in outcome.made] == ["alone"]
    assert [[job.run.job for job in one.unit.jobs] for one in outcome.flows] == [["fetch"]]


def test_the_files_of_a_flow_and_the_names_in_them() -> None:
    (flow,) = made(JOBS + NIGHTLY).flows
    files = {one.name: one for one in output_files(flow)}
    assert list(files) == ["nightly.yaml", "fetch-0.yaml", "train-0.yaml"]
    data: Any = {name: plain(one.documents[0].data) for name, one in files.items()}
    mark = data["nightly.yaml"]["mark"]
    assert len(mark) == flows_of_a_target.MARK
    fetch, train = data["fetch-0.yaml"], data["train-0.yaml"]
    assert fetch["metadata"]["name"] == f"nightly-fetch-{mark}"
    assert fetch["spec"]["tasks"][0]["template"]["spec"]["containers"][0]["args"] == ["fetch"]
    named = {"name": f"nightly-train-{mark}", "namespace": "ml"}
    assert train["metadata"] == {**named, "labels": {"team": "vision"}}
    # A line of a job is at a place of the job, whatever the flow has at the same path.
    of_job = files["train-0.yaml"]
    assert "train" in {of_job.span_of(path).text for path in of_job.written.lines if path is not None}


def test_the_mark_is_in_no_text_of_a_job() -> None:
    (flow,) = made('job a { image = "run0mark:1", role worker { } }\nflow nightly { run a }\n').flows
    assert flow.unit.mark != "run0mark"
    assert len(flow.unit.mark) == flows_of_a_target.MARK


def test_a_flow_without_a_namespace_has_that_of_its_jobs() -> None:
    (flow,) = made('job a { image = "a:1", namespace = "x", role worker { } }\nflow nightly { run a }\n').flows
    assert flow.unit.flow.namespace == "x"


LONG = f"n{'0' * 48}"


@pytest.mark.parametrize(
    ("flow", "said"),
    [
        ("flow n { deadline = 1h, run fetch }", ["volcano-no-deadline: volcano: n cannot have a deadline of 1h"]),
        ("flow n { run fetch, run train after fetch ended }", ["volcano-near-ended: volcano: ended is near"]),
        (
            f"flow {LONG} {{ run fetch }}",
            [
                f'job-name: volcano: "{LONG}-fetch" is not a valid job name: '
                "with the 9 that tell its runs apart, it has 64 characters; at most 63 are allowed"
            ],
        ),
    ],
)
def test_what_the_target_says(flow: str, said: list[str]) -> None:
    assert told(made(f"{JOBS}{flow}\n")) == said


def test_messages_about_its_jobs_show_no_mark() -> None:
    text = f'job a {{ image = "a:1", priority = "p", role worker {{ }} }}\nflow {LONG[:-6]} {{ run a }}\n'
    outcome = made(text)
    assert not any("run0mark" in str((one.message, one.helps, one.labels)) for one in outcome.diagnostics)


def test_a_target_without_flows() -> None:
    outcome = made(JOBS + NIGHTLY, target="slider")
    assert "target-without-flows: slider has no flows" in told(outcome)
    assert not outcome.flows
    assert made(JOBS + NIGHTLY, target="slider", job="alone").made


def test_a_flow_that_there_is_not() -> None:
    assert told(made(JOBS + NIGHTLY, flow="nightli")) == ["unknown-flow: the file has no flow called nightli"]
    absent = made("param p: bool = false\n" + JOBS + "flow nightly { run fetch when p }\n", flow="nightly")
    assert told(absent) == ["absent-flow: all jobs of flow nightly are absent"]


@pytest.mark.parametrize("target", ["slurm", "slider", "yarn"])
def test_a_schedule_of_a_script_has_no_time_zone(target: str) -> None:
    text = f'{JOBS}flow n {{ schedule = "@daily", time_zone = "Europe/Berlin", run fetch }}\n'
    program, backend = load(Source("n.tfjob", text), lambda path: "no such file"), targets.find(target)
    assert backend is not None
    found = front_end.compiled(program, Request(flow=Argument("n", Span(Source("--", "n"), 0, 1))), [Choice(backend)])
    assert f"{target}-time-zone" in [one.rule.slug for one in found.diagnostics if one.level == "error"]


RUN = """\
job fetch { image = "a:1", mount pvc "p" at "/runs" { sub_path = "${flow.run}" }, role worker { } }
job train {
  image = "a:1"
  checkpoint = "/runs/${flow.run}/{${flow.run}"
  mount pvc "p" at "/runs"
  prepare copy { command = ["cp", "${flow.run}"] }
  role worker { command = "echo ${flow.run} ${env.HOME}" }
  output "/tmp/model" to "/runs/${flow.run}-${task.index}"
}
"""


def test_the_mark_of_a_run_stands_for_its_name_where_objects_have_one() -> None:
    (flow,) = made(RUN + "flow nightly { run fetch, run train after fetch }\n").flows
    mark = flow.unit.mark
    fetch, train = (one.unit.job for one in flow.unit.jobs)
    assert vars(fetch.roles[0].mounts[0])["sub_path"] == mark
    worker = train.roles[0]
    assert (train.checkpoint, worker.env["CHECKPOINT_DIR"]) == (f"/runs/{mark}/{{{mark}",) * 2
    assert worker.command == RunTimeText(parts=(f"echo {mark} ", EnvVar(name="HOME")))
    assert worker.outputs[0].destination == RunTimeText(parts=(f"/runs/{mark}-", TaskIndex()))
    assert worker.steps[0].command == ("cp", mark)


@pytest.mark.parametrize("asked", [{"job": "train"}, {"flow": "weekly"}])
def test_only_the_jobs_of_a_flow_that_is_compiled_know_their_run(asked: dict[str, str]) -> None:
    text = RUN + NIGHTLY + 'job other { image = "a:1", role worker { } }\nflow weekly { run other }\n'
    said = told(made(text, "volcano", (None,), **asked))
    expected = "flow-run-here: flow.run has no value: job train is compiled without its flow"
    assert set(said) == ({expected} if "job" in asked else set())


def test_a_job_as_json_has_no_run() -> None:
    (flow,) = made(RUN + NIGHTLY).flows
    job = flow.unit.jobs[1].unit.job.but(checkpoint=RunTimeText(parts=(EnvVar(name="TFDSL_FLOW_RUN"),)))
    found = front_end.compiled(front_end.of_node(job), Request(), [])
    assert told(found) == [f"flow-run-here: flow.run has no value: job {job.name} is in no flow"]
