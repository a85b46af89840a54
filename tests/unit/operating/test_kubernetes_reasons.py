"""Why jobs wait or have failed, as recorded from real controllers; what happened in each is known."""

from __future__ import annotations

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
