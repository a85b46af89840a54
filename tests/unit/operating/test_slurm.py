"""Why jobs wait or have ended on Slurm, by what a real Slurm 22.05.8 has answered.

``tests/data/live/slurm-queue.txt`` is what its squeue printed of jobs that were made to wait or to fail in these ways.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.unit.cli.shell import ROOT, Ran, tfdsl
from tfdsl import targets
from tfdsl.backend.cluster import Answer, Call, Live, LogOptions, Place, Sign, reasons
from tfdsl.compiling import pipeline
from tfdsl.compiling.pipeline import Made, compile_source
from tfdsl.operating.problem import ProblemError
from tfdsl.operating.session import Session
from tfdsl.operating.showing import lines
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source

SLURM = targets.find("slurm")
assert SLURM is not None
CLUSTER = SLURM.load_cluster()
assert CLUSTER is not None
QUEUE = (ROOT / "tests/data/live/slurm-queue.txt").read_text(encoding="utf-8")
ROWS = {line.split("|")[0].strip(): line for line in QUEUE.splitlines()}
RUN = "/shared/runs/train-20261129-193301-00000001"
JOB = """\
job train {
  command = ["python", "train.py"]
  memory = 100Mi
  deadline = 5s
  retries = 1
  role chief { }
  role worker { replicas = 2 }
  on exit 5 => abort job
}
"""


def made() -> Made:
    assert SLURM is not None
    return compile_source(Source("train.tfjob", JOB), SLURM)[0]


def row(state: str, reason: str, **more: str) -> str:
    """A row of squeue as it printed them."""
    cells = ROWS["140"].split("|")
    cells[4], cells[5], cells[6] = state, reason, more.get("restarts", "0")
    return "|".join(cells)


def live(*answers: str, unit: bool = True) -> Live:
    assert SLURM is not None
    one = made() if unit else None
    session = Session(SLURM, Place("train", unit=one.unit if one else None), one.documents if one else ())
    found = session.cluster.live(session.place, [Answer(0, text, "") for text in answers])
    assert found is not None
    return session.explained(found)


PENDING = [  # what squeue called it, phase, reason
    ("140", "suspended", "held"),
    ("141", "waiting", "begin-time"),
    ("142", "waiting", "time-limit"),
    ("143", "waiting", "too-many-nodes"),
    ("144", "running", ""),
    ("145", "waiting", "dependency"),
    ("146", "failed", "waited-too-long"),
    ("147", "failed", "never-fits"),
    ("148", "waiting", "nodes-not-available"),
    ("150", "aborted", "cancelled"),
    ("11", "waiting", "no-room"),
    ("13", "waiting", "priority"),
    ("17", "waiting", "dependency-never"),
    ("19", "failed", "preempted"),
    ("25", "waiting", "account-limit"),
    ("27", "suspended", "held"),
    ("36", "waiting", "partition-down"),
    ("37", "failed", "out-of-memory"),
    ("40", "waiting", "account-limit"),
    ("43", "failed", "node-lost"),
    ("44", "failed", "time-passed"),
]


@pytest.mark.parametrize(("number", "phase", "slug"), PENDING)
def test_what_squeue_says(number: str, phase: str, slug: str) -> None:
    found = live(ROWS[number] + "\n", unit=False)
    assert (found.phase, found.id) == (phase, number)
    assert [one.slug for one in found.reasons[:1]] == ([slug] if slug else [])


def test_a_job_that_waits_has_no_log_yet() -> None:
    assert CLUSTER is not None
    answers = [Answer(0, ROWS["13"] + "\n", "")]
    (steps,) = CLUSTER.more(Place("train"), answers)
    assert steps.words[0] == "squeue"
    assert {one.phase for one in live(ROWS["13"]).replicas} == {"waiting"}


def test_all_of_the_recording_is_looked_at() -> None:
    assert set(ROWS) == {number for number, *_ in PENDING}


@pytest.mark.parametrize(
    ("reason", "slug"),
    [  # recorded in the same way, in another format
        ("Licenses", "licenses"),
        ("PartitionDown", "partition-down"),
        ("ReqNodeNotAvail, UnavailableNodes:127.0.1.6", "nodes-not-available"),
        ("Nodes are mysterious", "waits"),
    ],
)
def test_other_reasons_to_wait(reason: str, slug: str) -> None:
    assert live(f"{row('PENDING', reason)}\n").reasons[0].slug == slug


def test_of_a_start_whose_time_has_passed_slurm_says_no_other_until_it_looks_again() -> None:
    (found,) = live(f"{row('PENDING', 'BeginTime')}\n").reasons
    assert (found.sentence, found.at) == ("it is to start later: it is not known when", "")


LOGGED = [  # the last words of a script that ran, how its job stood, what becomes of it
    ("FAILED", "chief-0 exited 3", "exited", "chief[0] exited with status 3", "command"),
    ("FAILED", "chief-0 exited 127", "program-missing", "chief[0] exited with status 127: its", "command"),
    (
        "FAILED",
        "worker-0 exited 3, and no retry is left",
        "retries",
        "worker[0] exited with status 3, and",
        "retries = 1",
    ),
    (
        "FAILED",
        "the time limit of the allocation is near",
        "time-passed",
        "the time limit of the allocation",
        "deadline = 5s",
    ),
    ("FAILED", "the job was preempted, and no retry is left", "preempted", "it had to make room", ""),
    ("FAILED", "a node was lost, and no retry is left", "node-lost", "a node of the job was lost", ""),
    ("FAILED", "chief-0 exited 137", "out-of-memory", "chief[0] exceeded the limit of memory", "memory = 100Mi"),
    ("FAILED", "the deadline has passed", "deadline", "the time limit of the job has passed", "deadline = 5s"),
    ("FAILED", "Slurm gave fewer places than the job has", "script", "the job's script says: Slurm gave", ""),
    (
        "PENDING",
        "chief-0 exited 5: the job stops; scontrol release 47 lets it go on",
        "aborted",
        "chief[0] exited",
        "command",
    ),
]


@pytest.mark.parametrize(("state", "words", "slug", "sentence", "line"), LOGGED, ids=[one[2] for one in LOGGED])
def test_what_the_script_has_logged(state: str, words: str, slug: str, sentence: str, line: str) -> None:
    reason = "NonZeroExitCode" if state == "FAILED" else "job requeued in held state"
    by_kernel = "Out Of Memory" if words.endswith("137") else "Exited with exit code 3"
    log = f"srun: error: 127.0.1.2: task 0: {by_kernel}\n19:28:54 [train] chief-0 exited 3\n19:28:54 [train] {words}\n"
    found = live(f"{row(state, reason)}\n", "", log, "chief-0.log\nid\njob.log\nworker-0.log\n")
    first = found.reasons[0]
    assert (first.slug, first.basis) == (slug, "log")
    assert first.sentence.startswith(sentence)
    if line:
        assert line in JOB.splitlines()[int(first.place.partition(":")[2]) - 1]
    assert found.phase == ("aborted" if state == "PENDING" else "failed")


ACCOUNTS = (ROOT / "tests/data/live/slurm-accounts.txt").read_text(encoding="utf-8")
PAST = [  # name and number of a job that the queue has forgotten; phase, reason, replicas; what is shown of it
    ("oom", "3", "failed", "out-of-memory", "failed", "worker-0 exited 137 (MaxRSS 16504K)"),
    ("exits", "5", "failed", "exited", "failed", "chief-0 exited 3 (MaxRSS 6120K)"),
    ("train", "19", "failed", "preempted", "stopped", "PREEMPTED/None"),
    ("train", "21", "aborted", "cancelled", "stopped", "CANCELLED/None"),
    ("train", "25", "aborted", "cancelled", "absent", "CANCELLED/QOSMaxJobsPerUserLimit"),
    ("train", "32", "failed", "node-lost", "stopped", "NODE_FAIL/None"),
    ("train", "37", "failed", "out-of-memory", "absent", "OUT_OF_MEMORY/None"),
]


@pytest.mark.parametrize(("name", "number", "phase", "slug", "replicas", "words"), PAST, ids=[one[1] for one in PAST])
def test_what_the_accounting_says(name: str, number: str, phase: str, slug: str, replicas: str, words: str) -> None:
    assert CLUSTER is not None
    lines = "".join(f"{line}\n" for line in ACCOUNTS.splitlines() if re.match(rf"{number}[|.]", line))
    place = Place(name, id=number, unit=made().unit)
    answers = [Answer(1, "", "slurm_load_jobs error: Invalid job id specified"), Answer(0, lines, "")]
    assert CLUSTER.more(place, answers[:1])[0].words[0] == "sacct"
    log = re.search(r"/shared/runs/\S+/job\.log", lines)
    assert log is not None
    reads = [call.words for call in CLUSTER.more(place, answers)]
    assert reads[:1] == ([] if number == "25" else [("tail", "-n", "5000", "--", log[0])])  # that has never run
    found = CLUSTER.live(place, answers)
    assert found is not None
    assert (found.id, found.phase, found.reasons[0].slug) == (number, phase, slug)
    assert {one.phase for one in found.replicas} == {replicas}
    assert found.reasons[0].words == words
    assert found.since == lines.split("|")[8]
    assert CLUSTER.live(Place("other", id=number), answers) is None


def test_a_job_that_was_forgotten_is_the_latest_of_its_name() -> None:
    assert CLUSTER is not None
    answers = [Answer(0, "", ""), Answer(0, ACCOUNTS, "")]
    found = CLUSTER.live(Place("train"), answers)
    assert found is not None
    assert (found.id, found.notes) == (
        "43",
        ("Slurm knows 5 more of this name; this is the latest, --id names another",),
    )
    for hostile in ("", "a|b\n", "|" * 11 + "\n", "9" * 400 + "|" * 11 + "\n", "x" * 100_000):
        assert CLUSTER.live(Place("train"), [answers[0], Answer(0, hostile, "")]) is None


def test_what_a_replica_said_instead_of_its_command() -> None:
    assert CLUSTER is not None
    place = Place("train", unit=made().unit)
    log = "19:28:54 [train] worker-1 exited 4\n19:28:54 [train] worker-1 exited 4\n"
    answers = [Answer(0, text, "") for text in (f"{row('FAILED', 'NonZeroExitCode')}\n", "", log, "worker-1.log\n")]
    (call,) = CLUSTER.more(place, answers)
    assert call.words == ("tail", "-n", "3", "--", f"{RUN}/worker-1.log")
    answers.append(Answer(0, "no\n[tfjob] worker-1: prepare fetch exited with 4\n", ""))
    assert not CLUSTER.more(place, answers)
    found = CLUSTER.live(place, answers)
    assert found is not None
    (first,) = found.reasons
    assert first.sentence == "worker[1] could not run its command: prepare fetch exited with 4"
    assert (first.value, first.basis, first.event) == ("fetch", "log", "failed")


def test_replicas_by_steps_logs_and_words() -> None:
    steps = "40.0|worker-0|n4|0:24\n40.1|chief-0|n4|0:24\n40.batch|batch|n4|0:24\n"
    log = "19:28:56 [train] chief-0 exited 3\n19:28:56 [train] chief-0 exited 3: restart pod (1 of 1 retries used)\n"
    found = live(f"{row('RUNNING', 'None')}\n", steps, log, "chief-0.log\nworker-1.log\n")
    shown = {one.task: (one.phase, one.node, one.restarts, one.end and one.end.status) for one in found.replicas}
    assert shown == {
        "chief[0]": ("running", "n4", 1, 3),
        "worker[0]": ("running", "n4", 0, None),
        "worker[1]": ("stopped", "", 0, None),
    }


def test_a_job_of_several_components_is_one() -> None:
    one, other = (
        ROWS["144"].replace("144 |N/A |N/A", f"{number} |49 |{at}") for number, at in (("49", "0"), ("50", "1"))
    )
    answer = Answer(0, f"{one}\n{other}\n", "")
    assert CLUSTER is not None
    assert "49,50" in CLUSTER.more(Place("train"), [answer])[0].words
    assert [job.id for job in CLUSTER.listed(Place(), [answer])] == ["49"]


def test_the_latest_run_of_a_name_is_meant() -> None:
    found = live(QUEUE)
    assert found.id == "150"
    assert found.notes[0].startswith(f"Slurm knows {len(ROWS) - 1} more of this name")
    assert found.submission == "train-20261129-193312-00000002"


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        ("sbatch: error: Batch job submission failed: Invalid feature specification", "feature-missing"),
        ("sbatch: error: invalid partition specified: nowhere", "partition-missing"),
        ("sbatch: error: Batch job submission failed: Requested node configuration is not available", "never-fits"),
    ],
)
def test_what_sbatch_refuses(words: str, slug: str) -> None:
    assert CLUSTER is not None
    said = CLUSTER.objection(Answer(1, "", f"{words}\ntrain: sbatch refused the job\n"), replaces=False)
    assert reasons(CLUSTER.rows, [Sign("refusal", "", said)])[0].slug == slug


def test_command_lines() -> None:
    assert CLUSTER is not None
    place = Place("train", options=("--reservation=today",))
    (step,) = CLUSTER.steps(place, (), "/tmp/x", "id")
    assert step.call.words == ("bash", "/tmp/x/train/submit.sh", "--", "--reservation=today")
    said = f"train: submitted as 40; logs in {RUN}\n  squeue --job 40\n"
    undo = step.undo(said)
    assert (step.made(said), undo and undo.words) == ("job/40", ("scancel", "40"))
    (ask,) = CLUSTER.asks(place, (), "/tmp/x")
    assert ask.words[2] == "--test-only"
    found = live(f"{ROWS['144']}\n", "", "", "worker-1.log\n")
    replica = found.replicas[2]
    call = CLUSTER.log(place, found, replica, "", LogOptions(follow=True, tail=5))
    folder = RUN.replace("193301-00000001", "193305-00000005")
    assert isinstance(call, Call)
    assert call.words == ("tail", "-n", "5", "-F", "--", f"{folder}/worker-1.log")
    assert CLUSTER.log(place, found, replica, "", LogOptions(previous=True)) is None


MANY = json.loads((ROOT / "tests/data/live/slurm-many.json").read_text(encoding="utf-8"))
"""What a Slurm answered of 200 replicas that run, and of 30 where ``SrunPortRange`` had 61 ports."""


def test_200_replicas_are_counted() -> None:
    found = live(*MANY["running"], unit=False)
    assert (found.phase, found.reasons) == ("running", ())
    assert list(lines(found))[2:] == ["  worker: 200 running"]
    assert {one.index for one in found.replicas} == set(range(200))
    assert all(one.name.endswith(f"/worker-{one.index}.log") for one in found.replicas)


def test_a_site_that_gives_too_few_ports_to_srun() -> None:
    found = live(*MANY["no-ports"], unit=False)
    assert [one.slug for one in found.reasons[:1]] == ["no-ports"]
    assert "only those from 18820 to 18880" in found.reasons[0].sentence
    assert "SrunPortRange" in found.reasons[0].help


@pytest.mark.parametrize("accounted", [False, True])
def test_an_answer_that_ends_in_the_middle_is_not_no_job(accounted: bool) -> None:
    assert SLURM is not None
    session = Session(SLURM, Place("train"))
    half = Answer(0, ROWS["144"][:200], "")
    answers = iter([Answer(0, "", ""), half] if accounted else [half])

    def ask(calls: list[Call], _: float) -> list[Answer]:
        return [next(answers) for _ in calls]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tfdsl.operating.session.ask", ask)
        if accounted:
            assert session.read() is None
            assert "the answer ends in the middle" in session.unread[0]
        else:
            with pytest.raises(ProblemError, match="the answer ends in the middle"):
                session.read()


def test_hostile_answers() -> None:
    assert CLUSTER is not None
    for text in ("", "a|b\n", "x" * 100_000, ROWS["144"].replace("144", "9" * 400), "|" * 12 + "\n"):
        assert CLUSTER.live(Place("train"), [Answer(0, text, "")]) is None
    assert live(f"{row('RUNNING', 'None', restarts='9' * 5000)}\n").restarts is None
    odd = ROWS["144"].replace("/shared/runs", "--help")
    assert len(CLUSTER.more(Place("train"), [Answer(0, odd, "")])) == 1  # no log is read from there


def test_cancel_and_resume() -> None:
    assert CLUSTER is not None
    (part,) = CLUSTER.found(Place("train"), [Answer(0, ROWS["140"], "")])
    assert (part.what, part.end.words) == ("job/140", ("scancel", "140"))
    (step,) = CLUSTER.steps(Place("train"), (), "/tmp/x", "id")
    assert part.made_as == step.what  # so --replace ends it
    held = live(ROWS["140"])
    call = CLUSTER.resumes(Place("train"), held, [Answer(0, ROWS["140"], "")])
    assert not isinstance(call, str)
    assert call.words == ("scontrol", "release", "140")
    queue = [Answer(0, QUEUE, "")]
    assert CLUSTER.resumes(Place("train"), live(ROWS["144"]), queue) == "job train is running, not held"
    assert CLUSTER.resumes(Place("train"), held, [Answer(0, ROWS["144"], "")]) == (
        "job train was not submitted by tfdsl and this user"
    )
    assert CLUSTER.is_gone(Answer(1, "", "scancel: error: Kill job error on job id 1: Invalid job id specified"))
    assert not CLUSTER.is_there(Answer(1, "", ""))


SQUEUE = """#!/bin/sh
case "$*" in *states=all*) cat QUEUE ;; *) grep -E '[|](RUNNING|PENDING) ' QUEUE ;; esac
exit 0
"""
SCANCEL = """#!/bin/sh
sed -i "s/^$1 \\(.*\\)RUNNING /$1 \\1CANCELLED /" QUEUE
"""


class Queue:
    """A folder with stand-ins for squeue, scancel and scontrol; the queue has ``jobs``: number, name, state."""

    def __init__(self, folder: Path, *jobs: tuple[str, str, str]) -> None:
        self.folder, self.file = folder, folder / "queue"
        for name, text in (("squeue", SQUEUE), ("scancel", SCANCEL), ("scontrol", "#!/bin/sh\n")):
            (folder / name).write_text(text.replace("QUEUE", str(self.file)))
            (folder / name).chmod(0o755)
        lines: list[str] = []
        for number, name, state in jobs:
            cells = ROWS["144"].replace("/train-", f"/{name}-").split("|")
            cells[0], cells[3], cells[4] = f"{number} ", f"{name} ", f"{state} "
            lines.append("|".join(cells))
        self.file.write_text("".join(f"{line}\n" for line in lines))

    def states(self) -> dict[str, str]:
        rows = [line.split("|") for line in self.file.read_text().splitlines()]
        return {row[0].strip(): row[4].strip() for row in rows}

    def run(self, *words: str) -> Ran:
        return tfdsl(*words, cwd=self.folder, PATH=f"{self.folder}:{os.environ['PATH']}")


def test_cancel_ends_all_runs_that_live(tmp_path: Path) -> None:
    queue = Queue(tmp_path, ("5", "train", "RUNNING"), ("6", "train", "RUNNING"), ("7", "train", "COMPLETED"),
                  ("8", "other", "RUNNING"))  # fmt: skip
    ran = queue.run("cancel", "slurm/train")
    assert (ran.status, ran.out) == (0, "ended job/5, job/6\n"), ran.err
    assert queue.states() == {"5": "CANCELLED", "6": "CANCELLED", "7": "COMPLETED", "8": "RUNNING"}
    ran = queue.run("cancel", "slurm/train")
    assert (ran.status, ran.out) == (3, "")
    assert "cannot end slurm/train: no run waits or runs" in ran.err


@pytest.mark.parametrize("command", ["status", "logs", "cancel", "resume"])
@pytest.mark.parametrize(
    ("number", "status", "said"),
    [("8", 3, ""), ("--all", 2, "--id needs a number, not --all"), ("8,9", 2, "--id needs a number, not 8,9")],
)
def test_the_number_and_the_name_must_be_those_of_one_job(
    tmp_path: Path, command: str, number: str, status: int, said: str
) -> None:
    queue = Queue(tmp_path, ("8", "other", "RUNNING"))
    ran = queue.run(command, "slurm/train", f"--id={number}")
    assert (ran.status, ran.out) == (status, "")
    assert said in ran.err
    assert queue.states() == {"8": "RUNNING"}


# --- flows ---

FLOW_RUN = "20261129-233439-5206f4e1"
FLOW = """\
flow nightly {
  run fetch
  run train after fetch
  run tidy after fetch failed
}
""" + "".join(
    f'job {name} {{\n  command = ["true"]\n  deadline = 5m\n  role worker {{ }}\n}}\n'
    for name in ("fetch", "train", "tidy")
)
WHY = "worker-0 exited 3; logs in /shared/runs/nightly-fetch-20261129-233439-bbaaf2cd"


def flow_session(run: str = "") -> Session:
    assert SLURM is not None
    (made,) = pipeline.run(
        pipeline.load(Source("nightly.tfjob", FLOW), lambda path: "no files here"), Request(), [Choice(SLURM)]
    ).flows
    return Session(SLURM, Place("nightly", id=run, flow=made.unit), made.documents)


@pytest.mark.parametrize(
    ("lines", "phase", "jobs", "slugs"),
    [  # as flow.sh --status printed it
        (["fetch   open: PENDING", "train   open: PENDING"], "waiting", "waiting waiting", []),
        (["fetch   open: RUNNING", "train   open: PENDING"], "running", "running waiting", []),
        (["fetch   succeeded", "train   open: PENDING"], "running", "succeeded waiting", []),
        (["fetch   succeeded", "tidy    did not run"], "succeeded", "succeeded not run", []),
        ([f"fetch   failed: {WHY}", "train   did not run"], "failed", "failed not run", ["flow-job"]),
        ([f"fetch   failed: {WHY}", "tidy    open: PENDING"], "running", "failed waiting", ["flow-job"]),
    ],
)  # fmt: skip
def test_a_flow_is_what_its_script_says(lines: list[str], phase: str, jobs: str, slugs: list[str]) -> None:
    session = flow_session()
    said = "\n".join([f"nightly: the run {FLOW_RUN}", *(f"  {line}" for line in lines), ""])
    found = session.cluster.live(session.place, [Answer(0, said, "")])
    assert found is not None
    assert (found.id, found.phase) == (FLOW_RUN, phase)
    assert " ".join(job.phase for job in found.replicas) == jobs
    assert [reason.slug for reason in found.reasons] == slugs
    assert all(reason.sentence == f"fetch has failed: {WHY}" for reason in found.reasons)


def test_command_lines_of_a_flow() -> None:
    session = flow_session()
    (read,) = session.cluster.reads(session.place)
    assert read.stdin.startswith("#!/usr/bin/env bash\n# Submits the jobs of the flow nightly")
    assert read.words[-1] == "--status"
    (step,) = session.cluster.steps(session.place, (), "/tmp/x", "")
    assert step.call.words == ("bash", "/tmp/x/nightly/flow.sh")
    said = f"nightly: submitted the run {FLOW_RUN}\n  fetch is job 7; logs in /a\n  train is job 8; logs in /b\n"
    assert step.made(said) == f"flow/{FLOW_RUN}"
    undo = step.undo(said)
    assert undo is not None
    assert undo.words == ("scancel", "8", "7")
    assert session.cluster.live(session.place, [Answer(0, "", "nightly: there is no such run in /x\n")]) is None
    asks = session.cluster.asks(session.place, (), "/tmp/x")
    assert [call.words[1] for call in asks] == [f"/tmp/x/nightly/{job}/submit.sh" for job in ("fetch", "train", "tidy")]


def test_a_flow_ends_from_behind_and_no_other() -> None:
    """squeue prints components apart; what anybody else has written as a comment is not ours."""
    other = FLOW_RUN.replace("2026", "2025")
    answer = Answer(0, "\n".join([
        f"12+0 PENDING tfdsl-flow:nightly:{FLOW_RUN}", f"12+1 PENDING tfdsl-flow:nightly:{FLOW_RUN}",
        f"9 RUNNING tfdsl-flow:nightly:{FLOW_RUN}", f"7 RUNNING tfdsl-flow:nightly:{other}",
        f"13 RUNNING tfdsl-flow:nightly-b:{FLOW_RUN}", "14 RUNNING (null)", "15 RUNNING tfdsl-flow:nightly:x; rm",
    ]), "")  # fmt: skip
    for run, numbers in (("", ["12", "9", "7"]), (FLOW_RUN, ["12", "9"])):
        session = flow_session(run)
        found = session.cluster.found(session.place, [answer])
        assert [part.end.words for part in found] == [("scancel", number) for number in numbers]
