"""The support table: no hole, and every condition with a job that meets it and one that does not."""

from __future__ import annotations

import pytest

from tests.unit.backends.jobs import amount, job, policy, role, time, unit
from tests.unit.backends.slider.parts import mount
from tests.unit.backends.verdicts import codes, fate, holes
from tfdsl import targets
from tfdsl.ir.model import Build, Claim, Cluster, EnvVar, Job, Policy, RunTimeText, TaskIndex, Toleration
from tfdsl.vocabulary.statements import ACTIONS_OF

NATIVE: dict[str, object] = {"image": None}


def workers(count: int = 2, **fields: object) -> Job:
    return job(role("worker", count), **fields)


def worker(count: int = 1, **fields: object) -> Job:
    return job(role("worker", count, **fields))


def mounted(kind: str, at: str = "/d", *, native: bool = False, **fields: object) -> Job:
    return job(role("worker", mounts=(mount(kind, at, **fields),), **(NATIVE if native else {})))


def text(*parts: object) -> RunTimeText:
    return RunTimeText.model_validate({"parts": parts})


def test_every_key_has_an_answer() -> None:
    assert holes("slider") == []


def test_every_refusal_names_a_way_out() -> None:
    backend = targets.find("slider")
    assert backend is not None
    assert [row.key for row in backend.support.rows if row.fate == "refused" and not row.instead] == []


@pytest.mark.parametrize(
    ("made", "key", "expected"),
    [
        (workers(namespace="n"), "job.namespace", "approximated"),
        (workers(labels={"a": "b"}), "job.labels", "approximated"),
        (workers(annotations={"a": "b"}), "job.annotations", "approximated"),
        (workers(queue="q"), "job.queue", "kept"),
        (workers(priority=3), "job.priority", "approximated"),
        (workers(scheduler="s"), "job.scheduler", "refused"),
        (workers(), "job.gang", "approximated"),
        (workers(1), "job.gang", "translated"),
        (workers(policies=(policy("failed", "restart pod"),)), "job.retries", "approximated"),
        (workers(1, policies=(policy("failed", "restart pod"),)), "job.retries", "translated"),
        (workers(deadline=time("1h")), "job.deadline", "approximated"),
        (workers(ttl=time("1h")), "job.ttl", "approximated"),
        (workers(), "job.cleanup", "translated"),
        (workers(cleanup="none"), "job.cleanup", "approximated"),
        (workers(suspend=True), "job.suspend", "refused"),
        (workers(checkpoint="hdfs://x"), "job.checkpoint", "translated"),
        (workers(build=Build(base="x")), "build", "kept"),
        (job(role("worker", **NATIVE), build=Build(base="x")), "build", "approximated"),
        (workers(cluster=Cluster(discovery="flags")), "cluster.discovery", "translated"),
        (worker(2, min_available=1), "roles[].min_available", "approximated"),
        (worker(2), "roles[].min_available", "kept"),
        (worker(labels={"a": "b"}), "roles[].labels", "approximated"),
        (worker(annotations={"a": "b"}), "roles[].annotations", "approximated"),
        (worker(image_pull_policy="Always"), "roles[].image_pull_policy", "approximated"),
        (worker(image_pull_secrets=("s",)), "roles[].image_pull_secrets", "approximated"),
        (worker(node_selector={"a": "b"}), "roles[].node_selector", "refused"),
        (worker(tolerations=(Toleration(key="a"),)), "roles[].tolerations", "refused"),
        (worker(node_label="gpu"), "roles[].node_label", "kept"),
        (worker(spread="node"), "roles[].spread", "translated"),
        (worker(), "roles[].image", "kept"),
        (worker(cpu=amount("2")), "roles[].cpu", "kept"),
        (worker(cpu=amount("1500m")), "roles[].cpu", "approximated"),
        (worker(cpu=amount("1"), cpu_limit=amount("2")), "roles[].cpu_limit", "approximated"),
        (worker(cpu=amount("1"), cpu_limit=amount("1")), "roles[].cpu_limit", "kept"),
        (worker(cpu=amount("1"), cpu_limit="none"), "roles[].cpu_limit", "approximated"),
        (worker(memory=amount("1Gi"), memory_limit="none"), "roles[].memory_limit", "approximated"),
        (worker(memory=amount("1Gi"), memory_limit=amount("2Gi")), "roles[].memory_limit", "approximated"),
        (worker(memory=amount("1Gi"), memory_limit=amount("1Gi")), "roles[].memory_limit", "kept"),
        (worker(gpu=1), "roles[].gpu", "refused"),
        (worker(gpu=1, node_label="gpu"), "roles[].gpu", "approximated"),
        (worker(gpu_resource="a/b"), "roles[].gpu_resource", "approximated"),
        (worker(gpu_memory=amount("1Gi")), "roles[].gpu_memory", "refused"),
        (worker(resources={"rdma/hca": amount("1")}), "roles[].resources", "refused"),
        (worker(shm=amount("1Gi")), "roles[].shm", "kept"),
        (worker(shm=amount("1Gi"), **NATIVE), "roles[].shm", "approximated"),
        (worker(tmp_size=amount("1Gi")), "roles[].tmp_size", "translated"),
        (worker(tmp_size=amount("1Gi"), **NATIVE), "roles[].tmp_size", "approximated"),
        (worker(port=2223), "roles[].port", "approximated"),
        (worker(host_network=True), "roles[].host_network", "refused"),
        (worker(ports={"debug": 9090}), "roles[].ports", "approximated"),
        (worker(stop_grace=time("30s")), "roles[].stop_grace", "approximated"),
        (worker(run_as_user=0), "roles[].run_as_user", "refused"),
        (worker(run_as_group=7), "roles[].run_as_group", "refused"),
        (worker(fs_group=7), "roles[].fs_group", "refused"),
        (worker(privileged=True), "roles[].privileged", "refused"),
        (worker(capabilities=("IPC_LOCK",)), "roles[].capabilities", "refused"),
        (worker(restricted=True), "roles[].restricted", "approximated"),
        (worker(service_account="s"), "roles[].service_account", "refused"),
        (mounted("pvc", claim="c"), "mounts[pvc]", "refused"),
        (mounted("nfs", server="s", share="/x"), "mounts[nfs]", "refused"),
        (mounted("configmap", name="c"), "mounts[configmap]", "refused"),
        (mounted("secret", name="c"), "mounts[secret]", "refused"),
        (mounted("host", source="/x"), "mounts[host]", "translated"),
        (mounted("host", source="/x", native=True), "mounts[host]", "refused"),
        (mounted("host", source="/d", native=True), "mounts[host]", "translated"),
        (mounted("host", "d", source="/x", native=True), "mounts[host]", "translated"),
        (mounted("host", source="/x", readonly=True), "mounts[host].readonly", "kept"),
        (mounted("host", "d", source="/x", readonly=True, native=True), "mounts[host].readonly", "approximated"),
        (mounted("host", source="/x", type="File"), "mounts[host].type", "translated"),
        (mounted("scratch"), "mounts[scratch]", "kept"),
        (mounted("scratch", size=amount("1Gi")), "mounts[scratch]", "approximated"),
        (mounted("scratch", native=True), "mounts[scratch]", "refused"),
        (mounted("scratch", "d", native=True), "mounts[scratch]", "kept"),
        (mounted("memory", size=amount("1Gi")), "mounts[memory]", "kept"),
        (mounted("memory", "d", size=amount("1Gi"), native=True), "mounts[memory]", "refused"),
        (mounted("hdfs", uri="hdfs://x"), "mounts[hdfs]", "translated"),
        (mounted("hdfs", uri="hdfs://x", native=True), "mounts[hdfs]", "refused"),
        (mounted("archive", source="x.tar"), "mounts[archive]", "translated"),
        (mounted("archive", source="x.tar", native=True), "mounts[archive]", "refused"),
        (worker(args=(text(TaskIndex()),)), "roles[].args{task.index}", "translated"),
        (worker(args=(text(EnvVar(name="X")),)), "roles[].args{env}", "approximated"),
        (worker(args=(text(EnvVar(name="X")),), env={"X": "1"}), "roles[].args{env}", "translated"),
        (worker(args=(text(EnvVar(name="USER")),)), "roles[].args{env}", "translated"),
        (worker(args=(text(EnvVar(name="X")),), **NATIVE), "roles[].args{env}", "translated"),
        (worker(env={"A": text("a", EnvVar(name="X"))}), "roles[].env{env}", "approximated"),
        (mounted("host", source=text("/", EnvVar(name="X"))), "mounts[host]{env}", "approximated"),
        (mounted("host", source=text("/", EnvVar(name="USER"))), "mounts[host]{env}", "translated"),
        (mounted("host", source=text("/", TaskIndex())), "mounts[host]{task.index}", "translated"),
    ],
)
def test_fate_of_attributes(made: Job, key: str, expected: str) -> None:
    assert fate(unit(made, "slider"), key).fate == expected


def test_a_claim_is_refused_once() -> None:
    claimed = mount("claim", "/d", claim="c")
    claim = Claim(name="c", size=amount("1Gi"), access_modes=("ReadWriteMany",))
    made = unit(
        job(role("worker", mounts=(claimed,)), claims=(claim,)),
        "slider",
        written=("roles[worker].mounts[0]", "roles[worker].mounts[0].keep"),
    )
    assert fate(made, "mounts[claim]").fate == "refused"
    assert [code for code in codes(made, "error") if code.startswith("SLI05")] == ["SLI051"]


def test_runtime_says_where_roles_run() -> None:
    made = worker(shm=amount("1Gi"))
    assert fate(unit(made, "slider", runtime="native"), "roles[].shm").fate == "approximated"
    assert fate(unit(made, "slider", runtime="native"), "roles[].image").fate == "approximated"
    assert fate(unit(made, "slider", runtime="docker"), "roles[].image").fate == "kept"


def test_a_port_is_allocated_by_the_agent() -> None:
    assert "SLI042" in codes(unit(worker(port=2223), "slider", written=("roles[worker].port",)), "warning")
    assert "SLI042" not in codes(unit(worker(), "slider"))


def test_false_and_0_ask_for_nothing() -> None:
    written = ("suspend", "gang", "roles[worker].gpu", "roles[worker].host_network")
    alone = Cluster(discovery="none")
    made = unit(workers(gang=False, cluster=alone), "slider", written=written)
    for key in ("job.suspend", "job.gang", "roles[].gpu", "roles[].host_network"):
        assert fate(made, key).fate == "kept"


EXPECTED = {
    "completed": {"complete job": "translated", "restart job": "refused"},
    "failed": {
        "fail job": "approximated", "abort job": "approximated", "restart container": "approximated",
        "restart pod": "approximated", "restart role": "refused", "restart job": "refused", "ignore": "approximated",
    },
    "evicted": {
        "fail job": "approximated", "abort job": "approximated", "restart container": "approximated",
        "restart pod": "approximated", "restart role": "refused", "restart job": "refused", "ignore": "refused",
    },
    "pending": {
        "fail job": "approximated", "abort job": "approximated", "restart pod": "refused", "restart job": "refused",
    },
    "restarted": {"fail job": "approximated", "abort job": "approximated", "restart job": "refused"},
    "unknown": {"fail job": "refused", "abort job": "refused", "restart job": "refused", "ignore": "refused"},
}  # fmt: skip
EXPECTED["exit"] = EXPECTED["failed"]


FIELDS: dict[str, dict[str, object]] = {
    "completed": {"role": "worker"},
    "exit": {"codes": (1,)},
    "pending": {"delay": time("1m")},
    "restarted": {"count": 2},
}


@pytest.mark.parametrize(("event", "action"), [(e, a) for e, actions in ACTIONS_OF.items() for a in actions])
def test_fate_of_policies(event: str, action: str) -> None:
    beside = (policy("failed", "restart container"),) if event == "restarted" else ()
    made = unit(workers(3, policies=(policy(event, action, **FIELDS.get(event, {})), *beside)), "slider")
    assert fate(made, f"policies[{event}].{action}").fate == EXPECTED[event][action]


def test_tasks_that_need_addresses_wait_even_without_a_gang() -> None:
    assert fate(unit(workers(gang=False), "slider", written=("gang",)), "job.gang").fate == "approximated"


def test_a_restart_in_place_of_a_task_alone_and_of_tensorboard_touches_nobody() -> None:
    restart = policy("failed", "restart container")
    assert fate(unit(job(role("worker"), policies=(restart,)), "slider"), RESTART).fate == "translated"
    board = unit(job(role("worker", 2), role("tensorboard")), "slider")
    assert fate(board, RESTART).fate == "translated"


RESTART = "policies[failed].restart container"


def failing(*policies: Policy) -> Job:
    return job(role("ps"), role("worker", 2), policies=policies)


def test_one_role_is_not_restarted_in_both_ways() -> None:
    pod, container = policy("failed", "restart pod"), policy("exit", "restart container", codes=(3,))
    assert fate(unit(failing(pod, container), "slider"), "policies[failed].restart pod").fate == "refused"
    apart = (policy("failed", "restart pod", role="worker"), policy("exit", "restart container", codes=(3,), role="ps"))
    assert fate(unit(failing(*apart), "slider"), "policies[failed].restart pod").fate == "approximated"


@pytest.mark.parametrize(
    ("fields", "code"),
    [({"role": "ps"}, "SLI095"), ({"role": "worker", "index": 1}, "SLI095"), ({"role": "worker"}, "SLI082")],
)
def test_restarts_of_one_replica_are_counted_exactly(fields: dict[str, object], code: str) -> None:
    made = failing(policy("restarted", "fail job", count=2, **fields), policy("failed", "restart container"))
    assert code in codes(unit(made, "slider", written=("policies[0]",)), "info")


@pytest.mark.parametrize("event", ["failed", "evicted"])
def test_no_delay_on_failures(event: str) -> None:
    made = workers(policies=(policy(event, "fail job", delay=time("1m")),))
    assert fate(unit(made, "slider"), f"policies[{event}].delay").fate == "refused"
