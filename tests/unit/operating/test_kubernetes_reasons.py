"""Why jobs wait or have failed, as recorded from real controllers; what happened in each is known."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.operating import recorded
from tfdsl.backend.cluster import Live

NOTHING = ""
FIRST = {
    # state: phase on volcano, first reason on volcano, phase on jobset, first reason on jobset, line of the file
    "aborted.end": ("aborted", "exited", None, None, "command"),
    "claim-missing.state": ("waiting", "claim-missing", "waiting", "claim-missing", 'mount pvc "nothing"'),
    "completed.end": ("succeeded", NOTHING, "succeeded", NOTHING, ""),
    "configmap-missing.state": ("starting", "object-missing", "starting", "object-missing", "mount configmap"),
    "crash-loop.state": ("failed", "crash-loop", "starting", "crash-loop", "command"),
    "deadline.end": ("failed", "deadline", "failed", "deadline", "deadline = 8s"),
    "deleted.before": ("running", NOTHING, "running", NOTHING, ""),
    "deleted.just-after": ("running", "stopping", "running", "stopping", ""),
    "deleted.after": ("failed", "stopped", "failed", "stopped", ""),
    "disk-full-eviction.state": ("failed", "scratch-full", "failed", "scratch-full", "mount scratch 10Mi"),
    "evicted.before": ("running", NOTHING, "running", NOTHING, ""),
    "evicted.just-after": ("running", "evicted", "running", "evicted", ""),
    "evicted.after": ("failed", "stopped", "failed", "stopped", ""),
    "failed.end": ("failed", "exited", "failed", "exited", "command"),
    "image-missing.state": ("starting", "image-missing", "starting", "image-missing", 'image = "registry.invalid'),
    "image-never-pulled.state": ("starting", "image-never-pulled", "starting", "image-never-pulled", "image ="),
    "no-node.state": ("waiting", "no-node", "waiting", "no-node", "node_selector = { pool"),
    "no-room.state": ("waiting", "queue-full", "running", "no-room", "gpu = 8"),
    "out-of-memory.state": ("failed", "out-of-memory", "running", "out-of-memory", "memory = 24Mi"),
    "prepare-fails.end": ("failed", "exited", "failed", "exited", "prepare fetch"),
    "preparing.state": ("starting", NOTHING, "starting", NOTHING, ""),
    "program-missing.state": ("failed", "program-missing", "failed", "program-missing", "no-such-program"),
    "ps-and-worker-failed.end": ("failed", "exited", "failed", "exited", "command"),
    "restarted-once.before": ("running", NOTHING, "running", NOTHING, ""),
    "restarted-once.just-after": ("running", "exited", "running", "exited", "command"),
    "restarted-once.after": ("running", NOTHING, "running", NOTHING, ""),
    "retries-used-up.end": ("failed", "exited", "failed", "exited", "command"),
    "running.state": ("running", NOTHING, "running", NOTHING, ""),
    "secret-missing.state": ("starting", "object-missing", "starting", "object-missing", 'secret("nothing"'),
    "service-account-missing.state": (
        *("waiting", "service-account-missing", "waiting", "service-account-missing", "service_account ="),
    ),
    "suspended.state": (None, None, "suspended", "suspended", "suspend = true"),
}
CASES = [
    (target, state, *expected[at : at + 2], expected[4])
    for state, expected in FIRST.items()
    for target, at in (("volcano", 0), ("jobset", 2))
    if expected[at] is not None
]


def test_every_recording_is_looked_at() -> None:
    for target in ("volcano", "jobset"):
        assert {state for name, state, *_ in CASES if name == target} == set(recorded.states(target))


@pytest.mark.parametrize(("target", "state", "phase", "slug", "line"), CASES, ids=lambda value: str(value)[:30])
def test_first_reason_is_what_happened(target: str, state: str, phase: str, slug: str, line: str) -> None:
    name = state.partition(".")[0]
    live = recorded.live(target, recorded.states(target)[state], name)
    assert live.phase == phase
    assert [one.slug for one in live.reasons[:1]] == ([slug] if slug else [])
    if line:
        path, number = live.reasons[0].place.split(":")
        assert path == f"{name}.tfjob"
        assert line in (recorded.FOLDER / path).read_text().splitlines()[int(number) - 1]
    else:
        assert not any(one.place for one in live.reasons[:1])


SENTENCES = {
    ("jobset", "no-room.state"): "worker[0] and worker[1] cannot be placed: 0/1 nodes are available: 1 Insufficient "
    "nvidia.com/gpu",
    (
        "volcano",
        "no-room.state",
    ): "the queue does not have enough nvidia.com/gpu for the whole job, so no pod is created",
    ("volcano", "claim-missing.state"): "chief[0] cannot be placed: there is no claim nothing",
    (
        "jobset",
        "program-missing.state",
    ): "the image of worker[0] and worker[1] does not have the program no-such-program",
    ("volcano", "prepare-fails.end"): "the step fetch of worker[0] exited with status 4",
    ("volcano", "evicted.after"): "worker[1] was stopped from outside: deleted, evicted or preempted",
    ("volcano", "disk-full-eviction.state"): "chief[0], worker[0] and worker[1] wrote more than 10Mi into a scratch "
    "folder and were evicted",
    ("jobset", "crash-loop.state"): "chief[0], worker[0] and worker[1] exited with status 3 again and again, and "
    "Kubernetes waits before the next start",
}


@pytest.mark.parametrize(("at", "sentence"), SENTENCES.items(), ids=lambda value: "/".join(value)[:40])
def test_reasons_are_sentences(at: tuple[str, str], sentence: str) -> None:
    assert recorded.live(at[0], recorded.states(at[0])[at[1]]).reasons[0].sentence == sentence


def bases(live: Live) -> dict[str, str]:
    return {one.slug: one.basis for one in live.reasons}


def test_a_reason_says_what_it_rests_on() -> None:
    volcano = recorded.states("volcano")
    assert bases(recorded.live("volcano", volcano["out-of-memory.state"])) == {
        "out-of-memory": "object",
        "acted": "event",
    }
    assert bases(recorded.live("volcano", volcano["evicted.after"]))["stopped"] == "inferred"
    assert bases(recorded.live("volcano", volcano["crash-loop.state"]))["crash-loop"] == "event"


@pytest.mark.parametrize(
    ("target", "state", "policy"),
    [
        ("volcano", "aborted.end", "on exit 5 => abort job"),
        ("volcano", "retries-used-up.end", "on failed => restart pod"),
        ("jobset", "retries-used-up.end", "on failed => restart pod"),
        ("volcano", "failed.end", None),  # it has no policy of its own
        ("volcano", "restarted-once.just-after", None),  # the controller has not decided yet
    ],
)
def test_the_policy_that_decides_is_shown_with_its_line(target: str, state: str, policy: str | None) -> None:
    live = recorded.live(target, recorded.states(target)[state], state.partition(".")[0])
    found = [one for one in live.reasons if one.slug == "policy"]
    assert [one.sentence for one in found] == ([f"the job has a policy for this: {policy}"] if policy else [])
    assert all(one.basis == "inferred" and one.place for one in found)


def test_words_of_a_parent_come_last() -> None:
    live = recorded.live("jobset", recorded.states("jobset")["deadline.end"])
    assert [one.slug for one in live.reasons] == ["deadline", "retries"]


def test_restarts_and_ends_are_counted() -> None:
    live = recorded.live("jobset", recorded.states("jobset")["restarted-once.after"], "restarted-once")
    worker = next(one for one in live.replicas if one.task == "worker[1]")
    assert (worker.phase, worker.restarts, worker.end and worker.end.status) == ("running", 1, 9)
    live = recorded.live("volcano", recorded.states("volcano")["restarted-once.after"], "restarted-once")
    assert (live.restarts, live.retries, live.queue) == (1, 2, "default")


def test_a_job_of_another_text_gets_no_lines() -> None:
    objects = [dict(one) for one in recorded.states("volcano")["failed.end"]]
    job = next(one for one in objects if one["kind"] == "Job")
    job["metadata"] = {**job["metadata"], "annotations": {"tfdsl/submission": "1", "tfdsl/digest": "other"}}
    live = recorded.live("volcano", objects, "failed")
    assert not any(one.place for one in live.reasons)
    assert live.notes == ("the job was submitted from another text, so no lines are shown",)


@pytest.mark.parametrize("target", ["jobset", "volcano"])
def test_a_pod_that_has_ended_was_placed_whatever_an_older_event_says(target: str) -> None:
    objects = recorded.states(target)["failed.end"]
    pods = [one for one in objects if one["kind"] == "Pod"]
    job = next(one for one in objects if one["kind"] in ("Job", "JobSet") and "ownerReferences" not in one["metadata"])
    events = [
        {
            "kind": "Event",
            "apiVersion": "v1",
            "metadata": {"name": f"e{number}", "creationTimestamp": one["metadata"]["creationTimestamp"]},
            "involvedObject": {"kind": one["kind"], "name": one["metadata"]["name"], "uid": one["metadata"]["uid"]},
            "reason": "FailedScheduling",
            "message": 'persistentvolumeclaim "data" not found',
            "lastTimestamp": "2026-11-29T23:59:59Z",
        }
        for number, one in enumerate([*pods, job])  # the operator of TFJobs repeats on the job what pods say
    ]
    assert pods
    before, after = (recorded.live(target, found, "failed").reasons for found in (objects, [*objects, *events]))
    assert [one.sentence for one in after] == [one.sentence for one in before]


def event(kind: str, name: str, reason: str, message: str, uid: str = "", field: str = "") -> dict[str, Any]:
    """An event, as Kubernetes 1.34 and training-operator 1.8.1 write it."""
    about = {"kind": kind, "name": name, "uid": uid, "fieldPath": field}
    at = "2026-11-29T10:20:00Z"
    return {"kind": "Event", "apiVersion": "v1", "metadata": {"name": "e", "creationTimestamp": at},
            "involvedObject": about, "reason": reason, "message": message, "lastTimestamp": at}  # fmt: skip


def owned(kind: str, name: str, api: str, labels: dict[str, str], **more: Any) -> dict[str, Any]:
    metadata = {"name": name, "uid": f"uid-{name}", "creationTimestamp": "2026-11-29T10:10:00Z", "labels": labels}
    return {"kind": kind, "apiVersion": api, "metadata": {**metadata, "namespace": "rec"}, **more}


def tfjob(*conditions: str) -> dict[str, Any]:
    held = [{"type": one, "status": "True", "reason": f"TFJob{one}", "message": ""} for one in conditions]
    replicas = {"Worker": {"replicas": 1}}
    more = {"spec": {"tfReplicaSpecs": replicas}, "status": {"conditions": held}}
    return owned("TFJob", "train", "kubeflow.org/v1", {}, **more)


def worker(status: dict[str, Any], **spec: Any) -> dict[str, Any]:
    label = "training.kubeflow.org/{}".format
    labels = {label("job-name"): "train", label("replica-type"): "worker", label("replica-index"): "0"}
    return owned("Pod", "train-worker-0", "v1", labels, spec=spec, status=status)


def job_of_kubernetes() -> dict[str, Any]:
    failed = [{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "message": "m"}]
    labels = {"tfdsl/job": "train", "tfdsl/role": "worker"}
    return owned("Job", "train-worker", "batch/v1", labels, spec={"completions": 2}, status={"conditions": failed})


RUNS = {"state": {"running": {"startedAt": "2026-11-29T10:15:00Z"}}}
WAITS = {"state": {"waiting": {"reason": "PodInitializing"}}}
ENDED = {"name": "tensorflow", "state": {"terminated": {"exitCode": 3, "reason": "Error"}}}
NO_CLAIM = 'Error pod train-worker-0 condition message: 0/1 nodes are available: persistentvolumeclaim "a" not found.'
NO_ACCOUNT = (
    'Error creating: pods "train-worker-0" is forbidden: error looking up service account rec/x: serviceaccount "x" '
    "not found"
)
BACK_OFF = "Back-off restarting failed container {} in pod {}_rec(x)"
MADE: dict[str, tuple[list[dict[str, Any]], str, list[str], list[str]]] = {
    "the operator says that pods cannot be created": (
        [tfjob("Created"), event("TFJob", "train", "FailedCreatePod", NO_ACCOUNT, "uid-train")],
        "waiting", ["there is no ServiceAccount x, so no pod is created"], ["absent"],
    ),
    "what the operator repeats of a pod that waits": (
        [tfjob(), worker({"phase": "Pending"}), event("TFJob", "train", "Unschedulable", NO_CLAIM, "uid-train")],
        "waiting", ['the pod train-worker-0 cannot be placed: 0/1 nodes are available: persistentvolumeclaim "a" not '
                    "found."], ["waiting"],
    ),
    "it was placed, and has failed": (
        [tfjob("Created", "Failed"), worker({"phase": "Failed", "containerStatuses": [ENDED]}, nodeName="n"),
         event("TFJob", "train", "Unschedulable", NO_CLAIM, "uid-train")],
        "failed", ["worker[0] exited with status 3"], ["failed"],
    ),
    "it was placed, and runs": (
        [tfjob("Created"), worker({"phase": "Running", "containerStatuses": [RUNS]}, nodeName="n"),
         event("TFJob", "train", "FailedCreatePod", "exceeded quota: few, requested", "uid-train")],
        "running", [], ["running"],
    ),
    "a sidecar runs beside the command": (
        [tfjob(), worker({"phase": "Running", "initContainerStatuses": [RUNS], "containerStatuses": [RUNS]})],
        "running", [], ["running"],
    ),
    "a step runs before the command": (
        [tfjob(), worker({"phase": "Pending", "initContainerStatuses": [RUNS], "containerStatuses": [WAITS]},
                         nodeName="n")],
        "starting", [], ["preparing"],
    ),
    "a claim without a storage class": (
        [tfjob(), worker({"phase": "Pending"}, volumes=[{"persistentVolumeClaim": {"claimName": "train-data"}}]),
         event("PersistentVolumeClaim", "train-data", "FailedBinding", "no persistent volumes available for this claim "
               "and no storage class is set"),
         event("PersistentVolumeClaim", "other", "FailedBinding", "no persistent volumes available")],
        "waiting", ["there is no volume for a claim: no persistent volumes available for this claim and no storage "
                    "class is set"], ["waiting"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("objects", "phase", "sentences", "phases"), MADE.values(), ids=MADE)
def test_what_is_over_is_no_reason(
    objects: list[dict[str, Any]], phase: str, sentences: list[str], phases: list[str]
) -> None:
    live = recorded.live("tfjob", objects)
    assert live.phase == phase
    assert [one.sentence for one in live.reasons] == sentences
    assert [one.phase for one in live.replicas] == phases


def test_pods_of_other_jobs_are_not_of_this() -> None:
    """Pods that are gone are known by their names only."""
    names = {
        "train-worker-0-aaaaa": "fetch",
        "train-2-worker-1-bbbbb": "tensorflow",
        "other-worker-1-ccccc": "tensorflow",
    }
    fields = {"fetch": "spec.initContainers{fetch}", "tensorflow": "spec.containers{tensorflow}"}
    events = [
        event("Pod", name, "BackOff", BACK_OFF.format(part, name), f"uid-{name}", fields[part])
        for name, part in names.items()
    ]
    reason = recorded.live("kubernetes", [job_of_kubernetes(), *events]).reasons[0]
    assert reason.sentence == "the step fetch of worker[0] failed again and again; the pods are gone"
    assert (reason.object, reason.part) == ("pod/train-worker-0-aaaaa", "fetch")
