"""The support table: no hole, and every condition with a job that meets it and one that does not."""

from __future__ import annotations

import pytest

from tests.unit.backends.jobs import amount, job, role, time, unit
from tests.unit.backends.verdicts import codes, fate, holes
from tfdsl.ir.model import Claim, ClaimMount, HdfsMount, Job


def test_every_key_has_an_answer() -> None:
    assert holes("kubernetes") == []


def workers(count: int = 2, **fields: object) -> Job:
    return job(role("worker", count), **fields)


def two(**fields: object) -> Job:
    return job(role("worker", 2), role("ps"), **fields)


@pytest.mark.parametrize(
    ("made", "key", "expected"),
    [
        (workers(queue="q"), "job.queue", "translated"),
        (two(queue="q"), "job.queue", "approximated"),
        (workers(priority="high"), "job.priority", "kept"),
        (workers(priority=5), "job.priority", "refused"),
        (workers(scheduler="s"), "job.scheduler", "kept"),
        (workers(1), "job.gang", "translated"),
        (workers(), "job.gang", "approximated"),
        (job(role("worker", 4, min_available=2)), "roles[].min_available", "approximated"),
        (workers(), "roles[].min_available", "translated"),
        (job(role("ps"), role("worker", after=("ps",))), "roles[].after", "refused"),
        (workers(deadline=time("1h")), "job.deadline", "translated"),
        (workers(deadline=time("1500ms")), "job.deadline", "approximated"),
        (workers(ttl=time("1h")), "job.ttl", "translated"),
        (workers(ttl=time("1ms")), "job.ttl", "approximated"),
        (workers(), "job.cleanup", "translated"),
        (workers(cleanup="all"), "job.cleanup", "approximated"),
        (workers(cleanup="none"), "job.cleanup", "approximated"),
        (two(), "job.cleanup", "approximated"),
        (workers(suspend=True), "job.suspend", "kept"),
        (job(role("worker", gpu_memory=amount("8Gi"))), "roles[].gpu_memory", "refused"),
        (job(role("worker", node_label="gpu")), "roles[].node_label", "refused"),
        (job(role("worker", mounts=(HdfsMount(at="/d", uri="hdfs://n/d"),))),
         "mounts[hdfs]", "refused"),
        (job(role("worker", host_network=True)), "roles[].host_network", "translated"),
        (job(role("worker", node_selector={"a": "b"})), "roles[].node_selector", "kept"),
        (job(role("worker", node_selector={"a": ("b", "c")})), "roles[].node_selector", "translated"),
        (job(role("worker", spread="node")), "roles[].spread", "translated"),
    ],
)  # fmt: skip
def test_fates(made: Job, key: str, expected: str) -> None:
    assert fate(unit(made, "kubernetes"), key).fate == expected


@pytest.mark.parametrize(
    ("made", "key", "expected"),
    [
        (workers(queue="q"), "job.queue", "approximated"),
        (workers(scheduler="s"), "job.scheduler", "approximated"),
        (workers(), "job.cleanup", "approximated"),
        (workers(), "cluster.discovery", "translated"),
        (workers(), "roles[].replicas", "translated"),
    ],
)
def test_fates_on_hosts(made: Job, key: str, expected: str) -> None:
    assert fate(unit(made, "kubernetes", hosts=("a", "b")), key).fate == expected


def test_gang_is_told_or_warned_of() -> None:
    assert "K8S052" in codes(unit(workers(), "kubernetes"), "info")
    assert "K8S052" in codes(unit(workers(), "kubernetes", written=("gang",)), "warning")
    assert "K8S052" not in codes(unit(workers(gang=False), "kubernetes", written=("gang",)))


@pytest.mark.parametrize(("keep", "expected"), [(True, "kept"), (False, "approximated")])
def test_a_claim_outlives_the_jobs(keep: bool, expected: str) -> None:
    claim = Claim(name="runs", size=amount("1Gi"), access_modes=("ReadWriteOnce",), keep=keep)
    mount = ClaimMount(at="/runs", claim="runs")
    asked = unit(job(role("worker", mounts=(mount,)), claims=(claim,)), "kubernetes")
    assert fate(asked, "mounts[claim]").fate == expected
