"""The target's own rules: names, numbers, queues, ports."""

from __future__ import annotations

import pytest

from tests.unit.backends.jobs import job, role, time, unit
from tests.unit.backends.verdicts import codes, report
from tfdsl.ir.model import Cluster, Job


def named(length: int, *roles: object) -> Job:
    made = job(*roles)  # type: ignore[arg-type]  # roles, as the builder takes them
    return made.but(name="m" * length)


@pytest.mark.parametrize(
    ("name", "longest"),
    [("ps", 58), ("chief", 55), ("master", 54), ("worker", 54), ("evaluator", 51)],
)
def test_longest_job_name_of_each_role(name: str, longest: int) -> None:
    """Pod and Service are called <job>-<role>-<index>; a Service name has at most 63 characters."""
    roles = [role(name)] if name in ("chief", "master", "worker") else [role("worker"), role(name)]
    budget = min(longest, 54) if len(roles) == 2 else longest
    assert "KTF040" not in codes(unit(named(budget, *roles), "tfjob"))
    assert "KTF040" in codes(unit(named(budget + 1, *roles), "tfjob"), "error")


def test_more_digits_leave_less_room_and_the_name_is_shown() -> None:
    assert "KTF040" not in codes(unit(named(53, role("worker", 100)), "tfjob"))
    (found,) = [d for d in report(unit(named(53, role("worker", 101)), "tfjob")) if d.rule.code == "KTF040"]
    assert "m" * 53 + "-worker-100" in found.message
    assert "64" in found.message
    assert "52" in found.helps[0]


def test_tensorboards_service_counts_too() -> None:
    assert "KTF040" in codes(unit(named(52, role("worker"), role("tensorboard")), "tfjob"), "error")
    assert "KTF040" not in codes(unit(named(51, role("worker"), role("tensorboard")), "tfjob"))


@pytest.mark.parametrize(("name", "fine"), [("a", True), ("a-1", True), ("1a", False), ("7", False)])
def test_names_begin_with_a_letter(name: str, fine: bool) -> None:
    made = job(role("worker")).but(name=name)
    assert ("KTF043" not in codes(unit(made, "tfjob"))) == fine


def test_numbers_fit_their_fields() -> None:
    assert "KTF106" not in codes(unit(job(role("ps", 2), role("worker"), ttl=time("24855d")), "tfjob"))
    assert "KTF106" in codes(unit(job(role("worker"), ttl=time("24856d")), "tfjob"), "error")


def test_kueue_needs_a_queue() -> None:
    plain = job(role("worker", 2))
    queued = job(role("worker", 2), queue="research")
    labelled = job(role("worker", 2), queue="research", labels={"kueue.x-k8s.io/queue-name": "other"})
    assert "KTF105" in codes(unit(plain, "tfjob", kueue=True), "warning")
    assert codes(unit(queued, "tfjob", kueue=True), "warning") == []
    assert "KTF045" in codes(unit(labelled, "tfjob", kueue=True), "error")


@pytest.mark.parametrize(("target", "code"), [("tfjob", "KTF044"), ("volcano", "VOL044"), ("kubernetes", "K8S044")])
def test_host_network_wants_a_port_for_every_role_of_a_node(target: str, code: str) -> None:
    """Replicas of one role are the matter of lint rule TFJ3019, and are not told twice."""
    on_host = {"host_network": True}
    same = job(role("chief", **on_host), role("worker", 2, **on_host))
    distinct = job(role("chief", **on_host, port=2223), role("worker", 2, **on_host))
    assert codes(unit(same, target), "warning").count(code) == 1
    assert code not in codes(unit(distinct, target))
    further = job(role("chief", **on_host, port=2223, ports={"a": 2222}), role("worker", 2, **on_host))
    assert codes(unit(further, target), "warning").count(code) == 1


def test_host_lists_have_to_fit_an_argument() -> None:
    cluster = Cluster(discovery="flags")
    assert "KTF041" not in codes(unit(job(role("worker", 3000), cluster=cluster), "tfjob"))
    assert "KTF041" in codes(unit(job(role("worker", 8000), cluster=cluster), "tfjob"), "error")
    assert "KTF041" not in codes(unit(job(role("worker", 3000)), "tfjob"))
    # What the operator itself injects has to fit too: 36 bytes for each worker.
    assert "KTF041" in codes(unit(job(role("worker", 4000)), "tfjob"), "error")


def test_every_finding_names_the_target() -> None:
    made = job(role("chief"), role("evaluator"), role("worker", 2, host_network=True), priority=3)
    assert {d.target for d in report(unit(made, "tfjob"))} == {"tfjob"}
