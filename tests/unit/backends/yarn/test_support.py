"""The support table of yarn: no hole, and every condition with a job that meets it and one that does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.backends.jobs import amount, job, policy, role, time, unit
from tests.unit.backends.verdicts import codes, fate, holes, report
from tfdsl import targets
from tfdsl.ir import model
from tfdsl.ir.model import Build, Cluster, Job, Output, RunTimeText, TaskIndex

INDEX = RunTimeText(parts=("a", TaskIndex()))
NATIVE = {"runtime": "native"}


def test_every_key_has_an_answer() -> None:
    assert holes("yarn") == []


def workers(count: int = 2, **fields: object) -> Job:
    return job(role("worker", count), **fields)


def one(**fields: object) -> Job:
    return job(role("worker", 2, **fields))


def mounted(mount: model.BaseMount) -> Job:
    return one(mounts=(mount,))


def on(event: str, action: str, **fields: object) -> Job:
    beside = (policy("failed", "restart container"),) if event == "restarted" else ()
    return job(role("worker", 2), policies=(policy(event, action, **fields), *beside))


def copied(count: int = 1, **fields: Any) -> Job:
    return job(role("worker", count, outputs=(model.Output(source="m", destination="hdfs://nn/m", **fields),)))


HOST = model.HostMount(at="data", source="/disk/data")
READONLY = model.HostMount(at="data", source="/disk/data", readonly=True)
YARN_TF: dict[str, object] = {"dialect": "yarn-tf"}

# targets.md, "yarn" and "Kubernetes-only items"
ROWS: list[tuple[Job, dict[str, object], str, str]] = [
    (workers(namespace="ml"), {}, "job.namespace", "approximated"),
    (workers(labels={"a": "b"}), {}, "job.labels", "approximated"),
    (workers(annotations={"a": "b"}), {}, "job.annotations", "approximated"),
    (workers(queue="q"), {}, "job.queue", "kept"),
    (workers(priority=5), {}, "job.priority", "translated"),
    (workers(priority="high"), {}, "job.priority", "refused"),
    (workers(scheduler="s"), {}, "job.scheduler", "refused"),
    (workers(1), {}, "job.gang", "translated"),
    (workers(2), {}, "job.gang", "approximated"),
    (workers(2), {"dialect": "yarn-tf"}, "job.gang", "approximated"),
    (workers(retries=2), {}, "job.retries", "translated"),
    (workers(deadline=time("12h")), {}, "job.deadline", "approximated"),
    (workers(deadline=time("24d")), {}, "job.deadline", "approximated"),
    (workers(deadline=time("25d")), {}, "job.deadline", "refused"),
    (workers(ttl=time("1d")), {}, "job.ttl", "approximated"),
    (workers(cleanup="running"), {}, "job.cleanup", "translated"),
    (workers(cleanup="none"), {}, "job.cleanup", "approximated"),
    (workers(suspend=True), {}, "job.suspend", "refused"),
    (workers(build=Build(base="tf")), {}, "build", "kept"),
    (workers(build=Build(base="tf")), NATIVE, "build", "approximated"),
    (workers(cluster=Cluster(discovery="flags")), {}, "cluster.discovery", "translated"),
    (one(min_available=1), {}, "roles[].min_available", "approximated"),
    (one(min_available=2), {}, "roles[].min_available", "kept"),
    (job(role("ps"), role("worker", after=("ps",))), {}, "roles[].after", "translated"),
    (job(role("ps"), role("worker", after=("ps",))), {"dialect": "yarn-tf"}, "roles[].after", "approximated"),
    (one(node_label="gpu"), {}, "roles[].node_label", "translated"),
    (job(role("ps"), role("worker", node_label="g")), {"applications": "one"}, "roles[].node_label", "approximated"),
    (one(spread="node"), {}, "roles[].spread", "translated"),
    (one(spread="node"), {"version": "2.10"}, "roles[].spread", "refused"),
    (one(spread="node"), YARN_TF, "roles[].spread", "refused"),
    (job(role("worker", spread="node")), YARN_TF, "roles[].spread", "kept"),
    (job(role("ps"), role("worker", node_label="g")), YARN_TF, "roles[].node_label", "approximated"),
    (one(node_label="g"), YARN_TF, "roles[].node_label", "translated"),
    (mounted(READONLY), YARN_TF, "mounts[host].readonly", "approximated"),
    (copied(), YARN_TF, "outputs[].when", "kept"),
    (copied(when="always"), YARN_TF, "outputs[].when", "approximated"),
    (copied(2, index=0), YARN_TF, "outputs[].index", "approximated"),
    (copied(overwrite=True), YARN_TF, "outputs[].overwrite", "approximated"),
    (copied(when="always", overwrite=True), {}, "outputs[].overwrite", "kept"),
    (job(role("worker", spread="node")), {"version": "2.10"}, "roles[].spread", "kept"),
    (
        job(role("ps"), role("worker", 2, spread="node")),
        {"applications": "one", "role": "worker"},
        "roles[].spread",
        "approximated",
    ),
    (one(node_selector={"a": "b"}), {}, "roles[].node_selector", "refused"),
    (one(node_selector={"a": ("b", "c")}), {}, "roles[].node_selector", "refused"),
    (one(tolerations=(model.Toleration(key="a"),)), {}, "roles[].tolerations", "refused"),
    (one(service_account="sa"), {}, "roles[].service_account", "refused"),
    *((one(**{name: 0}), {}, f"roles[].{name}", "refused") for name in ("run_as_user", "run_as_group", "fs_group")),
    (one(ports={"debug": 9090}), {}, "roles[].ports", "approximated"),
    (one(stop_grace=time("30s")), {}, "roles[].stop_grace", "approximated"),
    (one(privileged=True), {}, "roles[].privileged", "approximated"),
    (one(privileged=True), {"version": "2.10"}, "roles[].privileged", "approximated"),
    (one(privileged=True), NATIVE, "roles[].privileged", "refused"),
    (one(capabilities=("IPC_LOCK",)), {}, "roles[].capabilities", "refused"),
    (one(restricted=True), {}, "roles[].restricted", "approximated"),
    (one(host_network=True), {}, "roles[].host_network", "refused"),
    (one(image_pull_policy="Always"), {}, "roles[].image_pull_policy", "approximated"),
    (one(image_pull_secrets=("s",)), {}, "roles[].image_pull_secrets", "approximated"),
    (one(), {}, "roles[].image", "kept"),
    (one(), NATIVE, "roles[].image", "approximated"),
    (one(cpu=amount("2")), {}, "roles[].cpu", "kept"),
    (one(cpu=amount("1500m")), {}, "roles[].cpu", "approximated"),
    (one(cpu=amount("1"), cpu_limit=amount("2")), {}, "roles[].cpu_limit", "approximated"),
    (one(cpu=amount("1"), cpu_limit=amount("1")), {}, "roles[].cpu_limit", "kept"),
    (one(cpu=amount("1"), cpu_limit="none"), {}, "roles[].cpu_limit", "approximated"),
    (one(memory=amount("1Gi"), memory_limit="none"), {}, "roles[].memory_limit", "approximated"),
    (one(memory=amount("1Gi"), memory_limit=amount("2Gi")), {}, "roles[].memory_limit", "approximated"),
    (one(memory=amount("1Gi"), memory_limit=amount("1024Mi")), {}, "roles[].memory_limit", "kept"),
    (one(gpu=1), {}, "roles[].gpu", "kept"),
    (one(gpu=1), {"version": "3.1"}, "roles[].gpu", "kept"),
    (one(gpu=1), {"version": "2.10"}, "roles[].gpu", "refused"),
    (one(gpu=1, node_label="gpu"), {"version": "2.10"}, "roles[].gpu", "approximated"),
    (one(gpu_resource="nvidia.com/gpu"), {}, "roles[].gpu_resource", "kept"),
    (one(gpu_resource="nvidia.com/gpu"), {"version": "2.10"}, "roles[].gpu_resource", "approximated"),
    (one(gpu_memory=amount("4Gi")), {}, "roles[].gpu_memory", "refused"),
    (one(resources={"fpga": amount("1")}), {}, "roles[].resources", "kept"),
    (one(resources={"fpga": amount("1")}), {"version": "2.10"}, "roles[].resources", "refused"),
    (one(shm=amount("1Gi")), {}, "roles[].shm", "approximated"),
    (one(shm=amount("1Gi")), {"version": "3.1"}, "roles[].shm", "refused"),
    (one(shm=amount("1Gi")), NATIVE | {"version": "3.1"}, "roles[].shm", "approximated"),
    (one(tmp_size=amount("1Gi")), {}, "roles[].tmp_size", "approximated"),
    (one(tmp_size=amount("1Gi")), {"version": "3.1"}, "roles[].tmp_size", "refused"),
    (one(tmp_size=amount("1Gi")), NATIVE | {"version": "3.1"}, "roles[].tmp_size", "approximated"),
    (mounted(model.PvcMount(at="/d", claim="c")), {}, "mounts[pvc]", "refused"),
    (mounted(model.NfsMount(at="/d", server="s", share="/x")), {}, "mounts[nfs]", "refused"),
    (mounted(model.ConfigMapMount(at="/d", name="c")), {}, "mounts[configmap]", "refused"),
    (mounted(model.SecretMount(at="/d", name="c")), {}, "mounts[secret]", "refused"),
    (mounted(HOST), {}, "mounts[host]", "translated"),
    (mounted(HOST), {"version": "2.10"}, "mounts[host]", "refused"),
    (mounted(HOST), NATIVE | {"version": "2.10"}, "mounts[host]", "translated"),
    (mounted(HOST.but(at="/else")), NATIVE, "mounts[host]", "refused"),
    (mounted(HOST.but(at="/disk/data")), NATIVE, "mounts[host]", "translated"),
    (mounted(HOST.but(at="/else")), {}, "mounts[host]", "translated"),
    (mounted(HOST.but(readonly=True)), {}, "mounts[host].readonly", "kept"),
    (mounted(HOST.but(readonly=True)), NATIVE, "mounts[host].readonly", "approximated"),
    (mounted(HOST.but(type="Directory")), {}, "mounts[host].type", "translated"),
    (mounted(HOST.but(type="Socket")), {}, "mounts[host].type", "approximated"),
    (mounted(HOST.but(source=RunTimeText(parts=("/a", TaskIndex())))), {}, "mounts[host]{task.index}", "refused"),
    (
        mounted(HOST.but(source=RunTimeText(parts=("/a", TaskIndex())))),
        NATIVE,
        "mounts[host]{task.index}",
        "translated",
    ),
    (mounted(model.ScratchMount(at="s")), {}, "mounts[scratch]", "translated"),
    (mounted(model.ScratchMount(at="s", size=amount("1Gi"))), {}, "mounts[scratch]", "approximated"),
    (mounted(model.ScratchMount(at="/s")), NATIVE, "mounts[scratch]", "refused"),
    (mounted(model.MemoryMount(at="/s", size=amount("1Gi"))), {}, "mounts[memory]", "approximated"),
    (
        mounted(model.MemoryMount(at="/s", size=amount("1Gi"))),
        {"version": "3.1"},
        "mounts[memory]",
        "refused",
    ),
    (
        mounted(model.MemoryMount(at="s", size=amount("1Gi"))),
        {"version": "3.1"},
        "mounts[memory]",
        "approximated",
    ),
    (mounted(model.HdfsMount(at="h", uri="hdfs:///a")), {}, "mounts[hdfs]", "translated"),
    (mounted(model.HdfsMount(at="/h", uri="hdfs:///a")), NATIVE, "mounts[hdfs]", "refused"),
    (mounted(model.ArchiveMount(at=".", source="a.zip")), {}, "mounts[archive]", "translated"),
    (one(outputs=(Output(source="a", destination="hdfs:///b", index=0),)), {}, "outputs[]", "translated"),
    (workers(), {}, "policies[completed].complete job", "translated"),
    (workers(), {"dialect": "yarn-tf"}, "policies[completed].complete job", "approximated"),
    (on("completed", "restart job", role="worker"), {}, "policies[completed].restart job", "refused"),
    (workers(), {}, "policies[failed].fail job", "translated"),
    (on("failed", "restart container"), {}, "policies[failed].restart container", "approximated"),
    (on("failed", "restart job"), {}, "policies[failed].restart job", "approximated"),
    (on("failed", "restart job"), {"dialect": "yarn-tf"}, "policies[failed].restart job", "refused"),
    (on("failed", "restart pod"), {}, "policies[failed].restart pod", "refused"),
    (on("failed", "restart role"), {}, "policies[failed].restart role", "refused"),
    (on("failed", "abort job"), {}, "policies[failed].abort job", "refused"),
    (on("failed", "ignore"), {}, "policies[failed].ignore", "approximated"),
    (on("failed", "fail job", delay=time("1m")), {}, "policies[failed].delay", "refused"),
    (on("exit", "restart job", codes=(3,)), {}, "policies[exit].restart job", "approximated"),
    (on("exit", "restart pod", codes=(3,)), {}, "policies[exit].restart pod", "refused"),
    (on("evicted", "restart pod"), {}, "policies[evicted].restart pod", "refused"),
    (on("evicted", "restart job"), {}, "policies[evicted].restart job", "refused"),
    (on("evicted", "ignore"), {}, "policies[evicted].ignore", "refused"),
    (on("pending", "fail job", delay=time("5m")), {}, "policies[pending].fail job", "approximated"),
    (on("pending", "restart job", delay=time("5m")), {}, "policies[pending].restart job", "refused"),
    (on("restarted", "fail job", count=2), {}, "policies[restarted].fail job", "refused"),
    (on("unknown", "fail job"), {}, "policies[unknown].fail job", "translated"),
    (on("unknown", "ignore"), {}, "policies[unknown].ignore", "refused"),
    (on("failed", "fail job"), YARN_TF, "policies[failed].fail job", "approximated"),
    (on("exit", "fail job", codes=(3,)), YARN_TF, "policies[exit].fail job", "approximated"),
    (on("evicted", "fail job"), YARN_TF, "policies[evicted].fail job", "approximated"),
    (on("pending", "fail job", delay=time("5m")), YARN_TF, "policies[pending].fail job", "approximated"),
    (on("unknown", "fail job"), YARN_TF, "policies[unknown].fail job", "approximated"),
]


@pytest.mark.parametrize(("made", "options", "key", "expected"), ROWS, ids=lambda v: v if isinstance(v, str) else "")
def test_rows(made: Job, options: dict[str, str], key: str, expected: str) -> None:
    given = {name: value for name, value in options.items() if name not in ("version", "role")}
    assert fate(unit(made, "yarn", options.get("version"), **given), key, options.get("role")).fate == expected


@pytest.mark.parametrize(
    ("policies", "told"),
    [
        ((policy("exit", "fail job", role="tensorboard", codes=(3,)),), True),
        ((policy("evicted", "fail job", role="tensorboard"),), True),
        ((policy("exit", "restart container", role="tensorboard", codes=(3,)),), False),
        ((policy("failed", "fail job", role="tensorboard"), policy("evicted", "fail job", role="tensorboard")), False),
        ((policy("exit", "fail job", role="worker", codes=(3,)),), False),
    ],
)
def test_what_tensorboard_cannot_do_is_not_dropped(policies: tuple[model.Policy, ...], told: bool) -> None:
    """Its command starts again after every status (test_program), so such a policy would never act."""
    made = job(role("worker", 2), role("tensorboard"), policies=policies)
    keys = ("policies[0].event", "policies[1].event")
    assert ("YRN088" in codes(unit(made, "yarn", written=keys), "error")) == told


@pytest.mark.parametrize(("target", "code"), [("yarn", "YRN015"), ("slider", "SLI013")])
def test_a_protocol_is_for_servers_only(target: str, code: str) -> None:
    verbs = job(role("worker", 2), cluster=Cluster(discovery="tf_config", protocol="grpc+verbs"))
    asked = unit(verbs, target, written=("cluster.protocol",))
    assert code in codes(asked, "info")
    assert code not in codes(unit(workers(), target))


def test_gang_off_is_told() -> None:
    assert "YRN007" in codes(unit(workers(gang=False), "yarn", written=("gang",)))
    assert "YRN008" in codes(unit(workers(), "yarn"), "info")


def test_tensorboard_s_own_restart_needs_no_gang() -> None:
    made = job(role("worker"), role("tensorboard"))
    assert "YRN071" not in codes(unit(made, "yarn"))


@pytest.mark.parametrize(("applications", "code"), [("one", "YRN089"), ("per-role", "YRN095")])
def test_what_becomes_of_a_job_whose_tensorboard_is_killed_is_told(applications: str, code: str) -> None:
    made = unit(job(role("worker"), role("tensorboard")), "yarn", applications=applications)
    assert {"YRN089", "YRN095"} & set(codes(made, "info")) == {code}


@pytest.mark.parametrize(("replicas", "code"), [(1, "YRN067"), (2, "YRN082")])
def test_nobody_counts_the_time_of_a_task_without_peers(replicas: int, code: str) -> None:
    made = job(role("worker", replicas), policies=(policy("pending", "fail job", delay=time("5m")),))
    assert code in codes(unit(made, "yarn", written=("policies[0]",)), "info")


def test_a_written_port_is_an_approximation_a_default_one_is_not_told() -> None:
    assert "YRN044" in codes(unit(one(port=2223), "yarn", written=("roles[worker].port",)), "warning")
    assert "YRN044" not in codes(unit(one(), "yarn"))


def test_refusals_name_a_way_out() -> None:
    backend = targets.find("yarn")
    assert backend is not None
    refused = [row for row in backend.support.rows if row.fate == "refused"]
    assert [row.key for row in refused if not row.instead] == []


# --- rules beyond the table ----------------------------------------------------------------------------------------


def said(made: Job, version: str | None = None, **options: object) -> dict[str, str]:
    given = {name: value for name, value in options.items() if isinstance(value, str | int | tuple)}
    return {d.rule.slug: d.message for d in report(unit(made, "yarn", version, **given)) if d.rule.code >= "YRN100"}


@pytest.mark.parametrize(
    ("options", "way"),
    [({"applications": "one"}, 'write applications = "per-role"'), (YARN_TF, 'write dialect = "stock"')],
    ids=["stock", "yarn-tf"],
)
def test_sizes_that_one_application_cannot_keep_apart(options: dict[str, Any], way: str) -> None:
    """The modified client has no application for each role."""
    uneven = job(role("ps", memory=amount("1Gi")), role("worker", memory=amount("8Gi")))
    (told,) = [d for d in report(unit(uneven, "yarn", **options)) if d.rule.slug == "yarn-waste"]
    assert told.helps == (f"{way} to request what each role needs",)


@pytest.mark.parametrize(
    ("made", "options", "slug"),
    [
        (one(command=()), {}, "yarn-no-command"),
        (one(env={"A": model.SecretRef(name="s", key="k")}), {}, "yarn-secret-value"),
        (one(env={"A": model.ConfigMapRef(name="s", key="k")}), {}, "yarn-secret-value"),
        (one(), {}, "yarn-default-memory"),
        (one(memory=amount("9Gi")), {"max_container_memory": 8192}, "yarn-memory-lowered"),
        (mounted(model.HostMount(at="/d", source="/a,b")), {}, "yarn-docker-path"),
        (mounted(model.HostMount(at="/d", source="/a:b")), {}, "yarn-docker-path"),
        (mounted(model.HostMount(at="/d e", source="/a")), {}, "yarn-docker-path"),
        (mounted(model.HostMount(at="/d", source="/a$(id)")), {}, "yarn-docker-path"),
        (mounted(model.HostMount(at=".", source="/a")), {}, "yarn-link-place"),
        (mounted(model.ScratchMount(at=".tfjob/x")), {}, "yarn-link-place"),
        (mounted(model.ArchiveMount(at=".", source=INDEX)), {}, "yarn-sent-archive"),
        (
            one(mounts=(model.HostMount(at="d", source="/a"), model.ScratchMount(at="d/x/y"))),
            NATIVE,
            "yarn-mount-inside",
        ),
        (job(role("ps", memory=amount("1Gi")), role("worker", gpu=1)), {}, "yarn-per-role"),
        (job(role("ps"), role("worker", gpu=1)), {"applications": "one"}, "yarn-waste"),
        (job(role("ps", image="a"), role("worker", image="b")), {"applications": "one"}, "yarn-one-image"),
        (one(), {}, "yarn-no-hdfs-client"),
        (workers(queue="-q"), {}, "yarn-client-word"),
        (one(node_label="-l"), {}, "yarn-client-word"),
        (one(), {"port_range": "80-90"}, "yarn-port-range"),
        (one(), {"port_range": "20000-20000"}, "yarn-port-range"),
        (one(), {"files": ("a/x.py", "b/x.py")}, "yarn-same-file"),
        (one(), {"files": ("ExecScript.sh",)}, "yarn-same-file"),
        (one(), {"files": (".tfjob",)}, "yarn-same-file"),
        (one(), {"files": ("a/..",)}, "yarn-bad-file"),
        (one(), {"files": ("/",)}, "yarn-bad-file"),
        (one(), {"files": ("",)}, "yarn-bad-file"),
        (one(), {"files": ("a\0b",)}, "yarn-bad-file"),
        (mounted(model.HostMount(at="data/x", source="/a")), {"files": ("my/data/",)}, "yarn-file-at-mount"),
        (job(role("chief"), role("worker")), {"dialect": "yarn-tf"}, "yarn-tf-role"),
        (mounted(model.HostMount(at="d", source="/a,b")), {"dialect": "yarn-tf"}, "yarn-tf-pair"),
        (one(), {"dialect": "yarn-tf", "applications": "per-role"}, "yarn-tf-per-role"),
        (one(memory=amount("2Gi")), {}, "yarn-virtual-memory"),
        (one(memory=amount("64Gi"), gpu=1), {}, "yarn-virtual-memory"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_what_is_checked(made: Job, options: dict[str, object], slug: str) -> None:
    assert slug in said(made, **options)


@pytest.mark.parametrize(("outer", "inner"), [("d", "dx"), ("d", "e/d"), ("/d", "d/x"), ("d/x", "d")])
def test_mounts_beside_each_other(outer: str, inner: str) -> None:
    mounts = (model.HostMount(at=outer, source=f"/{outer}"), model.ArchiveMount(at=inner, source="a.tar"))
    assert "yarn-mount-inside" not in said(one(mounts=mounts))


def test_a_good_job_is_not_complained_of() -> None:
    good = one(memory=amount("4Gi"), mounts=(HOST, model.HostMount(at="/x/y", source="/a")))
    assert said(good, webhdfs="http://nn:9870", files=("train.py", "other/tfjob", "x y")) == {}


def test_the_ways_to_a_client_are_three_and_each_is_enough() -> None:
    good = one(memory=amount("1Gi"))
    found = next(d for d in report(unit(good, "yarn")) if d.rule.slug == "yarn-no-hdfs-client")
    assert found.approximation
    assert [any(way in text for text in found.helps) for way in ("build", "hadoop_home", "webhdfs")] == [True] * 3
    built = good.but(build=Build(base="tf", hadoop="3.4.1"))
    for made, options in ((good, {"hadoop_home": "/opt/hadoop"}), (good, {"webhdfs": "http://n:1"}), (built, {}),
                          (good, {"store": "/shared"}), (good, NATIVE)):  # fmt: skip
        assert "yarn-no-hdfs-client" not in said(made, **options)


def test_waste_is_told_in_numbers() -> None:
    made = job(
        role("ps", 2, cpu=amount("2"), memory=amount("4Gi")),
        role("worker", 2, cpu=amount("4"), memory=amount("8Gi"), gpu=1),
    )
    told = said(made, applications="one")["yarn-waste"]
    assert "8192 MB, 4 vcores, 1 yarn.io/gpu" in told
    assert "which is 8192 MB, 4 vcores, 2 yarn.io/gpu more" in told


def test_what_differs_is_told() -> None:
    made = job(role("ps", cpu=amount("2")), role("worker", 2, gpu=1, node_label="g", spread="node"))
    assert "differ in processors, devices, node label, placement" in said(made)["yarn-per-role"]


@pytest.mark.parametrize(("name", "refused"), [("A_b9", False), ("a.b", True), ("a-b", True)])
def test_variables_that_the_script_cannot_export(name: str, refused: bool) -> None:
    told = report(unit(job(role("worker", env={name: "x"})), "yarn"))
    assert ("YRN145" in [one.rule.code for one in told]) == refused


def test_what_the_modified_client_cannot_be_asked_is_a_warning() -> None:
    made = one(
        mounts=(model.HostMount(at="d", source="/data", readonly=True),),
        outputs=(Output(source="a", destination="hdfs:///b", when="always", index=0, overwrite=True),),
    )
    written = (
        "roles[worker].mounts[0].readonly",
        "roles[worker].outputs[0].when",
        "roles[worker].outputs[0].overwrite",
    )
    lost = {"YRN063", "YRN064"}
    assert lost & set(codes(unit(made, "yarn", written=written, **YARN_TF))) == lost
    assert lost & set(codes(unit(made, "yarn", written=written))) == set()
