"""The emitted scripts as texts: the options of the client, and shellcheck over everything."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.jobs import amount, job, policy, role, time, unit
from tests.unit.backends.yarn.cluster import Cluster, scripts
from tests.unit.cli.shell import SHELLCHECK
from tfdsl.ir import cluster_spec, model
from tfdsl.ir.model import Build, Cluster as Discovery, Job, Output
from tfdsl_backends.yarn import lower
from tfdsl_backends.yarn.applications import applications
from tfdsl_backends.yarn.lower import client_options, words_of

if TYPE_CHECKING:
    from pathlib import Path

    from tfdsl.backend import OptionValue, Unit


def seed() -> Job:
    """Seed 000: two parameter servers, two trainers, a tarball, linked disks, outputs, flags, GPUs."""

    def mounts(name: str) -> tuple[model.BaseMount, ...]:
        return (
            model.ArchiveMount(at=".", source="hdfs:///apps/trainer/code.tar"),
            model.HostMount(at="data", source="/disk1/data"),
            model.HostMount(at="/mnt/results", source="/mnt/results"),
        )

    output = Output(source="model", destination="/mnt/results/trainer", index=0)
    image, command = "example/tf-gpu:1.10", ("python", "trainer.py")
    return job(
        role("ps", 2, image=image, command=command, cpu=amount("2"), memory=amount("4Gi"), mounts=mounts("ps")),
        role("worker", 2, image=image, command=command, cpu=amount("4"), memory=amount("8Gi"), gpu=1,
             mounts=mounts("worker"), outputs=(output,)),
        cluster=Discovery(discovery="flags"),
    ).but(name="trainer")  # fmt: skip


def options(made: Unit) -> list[list[str]]:
    return [words_of(client_options(made, app)) for app in applications(made)]


def value(words: list[str], name: str) -> str | None:
    return words[words.index(name) + 1] if name in words else None


def env(words: list[str]) -> dict[str, str]:
    return dict(words[at + 1].split("=", 1) for at, word in enumerate(words) if word == "-shell_env")


def test_the_seed_s_job() -> None:
    ps, worker = options(unit(seed(), "yarn", "3.3"))
    assert ps[:2] == ["-appname", "trainer-ps"]
    assert value(ps, "-container_resources") == "memory-mb=4096,vcores=2"
    assert value(worker, "-container_resources") == "memory-mb=8192,vcores=4,yarn.io/gpu=1"
    assert (value(ps, "-num_containers"), value(worker, "-num_containers")) == ("2", "2")
    assert env(worker) == {
        "TFJOB_ROLE_ONLY": "worker",
        "YARN_CONTAINER_RUNTIME_TYPE": "docker",
        "YARN_CONTAINER_RUNTIME_DOCKER_IMAGE": "example/tf-gpu:1.10",
        "YARN_CONTAINER_RUNTIME_DOCKER_CONTAINER_NETWORK": "host",
        "YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS": "/disk1/data:/disk1/data:rw,/mnt/results:/mnt/results:rw",
    }
    text = scripts(unit(seed(), "yarn", "3.3"))["job.sh"]
    for line in (
        "    unpack 1 hdfs:///apps/trainer/code.tar .tar .",
        "    link /disk1/data data",
        '    exec "${tfjob_variables[@]}" python trainer.py "$@"',
        "      copy_out success model /mnt/results/trainer keep || tfjob_failed=74",
        "      CUDA_VISIBLE_DEVICES=''",
        '  tar -xf "$archive" -C "$4" || die "cannot unpack $2"',
        '  ln -s -- "$source" "$at" || die "cannot link $at to $source"',
    ):
        assert line in text.splitlines()
    for flag in ("--ps_hosts=", "--worker_hosts=", "--job_name=", "--task_index="):
        assert f'"{flag}' in text


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("2.10", {"-container_memory": "1536", "-container_vcores": "2", "-container_resources": None}),
        ("3.1", {"-container_memory": None, "-container_resources": "memory-mb=1536,vcores=2,fpga=1,yarn.io/gpu=2"}),
        ("3.4", {"-container_memory": None, "-container_resources": "memory-mb=1536,vcores=2,fpga=1,yarn.io/gpu=2"}),
    ],
)
def test_sizes_by_version(version: str, expected: dict[str, str | None]) -> None:
    fields = {} if version == "2.10" else {"gpu": 2, "resources": {"fpga": amount("1")}}
    worker = role("worker", cpu=amount("1500m"), memory=amount("1500Mi"), image=None, **fields)
    words = options(unit(job(worker.but(memory=amount("1610612735"))), "yarn", version))[0]
    assert {name: value(words, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("version", "form"),
    [
        ("3.1", "worker=3,NOTIN,NODE,worker"),
        ("3.3", "worker(3),NOTIN,NODE,worker"),
        ("3.4", "worker(3),NOTIN,NODE,worker"),
    ],
)
def test_spread_by_version(version: str, form: str) -> None:
    words = options(unit(job(role("ps"), role("worker", 3, spread="node")), "yarn", version))
    assert [value(one, "-placement_spec") for one in words] == [None, form]
    assert value(words[1], "-num_containers") == "3"


def test_timeout_is_always_written() -> None:
    assert value(options(unit(job(role("worker")), "yarn"))[0], "-timeout") == "2147483647"
    deadline = options(unit(job(role("worker"), deadline=time("90m")), "yarn"))[0]
    assert value(deadline, "-timeout") == "5400000"


def test_queue_priority_label() -> None:
    words = options(unit(job(role("worker", node_label="gpu && x"), queue="root.ml", priority=7), "yarn"))[0]
    assert value(words, "-queue") == "root.ml"
    assert value(words, "-priority") == "7"
    assert value(words, "-node_label_expression") == "gpu && x"


@pytest.mark.parametrize(
    ("policies", "expected"),
    [
        ((), False),
        ((policy("failed", "restart container"),), True),
        ((policy("failed", "restart job"), policy("exit", "fail job", codes=(1,))), True),
        ((policy("exit", "restart job", codes=(3,)),), True),
        ((policy("failed", "restart job", role="worker"),), True),
        ((policy("failed", "ignore", role="worker"),), False),
    ],
)
def test_retries(policies: tuple[model.Policy, ...], expected: bool) -> None:
    """The NodeManager relaunches on 75, with which all tasks end when the gang is to start again."""
    made = job(role("ps"), role("worker"), policies=policies, retries=4)
    words = options(unit(made, "yarn"))[0]
    names = ("-container_retry_policy", "-container_retry_error_codes", "-container_max_retries")
    assert [value(words, name) for name in names] == (["2", "75", "4"] if expected else [None] * 3)


def test_tensorboard_s_own_restart_is_the_task_s_business() -> None:
    words = options(unit(job(role("worker"), role("tensorboard")), "yarn"))[0]
    assert value(words, "-container_retry_policy") is None


def test_docker_mounts_and_tmpfs() -> None:
    mounts = (
        model.HostMount(at="/in", source="/disk/in/", readonly=True),
        model.MemoryMount(at="/fast", size=amount("1Gi")),
    )
    made = unit(
        job(role("worker", 2, mounts=mounts, shm=amount("1Gi"), tmp_size=amount("1Gi"))),
        "yarn",
        hadoop_home="/opt/hadoop",
        store="/shared",
    )
    found = env(options(made)[0])
    assert found["YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS"] == (
        "/disk/in:/in:ro,/opt/hadoop:/opt/hadoop:ro,/shared:/shared:rw"
    )
    assert found["YARN_CONTAINER_RUNTIME_DOCKER_TMPFS_MOUNTS"] == "/fast,/dev/shm,/tmp"


def test_only_generated_words_pass_through_the_environment() -> None:
    made = job(role("worker", args=("$(x)",), env={"A": "b c"}, command=("a b",)), queue="q x")
    assert set(env(options(unit(made, "yarn", runtime="native"))[0])) == set()


def test_native_needs_no_runtime_variables() -> None:
    assert env(options(unit(job(role("worker", image=None)), "yarn"))[0]) == {}


@pytest.mark.parametrize(("grace", "seconds"), [(None, 30), ("90m", 5420), ("1500ms", 30)])
def test_the_others_are_not_ended_before_their_stop_grace_is_over(grace: str | None, seconds: int) -> None:
    """The coordinator waits for the longest of them, and 20 seconds more; so does submit.sh."""
    long = role("worker", 2, memory=amount("8Gi"), stop_grace=time(grace) if grace else None)
    text = scripts(unit(job(role("ps", memory=amount("1Gi")), long), "yarn"))["submit.sh"]
    assert f"grace=${{TFJOB_GRACE:-{seconds}}}" in text


def test_yarn_tf() -> None:
    made = seed()
    words = options(unit(made, "yarn", "3.3", dialect="yarn-tf"))
    assert len(words) == 1
    assert value(words[0], "-num_parameter_servers") == "2"
    assert value(words[0], "-num_trainers") == "2"
    assert value(words[0], "-mounts") == "/disk1/data:data,/mnt/results:/mnt/results"
    assert value(words[0], "-output") == "model:/mnt/results/trainer"
    assert value(words[0], "-num_containers") is None
    text = scripts(unit(made, "yarn", "3.3", dialect="yarn-tf"))["job.sh"]
    assert "link /disk1/data" not in text


def test_yarn_tf_makes_tf_config_of_the_flags_it_is_given(tmp_path: Path) -> None:
    command = 'printf %s "$TF_CONFIG" >config; printf "%s|" "$@" >flags'
    roles = (role("ps", image=None), role("worker", 2, image=None, command=command))
    made = job(*roles, cluster=Discovery(discovery="both"))
    script = tmp_path / "ExecScript.sh"
    script.write_text(scripts(unit(made, "yarn", dialect="yarn-tf"))["job.sh"])
    flags = ["--ps_hosts=a:1", "--worker_hosts=b:2,c:3", "--job_name=worker", "--task_index=1"]
    subprocess.run(["bash", "ExecScript.sh", *flags], cwd=tmp_path, check=True)
    spec = {"ps": ["a:1"], "worker": ["b:2", "c:3"]}
    assert (tmp_path / "config").read_text() == cluster_spec.tf_config(spec, "worker", "1")
    assert (tmp_path / "flags").read_text() == "|".join(flags) + "|"


def test_what_each_task_will_see() -> None:
    made = job(role("chief"), role("ps"), role("worker", 2), role("evaluator"), role("tensorboard"),
               cluster=Discovery(discovery="both"))  # fmt: skip
    seen = lower.tasks(unit(made, "yarn"))
    assert [(t.role, t.index) for t in seen] == [
        ("chief", 0), ("ps", 0), ("worker", 0), ("worker", 1), ("evaluator", 0), ("tensorboard", 0)]  # fmt: skip
    assert seen[3].tf_config == (
        '{"cluster":{"chief":["HOST-chief-0:PORT"],"ps":["HOST-ps-0:PORT"],'
        '"worker":["HOST-worker-0:PORT","HOST-worker-1:PORT"]},"task":{"type":"worker","index":1},"environment":"cloud"}'
    )
    assert seen[3].flags[2:] == ("--job_name=worker", "--task_index=2")
    assert (seen[5].tf_config, seen[5].flags, seen[5].differences) == (None, (), ())
    assert "known once all tasks are there" in seen[0].differences[0]


def everything() -> Job:
    """As much as one job can hold on yarn."""

    def mounts(name: str) -> tuple[model.BaseMount, ...]:
        return (
            model.ArchiveMount(at=".", source="it's code.zip"),
            model.HostMount(at="data dir", source="/disk1/data", type="Directory"),
            model.HdfsMount(at="set", uri="hdfs:///d/set"),
            model.ScratchMount(at="tmp"),
            model.MemoryMount(at="fast", size=amount("1Gi")),
        )

    output = Output(source="m $x", destination="hdfs:///runs/a b", index=0, when="always")
    return job(
        role("chief", mounts=mounts("chief"), workdir="/app dir", env={"A": "$x", "B": "é\n"}),
        role("ps", server=True),
        role("worker", 3, command='run "$@"', gpu=1, mounts=mounts("worker"), outputs=(output,)),
        role("evaluator", args=("hdfs:///x",)),
        role("tensorboard"),
        policies=(policy("failed", "restart job"), policy("exit", "ignore", codes=(3,), role="worker")),
        cluster=Discovery(discovery="both"),
        build=Build(base="tf", entrypoint=("a",), hadoop="3.4.1"),
    )


JOBS = {
    "seed": seed(),
    "everything": everything(),
    "smallest": job(role("worker", memory=amount("1Gi"))),
    "memory only": job(role("worker", mounts=(model.MemoryMount(at="f", size=amount("1Gi")),))),
    "outputs only": job(role("worker", outputs=(Output(source="a", destination="hdfs:///b"),))),
}
SHARED = {"store": "/shared store", "runtime": "native"}
FILES: dict[str, OptionValue] = {"files": ("a b", "/c/d'e/")}
HOME = {"hadoop_home": "/opt/hadoop", "python": "/opt/py thon/bin/python"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "version", "given"),
    [
        ("seed", "3.3", {}),
        ("seed", "3.3", {"dialect": "yarn-tf"}),
        ("seed", "2.10", {"runtime": "native", "node_label": "g"}),
        ("everything", "3.4", {}),
        ("everything", "3.1", SHARED),
        ("everything", "3.4", {"applications": "one", "runtime": "native"}),
        ("smallest", "2.10", {}),
        ("smallest", "3.4", SHARED),
        ("smallest", "3.4", HOME),
        ("memory only", "3.4", {}),
        ("outputs only", "3.4", {"webhdfs": "http://nn:9870"}),
        ("everything", "3.4", FILES),
        ("smallest", "3.4", FILES),
        ("smallest", "3.1", FILES),
        ("smallest", "2.10", {**SHARED, **FILES}),
    ],
)
def test_shellcheck_has_nothing_to_say(name: str, version: str, given: dict[str, OptionValue], tmp_path: Path) -> None:
    made = JOBS[name]
    if "node_label" in given:  # GPUs before Hadoop 3.1, and no absolute path that is not the source
        roles = tuple(r.but(node_label=given["node_label"]) for r in made.roles)
        made = made.but(roles=roles)
    for file, text in scripts(
        unit(made, "yarn", version, **{k: v for k, v in given.items() if k != "node_label"})
    ).items():
        (tmp_path / file).write_text(text)
    done = subprocess.run([SHELLCHECK, *map(str, tmp_path.iterdir())], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_the_same_bytes_every_time() -> None:
    assert scripts(unit(seed(), "yarn")) == scripts(unit(seed(), "yarn"))


def test_print_of_the_seed_can_be_read_back(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path, "3.3")
    done = cluster.submit(unit(seed(), "yarn", "3.3"), "--print")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["hdfs", "yarn", "yarn"]


def test_the_size_of_the_scripts_does_not_grow_with_the_replicas() -> None:
    small = scripts(unit(job(role("ps", 1), role("worker", 2)), "yarn"))
    large = scripts(unit(job(role("ps", 100), role("worker", 900)), "yarn"))
    assert {name: abs(len(large[name]) - len(text)) < 20 for name, text in small.items()} == dict.fromkeys(small, True)
