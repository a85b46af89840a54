"""The support table: no hole, and every condition with a job that meets it and one that does not."""

from __future__ import annotations

import pytest

from tests.unit.backends.jobs import amount, job, policy, role, time, unit
from tests.unit.backends.verdicts import codes, fate, holes, report
from tfdsl.ir.model import Claim, ClaimMount, Cluster, Job


def test_every_key_has_an_answer() -> None:
    assert holes("tfjob") == []


def workers(count: int = 2, **fields: object) -> Job:
    return job(role("worker", count), **fields)


def clustered(discovery: str, count: int = 2) -> Job:
    return workers(count, cluster=Cluster(discovery=discovery))


@pytest.mark.parametrize(
    ("made", "options", "key", "expected"),
    [
        (workers(queue="q"), {"kueue": True}, "job.queue", "translated"),
        (workers(queue="q"), {"gang_scheduler": "volcano"}, "job.queue", "kept"),
        (workers(queue="q"), {"gang_scheduler": "scheduler-plugins-scheduler"}, "job.queue", "approximated"),
        (workers(queue="q"), {}, "job.queue", "approximated"),
        (workers(priority="high"), {}, "job.priority", "kept"),
        (workers(priority=5), {}, "job.priority", "refused"),
        (workers(scheduler="s"), {}, "job.scheduler", "kept"),
        (workers(scheduler="volcano"), {"gang_scheduler": "volcano"}, "job.scheduler", "kept"),
        (workers(scheduler="s"), {"gang_scheduler": "volcano"}, "job.scheduler", "approximated"),
        (workers(), {}, "job.gang", "approximated"),
        (workers(), {"kueue": True}, "job.gang", "approximated"),
        (workers(), {"gang_scheduler": "volcano"}, "job.gang", "kept"),
        (workers(1), {}, "job.gang", "translated"),
        (workers(deadline=time("90m")), {}, "job.deadline", "approximated"),
        (workers(deadline=time("1500ms")), {}, "job.deadline", "approximated"),
        (workers(ttl=time("1d")), {}, "job.ttl", "kept"),
        (workers(ttl=time("100ms")), {}, "job.ttl", "approximated"),
        (workers(cleanup="none"), {}, "job.cleanup", "translated"),
        (workers(cleanup="none", deadline=time("1h")), {}, "job.cleanup", "approximated"),
        (workers(cleanup="none", retries=1), {}, "job.cleanup", "approximated"),
        (workers(cleanup="none", retries=1), {"limit_restarts": False}, "job.cleanup", "translated"),
        (workers(cleanup="all", retries=1), {}, "job.cleanup", "translated"),
        (clustered("tf_config"), {}, "cluster.discovery", "translated"),
        (clustered("tf_config"), {"tf_config": "static"}, "cluster.discovery", "approximated"),
        (clustered("tf_config", 1), {}, "cluster.discovery", "approximated"),
        (clustered("tf_config", 1), {"tf_config": "static"}, "cluster.discovery", "translated"),
        (clustered("none", 1), {}, "cluster.discovery", "kept"),
        (job(role("worker", 4, min_available=2)), {}, "roles[].min_available", "approximated"),
        (job(role("worker", 4)), {}, "roles[].min_available", "translated"),
        (job(role("worker", 4), role("ps", after=("worker",))), {}, "roles[].after", "refused"),
        (job(role("worker", labels={"a": "b"})), {}, "roles[].labels", "kept"),
        (job(role("worker", labels={"training.kubeflow.org/job-name": "b"})), {}, "roles[].labels", "approximated"),
        (job(role("worker", gpu_memory=amount("8Gi"))), {}, "roles[].gpu_memory", "refused"),
        (job(role("worker", node_label="gpu")), {}, "roles[].node_label", "refused"),
    ],
)
def test_fates(made: Job, options: dict, key: str, expected: str) -> None:
    assert fate(unit(made, "tfjob", **options), key).fate == expected


@pytest.mark.parametrize(("version", "expected"), [("1.6", "refused"), ("1.7", "kept"), ("1.9", "kept")])
def test_suspend_came_with_1_7(version: str, expected: str) -> None:
    assert fate(unit(workers(suspend=True), "tfjob", version), "job.suspend").fate == expected


def test_what_is_off_is_no_loss() -> None:
    off = unit(workers(suspend=False, gang=False), "tfjob", "1.3", written=("suspend", "gang"))
    assert codes(off) == []


def test_defaults_are_told_written_values_warned_of() -> None:
    assert [d.level for d in report(unit(workers(), "tfjob")) if d.rule.code == "KTF054"] == ["info"]
    written = [d for d in report(unit(workers(), "tfjob", written=("gang",))) if d.rule.code == "KTF054"]
    assert [(d.level, d.approximation, d.target) for d in written] == [("warning", True, "tfjob")]


def test_tensorboards_message_holds_the_command_that_removes_it() -> None:
    board = job(role("worker", 2), role("tensorboard"), namespace="ml")
    (found,) = [d for d in report(unit(board, "tfjob")) if d.rule.code == "KTF030"]
    assert "kubectl delete deployment,service mnist-tensorboard -n ml" in found.message


@pytest.mark.parametrize(("keep", "expected"), [(True, "kept"), (False, "approximated")])
def test_a_claim_outlives_the_job(keep: bool, expected: str) -> None:
    claim = Claim(name="runs", size=amount("1Gi"), access_modes=("ReadWriteOnce",), keep=keep)
    mount = ClaimMount(at="/runs", claim="runs")
    asked = unit(job(role("worker", mounts=(mount,)), claims=(claim,)), "tfjob", written=("roles[worker].mounts[0]",))
    assert fate(asked, "mounts[claim]").fate == expected
    told = [d.message for d in report(asked) if d.rule.code == "KTF031"]
    assert bool(told) != keep
    assert keep or "kubectl delete pvc mnist-runs" in told[0]


def test_retries_without_restarts_say_nothing() -> None:
    assert "KTF058" not in codes(unit(workers(retries=0), "tfjob", written=("retries",)))
    assert fate(unit(workers(retries=0), "tfjob", written=("retries",)), "job.retries").fate == "translated"
    restarting = job(role("worker", 2), policies=(policy("failed", "restart container"),))
    assert "backoffLimit" in fate(unit(restarting, "tfjob"), "job.retries").to
