"""``tfdsl submit``, ``status``, ``logs``, ``cancel`` and ``resume``, with a stand-in for kubectl."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.cli.shell import ROOT, tfdsl
from tests.unit.operating import recorded
from tests.unit.operating.conftest import JOB, Kubectl, kubectl as kubectl
from tfdsl.backend.cluster import Answer
from tfdsl.operating.submitting import for_shell

ALL = {"TFJob/train", "PersistentVolumeClaim/train-data", "Deployment/train-tensorboard", "Service/train-tensorboard"}
CLAIM = "PersistentVolumeClaim/train-data"
FORBIDDEN = 'Error from server (Forbidden): {} is forbidden: User "u" cannot list resource'


# --- submit ---


def test_submit_creates_all_with_one_id_and_the_hash(kubectl: Kubectl) -> None:
    ran = kubectl.run("submit", "train.tfjob", "-t", "tfjob", "-n", "team")
    assert ran.status == 0, ran.err
    assert kubectl.names() == ALL
    notes = [one["metadata"]["annotations"] for one in kubectl.objects]
    assert len({(each["tfdsl/submission"], each["tfdsl/digest"]) for each in notes}) == 1
    assert ran.out.splitlines()[1:] == [f"  tfdsl {word} tfjob/train -n team" for word in ("status", "logs", "cancel")]
    assert all(call.startswith("-n team") for call in kubectl.calls())


def test_all_or_none_when_the_third_object_is_refused(kubectl: Kubectl) -> None:
    kubectl.put(
        [{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "train-tensorboard", "uid": "x"}}]
    )
    kubectl.odd(("dry-run", {"status": 0}))
    ran = kubectl.run("submit", "train.tfjob", "-t", "tfjob")
    assert (ran.status, ran.out) == (1, "")
    assert 'deployments "train-tensorboard" already exists' in ran.err
    assert kubectl.names() == {"Deployment/train-tensorboard"}


def test_what_could_not_be_taken_back_is_named(kubectl: Kubectl) -> None:
    kubectl.put([{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "train-tensorboard", "uid": "x"}}])
    kubectl.odd(("dry-run", {"status": 0}), ("delete.*tfjobs/train", {"status": 1, "err": "error: no\n"}))
    ran = kubectl.run("submit", "train.tfjob", "-t", "tfjob")
    assert ran.status == 1
    assert "help: delete it: tfjob/train could not be deleted" in ran.err


def test_a_job_that_exists_is_an_error_that_says_how_it_stands(kubectl: Kubectl) -> None:
    kubectl.put(recorded.states("volcano")["failed.end"])
    ran = kubectl.run("submit", "train.tfjob", "-t", "volcano", "-n", "rec")
    assert ran.status == 1
    assert "there is a job train already, which is failed" in ran.err
    assert "give this one another name" in ran.err
    assert not any("create" in call for call in kubectl.calls())


def test_replace_deletes_what_was_submitted_but_no_claim(kubectl: Kubectl) -> None:
    kubectl.process("submit", "train.tfjob", "-t", "tfjob")
    before = {one["kind"]: one["metadata"]["uid"] for one in kubectl.objects}
    ran = kubectl.run("submit", "train.tfjob", "-t", "tfjob", "--replace")
    assert ran.status == 0, ran.err
    assert "used as it is: persistentvolumeclaim/train-data" in ran.out
    after = {one["kind"]: one["metadata"]["uid"] for one in kubectl.objects}
    assert {kind for kind in before if before[kind] == after[kind]} == {"PersistentVolumeClaim"}
    assert kubectl.names() == ALL


def test_replace_deletes_nothing_of_others(kubectl: Kubectl) -> None:
    kubectl.put(recorded.states("volcano")["failed.end"])
    ran = kubectl.run("submit", "train.tfjob", "-t", "volcano", "-n", "rec", "--replace")
    assert ran.status == 1
    assert "job/train was not submitted by tfdsl, so it is not replaced" in ran.err
    assert not any("delete" in call for call in kubectl.calls())


REFUSALS = [
    (
        "queue-closed",
        'Error from server: error when creating "STDIN": admission webhook "validate" denied the request: can only '
        "submit job to queue with state `Open`, queue `closed` status is `Closed`;",
        "volcano/train is refused: the queue closed is Closed, so no job can be submitted to it",
    ),
    (
        "queue-missing",
        'Error from server: error when creating "STDIN": admission webhook "validate" denied the request: unable to '
        'find job queue: queue.scheduling.volcano.sh "nowhere" not found;',
        "volcano/train is refused: there is no queue nowhere",
    ),
    ("else", 'Error from server (NotFound): namespaces "a" not found', 'refused: Error from server (NotFound): namesp'),
]  # fmt: skip


@pytest.mark.parametrize(("words", "said"), [one[1:] for one in REFUSALS], ids=[one[0] for one in REFUSALS])
def test_the_server_is_asked_first(kubectl: Kubectl, words: str, said: str) -> None:
    kubectl.odd(("dry-run=server", {"status": 1, "err": f"{words}\n"}))
    text = (kubectl.folder / "train.tfjob").read_text().replace("job train {", 'job train {\n  queue = "closed"')
    (kubectl.folder / "train.tfjob").write_text(text)
    ran = kubectl.run("submit", "train.tfjob", "-t", "volcano")
    assert ran.status == 1
    assert said in ran.err
    assert ("asked for at train.tfjob:2" in ran.err) == ("queue" in words)
    assert kubectl.objects == []


def test_a_webhook_without_a_dry_run_does_not_matter(kubectl: Kubectl) -> None:
    message = 'Error from server (BadRequest): admission webhook "v" does not support dry run\n'
    kubectl.odd(("dry-run=server", {"status": 1, "err": message}))
    assert kubectl.run("submit", "train.tfjob", "-t", "tfjob").status == 0


def test_dry_run_is_a_script_that_does_the_same(kubectl: Kubectl) -> None:
    ran = kubectl.run("submit", "train.tfjob", "-t", "tfjob", "--dry-run")
    assert (ran.status, kubectl.calls()) == (0, [])
    environment = {"PATH": kubectl.path, "STAND_IN_KUBECTL": str(kubectl.cluster)}
    subprocess.run(["sh", "-ec", ran.out], env=environment, check=True, stdout=subprocess.DEVNULL)
    assert kubectl.names() == ALL


PASTED = """\
param n: int = 1
param tag: string = "x"
job train {
  image   = "registry.example.com/x:1"
  command = ["echo", tag]
  memory  = 2Gi
  role worker { replicas = n, cpu = 1 }
}
"""


@pytest.mark.parametrize("target", ["tfjob", "kubernetes", "volcano", "jobset", "slurm", "yarn"])
@pytest.mark.parametrize(
    ("words", "piped"),
    [
        (('it\'s "a" b.tfjob', "--params", "v 1.params", "--set", 'tag=it\'s\n\t"$(b)" `c`'), False),
        (("-", "--params", "v 1.params"), True),
    ],
    ids=["file", "standard-input"],
)
def test_what_a_dry_run_prints_works_when_pasted(
    kubectl: Kubectl, target: str, words: tuple[str, ...], piped: bool
) -> None:
    """It submits what ``tfdsl submit`` does: the same objects, or by the same files."""
    (kubectl.folder / 'it\'s "a" b.tfjob').write_text(PASTED)
    (kubectl.folder / "v 1.params").write_text("n = 2\n")
    (kubectl.folder / "train").write_text("a file is in the way\n")
    again: dict[str, Any] = {"stdin": PASTED.encode() if piped else b""}
    dry = tfdsl("submit", *words, "-t", target, "--dry-run", cwd=kubectl.folder, PATH=kubectl.path, **again)
    assert (dry.status, kubectl.calls()) == (0, []), dry.err
    assert tfdsl("compile", *words, "-t", target, "-o", "out", cwd=kubectl.folder, **again).status == 0
    programs = kubectl.folder / "bin"
    (programs / "tfdsl").write_text(f'#!/bin/sh\nexec {sys.executable} -m tfdsl "$@"\n')
    (programs / "bash").write_text('#!/bin/sh\nprintf "%s\\n" "$*" >>ran\n')
    for program in programs.iterdir():
        program.chmod(0o755)
    environment = {"PATH": kubectl.path, "STAND_IN_KUBECTL": str(kubectl.cluster)}
    subprocess.run(["sh", "-ec", dry.out], cwd=kubectl.folder, env=environment, check=True, capture_output=True)
    if (kubectl.folder / "out/train").is_dir():
        (folder,) = {Path(line.split()[0]).parent for line in (kubectl.folder / "ran").read_text().splitlines()}
        files = {each.name: each.read_text() for each in (kubectl.folder / "out/train").iterdir()}
        assert {each.name: each.read_text() for each in (kubectl.folder / folder).iterdir()} == files
    else:
        documents = list(yaml.safe_load_all((kubectl.folder / "out/train.yaml").read_text()))
        assert [one["spec"] for one in kubectl.objects] == [one["spec"] for one in documents]


def test_a_text_is_given_to_a_shell_whatever_its_lines_are() -> None:
    text = "a\n$(b) `c` \\\nTFDSL\nTFDSL_\nd"
    assert subprocess.run(["sh", "-ec", for_shell("cat", text)], capture_output=True, text=True).stdout == f"{text}\n"


def test_a_dry_run_cannot_print_values_that_are_read_once(kubectl: Kubectl) -> None:
    (kubectl.folder / "a.tfjob").write_text(PASTED)
    words = ("submit", "a.tfjob", "-t", "slurm", "--dry-run", "--params", "-")
    ran = tfdsl(*words, cwd=kubectl.folder, stdin=b"n = 2\n")
    assert (ran.status, ran.out) == (2, "")
    assert "--dry-run prints a command line, which cannot read - again" in ran.err


def test_errors_of_the_file_end_it_before_the_cluster_is_asked(kubectl: Kubectl) -> None:
    (kubectl.folder / "train.tfjob").write_text("job train { image = 1 }")
    assert kubectl.run("submit", "train.tfjob", "-t", "tfjob").status == 1
    assert kubectl.calls() == []


def test_what_was_left_by_a_kill_is_ended(kubectl: Kubectl) -> None:
    kubectl.run("submit", "train.tfjob", "-t", "tfjob")
    kubectl.put([one for one in kubectl.objects if one["kind"] != "TFJob"])  # as if it had been killed
    assert "already exists" in kubectl.run("submit", "train.tfjob", "-t", "tfjob").err
    ran = kubectl.run("cancel", "train.tfjob", "-t", "tfjob")
    assert ran.status == 0, ran.err
    assert kubectl.names() == {CLAIM}


# --- cancel, resume ---


def test_cancel_ends_what_was_submitted_and_says_what_stays(kubectl: Kubectl) -> None:
    other = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "other", "uid": "o", "namespace": "default"}}
    kubectl.put([other])
    kubectl.run("submit", "train.tfjob", "-t", "tfjob")
    dry = kubectl.run("cancel", "tfjob/train", "--dry-run")
    assert dry.out.count("kubectl delete --raw") == 3
    ran = kubectl.run("cancel", "tfjob/train")
    assert ran.out.splitlines()[1] == "stays: persistentvolumeclaim/train-data"
    assert kubectl.names() == {CLAIM, "Service/other"}
    assert kubectl.run("cancel", "tfjob/train").status == 3


def test_cancel_ends_nothing_of_others(kubectl: Kubectl) -> None:
    kubectl.put(recorded.states("jobset")["running.state"])
    ran = kubectl.run("cancel", "jobset/train", "-n", "rec")
    assert ran.status == 1
    assert "was not submitted by tfdsl, so it is not ended" in ran.err


@pytest.mark.parametrize("answer", [{"status": 1, "err": FORBIDDEN.format("services")}, {"status": 0, "out": "tfds"}])
@pytest.mark.parametrize("words", [("cancel", "tfjob/train"), ("submit", "train.tfjob", "-t", "tfjob", "--replace")])
def test_nothing_is_deleted_where_not_all_can_be_read(
    kubectl: Kubectl, answer: dict[str, Any], words: tuple[str, ...]
) -> None:
    kubectl.run("submit", "train.tfjob", "-t", "tfjob")
    kubectl.odd(("get services", answer), ("dry-run", {"status": 0}))
    ran = kubectl.run(*words)
    assert (ran.status, ran.out) == (1, "")
    assert "cannot read services: " in ran.err
    assert "nothing is deleted if not all can be read" in ran.err
    assert kubectl.names() == ALL


def test_what_cannot_be_read_any_more_is_not_gone(kubectl: Kubectl, monkeypatch: pytest.MonkeyPatch) -> None:
    kubectl.run("submit", "train.tfjob", "-t", "tfjob")
    ask = kubectl.ask

    def then_forbidden(calls: Any, patience: float) -> Any:
        if any("delete" in call.words for call in calls):
            kubectl.odd(("get services", {"status": 1, "err": FORBIDDEN.format("services")}))
        return ask(calls, patience)

    monkeypatch.setattr(kubectl, "ask", then_forbidden)
    ran = kubectl.run("cancel", "tfjob/train")
    assert (ran.status, ran.out) == (1, "")
    assert "service/train-tensorboard, deployment/train-tensorboard may still be there, but will go" in ran.err


@pytest.mark.parametrize(
    ("ending", "is_there", "can_delete"),
    [(124, True, True), (124, False, True), (124, True, False), (KeyboardInterrupt, True, True),
     (KeyboardInterrupt, True, False), (SystemExit, True, True)],
)  # fmt: skip
def test_a_creation_without_an_answer_is_looked_for(
    kubectl: Kubectl, monkeypatch: pytest.MonkeyPatch, ending: Any, is_there: bool, can_delete: bool
) -> None:
    monkeypatch.setattr("tfdsl.operating.submitting.PAUSE", 0.01)
    ask = kubectl.ask

    def unanswered(calls: Any, patience: float) -> Any:
        last = any('"kind": "TFJob"' in call.stdin and "--dry-run=server" not in call.words for call in calls)
        answers = ask(calls, patience) if not last or is_there else []
        if last and ending == 124:
            return [Answer(124, "", "no answer within 30 s")]
        if last:
            raise ending
        return answers

    monkeypatch.setattr(kubectl, "ask", unanswered)
    if not can_delete:
        kubectl.odd(("delete .*tfjobs/train", {"status": 1, "err": "error: no\n"}))
    try:
        ran = kubectl.run("submit", "train.tfjob", "-t", "tfjob")
    except SystemExit:
        ran = None
    assert kubectl.names() == (set() if can_delete else {"TFJob/train"})
    if ran is not None:
        assert ran.status == (1 if ending == 124 else 130)
        left = "tfjob/train was asked for and may be there" in ran.err
        assert left == (not can_delete or not is_there)
        assert ("interrupted: what was made is deleted again" in ran.err) == (ending != 124 and can_delete)


def test_what_is_left_of_a_submission_is_named(kubectl: Kubectl) -> None:
    kubectl.run("submit", "train.tfjob", "-t", "tfjob")
    kubectl.put([one for one in kubectl.objects if one["kind"] != "TFJob"])
    for words in (("status", "train.tfjob", "-t", "tfjob"), ("submit", "train.tfjob", "-t", "tfjob")):
        ran = kubectl.run(*words)
        assert ran.status == (3 if words[0] == "status" else 1)
        assert "has left service/train-tensorboard, deployment/train-tensorboard: tfdsl cancel with the" in ran.err


TWO = JOB + JOB.replace("job train", "job next").replace("1.4", "1.5")


def test_a_job_of_a_submission_ends_without_the_others(kubectl: Kubectl) -> None:
    (kubectl.folder / "two.tfjob").write_text(TWO)
    assert kubectl.run("submit", "two.tfjob", "-t", "jobset").status == 0
    assert kubectl.run("cancel", "jobset/next").status == 0
    assert {"JobSet/train", "Service/train-tensorboard"} <= kubectl.names()
    assert not any(name.endswith(("/next", "/next-tensorboard")) for name in kubectl.names())
    ran = kubectl.run("cancel", "two.tfjob", "-t", "jobset")  # one is gone, which does not keep the other
    assert ran.status == 3
    assert not any("JobSet" in name for name in kubectl.names())
    kubectl.run("submit", "two.tfjob", "-t", "jobset")
    ran = kubectl.run("cancel", "two.tfjob", "-t", "jobset")
    assert (ran.status, ran.out.count("ended jobset/")) == (0, 2), ran.err


def test_a_number_is_for_targets_where_a_name_has_several_jobs(kubectl: Kubectl) -> None:
    ran = kubectl.run("cancel", "tfjob/train", "--id", "7")
    assert ran.status == 2
    assert "--id cannot be used with tfjob" in ran.err


ROW = "\ntfdsl\tv1\tService\tmine\tdefault\tu-1\t\t\t\t\t"


def test_no_text_of_an_object_becomes_an_object(kubectl: Kubectl) -> None:
    assert kubectl.run("submit", "train.tfjob", "-t", "volcano").status == 0
    submission = kubectl.objects[0]["metadata"]["annotations"]["tfdsl/submission"]
    mine: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "mine", "uid": "u-1", "namespace": "default"},
    }
    forged = f"x{ROW}{submission}\tmore\t{ROW}{{}}\t{json.dumps({'tfdsl/submission': submission})}\n"
    other = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "other", "uid": "u-2", "namespace": "default",
                     "annotations": {"tfdsl/submission": forged, "tfdsl/digest": forged}},
        "spec": {"queue": forged, "tasks": [{"name": forged, "replicas": 1}]},
    }  # fmt: skip
    copies: list[dict[str, Any]] = [  # of another kind or namespace than was asked for
        {**mine, "kind": "Services", "metadata": {**mine["metadata"], "name": "a"}},
        {**mine, "metadata": {**mine["metadata"], "name": "b", "namespace": "\x1b]0;a"}},
        {**mine, "apiVersion": "v1/../../apis/apps/v1", "metadata": {**mine["metadata"], "name": "c"}},
    ]
    for one in copies:
        one["metadata"]["annotations"] = {"tfdsl/submission": submission}
    event = {"kind": "Event", "apiVersion": "v1", "metadata": {"name": "e"}, "reason": forged, "type": forged}
    kubectl.put([*kubectl.objects, mine, other, *copies, event])
    assert kubectl.run("status", "-t", "volcano").out.count("\n") == 2
    dry = kubectl.run("cancel", "volcano/train", "--dry-run")
    assert ("mine" in dry.out, "\x1b" in dry.out) == (False, False)
    assert kubectl.run("cancel", "volcano/train").status == 0
    assert kubectl.names() == {"Service/mine", "Job/other", "Services/a", "Service/b", "Service/c", "Event/e"}


@pytest.mark.parametrize(
    ("target", "state", "call"),
    [
        (
            "jobset",
            "suspended.state",
            """patch jobsets.jobset.x-k8s.io train --type=merge -p {"spec":{"suspend":false}}""",
        ),
        ("volcano", "aborted.end", "create -f -"),
        ("jobset", "running.state", "jobset/train: job train is running, not suspended"),
        ("volcano", "failed.end", "volcano/train: job train is failed, not aborted"),
    ],
)
def test_resume(kubectl: Kubectl, target: str, state: str, call: str) -> None:
    kubectl.put(recorded.states(target)[state])
    ran = kubectl.run("resume", f"{target}/train", "-n", "rec")
    if ran.status == 0:
        assert kubectl.calls()[-1] == f"-n rec {call}"
    else:
        assert f"cannot resume {call}" in ran.err


# --- status ---


def test_status_says_why_and_where(kubectl: Kubectl) -> None:
    kubectl.put(recorded.states("jobset")["no-room.state"])
    (kubectl.folder / "a.tfjob").write_text((recorded.FOLDER / "no-room.tfjob").read_text())
    ran = kubectl.run("status", "a.tfjob", "-t", "jobset")
    assert ran.status == 0, ran.err
    assert ran.out == (
        "train (jobset, namespace rec): running since 2026-11-29T10:22:16Z\n"
        "  restarts: 0; retries of the job: 0\n"
        "  chief[0]   running  node1\n"
        "  worker[0]  waiting  -\n"
        "  worker[1]  waiting  -\n"
        "\n"
        "why: worker[0] and worker[1] cannot be placed: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu\n"
        "  at a.tfjob:10 (8)\n"
        "  help: ask for less, or wait for room: tfdsl status --watch\n"
        "  pod/train-worker-0-0-5dtpm says: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu. no new claims to "
        "deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.\n"
    )
    assert not {"create", "delete", "patch"} & {word for call in kubectl.calls() for word in call.split()}


def test_status_for_programs_has_a_version(kubectl: Kubectl) -> None:
    kubectl.put(recorded.states("volcano")["out-of-memory.state"])
    ran = kubectl.run("status", "volcano/train", "-n", "rec", "--format", "json")
    found = json.loads(ran.out)
    assert found["version"] == 1
    (job,) = found["jobs"]
    assert (job["phase"], job["retries"], job["reasons"][0]["slug"]) == ("failed", None, "out-of-memory")
    assert job["replicas"][0]["end"] == {"status": 137, "why": "out of memory", "at": "2026-11-29T10:16:33Z"}


def test_status_without_a_job_lists_all(kubectl: Kubectl) -> None:
    second = json.loads(json.dumps(recorded.states("volcano")["running.state"][0]).replace('"train"', '"other"'))
    kubectl.put([*recorded.states("volcano")["failed.end"], second])
    ran = kubectl.run("status", "-t", "volcano")
    assert ran.out == (
        "other  running  2026-11-29T10:14:23Z  default  not submitted by tfdsl\n"
        "train  failed   2026-11-29T10:14:41Z  default  not submitted by tfdsl\n"
    )
    kubectl.put([])
    assert kubectl.run("status", "-t", "volcano").out == "no jobs\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-t", "tfjob", "--watch"), "--watch needs a job"),
        (("-t", "tfjob", "--wait"), "--wait needs a job"),
        (("tfjob/train", "--watch", "--format", "json"), "--watch cannot be used with --format json"),
    ],
)
def test_options_of_status_that_mean_nothing_together(kubectl: Kubectl, words: tuple[str, ...], said: str) -> None:
    ran = kubectl.run("status", *words)
    assert (ran.status, ran.out, kubectl.calls()) == (2, "", [])
    assert said in ran.err


def test_dry_run_of_the_list_asks_nothing(kubectl: Kubectl) -> None:
    ran = kubectl.run("status", "-t", "tfjob", "-n", "ml", "--dry-run")
    assert ran.out.startswith("kubectl -n ml get tfjobs.kubeflow.org -o 'jsonpath=")
    assert kubectl.calls() == []


def test_the_jobs_of_a_file_that_are_not_there_are_named(kubectl: Kubectl) -> None:
    (kubectl.folder / "two.tfjob").write_text(JOB.replace("job train", "job other") + JOB)
    kubectl.run("submit", "train.tfjob", "-t", "tfjob")
    ran = kubectl.run("status", "two.tfjob", "-t", "tfjob")
    assert ran.status == 3
    assert ran.out.startswith("train (tfjob")
    assert ran.err == "there is no job tfjob/other\n"


def test_a_reason_that_is_not_known_is_shown_in_its_own_words(kubectl: Kubectl) -> None:
    kubectl.run("submit", "train.tfjob", "-t", "tfjob")
    said = {"type": "Failed", "status": "True", "reason": "Weather", "message": "too much\x1b[2J rain"}
    objects = [{**one, "status": {"conditions": [said]}} for one in kubectl.objects]
    kubectl.put(objects)
    assert "why: the cluster says: Weather, too much" in kubectl.run("status", "tfjob/train").out


def test_no_such_job(kubectl: Kubectl) -> None:
    ran = kubectl.run("status", "volcano/train", "-n", "rec")
    assert ran.status == 3
    assert "there is no job volcano/train in namespace rec" in ran.err


def pods(count: int) -> list[dict[str, Any]]:
    """A running job with so many workers, one of which cannot be placed."""
    job, *others = recorded.states("jobset")["no-room.state"]
    waiting = next(one for one in others if one["kind"] == "Pod" and "status" in one and "waiting" not in str(one)
                   and one["metadata"]["name"].startswith("train-chief"))  # fmt: skip
    made: list[dict[str, Any]] = []
    for at in range(1, count):
        text = json.dumps(waiting).replace("train-chief-0-0-72tmw", f"train-worker-0-{at}-aaaaa")
        text = text.replace(waiting["metadata"]["uid"], f"uid-{at}").replace('"chief"', '"worker"')
        made.append(json.loads(text.replace('completion-index": "0"', f'completion-index": "{at}"')))
    return [job, *made, *others]


def test_many_replicas_are_counted_and_the_odd_ones_listed(kubectl: Kubectl) -> None:
    kubectl.put([one for one in pods(200) if one["metadata"].get("name") != "train-worker-0-1-qp8b4"])
    ran = kubectl.run("status", "jobset/train", "-n", "rec")
    assert ran.out.splitlines()[1:] == [
        "  restarts: 0",
        "  worker: 199 running, 1 waiting",
        "  chief[0]   running  node1",
        "  worker[0]  waiting  -",
        "",
        *ran.out.splitlines()[6:],
    ]
    assert ran.out.splitlines()[6].startswith("why: worker[0] cannot be placed")


@pytest.mark.parametrize(
    ("rule", "status", "said"),
    [
        (("get pods", {"status": 1, "err": FORBIDDEN.format("pods")}), 0, "note: pods could not be read: Error"),
        (("get events", {"status": 1, "err": FORBIDDEN.format("events")}), 0, "note: events could not be read"),
        (("get jobs", {"status": 1, "err": FORBIDDEN.format("jobs")}), 1, "cannot read jobs: Error from server (F"),
        (
            ("get", {"status": 1, "err": "The connection to the server 127.0.0.1:1 was refused - did you specify"}),
            *(1, "cannot read jobs: The connection to the server 127.0.0.1:1 was refused"),
        ),
        (("get jobs", {"sleep": 5}), 124, "cannot read jobs: no answer within 0."),
        (("get pods", {"out": 'tfdsl\tv1\tPod\t{"a', "status": 0}), 0, "pods could not be read: the answer ends"),
        (("get pods", {"out": "Warning: version skew\ntfdsl\t[[[[\n", "status": 0}), 0, "chief[0]   unknown"),
        (("get pods", {"out": f"tfdsl\t{'[' * 100_000}\ntfdsl end\n", "status": 0}), 0, "chief[0]   absent"),
        (("get jobs", {"out": "tfdsl\tbatch", "status": 0}), 1, "cannot read jobs: the answer ends in the middle"),
    ],
    ids=["pods", "events", "jobs", "unreachable", "hangs", "cut", "warning", "deep", "cut-job"],
)  # fmt: skip
def test_what_cannot_be_read_is_said(
    kubectl: Kubectl, rule: tuple[str, dict[str, Any]], status: int, said: str
) -> None:
    kubectl.put(recorded.states("volcano")["failed.end"])
    kubectl.odd(rule)
    timeout = ("--timeout", "400ms") if "sleep" in rule[1] else ()
    ran = (kubectl.process if timeout else kubectl.run)("status", "volcano/train", "-n", "rec", *timeout)
    assert ran.status == status
    assert said in ran.out + ran.err


@pytest.mark.parametrize(
    ("target", "state", "phase"),
    [("jobset", "no-room.state", "running"), ("volcano", "running.state", "running"),
     ("volcano", "no-node.state", "waiting"), ("jobset", "suspended.state", "suspended")],
)  # fmt: skip
@pytest.mark.parametrize("answer", [{"status": 1, "err": FORBIDDEN.format("pods")}, {"status": 124}])
def test_without_its_pods_a_job_is_what_its_own_object_says(
    kubectl: Kubectl, target: str, state: str, phase: str, answer: dict[str, Any]
) -> None:
    kubectl.put(recorded.states(target)[state])
    kubectl.odd(("get pods", answer))
    (kubectl.folder / "a.tfjob").write_text((recorded.FOLDER / f"{state.partition('.')[0]}.tfjob").read_text())
    for words in ((f"{target}/train",), ("a.tfjob", "-t", target)):
        ran = kubectl.run("status", *words, "-n", "rec", "--format", "json")
        (job,) = json.loads(ran.out)["jobs"]
        assert (job["phase"], {one["phase"] for one in job["replicas"]}) == (phase, {"unknown"})
        assert job["notes"][-1].startswith("pods could not be read")


def test_a_warning_before_the_answer_does_not_matter(kubectl: Kubectl) -> None:
    kubectl.put(recorded.states("volcano")["failed.end"])
    kubectl.odd(("get", {"out": "W1129 10:00:00 loader.go:222] a warning\n"}))
    assert "why: chief[0] exited with status 3" in kubectl.run("status", "volcano/train").out


def test_hostile_words_do_not_reach_the_terminal(kubectl: Kubectl) -> None:
    objects = json.loads(json.dumps(recorded.states("jobset")["no-room.state"]))
    pod = next(one for one in objects if one["metadata"]["name"] == "train-worker-0-0-5dtpm")
    placed = next(one for one in pod["status"]["conditions"] if one["type"] == "PodScheduled")
    placed["message"] = "0/1 nodes: \x1b[2J\u202e Insufficient nvidia.com/gpu " + "x" * 100_000
    pod["status"]["conditions"] += [{"type": f"T{at}", "status": "True"} for at in range(10_000)]
    kubectl.put(objects)
    ran = kubectl.run("status", "jobset/train", "-n", "rec")
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out
    assert "worker[0] and worker[1] cannot be placed" in ran.out
    assert max(map(len, ran.out.splitlines())) < 700


def test_a_job_is_read_by_a_real_process(kubectl: Kubectl) -> None:
    kubectl.put(recorded.states("volcano")["no-room.state"])
    ran = kubectl.process("status", "volcano/train", "-n", "rec")
    assert ran.out == kubectl.run("status", "volcano/train", "-n", "rec").out
    assert ran.status == 0


def test_a_client_that_is_missing_is_said_with_what_to_install(kubectl: Kubectl) -> None:
    for words in (("status", "volcano/train"), ("submit", "train.tfjob", "-t", "tfjob")):
        ran = tfdsl(*words, cwd=kubectl.folder, PATH=str(kubectl.folder))
        assert ran.status == 1
        assert "there is no kubectl on the path" in ran.err
        assert "https://kubernetes.io/docs/tasks/tools/" in ran.err


def test_a_target_that_nobody_can_speak_with(kubectl: Kubectl) -> None:
    ran = kubectl.run("status", "slider/train")
    assert ran.status == 1
    assert "tfdsl cannot speak with slider" in ran.err
    assert "docs/targets/slider.md" in ran.err


def test_watch_on_a_pipe_prints_what_changes(kubectl: Kubectl, monkeypatch: pytest.MonkeyPatch) -> None:
    states = iter(["before", "just-after", "after"])

    def sleep(seconds: float) -> None:
        assert seconds > 0
        kubectl.put(volcano(next(states)))

    monkeypatch.setattr("tfdsl.operating.session.sleep", sleep)

    def volcano(state: str) -> list[dict[str, Any]]:
        return recorded.states("volcano")[f"evicted.{state}"]

    kubectl.put(volcano("before"))
    ran = kubectl.run("status", "volcano/train", "-n", "rec", "--watch", "--wait")
    assert ran.status == 1
    assert ran.out == (
        "train: running\n"
        "chief[0], worker[0] and worker[1]: running\n"
        "worker[1]: stopping\n"
        "why: worker[1] was evicted: Eviction API: evicting\n"
        "train: failed\n"
        "chief[0], worker[0] and worker[1]: absent\n"
        "why: worker[1] was stopped from outside: deleted, evicted or preempted\n"
        "why: Volcano took the action TerminateJob\n"
    )


def test_wait_ends_with_the_job_or_the_time(kubectl: Kubectl) -> None:
    kubectl.put(recorded.states("volcano")["completed.end"])
    assert kubectl.run("status", "volcano/train", "-n", "rec", "--wait").status == 0
    kubectl.put(recorded.states("volcano")["running.state"])
    assert kubectl.run("status", "volcano/train", "-n", "rec", "--wait", "--timeout", "1ms").status == 124


def test_a_server_that_is_away_for_a_while_is_asked_again(kubectl: Kubectl, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job that could be read once is still there as far as anyone knows."""
    away = {"status": 1, "err": "The connection to the server was refused\n"}

    def later(_: float) -> None:
        pauses.append(1)
        kubectl.put(recorded.states("volcano")["completed.end" if len(pauses) > 2 else "running.state"])
        kubectl.odd(*([("get jobs", away)] if len(pauses) < 3 else []))

    pauses: list[int] = []
    monkeypatch.setattr("tfdsl.operating.session.sleep", later)
    kubectl.put(recorded.states("volcano")["running.state"])
    assert kubectl.run("status", "volcano/train", "-n", "rec", "--wait").status == 0
    assert len(pauses) == 3
    monkeypatch.setattr("tfdsl.operating.session.AWAY", -1.0)
    del pauses[:]
    kubectl.put(recorded.states("volcano")["running.state"])
    ran = kubectl.run("status", "volcano/train", "-n", "rec", "--wait")
    assert (ran.status, len(pauses)) == (1, 1)
    assert "connection to the server was refused" in ran.err


# --- logs ---


def logged(kubectl: Kubectl, **logs: bytes) -> None:
    kubectl.put(recorded.states("volcano")["running.state"])
    for pod, data in logs.items():
        (kubectl.cluster / f"train-{pod.replace('_', '-')}-tensorflow.log").write_bytes(data)


def test_each_line_of_a_log_is_behind_its_task(kubectl: Kubectl) -> None:
    logged(kubectl, chief_0=b"one\n\x1b[2Jtwo\n", worker_0=b"", worker_1=b"three")
    ran = kubectl.run("logs", "volcano/train", "-n", "rec")
    assert ran.status == 0, ran.err
    assert ran.out == "chief[0]  | one\nchief[0]  | two\nworker[1] | three\n"


def test_one_task_is_byte_for_byte(kubectl: Kubectl) -> None:
    logged(kubectl, worker_1=b"a\x1b[1m\xff\r\n")
    process = ["logs", "volcano/train", "worker[1]", "-n", "rec"]
    ran = kubectl.run(*process)
    assert ran.out == "a\x1b[1m\ufffd\r\n"
    assert kubectl.run(*process, "--tail", "0").out == ""
    with Path("/dev/full").open("w") as full:
        variables: dict[str, Any] = {"PATH": kubectl.path, "STAND_IN_KUBECTL": str(kubectl.cluster)}
        assert tfdsl(*process, cwd=kubectl.folder, onto=full, **variables).status == 2


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("worker[7]",), 1, "job train has no task worker[7]"),
        (("boss",), 1, "job train has no task boss"),
        (("--tail", "x"), 2, "--tail needs a number of lines"),
        (("--follow", "--previous"), 2, "--previous cannot be used with --follow"),
        (("worker[0]",), 1, "is waiting to start"),
    ],
)
def test_logs_that_cannot_be_shown(kubectl: Kubectl, words: tuple[str, ...], status: int, said: str) -> None:
    logged(kubectl, chief_0=b"")
    ran = kubectl.run("logs", "volcano/train", *words, "-n", "rec")
    assert ran.status == status
    assert said in ran.err


def test_follow_goes_on_until_the_job_has_ended(kubectl: Kubectl, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfdsl.operating.logs.PAUSE", 0.3)
    logged(kubectl, chief_0=b"step 1\n", worker_0=b"w\n", worker_1=b"w\n")
    # the second time that the pods are read, the job has ended
    ended = json.loads(json.dumps(recorded.states("volcano")["running.state"]))
    next(one for one in ended if one["kind"] == "Job")["status"]["state"]["phase"] = "Failed"
    from tfdsl.operating.session import Session

    read = Session.read

    def then_ended(session: Session) -> object:
        live = read(session)
        kubectl.put(ended)
        return live

    monkeypatch.setattr(Session, "read", then_ended)
    ran = kubectl.run("logs", "volcano/train", "-n", "rec", "--follow")
    assert ran.status == 1
    assert ran.out.count("step 1") == 1
    assert "job train: failed" in ran.err


def following(kubectl: Kubectl, monkeypatch: pytest.MonkeyPatch, readings: int) -> None:
    """Let the job end after so many readings."""
    from tfdsl.operating.session import Session

    monkeypatch.setattr("tfdsl.operating.logs.PAUSE", 0.3)
    ended = json.loads(json.dumps(recorded.states("volcano")["running.state"]))
    next(one for one in ended if one["kind"] == "Job")["status"]["state"]["phase"] = "Failed"
    left, read = iter(range(readings, 0, -1)), Session.read

    def one_less(session: Session) -> object:
        if next(left, 0) == 1:
            kubectl.put(ended)
        return read(session)

    monkeypatch.setattr(Session, "read", one_less)


def test_more_logs_than_are_followed_at_once_come_in_turns(kubectl: Kubectl, monkeypatch: pytest.MonkeyPatch) -> None:
    logged(kubectl, chief_0=b"c\n", worker_0=b"w\n", worker_1=b"x\n")
    following(kubectl, monkeypatch, 1)
    monkeypatch.setattr("tfdsl.operating.logs.MOST_FOLLOWED", 1)
    started: list[int] = []
    from tfdsl.operating.runner import Streams

    start = Streams.start

    def noted(streams: Streams, key: object, call: Any) -> None:
        start(streams, key, call)
        started.append(len(streams.running))

    monkeypatch.setattr(Streams, "start", noted)
    ran = kubectl.run("logs", "volcano/train", "-n", "rec", "--follow")
    assert sorted(ran.out.splitlines()) == ["chief[0]  | c", "worker[0] | w", "worker[1] | x"]
    assert started == [1, 1, 1]
    assert "1 logs are followed at once, others when one of them ends: name tasks to choose" in ran.err


def test_a_log_that_breaks_off_is_opened_again(kubectl: Kubectl, monkeypatch: pytest.MonkeyPatch) -> None:
    logged(kubectl, worker_0=b"", worker_1=b"")
    following(kubectl, monkeypatch, 6)
    broken = {"out": "1\n", "err": "error: unexpected EOF\n", "status": 1}
    kubectl.odd(("logs .*chief.*--follow$", broken), ("logs .*chief.*--since=", {"out": "2\n", "status": 0}))
    ran = kubectl.run("logs", "volcano/train", "chief", "-n", "rec", "--follow")
    assert ran.out == "1\n2\n"
    assert "the log of chief[0] broke off, and is opened again: error: unexpected EOF" in ran.err


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("status", "volcano/train", "-n", "rec"), 0, ""),
        (("submit", "train.tfjob", "-t", "volcano", "-n", "other"), 1, "cannot write the files of volcano/train"),
        (("submit", "a.tfjob", "-t", "slurm"), 1, "cannot write the files of slurm/train for its client: "),
    ],
)
def test_without_a_folder_for_temporary_files(
    kubectl: Kubectl, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], status: int, said: str
) -> None:
    """As on a disk that is full: what only reads needs none."""
    (kubectl.folder / "a.tfjob").write_text(PASTED)
    kubectl.put(recorded.states("volcano")["running.state"] if status == 0 else [])
    monkeypatch.setattr("tempfile.tempdir", str(kubectl.folder / "nowhere"))
    ran = kubectl.process(*words)
    assert ran.status == status, ran.err
    assert said in ran.err


@pytest.mark.parametrize("words", [("logs",), ("logs", "--follow"), ("status", "--wait"), ("status", "--watch")])
def test_the_time_is_over_also_where_a_client_hangs(kubectl: Kubectl, words: tuple[str, ...]) -> None:
    kubectl.put(recorded.states("volcano")["running.state"])
    (kubectl.folder / "bin/kubectl").write_text("#!/bin/sh\nsleep 60\n")
    with pytest.MonkeyPatch.context() as patch:
        if words == ("logs",):  # the job is read, its log is not
            patch.setattr("tfdsl.operating.session.ask", kubectl.ask)
            patch.setenv("STAND_IN_KUBECTL", str(kubectl.cluster))
        ran = kubectl.process(words[0], "volcano/train", *words[1:], "--timeout", "300ms")
    assert ran.status == 124, ran.err


def test_a_log_that_does_not_come_is_not_waited_for(kubectl: Kubectl, monkeypatch: pytest.MonkeyPatch) -> None:
    logged(kubectl, worker_1=b"x\n")
    kubectl.odd(("logs .*chief", {"sleep": 60}))
    monkeypatch.setattr("tfdsl.operating.session.PATIENCE", 1)
    ran = kubectl.run("logs", "volcano/train", "-n", "rec", "chief", "worker[1]")
    assert (ran.status, ran.out) == (0, "worker[1] | x\n")
    assert "chief[0]: no answer within 1 s" in ran.err


def test_commands_are_quoted_for_a_shell(kubectl: Kubectl) -> None:
    ran = kubectl.run("status", "volcano/train", "--context", "a b", "--dry-run")
    first = shlex.split(ran.out.splitlines()[0])
    assert first[:3] == ["kubectl", "--context", "a b"]


def test_next_commands_are_quoted_for_a_shell(kubectl: Kubectl) -> None:
    ran = kubectl.run("submit", "train.tfjob", "-t", "tfjob", "--context", "a b; c")
    assert [shlex.split(line)[-2:] for line in ran.out.splitlines()[1:]] == [["--context", "a b; c"]] * 3


def test_dry_run_of_a_replacement_shows_what_it_deletes_and_only_reads(kubectl: Kubectl) -> None:
    kubectl.run("submit", "train.tfjob", "-t", "tfjob")
    before = len(kubectl.calls())
    ran = kubectl.run("submit", "train.tfjob", "-t", "tfjob", "--replace", "--dry-run")
    assert (ran.status, ran.out.count("kubectl delete --raw")) == (0, 3), ran.err
    assert "persistentvolumeclaims/" not in ran.out
    assert {call.split()[0] for call in kubectl.calls()[before:]} == {"get"}
    assert kubectl.names() == ALL


@pytest.mark.parametrize("form", ["text", "json"])
def test_secrets_of_the_command_line_are_hidden(kubectl: Kubectl, form: str) -> None:
    text = json.dumps(recorded.states("jobset")["failed.end"]).replace('"Error"', '"hunter2hunter2"')
    kubectl.put(json.loads(text))
    for one in kubectl.objects:
        if one["kind"] == "Pod":
            file = kubectl.cluster / f"{one['metadata']['name']}-tensorflow.log"
            file.write_bytes(b"token=hunter2hunter2\n")
    job = (recorded.FOLDER / "failed.tfjob").read_text()
    (kubectl.folder / "a.tfjob").write_text(f'param api_token: string = "x"\n{job}')
    words = ("a.tfjob", "-t", "jobset", "--set", "api_token=hunter2hunter2")
    ran = kubectl.run("status", *words, "--format", form)
    assert ran.status == 0, ran.err
    assert "token=***" in ran.out
    assert "hunter2" not in ran.out
    assert "token=hunter2hunter2" in kubectl.run("logs", *words, "chief").out  # byte for byte


def test_the_page_shows_what_is_printed(kubectl: Kubectl) -> None:
    page = (ROOT / "docs/operate.md").read_text(encoding="utf-8")
    shown = page.partition("<!-- shown: jobset no-room -->\n```\n")[2].partition("```")[0]
    kubectl.put(recorded.states("jobset")["no-room.state"])
    (kubectl.folder / "train.tfjob").write_text((recorded.FOLDER / "no-room.tfjob").read_text())
    assert shown == kubectl.run("status", "train.tfjob", "-t", "jobset").out


@pytest.mark.parametrize("target", ["tfjob", "kubernetes", "volcano", "jobset"])
def test_what_was_submitted_is_what_the_file_says(kubectl: Kubectl, target: str) -> None:
    assert kubectl.run("submit", "train.tfjob", "-t", target).status == 0
    text = "---\n".join(f"{json.dumps(one)}\n" for one in kubectl.objects)
    (kubectl.folder / "there.yaml").write_text(text)
    assert kubectl.run("diff", "train.tfjob", "there.yaml", "-t", target).status == 0
    imported = kubectl.run("import", "there.yaml")
    assert imported.status == 0, imported.err
    assert "tfdsl/" not in imported.out


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("-t", "slurm", "--dry-run", "--", "--reservation=a b"), 0, "submit.sh -- '--reservation=a b'"),
        (("-t", "slurm", "--dry-run", "--", "-s x.tfjob"), 0, "submit.sh"),
        (("-t", "slurm", "--dry-run", "--", "-p", "debug", "--nice"), 0, "submit.sh -- -p debug --nice"),
        (("-t", "slurm", "--dry-run", "--", "other.tfjob"), 2, "unexpected argument other.tfjob"),
        (("-t", "slurm", "--dry-run", "other.tfjob"), 2, "unexpected argument other.tfjob"),
        (("-t", "tfjob", "--", "--reservation=today"), 2, "unexpected argument --reservation=today"),
    ],
)
def test_what_is_behind_two_dashes_goes_to_sbatch(
    kubectl: Kubectl, words: tuple[str, ...], status: int, said: str
) -> None:
    name = next((word for word in words if word.endswith("x.tfjob")), "a.tfjob")
    (kubectl.folder / name).write_text(
        'job train {\n  image = "a:1"\n  command = ["true"]\n  memory = 1Gi\n  role chief { }\n}\n'
    )
    ran = kubectl.run("submit", *([name] if name not in words else []), *words)
    assert ran.status == status, ran.err
    assert said in ran.out + ran.err
    if status == 0:
        file, flags = ("a.tfjob ", "") if name == "a.tfjob" else ("", " -- '-s x.tfjob'")
        assert ran.out.splitlines()[0] == f"tfdsl compile {file}-t slurm -o train{flags}"
        assert tfdsl(*shlex.split(ran.out.splitlines()[0])[1:], cwd=kubectl.folder).status == 0
        assert (kubectl.folder / shlex.split(ran.out.splitlines()[1])[1]).exists()


JOB_IN_A_NAMESPACE = """\
job train {
  image = "a:1", command = ["true"], memory = 1Gi, namespace = "team"
  role chief { }
}
"""
WITHOUT_KUBECTL = [
    (target, *words)
    for target in ("slurm", "yarn")
    for command in ("submit", "status", "logs", "cancel", "resume")
    for words in ((command, "a.tfjob", "-t", target), *(((command, f"{target}/train"),) if command != "submit" else ()))
] + [(target, "status", "-t", target) for target in ("slurm", "yarn")]


@pytest.mark.parametrize("words", WITHOUT_KUBECTL, ids=" ".join)
def test_what_is_for_kubectl_is_an_error_elsewhere(kubectl: Kubectl, words: tuple[str, ...]) -> None:
    target, *rest = words
    (kubectl.folder / "a.tfjob").write_text(JOB_IN_A_NAMESPACE)
    for flag, name in (("--context", ""), ("--kubeconfig", ""), ("--namespace", ""), ("-n", "--namespace")):
        for dry in ((), ("--dry-run",)) if rest[0] in ("submit", "status", "cancel") else ((),):
            ran = kubectl.run(*rest, flag, "there", *dry)
            assert (ran.status, ran.out) == (2, "")
            said = f"{name or flag} cannot be used with {target}: it is for kubectl, so for tfjob, volcano, kubernetes"
            assert f"{said} and jobset" in ran.err


@pytest.mark.parametrize("target", ["slurm", "yarn"])
def test_the_namespace_of_a_job_is_no_error_elsewhere(kubectl: Kubectl, target: str) -> None:
    (kubectl.folder / "a.tfjob").write_text(JOB_IN_A_NAMESPACE)
    assert kubectl.run("submit", "a.tfjob", "-t", target, "--dry-run").status == 0


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("let a = 1\n", 1, "the file has no job"),
        (
            'job a { image = "a:1", command = ["x"]\n matrix { n = [1, 2] }\n role worker { } }',
            2,
            "the file has 2 jobs",
        ),
    ],
)
def test_files_with_no_or_several_jobs(kubectl: Kubectl, text: str, status: int, said: str) -> None:
    (kubectl.folder / "a.tfjob").write_text(text)
    ran = kubectl.run("logs", "a.tfjob", "-t", "tfjob")
    assert ran.status == status
    assert said in ran.err


@pytest.mark.parametrize(("state", "words"), [("crash-loop.state", "--previous"), ("failed.end", "--tail=5")])
def test_the_last_lines_of_a_command_that_failed(kubectl: Kubectl, state: str, words: str) -> None:
    objects = recorded.states("jobset")[state]
    kubectl.put(objects)
    for one in objects:
        if one["kind"] == "Pod":
            file = kubectl.cluster / f"{one['metadata']['name']}-tensorflow.log"
            file.write_bytes(b"1\n2\n3\nValueError: \x1b[1mbad\n\n4\n5\n")
    ran = kubectl.run("status", "jobset/train", "-n", "rec")
    assert "  the last lines of chief[0]:\n    3\n    ValueError: \u241b[1mbad\n    4\n    5\n" in ran.out
    assert words in kubectl.calls()[-1]
