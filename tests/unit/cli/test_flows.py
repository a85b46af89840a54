"""``tfdsl simulate``, ``run`` and ``graph`` of flows."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

import tfdsl as api
from tests.skips import denied
from tests.unit.cli.shell import COMMAND, Ran, environment, tfdsl
from tfdsl.running.preparing import denial

if TYPE_CHECKING:
    from pathlib import Path

_IMAGE = 'image = "registry.example.com/mnist:1.4"'
FLOW = """\
flow nightly {
  schedule = "0 2 * * 1-5"
  overlap  = "replace"
  run fetch
  run train  after fetch
  run eval   after train
  run export after [train, eval]
  run notify after train failed
}
"""
_PLAIN = 'role worker { command = "true" }'
_JOBS = ("fetch", "train", "eval", "export", "notify")


def text(flow: str = FLOW, jobs: tuple[str, ...] = _JOBS, **bodies: str) -> str:
    """A flow with its jobs; ``bodies``: what is in them, if it is not a worker."""
    made = (f"job {job} {{ {_IMAGE}\n{bodies.get(job, _PLAIN)}\n}}\n" for job in jobs)
    return flow + "".join(made)


TRAIN = 'command = "true"\nrole worker { replicas = 2 }\non failed => restart pod\non exit 3 => abort job'


# --- simulate ---


def states(folder: Path, written: str, *words: str) -> Any:
    (folder / "nightly.tfjob").write_text(written)
    done = tfdsl("simulate", "nightly.tfjob", "-t", "volcano", "--format", "json", *words, cwd=folder)
    assert (done.status, done.err) == (0, ""), done.err
    [flow] = json.loads(done.out)["flows"]
    return flow["scenarios"]


@pytest.mark.parametrize(
    ("train", "fault", "outcome", "jobs"),
    [
        (TRAIN, "train: worker[1] exit 1", "succeeded", "ok ok ok ok -"),  # it starts again
        (TRAIN, "train: worker[1] exit 1 always", "failed", "ok fail - - ok"),
        (TRAIN, "train: worker[1] exit 3", "failed", "ok abort - - ok"),
        (TRAIN, "train: worker[0] pending", None, "ok run wait wait wait"),
        (f"{TRAIN}\ndeadline = 1h", "train: worker[0] pending", "failed", "ok fail - - ok"),
        (TRAIN, "eval: worker[0] exit 1", "failed", "ok ok fail - -"),
        (TRAIN, "eval: preempted", "failed", "ok ok fail - -"),
        (TRAIN, "fetch:worker[0] oom", "failed", "fail - - - -"),
        (TRAIN, "notify: worker[0] exit 1", "succeeded", "ok ok ok ok -"),  # it does not run
    ],
)
def test_what_happens_to_a_job_goes_on_in_its_flow(
    tmp_path: Path, train: str, fault: str, outcome: str | None, jobs: str
) -> None:
    words = {
        "ok": "succeeded",
        "fail": "failed",
        "abort": "aborted",
        "-": "not run",
        "run": "running",
        "wait": "waiting",
    }
    [played] = states(tmp_path, text(train=train), "--inject", fault)
    for end in (played["language"], *played["targets"]):
        assert (end["outcome"], [*end["jobs"].values()]) == (outcome, [words[word] for word in jobs.split()])


def test_one_scenario_is_a_table_of_the_jobs(tmp_path: Path) -> None:
    (tmp_path / "nightly.tfjob").write_text(text(train=TRAIN))
    words = ("--inject", "train: worker[1] exit 1 always", "--inject", "eval: worker exit 1")
    done = tfdsl("simulate", "nightly.tfjob", "-t", "volcano", "--flow", "nightly", *words, cwd=tmp_path)
    lines = done.out.splitlines()
    assert (done.status, done.err) == (0, "")
    assert lines[:3] == [
        "# flow nightly: train: worker[1] exit 1 always, eval: worker exit 1",
        "A run that is due while another runs ends that one and starts.",
        "          language            volcano 1.15",
    ]
    assert [line.split() for line in lines[3:9]] == [
        ["fetch", "succeeded", "succeeded"],
        ["train", "failed,", "3", "restarts", "failed,", "3", "restarts", "*"],
        ["eval", "does", "not", "run", "does", "not", "run"],
        ["export", "does", "not", "run", "does", "not", "run"],
        ["notify", "succeeded", "succeeded"],
        ["the", "flow", "failed", "failed"],
    ]
    assert lines[10] == "train has failed: worker[1] exited 1, and no retry is left"
    assert lines[12] == "eval: worker exit 1 did not happen by the language, on volcano 1.15: eval did not run"


def test_without_a_fault_each_job_fails_once(tmp_path: Path) -> None:
    played = states(tmp_path, text(train=TRAIN))
    assert [one["inject"] for one in played] == [[], *([f"{job}: worker[0] exit 1 always"] for job in _JOBS)]
    assert [one["language"]["outcome"] for one in played] == ["succeeded", *["failed"] * 4, "succeeded"]


def test_jobs_beside_a_flow_are_played_alone(tmp_path: Path) -> None:
    both = text("flow nightly { run fetch, run train after fetch }\n", ("fetch", "train", "alone"))
    (tmp_path / "both.tfjob").write_text(both)

    def shown(*words: str) -> list[str]:
        done = tfdsl("simulate", "both.tfjob", "-t", "volcano", *words, cwd=tmp_path)
        assert done.status == 0, done.err
        return [line for line in done.out.splitlines() if line.startswith("#")]

    assert shown() == ["# alone", "# flow nightly"]
    assert shown("--inject", "worker exit 1") == ["# alone: worker exit 1"]
    assert shown("--inject", "train: worker oom") == ["# flow nightly: train: worker oom"]
    assert shown("--flow", "nightly") == ["# flow nightly"]
    assert shown("--job", "train") == ["# train"]


# --- run ---


def ran(folder: Path, written: str, *words: str, temporary: Path | None = None) -> Ran:
    (folder / "nightly.tfjob").write_text(written)
    more = {} if temporary is None else {"TMPDIR": str(temporary)}
    return tfdsl("run", "nightly.tfjob", *words, cwd=folder, stdin=b"", onto=None, **more)


def summary(error: str) -> list[str]:
    """The table at the end, without times."""
    lines = [line for line in error.splitlines() if line.startswith(("  ", "flow "))]
    return [" ".join(re.sub(r" [\d.]+ (ms|s|min .*)$", "", line).split()) for line in lines]


def says(command: str) -> str:
    return f'role worker {{ command = "{command}" }}'


@denied(denial())
def test_jobs_run_in_order_and_share_what_outlives_a_job(tmp_path: Path) -> None:
    mount = 'mount pvc "shared" at "/tfdsl/shared"'
    bodies = {job: f"{mount}\n{says(f'cat /tfdsl/shared/all; echo {job} >> /tfdsl/shared/all')}" for job in _JOBS[1:]}
    kept = 'mount claim 1Gi at "/kept" { keep = true }'
    bodies["fetch"] = f"{mount}\n{kept}\n{says('echo first > /tfdsl/shared/all; echo kept > /kept/it')}"
    bodies["export"] = f'mount pvc "fetch-kept" at "/kept"\n{says("cat /kept/it")}'
    (tmp_path / "tmp").mkdir()
    done = ran(tmp_path, text(FLOW, _JOBS, **bodies), temporary=tmp_path / "tmp")
    assert done.status == 0, done.err
    assert done.out.splitlines() == [
        "train worker[0] | first",
        "eval worker[0] | first",
        "eval worker[0] | train",
        "export worker[0] | kept",
    ]
    assert summary(done.err) == [
        "fetch completed",
        "train completed",
        "eval completed",
        "export completed",
        "notify did not run",
        "flow nightly has completed",
    ]
    assert os.listdir(tmp_path / "tmp") == []


def test_what_handles_a_failure_does_not_turn_a_flow_green(tmp_path: Path) -> None:
    done = ran(tmp_path, text(train=says("exit 3"), notify=says("echo told")), "--flow", "nightly")
    assert (done.status, done.out) == (1, "notify worker[0] | told\n")
    assert "run does not use schedule and overlap: the flow runs once, now, on this machine" in done.err
    assert summary(done.err) == [
        "fetch completed",
        "train failed",
        "eval did not run",
        "export did not run",
        "notify completed",
        "flow nightly has failed",
    ]


_BESIDE = "flow nightly { run one, run two }\n"


def test_jobs_that_may_run_at_the_same_time_do(tmp_path: Path) -> None:
    meet = "touch {}; while [ ! -e {} ]; do sleep 0.02; done"
    written = text(_BESIDE, ("one", "two"), one=says(meet.format("a", "b")), two=says(meet.format("b", "a")))
    assert ran(tmp_path, written, "--timeout", "60s").status == 0


def test_parallel_limits_how_many(tmp_path: Path) -> None:
    alone = says("mkdir busy || exit 1; sleep 0.1; rmdir busy")
    done = ran(tmp_path, text(_BESIDE, ("one", "two"), one=alone, two=alone), "--parallel", "1")
    assert done.status == 0, done.err


def test_the_deadline_of_a_flow_ends_what_runs(tmp_path: Path) -> None:
    flow = FLOW.replace("overlap ", "deadline = 200ms\n  overlap ")
    done = ran(tmp_path, text(flow, fetch=says("sleep 60")))
    assert done.status == 1
    assert "the flow's deadline of 200ms has passed" in done.err
    assert summary(done.err) == [
        "fetch failed",
        *(f"{job} did not run" for job in _JOBS[1:]),
        "flow nightly has failed",
    ]


def test_an_event_happens_to_its_job_alone(tmp_path: Path) -> None:
    waits = {job: says("sleep 0.2") for job in _JOBS} | {"train": says("sleep 60")}
    done = ran(tmp_path, text(FLOW, _JOBS, **waits), "--inject", "train: worker[0] exit 5")
    assert done.status == 1
    assert [line for line in done.err.splitlines() if "exited with" in line] == ["train worker[0] exited with status 5"]
    wrong = ran(tmp_path, text(), "--inject", "trian: worker[0] exit 5")
    assert (wrong.status, "did you mean train?" in wrong.err) == (2, True)


@pytest.mark.parametrize(
    ("job", "body", "fault"),
    [
        ("fetch", "", "exit 1"),
        ("train", "", "exit 1"),
        ("train", "on exit 3 => abort job", "exit 3"),
        ("train", "on failed => restart pod\nretries = 2", "exit 1 always"),
        ("train", "deadline = 200ms", "pending"),
        ("train", "on failed => ignore", "exit 1"),
        ("train", "", "evicted"),
        ("export", "", "exit 1"),
        ("fetch", "flow", "pending"),
    ],
)
def test_what_simulate_predicts_is_what_run_does(tmp_path: Path, job: str, body: str, fault: str) -> None:
    flow = FLOW.replace("overlap ", "deadline = 200ms\n  overlap ") if body == "flow" else FLOW
    bodies = {job: f"{body if body != 'flow' else ''}\n{says('sleep 60')}"}
    inject = ("--flow", "nightly", "--inject", f"{job}: worker[0] {fault}")
    observed = ran(tmp_path, text(flow, _JOBS, **bodies), *inject)
    predicted = tfdsl("simulate", "nightly.tfjob", "-t", "volcano", "--format", "json", *inject, cwd=tmp_path)
    [end] = [one["language"] for one in json.loads(predicted.out)["flows"][0]["scenarios"]]
    words = {"succeeded": "completed", "not run": "did not run"}
    jobs = [f"{name} {words.get(state, state)}" for name, state in end["jobs"].items()]
    verdict = "has completed" if end["outcome"] == "succeeded" else "has failed"
    assert summary(observed.err) == [*jobs, f"flow nightly {verdict}"]
    assert observed.status == (0 if end["outcome"] == "succeeded" else 1)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_all_of_a_flow(tmp_path: Path, number: int, status: int) -> None:
    waits = says("touch $JOB; while :; do sleep 0.05; done")
    flow = "flow nightly { run one, run two, run three after one ended }\n"
    bodies = {job: f'env = {{ JOB = "{job}" }}\n{waits}' for job in ("one", "two")}
    (tmp_path / "nightly.tfjob").write_text(text(flow, ("one", "two", "three"), **bodies))
    (tmp_path / "tmp").mkdir()
    process = subprocess.Popen(
        [*COMMAND, "run", "nightly.tfjob"],
        cwd=tmp_path,
        env=environment(TMPDIR=str(tmp_path / "tmp")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while not (tmp_path / "one").exists() or not (tmp_path / "two").exists():
        assert time.monotonic() < until
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == status
    assert summary(err) == ["one aborted", "two aborted", "three did not run", "flow nightly has failed"]
    assert os.listdir(tmp_path / "tmp") == []


def test_run_takes_one_flow(tmp_path: Path) -> None:
    two = text("flow a { run one }\nflow b { run one, run two }\n", ("one", "two"))
    done = ran(tmp_path, two)
    assert (done.status, done.out) == (2, "")
    assert "run runs one flow, and the file has several flows: a and b" in done.err
    assert summary(ran(tmp_path, two, "--flow", "a").err) == ["one completed", "flow a has completed"]
    beside = text("flow a { run one }\n", ("one", "two"))
    assert "the file has jobs beside flow a" in ran(tmp_path, beside).err
    assert ran(tmp_path, beside, "--job", "two").status == 0


# --- which flow ---


def test_the_command_that_shows_the_notes_takes_the_flow(tmp_path: Path) -> None:
    (tmp_path / "nightly.tfjob").write_text(text())
    said = tfdsl("compile", "nightly.tfjob", "-t", "jobset", "--flow", "nightly", cwd=tmp_path).err
    [command] = re.findall(r"shown by: tfdsl (.*)", said)
    done = tfdsl(*command.split(), cwd=tmp_path)
    assert (done.status, "jobset-flow-no-service-account" in done.err) == (0, True), done.err


@pytest.mark.parametrize("option", ["--job", "--name"])
def test_a_flow_has_all_of_its_jobs(tmp_path: Path, option: str) -> None:
    (tmp_path / "nightly.tfjob").write_text(text())
    done = tfdsl("compile", "nightly.tfjob", "-t", "jobset", "--flow", "nightly", option, "train", cwd=tmp_path)
    assert (done.status, done.out) == (2, "")
    assert f"{option} cannot be used with --flow" in done.err


def test_the_flow_is_what_is_compared(tmp_path: Path) -> None:
    (tmp_path / "a.tfjob").write_text(text() + text("flow weekly { run one }\n", ("one",)))
    (tmp_path / "b.tfjob").write_text(text() + text('flow weekly { namespace = "ml", run one }\n', ("one",)))
    compare = ("diff", "a.tfjob", "b.tfjob", "-t", "jobset", "--flow")
    assert [tfdsl(*compare, flow, cwd=tmp_path).status for flow in ("nightly", "weekly")] == [0, 1]


def test_a_note_about_all_jobs_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "nightly.tfjob").write_text(text())
    said = tfdsl("check", "nightly.tfjob", "-t", "slider", "--notes", cwd=tmp_path).err
    assert [said.count(slug) for slug in ("slider-flow-stays", "slider-flow-logs")] == [1, 1]


def test_the_namespace_of_a_flow_is_told_where_it_is_written(tmp_path: Path) -> None:
    written = text(FLOW.replace("  run fetch\n", '  namespace = "ml"\n  run fetch\n'))
    (tmp_path / "nightly.tfjob").write_text(written)
    said = tfdsl("check", "nightly.tfjob", "-t", "slurm", "--notes", cwd=tmp_path).err
    told = re.findall(r"(slurm\S*-namespace): .*\n +--> nightly.tfjob:(\S+)", said)
    assert told == [("slurm-flow-namespace", "4:15")]


# --- tfconfig ---

HOST = "nightly-eval-<run>-worker-0-0.nightly-eval-<run>:2222"
"""A host of a JobSet: JOBSET-ROLE-0-INDEX.JOBSET, of which a flow has FLOW-JOB-RUN."""


def test_the_hosts_of_a_flow_have_the_mark_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "nightly.tfjob").write_text(text())
    ask = ("tfconfig", "nightly.tfjob", "-t", "jobset", "worker[0]")
    assert (
        f'# nightly-eval-<run> on jobset 0.12\nworker[0]\n  TF_CONFIG={{"cluster":{{"worker":["{HOST}"]}}'
        in tfdsl(*ask, cwd=tmp_path).out
    )
    jobs = json.loads(tfdsl(*ask, "--format", "json", cwd=tmp_path).out)["jobs"]
    assert [job["job"] for job in jobs] == [f"nightly-{job}-<run>" for job in _JOBS]
    tasks = {task.job: task.tf_config for task in api.tfconfig(text=text(), target="jobset", task="worker[0]")}
    config = tasks["nightly-eval-<run>"]
    assert config is not None
    assert config["cluster"] == {"worker": [HOST]}
    assert "job nightly-fetch-<run> or " in tfdsl(*ask[:-1], "ps", cwd=tmp_path).err


# --- graph ---


@pytest.mark.parametrize(
    ("form", "edge"),
    [
        ("mermaid", 'run_1 -.->|"failed"| run_4'),
        ("svg", "Train has to fail before notify."),
        ("dot", 'g0_run_1 -> g0_run_4 [color="#c0392b", style=dashed, label="failed\\l"]'),
        ("json", '"kind": "failed"'),
    ],
)
def test_every_format_draws_a_flow(tmp_path: Path, form: str, edge: str) -> None:
    (tmp_path / "nightly.tfjob").write_text(text())
    done = tfdsl("graph", "nightly.tfjob", "--flow", "nightly", "--format", form, cwd=tmp_path)
    assert (done.status, done.err) == (0, "")
    assert edge in done.out
    assert "0 2 " in done.out


def test_a_flow_as_json_has_places_of_its_statements(tmp_path: Path) -> None:
    (tmp_path / "nightly.tfjob").write_text(text())
    done = tfdsl("graph", "nightly.tfjob", "--flow", "nightly", "--format", "json", "-t", "volcano", cwd=tmp_path)
    [graph] = json.loads(done.out)["graphs"]
    assert (graph["flow"], graph["target"], "job" in graph) == ("nightly", "volcano 1.15", False)
    assert [box["name"] for box in graph["boxes"]] == list(_JOBS)
    [failed] = [link for link in graph["links"] if link["kind"] == "failed"]
    assert failed["place"]["line"] == 8


def test_a_ring_is_refused_and_a_long_flow_drawn(tmp_path: Path) -> None:
    jobs = tuple(f"j{at}" for at in range(300))
    runs = [f"run {job} after {before}" for before, job in pairwise(jobs)]
    (tmp_path / "long.tfjob").write_text(text(f"flow long {{ run j0, {', '.join(runs)} }}\n", jobs))
    (tmp_path / "ring.tfjob").write_text(text(f"flow ring {{ run j0 after j299, {', '.join(runs)} }}\n", jobs))
    assert tfdsl("graph", "long.tfjob", "-o", "long.svg", cwd=tmp_path).status == 0
    assert tfdsl("graph", "ring.tfjob", cwd=tmp_path).status == 1


def test_a_target_that_refuses_a_job_refuses_the_flow(tmp_path: Path) -> None:
    (tmp_path / "nightly.tfjob").write_text(text(train=f"{TRAIN}\nsuspend = true"))
    refused = tfdsl("simulate", "nightly.tfjob", "-t", "tfjob", cwd=tmp_path)
    assert (refused.status, refused.out) == (1, "")
    done = tfdsl("simulate", "nightly.tfjob", cwd=tmp_path)
    assert (done.status, "the job does not compile for it: " in done.err) == (0, True)


def test_events_of_a_flow_complete(tmp_path: Path) -> None:
    (tmp_path / "nightly.tfjob").write_text(text(train=TRAIN))

    def offered(word: str) -> list[str]:
        asked = ("completion", "fish", "--", "3", "simulate", "nightly.tfjob", "--inject", word)
        return [line.split("\t")[0] for line in tfdsl(*asked, cwd=tmp_path).out.splitlines()]

    assert "train: " in offered("")
    assert offered("train: work") == ["train: worker["]
    assert offered("train: worker[1] o") == ["train: worker[1] oom"]


# --- Python ---


def test_python_has_the_same() -> None:
    (played,) = api.simulate_flow(text=text(train=TRAIN), targets="volcano", inject="train: worker[1] exit 3")
    assert (played.flow, played.inject) == ("nightly", ("train: worker[1] exit 3",))
    assert (played.language.outcome, played.language.jobs["train"], played.language.jobs["eval"]) == (
        "failed",
        "aborted",
        "not run",
    )
    (on,) = played.targets
    assert (on.target, on.outcome, on.cause) == ("volcano", "failed", "train was aborted: worker[1] exited 3")
    assert [one.job for one in played.jobs] == list(_JOBS)
    with pytest.raises(api.CompileError, match="cannot simulate"):
        api.simulate_flow(text=text(), flow="weekly")
    assert [one.flow for one in api.simulate_flow(text=text(), flow="nightly")] == ["nightly"] * 6
    (drawn,) = api.graph(text=text())
    assert (drawn.flow, drawn.job, drawn.data().get("flow")) == ("nightly", "", "nightly")
