"""Volcano's own rules: name budgets as seen on a cluster, queues, what Linux refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.jobs import amount, job, policy, role, time, unit
from tests.unit.backends.verdicts import documents, report
from tfdsl.ir import model
from tfdsl.ir.model import Cluster, Job, Role
from tfdsl_backends.volcano.messages import RULES

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic


def found(asked: Job, code: str) -> list[Diagnostic]:
    return [diagnostic for diagnostic in report(unit(asked, "volcano")) if diagnostic.rule.code == code]


def test_codes_are_given_once() -> None:
    assert len({rule.code for rule in RULES}) == len({rule.slug for rule in RULES}) == len(RULES)


def claimed(name: str) -> Role:
    mount = model.ClaimMount(at="/runs", claim="runs")
    return role(name, mounts=(mount,))


CLAIM = model.Claim(name="runs", size=amount("1Gi"), access_modes=("ReadWriteOnce",))


@pytest.mark.parametrize(
    ("roles", "fields", "longest"),
    [
        ((role("worker"),), {}, 63 - len("-worker-0")),
        ((role("worker", 11),), {}, 63 - len("-worker-10")),  # seen: 11 replicas across 63, then 10 pods never made
        ((role("worker", 101), role("ps")), {}, 63 - len("-worker-100")),
        ((role("worker"), role("evaluator")), {}, 63 - len("-evaluator-0")),
        ((role("worker"), role("tensorboard")), {}, 63 - len("-tensorboard-0")),
        ((claimed("worker"),), {"claims": (CLAIM,)}, 50),
    ],
)
def test_the_longest_job_name(roles: tuple[Role, ...], fields: dict[str, object], longest: int) -> None:
    assert found(job(*roles, name="n" * longest, **fields), "VOL040") == []
    (told,) = found(job(*roles, name="n" * (longest + 1), **fields), "VOL040")
    assert told.level == "error"
    assert told.helps == (f"shorten the job's name to at most {longest} characters",)
    assert "n" * (longest + 1) + "-" in told.message
    assert "64 characters, but at most 63 are allowed" in told.message


def test_the_name_is_also_a_service() -> None:
    (told,) = found(job(role("worker"), name="2fast"), "VOL043")
    assert "must begin with a letter" in told.message


@pytest.mark.parametrize(
    ("queue", "part"),
    [
        ("research", None),
        ("team.a-1", None),
        ("q" * 63, None),
        ("q" * 64, "64 characters"),
        ("Research", "lowercase"),
        ("a_b", "lowercase"),
        ("-a", "lowercase"),
        ("a..b", "lowercase"),
        ("a.-b", "lowercase"),
        ("a\n", "lowercase"),
        ("root", "root queue"),
    ],
)
def test_queue_names(queue: str, part: str | None) -> None:
    told = found(job(role("worker"), queue=queue), "VOL105")
    assert [part is not None and part in diagnostic.message for diagnostic in told] == ([] if part is None else [True])


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"ttl": time("24855d"), "deadline": time("24855d")}, None),
        ({"ttl": time("24856d")}, "ttlSecondsAfterFinished would be 2147558400"),
        ({"deadline": time("24856d")}, "activeDeadlineSeconds would be 2147558400"),
        ({"retries": 2**31 - 2}, None),
    ],
)
def test_numbers_of_32_bits(fields: dict[str, object], part: str | None) -> None:
    told = found(job(role("worker"), **fields), "VOL106")
    assert [part is not None and part in diagnostic.message for diagnostic in told] == ([] if part is None else [True])


def test_a_part_of_a_second_is_told() -> None:
    part = time("1500ms")
    said = {d.rule.code: d.message for d in report(unit(job(role("worker"), ttl=part, deadline=part), "volcano"))}
    assert "1500ms is rounded up" in said["VOL034"]
    assert "gives every pod 2s" in said["VOL111"]
    assert "VOL034" not in [d.rule.code for d in report(unit(job(role("worker"), ttl=time("1m")), "volcano"))]


def test_tensorboard_opens_the_job_to_the_outside() -> None:
    assert found(job(role("worker")), "VOL103") == []
    (told,) = found(job(role("worker"), role("tensorboard")), "VOL103")
    assert told.level == "info"


def test_a_named_port_opens_the_job_to_the_outside() -> None:
    named = role("worker", ports={"metrics": 9090})
    (told,) = found(job(role("ps"), named), "VOL103")
    assert told.message.endswith("so that port metrics can be reached")


def test_a_host_list_that_no_process_can_be_given() -> None:
    """Issue 5471: about 1100 pods of an ordinary name."""
    long = "a-rather-long-name-of-a-job-as-people-have"
    assert found(job(role("ps"), role("worker", 1000), name=long), "VOL104") == []
    (told,) = found(job(role("ps"), role("worker", 1500), name=long), "VOL104")
    assert "VC_WORKER_HOSTS" in told.message
    hosts = ",".join(f"{long}-worker-{index}.{long}" for index in range(1500))
    assert f"{len('VC_WORKER_HOSTS=' + hosts)} bytes" in told.message


def test_static_host_lists_that_are_too_long() -> None:
    def static(workers: int) -> list[Diagnostic]:
        asked = unit(job(role("ps"), role("worker", workers)), "volcano", tf_config="static")
        return [diagnostic for diagnostic in report(asked) if diagnostic.rule.code == "VOL041"]

    assert static(5000)[0].message.startswith("volcano: variable TF_CONFIG of role ps is 1")
    assert static(4000) == []
    flagged = job(role("ps"), role("worker", 8000), cluster=Cluster(discovery="flags"))
    assert "an argument of role ps is" in found(flagged, "VOL041")[0].message


@pytest.mark.parametrize(
    ("way", "starter"), [("shell", "the program that sets TF_CONFIG"), ("static", None), ("plugin", None)]
)
def test_a_shell_needs_to_know_the_command(way: str, starter: str | None) -> None:
    asked = unit(job(role("worker", 2, command=())), "volcano", tf_config=way)
    told = [diagnostic.message for diagnostic in report(asked) if diagnostic.rule.code == "VOL042"]
    assert [starter is not None and starter in message for message in told] == ([] if starter is None else [True])


def test_a_job_full_of_refusals_is_checked_to_its_end() -> None:
    """The checks run beside the table, so they meet what it refuses."""
    value = model.RunTimeText(parts=("/w/", model.TaskIndex(), model.EnvVar(name="HOME")))
    inner = model.RunTimeText(parts=value.parts[1:])
    mounts = (
        model.PvcMount(at="/w", claim=value, sub_path=inner),
        model.HdfsMount(at="/b", uri=value),
        model.ArchiveMount(at="/c", source=model.RunTimeText(parts=(*value.parts, ".zip"))),
    )
    output = model.Output(source=value, destination=value)
    worker = role(
        "worker", 2, workdir=value, env={"A": value}, command=(value,), args=(value,), mounts=mounts, outputs=(output,),
        node_label="x",
    )  # fmt: skip
    found_all = report(unit(job(worker, suspend=True, priority=3), "volcano"))
    told = {diagnostic.rule.code for diagnostic in found_all}
    assert ": ${env.HOME} would reach role worker" in next(d.message for d in found_all if d.rule.code == "VOL005")
    assert {"VOL004", "VOL005", "VOL006", "VOL007", "VOL008", "VOL009", "VOL110", "VOL113"} <= told


def test_paths_of_the_svc_plugin() -> None:
    """Seen: "must be unique", every pod refused and the job Pending for ever."""

    def at(path: str) -> Job:
        return job(role("worker", mounts=(model.ScratchMount(at=path),)))

    for path in ("/etc/volcano", "/etc/volcano/hosts"):
        (told,) = found(at(path), "VOL154")
        assert (told.level, path in told.message) == ("error", True)
    for path in ("/etc", "/etc/volcanoes", "/data"):
        assert found(at(path), "VOL154") == []


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("VC_TASK_INDEX", True),
        ("VK_TASK_INDEX", True),
        ("VC_WORKER_HOSTS", True),
        ("VC_PS_NUM", True),
        ("VC_CHIEF_HOSTS", False),
        ("VC_MODE", False),
    ],
)
def test_variables_of_the_plugins(name: str, taken: bool) -> None:
    assert bool(found(job(role("ps"), role("worker", env={name: "1"})), "VOL155")) == taken


@pytest.mark.parametrize(
    ("fields", "taken"),
    [
        ({"labels": {"volcano.sh/job-name": "x"}}, True),
        ({"labels": {"volcano.sh/task-spec": "x"}}, True),
        ({"labels": {"volcano.sh/preemptable": "true"}}, False),
        ({"annotations": {"scheduling.k8s.io/group-name": "x"}}, True),
        ({"annotations": {"volcano.sh/cooldown-time": "600s"}}, False),
    ],
)
def test_labels_and_annotations_of_the_controller(fields: dict[str, object], taken: bool) -> None:
    assert bool(found(job(role("worker", **fields)), "VOL156")) == taken


def test_the_name_of_the_scheduler() -> None:
    assert found(job(role("worker"), scheduler="s" * 63), "VOL153") == []
    (told,) = found(job(role("worker"), scheduler="s" * 64), "VOL153")
    assert "64 characters" in told.message


def test_what_a_priority_does_not_do() -> None:
    assert [told.level for told in found(job(role("worker"), priority="high"), "VOL151")] == ["info"]
    assert found(job(role("worker")), "VOL151") == []


@pytest.mark.parametrize(
    ("action", "lost"),
    [("restart pod", True), ("restart role", True), ("restart container", True), ("restart job", False)],
)
def test_logs_that_are_gone(action: str, lost: bool) -> None:
    """Seen: no failed pod is left but after RestartJob."""
    assert bool(found(job(role("worker", 2), policies=(policy("failed", action),)), "VOL152")) == lost


def test_tf_config_before_the_index_is_on_the_pods() -> None:
    """Seen: without the annotation the index is empty, and the value is not JSON."""
    members = role("chief"), role("worker", 2), role("evaluator")

    def made(version: str, way: str | None = None) -> tuple[list[str], list[str]]:
        asked = unit(job(*members), "volcano", version, tf_config=way)
        told = report(asked)
        if any(d.level == "error" for d in told):
            return [d.rule.code for d in told if d.level == "error"], []
        tasks = documents(asked)[0]["spec"]["tasks"]
        return [d.rule.code for d in told if d.rule.code in ("VOL100", "VOL114")], [
            entry["name"] for entry in tasks[1]["template"]["spec"]["containers"][0].get("env", ())
        ]

    assert made("1.9") == (["VOL100"], ["TASK_INDEX", "TF_CONFIG"])
    assert made("1.6") == (["VOL114"], [])
    assert made("1.6", "static") == (["VOL157"], [])
