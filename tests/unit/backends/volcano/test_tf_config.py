"""TF_CONFIG: what the real plugin gave, when it is taken, and what the other two ways give."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.unit.backends.jobs import job, role, unit
from tests.unit.backends.podspec import kubelet
from tests.unit.backends.verdicts import codes, documents, report
from tfdsl.ir.model import Cluster, Job, Role
from tfdsl_backends.volcano.lower import tasks

OBSERVED = json.loads((Path(__file__).parents[3] / "data/volcano/observed.json").read_text())
INDEX = "metadata.annotations['volcano.sh/task-index']"
FLAGS = Cluster(discovery="flags")
NONE = Cluster(discovery="none")


def body(asked: Job, **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = documents(unit(asked, "volcano", **options))[0]["spec"]
    return found


def container(asked: Job, task: str, **options: Any) -> dict[str, Any]:
    found = next(entry for entry in body(asked, **options)["tasks"] if entry["name"] == task)
    first: dict[str, Any] = found["template"]["spec"]["containers"][0]
    return first


def test_the_plugins_value_is_that_of_the_real_one() -> None:
    asked = job(role("chief"), role("ps"), role("worker", 2), name="tfplug")
    seen = {f"tfplug-{task.role}-{task.index}": task.tf_config for task in tasks(unit(asked, "volcano"))}
    assert seen == {name: pod["tf_config"] for name, pod in OBSERVED["tfplug"]["pods"].items()}
    assert body(asked)["plugins"]["tensorflow"] == ["--ps=ps", "--worker=worker", "--chief=chief", "--port=2222"]


def test_hosts_are_those_of_the_real_svc_plugin() -> None:
    asked = job(role("ps"), role("worker", 2), name="demo-vc")
    seen = json.loads(tasks(unit(asked, "volcano", tf_config="static"))[0].tf_config or "")["cluster"]
    real = OBSERVED["demo-vc"]["configmap"]
    assert seen == {name: [f"{host}:2222" for host in real[f"{name}.host"].split("\n")] for name in ("ps", "worker")}
    for name, pod in OBSERVED["demo-vc"]["pods"].items():
        assert pod["hostname"] == name
        assert f"{pod['hostname']}.{pod['subdomain']}:2222" in json.dumps(seen)


PLUGIN_JOBS = [
    job(role("worker", 2)),
    job(role("worker"), role("tensorboard")),
    job(role("chief", port=3333), role("ps", 2, port=3333), role("worker", 3, port=3333), role("tensorboard")),
]


@pytest.mark.parametrize("asked", PLUGIN_JOBS)
def test_the_plugin_is_taken_where_its_value_differs_only_by_environment(asked: Job) -> None:
    assert "tensorflow" in body(asked)["plugins"]
    ours = {(task.role, task.index): task.tf_config for task in tasks(unit(asked, "volcano", tf_config="static"))}
    for task in tasks(unit(asked, "volcano")):
        if task.role == "tensorboard":
            continue
        plugin, static = json.loads(task.tf_config or ""), json.loads(ours[task.role, task.index] or "")
        assert static.pop("environment") == "cloud"
        assert plugin == static
        assert task.differences == ("the key environment is missing",)
    assert "VOL100" not in codes(unit(asked, "volcano"))


STATIC_JOBS = [
    (job(role("worker")), "sets none for a job with one replica"),
    (job(role("chief"), role("worker"), role("evaluator")), "lists the evaluator in the cluster"),
    (job(role("master"), role("worker")), "calls the master chief"),
    (job(role("ps", port=3333), role("worker")), "uses one port for all roles"),
]


@pytest.mark.parametrize(("asked", "reason"), STATIC_JOBS)
def test_else_it_is_static_and_told(asked: Job, reason: str) -> None:
    assert "tensorflow" not in body(asked)["plugins"]
    (told,) = [found for found in report(unit(asked, "volcano")) if found.rule.code == "VOL100"]
    assert told.level == "info"
    assert told.message.endswith(reason)
    for member in asked.roles:
        made = container(asked, member.name)
        for index in range(member.replicas):
            value = kubelet.environment(made, {INDEX: str(index)})["TF_CONFIG"]
            seen = next(t for t in tasks(unit(asked, "volcano")) if (t.role, t.index) == (member.name, index))
            assert value == seen.tf_config
            assert json.loads(value)["task"] == {"type": member.name, "index": index}
            assert "evaluator" not in json.loads(value)["cluster"]


def test_static_indexes_reach_each_replica() -> None:
    made = container(job(role("ps"), role("worker", 12)), "worker", tf_config="static")
    assert json.loads(kubelet.environment(made, {INDEX: "11"})["TF_CONFIG"])["task"] == {"type": "worker", "index": 11}


@pytest.mark.parametrize(
    ("asked", "code", "part"),
    [
        (STATIC_JOBS[0][0], "VOL101", "a job with one replica gets none"),
        (STATIC_JOBS[1][0], "VOL101", "the evaluator is listed in the cluster"),
        (STATIC_JOBS[2][0], "VOL101", "the master is called chief"),
        (STATIC_JOBS[3][0], "VOL102", "ps has 3333 and worker 2222"),
    ],
)
def test_asking_for_the_plugin_tells_what_differs(asked: Job, code: str, part: str) -> None:
    (told,) = [found for found in report(unit(asked, "volcano", tf_config="plugin")) if found.rule.code == code]
    assert part in told.message
    assert told.level == ("error" if code == "VOL102" else "warning")
    assert told.approximation == (code == "VOL101")


def test_a_master_takes_the_plugins_chief() -> None:
    asked = job(role("master"), role("worker", 2))
    assert body(asked, tf_config="plugin")["plugins"]["tensorflow"] == [
        "--worker=worker",
        "--chief=master",
        "--port=2222",
    ]
    first = tasks(unit(asked, "volcano", tf_config="plugin"))[0]
    assert json.loads(first.tf_config or "") == {
        "cluster": {
            "worker": ["mnist-worker-0.mnist:2222", "mnist-worker-1.mnist:2222"],
            "chief": ["mnist-master-0.mnist:2222"],
        },
        "task": {"type": "chief", "index": 0},
    }


# --- shell -------------------------------------------------------------------------------------------------------

PUBLISHED = (
    r"""
PS_HOST=`cat /etc/volcano/ps.host | sed 's/$/&:2222/g' | sed 's/^/"/;s/$/"/' | tr "\n" ","`;
WORKER_HOST=`cat /etc/volcano/worker.host | sed 's/$/&:2222/g' | sed 's/^/"/;s/$/"/' | tr "\n" ","`;
export TF_CONFIG={\"cluster\":{\"ps\":[${PS_HOST}],\"worker\":[${WORKER_HOST}]},"""
    r"""\"task\":{\"type\":\"worker\",\"index\":${VK_TASK_INDEX}},\"environment\":\"cloud\"};
printf %s "$TF_CONFIG"
"""
)
"""The command of volcano-sh/volcano example/integrations/tensorflow/dist-mnist."""

SHOW = ("sh", "-c", 'printf %s "$TF_CONFIG"; printf "|%s" "$@" >&2', "sh", "a b", "$(HOME)", "")


def shell_value(asked: Job, task: str, folder: Path, shell: tuple[str, ...]) -> tuple[str, str]:
    """TF_CONFIG and the arguments as the command gets them, with ``folder`` for /etc/volcano."""
    for file, text in OBSERVED["demo-vc"]["configmap"].items():
        (folder / file).write_text(text)  # no final newline, as the real files have none
    made = container(asked, task, tf_config="shell")
    made["command"][2] = made["command"][2].replace("/etc/volcano/", f"{folder}/")
    done = kubelet.run(made, {}, shell)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.mark.parametrize("variable", ["VC_TASK_INDEX", "VK_TASK_INDEX"])
def test_the_shell_program_gives_what_the_published_example_gives(
    tmp_path: Path, shell: tuple[str, ...], variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "1")
    asked = job(role("ps"), role("worker", 2, command=SHOW), name="demo-vc")
    value, arguments = shell_value(asked, "worker", tmp_path, shell)
    assert arguments == "|a b|$(HOME)|"
    published = subprocess.run(
        ["sh", "-c", PUBLISHED.replace("/etc/volcano/", f"{tmp_path}/")],
        env={"VK_TASK_INDEX": "1", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert json.loads(value) == json.loads(published)
    assert value == tasks(unit(asked, "volcano", tf_config="shell"))[2].tf_config


# --- other discoveries -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("discovery", [FLAGS, NONE])
def test_no_tf_config_where_none_is_asked_for(discovery: Cluster) -> None:
    for way in (None, "plugin", "static", "shell"):
        asked = job(role("ps"), role("worker", 2), cluster=discovery)
        assert body(asked, tf_config=way)["plugins"].keys() == {"env", "svc"}
        made = container(asked, "worker", tf_config=way)
        assert "TF_CONFIG" not in json.dumps(made)
        assert made["command"] == ["python", "train.py"]
        assert {task.tf_config for task in tasks(unit(asked, "volcano", tf_config=way))} == {None}


@pytest.mark.parametrize("discovery", [FLAGS, NONE])
def test_a_server_role_needs_tf_config_all_the_same(discovery: Cluster) -> None:
    asked = job(role("chief"), role("ps", 2, server=True), cluster=discovery)
    value = kubelet.environment(container(asked, "ps"), {INDEX: "1"})["TF_CONFIG"]
    assert json.loads(value)["task"] == {"type": "ps", "index": 1}
    assert tasks(unit(asked, "volcano"))[2].tf_config == value
    assert tasks(unit(asked, "volcano"))[2].flags == ()


def flags_of(asked: Job, member: Role) -> list[tuple[str, ...]]:
    made = container(asked, member.name)
    found = []
    for index in range(member.replicas):
        words = kubelet.run(made, {INDEX: str(index)}).stdout.split("\n")
        found.append(tuple(words[:-1]))
    return found


def test_flags_arrive_as_they_are_told() -> None:
    show = ("sh", "-c", 'printf "%s\\n" "$@"', "sh")
    asked = job(
        role("chief", command=show), role("ps", 2, command=show), role("worker", 2, command=show), cluster=FLAGS
    )
    told = tasks(unit(asked, "volcano"))
    for member in asked.roles:
        assert flags_of(asked, member) == [task.flags for task in told if task.role == member.name]
    assert told[-1].flags == (
        "--ps_hosts=mnist-ps-0.mnist:2222,mnist-ps-1.mnist:2222",
        "--worker_hosts=mnist-chief-0.mnist:2222,mnist-worker-0.mnist:2222,mnist-worker-1.mnist:2222",
        "--job_name=worker",
        "--task_index=2",
    )


def test_thousands_of_tasks_are_worked_out_one_by_one() -> None:
    told = tasks(unit(job(role("ps"), role("worker", 4000)), "volcano"))
    assert len(told) == 4001
    assert (told[4000].role, told[4000].index, told[1:3][1].index) == ("worker", 3999, 1)
