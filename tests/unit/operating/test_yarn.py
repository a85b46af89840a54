"""Why jobs wait or have ended on YARN, by what the client of a real Hadoop 3.4.2 has answered.

``tests/data/live/yarn.json``: by the name of what happened, the job's name, the state and final state of its
application, what ``yarn application -status`` printed, and in ``more`` what ``yarn container -list`` or ``yarn logs``
did; ``said``: what was refused. Stack traces are cut, and folders of the machine have other names.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.shell import ROOT, Ran, tfdsl
from tfdsl import targets
from tfdsl.backend.cluster import Answer, Call, Live, LogOptions, Place, Sign, reasons
from tfdsl.compiling import pipeline
from tfdsl.compiling.pipeline import Made, compile_source
from tfdsl.operating.logs import with_log
from tfdsl.operating.session import Session
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source

YARN = targets.find("yarn")
assert YARN is not None
CLUSTER = YARN.load_cluster()
assert CLUSTER is not None
RECORDED: dict[str, dict[str, Any]] = json.loads((ROOT / "tests/data/live/yarn.json").read_text(encoding="utf-8"))
JOB = """\
job NAME {
  command = ["python", "train.py"]
  memory = 128Mi
  deadline = 20s
  gpu = 5
  queue = "research"
  role chief { }
  role worker { replicas = 2 }
  on exit 3 => fail job
  on failed => fail job
  target yarn { am_memory = 512 }
}
"""
COLUMNS = "Application-Id\tApplication-Name\tApplication-Type\tUser\tQueue\tState\tFinal-State\tProgress\tTracking-URL"
HEAD = "Total number of applications (application-types: [YARN], states: [ALL] and tags: []):"


def made(name: str, text: str = JOB) -> Made:
    assert YARN is not None
    return compile_source(Source("train.tfjob", text.replace("NAME", name)), YARN)[0]


def row(number: str, name: str, state: str = "RUNNING", final: str = "UNDEFINED", user: str = "root") -> str:
    """A row of ``yarn application -list`` as it prints them."""
    cells = (number, name, "YARN", user, "root.default", state, final, "0%", "N/A")
    return "\t".join(f"{cell:>20}" for cell in cells)


def listed(*rows: str) -> Answer:
    return Answer(
        0, "\n".join([f"{HEAD}{len(rows)}", COLUMNS, *rows, ""]), "WARN util.NativeCodeLoader: Unable to load\n"
    )


def recorded(what: str, job: Made | None = None, **changed: str) -> Live:
    """What ``tfdsl status`` makes of a recording."""
    assert YARN is not None
    one = {**RECORDED[what], **changed}
    job = job or made(one["name"])
    session = Session(YARN, Place(one["name"], unit=job.unit), job.documents)
    (number,) = [line.split()[-1] for line in one["report"].splitlines() if line.startswith("\tApplication-Id")]
    table = listed(row(number, one["name"], *one["state"]))
    more = Answer(0, one["more"], "") if one["more"] else Answer(255, "", "Can not find the logs")
    answers = [table, table, Answer(0, one["report"], ""), more]
    assert len(session.cluster.more(session.place, answers[:2])) == (1 if one["state"][0] == "ACCEPTED" else 2)
    found = session.cluster.live(session.place, answers)
    assert found is not None
    assert found.submission == number
    return session.explained(found)


REASONS = [  # what happened, phase, kind of reason, how its sentence begins, what is at its line
    ("exits", "failed", "exited", "chief[0] exited with status 3", "command"),
    ("printed", "failed", "exited", "worker[0] exited with status 3", "command"),
    ("out-of-memory", "failed", "out-of-memory", "chief[0] needed more memory than the limit: 426.8 MB of", "memory"),
    ("killed", "aborted", "cancelled", "it was ended by user root", ""),
    ("deadline", "aborted", "deadline", "it was ended about when its deadline passed", "deadline"),
    ("too-many-gpus", "failed", "never-fits", "no container was given to the job", "gpu"),
    ("master-killed", "failed", "master-failed", "its application master ended 2 times, the last time with", ""),
    ("master-killed-twice", "failed", "master-failed", "its application master ended 2 times, the last time with", ""),
    ("master-memory", "failed", "master-memory", "the application master needed more virtual memory", "am_memory"),
    ("master-limit", "waiting", "master-limit", "its queue has too many application masters", "queue"),
    ("no-room", "waiting", "no-room", "its queue or its nodes have no room yet", "queue"),
    ("no-room-for-tasks", "starting", "no-room-for-tasks", "0 of 3 containers have a place", "gpu"),
    ("queue-stopped", "failed", "queue-stopped", "the queue root.research is stopped", "queue"),
    ("file-gone", "failed", "file-missing", "a file that its containers need is not in HDFS any more: hdfs://", ""),
    ("node-lost", "failed", "node-lost", "a node of the job was lost", ""),
]


@pytest.mark.parametrize(("what", "phase", "slug", "sentence", "line"), REASONS, ids=[one[0] for one in REASONS])
def test_what_yarn_says(what: str, phase: str, slug: str, sentence: str, line: str) -> None:
    job = made(RECORDED[what]["name"], JOB if what == "deadline" else JOB.replace("  deadline = 20s\n", ""))
    found = recorded(what, job)
    first = found.reasons[0]
    assert (found.phase, first.slug) == (phase, slug)
    assert first.sentence.startswith(sentence)
    assert (first.basis == "inferred") == (what in ("deadline", "too-many-gpus"))
    text = JOB if what == "deadline" else JOB.replace("  deadline = 20s\n", "")
    at = text.splitlines()[int(first.place.partition(":")[2]) - 1] if first.place else ""
    assert (line in at) if line else not at


def test_all_of_the_recording_is_looked_at() -> None:
    seen = {what for what, *_ in REASONS} | {f"refused: {slug}" for slug in REFUSED} | {"runs", "not permitted"}
    assert set(RECORDED) == seen


REFUSED = {
    "queue-missing": "Queue nowhere not present in scheduler configuration.",
    "queue-stopped": "Queue root.research is STOPPED. Cannot accept submission of application",
    "queue-refused": "User bob does not have permission to submit",
}


@pytest.mark.parametrize("slug", REFUSED)
def test_what_submitting_is_refused_for(slug: str) -> None:
    assert CLUSTER is not None
    said = CLUSTER.refusal(Answer(1, "", RECORDED[f"refused: {slug}"]["said"]))
    assert REFUSED[slug] in said
    assert reasons(CLUSTER.rows, [Sign("refusal", "", said)])[0].slug == slug


def test_what_is_not_permitted_is_said_without_the_trace() -> None:
    assert CLUSTER is not None
    said = CLUSTER.refusal(Answer(255, "", RECORDED["not permitted"]["said"]))
    assert said == "User bob cannot perform operation MODIFY_APP on application_1795992624370_0001"


def test_each_task_by_its_log_and_the_policy_that_decides() -> None:
    found = recorded("exits")
    shown = {one.task: (one.phase, one.node, one.end and one.end.status) for one in found.replicas}
    assert shown == {
        "chief[0]": ("failed", "localhost", 3),
        "worker[0]": ("stopped", "localhost", None),
        "worker[1]": ("stopped", "localhost", None),
    }
    assert [one.slug for one in found.reasons] == ["exited", "policy"]
    assert found.reasons[1].place == "train.tfjob:9"


def test_tasks_are_those_of_the_last_attempt_of_the_application() -> None:
    """Recorded when the application master was killed twice: with it, all tasks end and start again."""
    job = made("amdies", JOB.replace("replicas = 2", "replicas = 1").replace("  deadline = 20s\n", ""))
    found = recorded("master-killed-twice", job)
    assert [one.name.split("_")[3] for one in found.replicas] == ["02", "02"]
    assert [one.slug for one in found.reasons] == ["master-failed"]
    assert found.notes == ("its application master was started again: all tasks are those of attempt 2",)
    runs = RECORDED["runs"]["more"].replace("_01_0000", "_02_0000")
    assert recorded("runs", made("run"), more=runs).notes == found.notes


def test_the_last_lines_come_from_what_was_read() -> None:
    printed = RECORDED["exits"]["more"].replace(
        "[tfjob chief[0]] exits with 3", "no\x1b[31m data\n[tfjob chief[0]] exits with 3"
    )
    found = recorded("exits", more=printed)
    assert found.reasons[0].log == ("no\x1b[31m data",)
    assert recorded("printed").reasons[0].log == ("one",)
    assert YARN is not None
    assert with_log(Session(YARN, Place("exits")), found) is found  # no client is asked


def test_a_job_that_runs_has_all_its_containers() -> None:
    found = recorded("runs", made("run"))
    assert {one.phase for one in found.replicas} == {"running"}
    assert (found.phase, found.reasons) == ("running", ())
    lines = RECORDED["runs"]["more"].splitlines()
    some = recorded("runs", more="\n".join(["Total number of containers :3", *lines[1:-1], ""]))
    assert {one.phase for one in some.replicas} == {"unknown"}
    assert some.notes[0].startswith("2 of 3 containers of application_1795991729105_0007 run")
    assert some.reasons[0].slug == "no-room-for-tasks"


def test_200_replicas() -> None:
    job = made("run", JOB.replace("replicas = 2", "replicas = 200"))
    line = RECORDED["runs"]["more"].splitlines()[2]
    rows = [line.replace("_000004", f"_{number:06}") for number in range(1, 203)]
    text = "\n".join([f"Total number of containers :{len(rows)}", RECORDED["runs"]["more"].splitlines()[1], *rows, ""])
    assert [one.phase for one in recorded("runs", job, more=text).replicas] == ["running"] * 201


APART = """\
job NAME {
  command = ["python", "train.py"]
  role chief { memory = 1Gi }
  role worker { replicas = 2, memory = 2Gi }
}
"""


def test_the_applications_of_a_run() -> None:
    """A run is what was submitted together; ``--id`` names an earlier one."""
    assert CLUSTER is not None
    unit = made("train", APART).unit
    names = ["train-chief", "train-worker", "train-worker", "train-chief", "other"]
    table = listed(*(row(f"application_1_{number:04}", name) for number, name in enumerate(names, 1)))
    for place, wanted in (
        (Place("train", unit=unit), ["application_1_0003", "application_1_0004"]),
        (Place("train"), ["application_1_0003", "application_1_0004"]),
        (Place("train", id="application_1_0002"), ["application_1_0001", "application_1_0002"]),
        (Place("train", id="application_1_0005"), []),
    ):
        calls = CLUSTER.more(place, [table, table])
        assert [call.words[3] for call in calls if call.words[1] == "application"] == wanted
    assert [live.name for live in CLUSTER.listed(Place(), [table, table])] == names


def test_what_is_left_of_another_run_is_not_of_this_one() -> None:
    assert CLUSTER is not None
    place = Place("train", unit=made("train", APART).unit)
    table = listed(
        row("application_1_0001", "train-worker", "FINISHED", "FAILED"), row("application_1_0002", "train-chief")
    )
    reports = [Answer(0, f"\tStart-Time : {start}\n", "") for start in (1_700_000_000_000, 1_700_009_000_000)]
    found = CLUSTER.live(place, [table, table, *reports, Answer(0, "", ""), Answer(0, "", "")])
    assert found is not None
    assert (found.id, found.phase) == ("application_1_0002", "running")


def test_hostile_answers() -> None:
    assert CLUSTER is not None
    place = Place("run", unit=made("run").unit)
    one = row("application_1_0001", "run")
    for text in ("", "a\tb\n", "x" * 100_000, "application_1_\t" * 9, one.replace("_0001", "_" + "9" * 400)):
        assert CLUSTER.live(place, [Answer(0, text, ""), Answer(0, text, "")]) is None
    (whole, _) = (call.is_whole for call in CLUSTER.reads(place))
    assert whole(listed(one).out)
    assert whole(f"WARNING: a word first\n{listed(one).out}")
    assert not whole(listed(one, one).out.replace(f"{one}\n", "", 1))
    assert not whole("")
    table = listed(one)
    long = Answer(0, f"\tStart-Time : {'9' * 15}\n\tDiagnostics : \x1b[2J{'[tfjob chief[0]] fail: ' * 9000}", "")
    for report in (long, Answer(0, RECORDED["exits"]["report"][:700], ""), Answer(255, "", "")):
        found = CLUSTER.live(place, [table, table, report, Answer(0, "Total number of containers :9\n", "")])
        assert found is not None
        assert found.phase in ("running", "starting")


NOT_RECORDED = [  # the source of a sign, its reason; whose source has the words, and what stands for its places
    ("log", "fail", "coordinator.py", "%s exited with %d: its outputs could not be copied", "outputs"),
    ("log", "fail", "coordinator.py", "%s exited with 127", "program-missing"),
    ("log", "fail", "coordinator.py", "%s exited with %d; all %d restarts are used up", "retries"),
    ("log", "fail", "coordinator.py", "%s was lost", "lost"),
    ("log", "missing", "coordinator.py", "%d of %d tasks registered within %g s; missing: %s", "tasks-missing"),
    ("log", "fail", "coordinator.py", "%s was mislaid", "script"),
    ("report", "ACCEPTED", "AMState", "AM container is launched, waiting for AM container to Register", "starts"),
    ("report", "ACCEPTED", "AMState", "Application is added to the scheduler and is not yet activated. ", "waits"),
    (
        "memory", "virtual", "ContainersMonitorImpl",
        "Container [pid=1,containerID=container_1_0001_01_000002] is running 1B beyond the 'VIRTUAL' memory limit. "
        "Current usage: 288.8 MB of 1 GB physical memory used; 2.5 GB of 2.1 GB virtual memory used.",
        "out-of-virtual-memory",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("source", "reason", "whose", "words", "slug"), NOT_RECORDED)
def test_words_that_were_not_recorded(source: str, reason: str, whose: str, words: str, slug: str) -> None:
    """Those of our programs stand in them; the others are those of Hadoop's source."""
    assert CLUSTER is not None
    said = words.replace("%s", "worker[1]").replace("%d", "0" if slug == "outputs" else "3").replace("%g", "60")
    assert reasons(CLUSTER.rows, [Sign(source, reason, said)])[0].slug == slug
    if whose == "coordinator.py" and slug not in ("script", "program-missing"):
        text = (ROOT / "backends/tfdsl_backends/yarn/programs" / whose).read_text(encoding="utf-8")
        for part in re.split(r"(?=[:;] (?:its|all))", words):
            assert part in text


def test_a_list_is_whole_although_a_name_breaks_its_row() -> None:
    """YARN takes any name."""
    assert CLUSTER is not None
    (whole, _) = (call.is_whole for call in CLUSTER.reads(Place("run", unit=made("run").unit)))
    table = listed(
        row("application_1_0001", "a\nb"), row("application_1_0002", "a\tb"), row("application_1_0003", "run")
    )
    assert whole(table.out)
    assert not whole(table.out[:-1])
    assert not whole(table.out.replace(row("application_1_0003", "run") + "\n", ""))
    assert [live.name for live in CLUSTER.listed(Place(), [table, table])][-1] == "run"


def test_no_name_makes_an_application_look_like_another() -> None:
    """Else ``cancel`` could be led to end something else of whoever calls it."""
    assert CLUSTER is not None
    real = row("application_1_0001", "valuable", user="alice")
    forged = row("application_1_0001", "train", user="alice")
    tabs = row("application_1_0003", "train\tYARN\talice\troot.default\tRUNNING\tUNDEFINED\t0%\tN/A", user="mallory")
    table = listed(real, row("application_1_0002", f"x\ny\n{forged}\nz", user="mallory"), tabs)
    assert all(call.is_whole(table.out) for call in CLUSTER.parts(Place("train")))
    assert CLUSTER.found(Place("train"), [table, table]) == []


def test_an_answer_of_one_long_line_takes_no_time() -> None:
    assert CLUSTER is not None
    (whole, _) = (call.is_whole for call in CLUSTER.reads(Place("run", unit=made("run").unit)))
    assert not whole("Total number of " + "(" * 200_000)
    assert CLUSTER.refusal(Answer(1, "y\n" * 4_000_000, "Error: no\n")) == "Error: no"


def test_command_lines() -> None:
    assert CLUSTER is not None
    place = Place("exits", options=("--cancel-on-interrupt",))
    (step,) = CLUSTER.steps(place, (), "/tmp/x", "id")
    assert step.call.words == ("bash", "/tmp/x/exits/submit.sh", "--cancel-on-interrupt")
    assert step.call.stays
    said = "exits: job is application_1_0002; its logs: yarn logs -applicationId application_1_0002\n"
    assert step.made(said) == "application/application_1_0002"
    found = recorded("exits")
    call = CLUSTER.log(place, found, found.replicas[0], "", LogOptions())
    assert isinstance(call, Call)
    assert call.words[:4] == ("yarn", "logs", "-applicationId", "application_1795991729105_0001")
    assert CLUSTER.log(place, found, found.replicas[0], "", LogOptions(previous=True)) == (
        "yarn logs prints all of a log: without --previous, --since and --tail"
    )
    old = made("exits", JOB.replace("am_memory", 'version = "2.10", am_memory').replace("  gpu = 5\n", ""))
    assert len(CLUSTER.reads(Place("exits", unit=old.unit))) == 1  # its client knows no tags


FLOW = """\
flow nightly {
  run fetch
  run train after fetch
  run export after train
  run notify after train failed
}
""" + "".join(
    f'job {name} {{\n  command = ["true"]\n  memory = 128Mi\n  role worker {{ }}\n}}\n'
    for name in ("fetch", "train", "export", "notify")
)
FLOW_RUN = "20261130-034727-23366496"
GONE = "nightly: flow.sh has ended before the run was over, so no other job starts"


@pytest.mark.parametrize(
    ("lines", "apps", "phase", "jobs", "slugs"),
    [  # as flow.sh --status printed it; the applications that YARN had then, with their states
        (["fetch   open: running", "train   open", "export  open", "notify  open"],
         ["fetch RUNNING UNDEFINED"], "running", "running waiting waiting waiting", []),
        (["fetch   succeeded", "train   open: running", "export  open", "notify  open"],
         ["fetch FINISHED SUCCEEDED"], "running", "succeeded starting waiting waiting", []),
        (["fetch   succeeded", "train   failed: submit.sh has ended with 2", "export  did not run",
          "notify  succeeded"],
         ["fetch FINISHED SUCCEEDED", "train FINISHED FAILED", "notify FINISHED SUCCEEDED"],
         "failed", "succeeded failed not run succeeded", ["flow-job"]),
        (["fetch   succeeded", "train   failed: the run was cancelled", "export  did not run", "notify  did not run"],
         ["train KILLED KILLED"], "failed", "succeeded aborted not run not run", ["flow-job"]),
        ([GONE, "fetch   succeeded", "train   open: running", "export  open", "notify  open"],
         ["train RUNNING UNDEFINED"], "running", "succeeded running not run not run", ["flow-script-gone"]),
        ([GONE, "fetch   succeeded", "train   open: running", "export  open", "notify  open"],
         ["train FINISHED SUCCEEDED"], "failed", "succeeded succeeded not run not run", ["flow-script-gone"]),
        (["fetch   succeeded", "train   is not in this run", "export  succeeded", "notify  did not run",
          "old  succeeded"],
         [], "succeeded", "succeeded absent succeeded not run succeeded", []),
    ],
)  # fmt: skip
def test_a_flow_is_what_its_script_and_yarn_say(
    lines: list[str], apps: list[str], phase: str, jobs: str, slugs: list[str]
) -> None:
    assert YARN is not None
    flow = pipeline.run(
        pipeline.load(Source("nightly.tfjob", FLOW), lambda path: "no files here"), Request(), [Choice(YARN)]
    ).flows[0]
    session = Session(YARN, Place("nightly", flow=flow.unit), flow.documents)
    said = "\n".join([f"nightly: the run {FLOW_RUN}", *(one if one == GONE else f"  {one}" for one in lines),
                      "nightly: earlier: 20261129-034727-23366496 failed", ""])  # fmt: skip
    (call,) = session.cluster.more(session.place, [Answer(0, said, "")])
    assert call.words[-2:] == ("-appTags", f"tfdsl-flow:nightly:{FLOW_RUN}")
    table = listed(
        *(row(f"application_1_{number:04}", f"nightly-{job}", state, final)
          for number, (job, state, final) in enumerate(map(str.split, apps), 1))
    )  # fmt: skip
    found = session.cluster.live(session.place, [Answer(0, said, ""), table])
    assert found is not None
    assert (found.phase, " ".join(one.phase for one in found.replicas)) == (phase, jobs)
    assert [one.slug for one in found.reasons] == slugs
    assert [(one.id, one.phase, one.since) for one in found.earlier] == [
        ("20261129-034727-23366496", "failed", "2026-11-29T03:47:27Z")
    ]
    parts = session.cluster.found(session.place, [Answer(0, f"{FLOW_RUN}\nx; rm\n", ""), table])
    assert [part.what for part in parts][:1] == [f"flow/{FLOW_RUN}"]
    assert parts[0].end.words[-3:] == ("--cancel", "--run", FLOW_RUN)
    assert session.cluster.live(session.place, [Answer(0, "", "no such run")]) is None


YARN_CLIENT = f"""#!/bin/sh
echo "$*" >>FOLDER/calls
case "$*" in
*-kill*) sed -i "/$3/d" FOLDER/tagged FOLDER/all ;;
*-appTags*) echo "Total number of applications :$(grep -c . FOLDER/tagged)"; echo '{COLUMNS}'; cat FOLDER/tagged ;;
*-list*) echo "Total number of applications :$(grep -c . FOLDER/all)"; echo '{COLUMNS}'; cat FOLDER/all ;;
esac
exit 0
"""


class Client:
    """A folder with a stand-in for yarn; ``rows`` of its list, and which of them are ours."""

    def __init__(self, folder: Path, *rows: str, ours: int = 99) -> None:
        self.folder = folder
        (folder / "yarn").write_text(YARN_CLIENT.replace("FOLDER", str(folder)))
        (folder / "yarn").chmod(0o755)
        (folder / "all").write_text("".join(f"{one}\n" for one in rows))
        (folder / "tagged").write_text("".join(f"{one}\n" for one in rows[:ours]))

    def run(self, *words: str) -> Ran:
        path = f"{self.folder}:{os.environ['PATH']}"
        return tfdsl(*words, cwd=self.folder, PATH=path, HADOOP_USER_NAME="alice")

    def kills(self) -> list[str]:
        return [line.split()[-1] for line in (self.folder / "calls").read_text().splitlines() if "-kill" in line]


def test_cancel_ends_the_runs_of_this_user_and_says_what_stays(tmp_path: Path) -> None:
    rows = [
        row(f"application_1_000{number}", name, user=user)
        for number, name, user in (
            (1, "train", "alice"),
            (2, "train", "bob"),
            (3, "train-ps", "alice"),
            (4, "x", "alice"),
        )
    ]
    client = Client(tmp_path, *rows)
    ran = client.run("cancel", "yarn/train")
    assert (ran.status, ran.out) == (
        0,
        "ended application/application_1_0001, application/application_1_0003\n"
        "stays: the logs of application_1_0001, the logs of application_1_0003\n",
    ), ran.err
    assert client.kills() == ["application_1_0001", "application_1_0003"]
    assert client.run("cancel", "yarn/other").status == 3


def test_what_another_user_runs_is_ended_by_its_id_only(tmp_path: Path) -> None:
    """Without access lists YARN lets anyone end it."""
    client = Client(tmp_path, row("application_1_0002", "train", user="bob"))
    ran = client.run("cancel", "yarn/train")
    assert (ran.status, client.kills()) == (1, [])
    assert "was not submitted by tfdsl" in ran.err
    assert client.run("cancel", "yarn/train", "--id", "application_1_0002").status == 0
    assert client.kills() == ["application_1_0002"]


def test_what_tfdsl_has_not_submitted_is_not_ended(tmp_path: Path) -> None:
    client = Client(tmp_path, row("application_1_0001", "train", user="alice"), ours=0)
    ran = client.run("cancel", "yarn/train")
    assert ran.status == 1
    assert "was not submitted by tfdsl" in ran.err
    assert client.kills() == []
    listing = client.run("status", "-t", "yarn")
    assert listing.out.split() == [
        "train",
        "application_1_0001",
        "running",
        "root.default",
        "not",
        "submitted",
        "by",
        "tfdsl",
    ]


@pytest.mark.parametrize("number", ["7", "--all", "application_1_0001,application_1_0002", "container_1_0001"])
def test_the_id_is_that_of_an_application(tmp_path: Path, number: str) -> None:
    ran = Client(tmp_path).run("status", "yarn/train", f"--id={number}")
    assert ran.status == 2
    assert "--id needs the id of an application" in ran.err


def test_logs_before_the_end_are_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "train.tfjob").write_text(JOB.replace("NAME", "train"))
    ran = Client(tmp_path, row("application_1_0001", "train", user="alice")).run("logs", "train.tfjob", "-t", "yarn")
    assert (ran.status, ran.out) == (1, "")
    assert "there is nothing to show: YARN has the logs when the job has ended" in ran.err


def test_dry_runs_run_nothing(tmp_path: Path) -> None:
    client = Client(tmp_path)
    (tmp_path / "train.tfjob").write_text(JOB.replace("NAME", "train").replace("research", "default"))
    ran = client.run("submit", "train.tfjob", "-t", "yarn", "--dry-run", "--", "--cancel-on-interrupt")
    assert ran.out.splitlines()[-1] == "bash train/train/submit.sh --cancel-on-interrupt", ran.err
    assert client.run("status", "yarn/train", "--dry-run").out.splitlines()[0].startswith("yarn application -list")
    assert not (tmp_path / "calls").exists()


def test_several_jobs_are_submitted_one_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "two.tfjob").write_text(APART.replace("NAME", "one") + APART.replace("NAME", "two"))
    ran = Client(tmp_path).run("submit", "two.tfjob", "-t", "yarn")
    assert ran.status == 2
    assert "choose one: --job NAME" in ran.err


HADOOP = f"""#!/bin/sh
case "$*" in
jar*) printf '%s\\n' 'INFO impl.YarnClientImpl: Submitted application application_1_0001'
  case "$*" in *-application_tags*,tfdsl*) tag=tagged ;; *) tag=none ;; esac
  printf 'application_1_0001\\ttrain\\tYARN\\talice\\tdefault\\tFINISHED\\tFINAL\\t100%%\\tN/A\\n' >FOLDER/$tag
  [ STATUS -ne 0 ] || touch FOLDER/away
  exit STATUS ;;
*-list*) [ ! -e FOLDER/away ] || {{ echo 'java.net.ConnectException: Connection refused' >&2; exit 255; }}
  echo "Total number of applications :$(cat FOLDER/tagged 2>/dev/null | wc -l)"; echo '{COLUMNS}'
  cat FOLDER/tagged 2>/dev/null ;;
*-status*) printf '\\tDiagnostics : \\n[tfjob worker[0]] fail: chief[0] exited with 3\\n' ;;
esac
exit 0
"""


@pytest.mark.parametrize(("final", "status", "shown"), [("SUCCEEDED", 0, "succeeded"), ("FAILED", 2, "failed")])
def test_submit_stays_until_the_end_and_says_how_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, final: str, status: int, shown: str
) -> None:
    """The emitted ``submit.sh`` itself, on a stand-in for the client, which is away for a while afterwards."""

    def is_back(_: float) -> None:
        (tmp_path / "away").unlink()

    monkeypatch.setattr("tfdsl.operating.session.sleep", is_back)
    client = Client(tmp_path)
    for name in ("yarn", "hdfs"):
        text = HADOOP.replace("FOLDER", str(tmp_path)).replace("FINAL", final).replace("STATUS", str(status))
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    earlier = row("application_1_0000", "train", user="alice")
    (tmp_path / "tagged").write_text(f"{earlier}\n")  # as after a submission that was killed
    (tmp_path / "shell.jar").touch()
    (tmp_path / "train.tfjob").write_text(JOB.replace("NAME", "train"))
    ran = client.run("submit", "train.tfjob", "-t", "yarn", "--", "--jar=shell.jar")
    assert ran.status == (1 if status else 0), ran.out + ran.err
    assert "yarn/train waits or runs already as application/application_1_0000; this is another run" in ran.err
    assert "submitting, and staying until the job has ended; elsewhere: tfdsl status yarn/train" in ran.err
    assert "train: job is application_1_0001; its logs: yarn logs" in ran.err
    assert ran.out.startswith(f"submitted application/application_1_0001\ntrain (yarn application_1_0001): {shown}")
    assert ("why: chief[0] exited with status 3\n  at train.tfjob:2" in ran.out) == bool(status)


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_one_job_is_submitted_at_a_time(tmp_path: Path, more: tuple[str, ...]) -> None:
    (tmp_path / "two.tfjob").write_text(JOB.replace("NAME", "train") + JOB.replace("NAME", "next"))
    ran = tfdsl("submit", "two.tfjob", "-t", "yarn", *more, cwd=tmp_path)
    assert (ran.status, ran.out) == (2, "")
    assert "choose one: --job NAME" in ran.err


def test_nothing_is_submitted_where_yarn_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(tmp_path)
    (tmp_path / "yarn").write_text(f"#!/bin/sh\necho $1 >>{tmp_path}/calls\nsleep 60\n")
    (tmp_path / "train.tfjob").write_text(JOB.replace("NAME", "train"))
    monkeypatch.setattr("tfdsl.operating.session.PATIENCE", 0.3)
    ran = client.run("submit", "train.tfjob", "-t", "yarn")
    assert ran.status == 1
    assert "cannot read applications: no answer within 0.3 s" in ran.err
    assert "help: nothing was submitted" in ran.err
    calls = tmp_path / "calls"  # a client may have been ended before it could write
    assert not calls.exists() or set(calls.read_text().split()) <= {"application"}


def test_a_submission_that_is_refused_says_why_at_its_line(tmp_path: Path) -> None:
    client = Client(tmp_path)
    refused = RECORDED["refused: queue-missing"]["said"].replace("nosuch", "train")
    (tmp_path / "refused").write_text(refused)
    (tmp_path / "yarn").write_text(
        f"#!/bin/sh\ncase $1 in jar) cat {tmp_path}/refused; exit 1 ;; esac\necho '{HEAD}0'\n"
    )
    (tmp_path / "hdfs").write_text("#!/bin/sh\n")
    (tmp_path / "hdfs").chmod(0o755)
    (tmp_path / "shell.jar").touch()
    (tmp_path / "train.tfjob").write_text(JOB.replace("NAME", "train").replace("research", "nowhere"))
    ran = client.run("submit", "train.tfjob", "-t", "yarn", "--", "--jar=shell.jar")
    assert (ran.status, ran.out) == (1, "")
    assert "yarn/train is refused: there is no such queue" in ran.err
    assert "asked for at train.tfjob:6" in ran.err
