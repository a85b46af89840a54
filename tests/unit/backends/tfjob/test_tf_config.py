"""TF_CONFIG: what `tfdsl tfconfig` says is what the operator injects, or what the shell exports."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.jobs import job, role, unit
from tests.unit.backends.podspec.kubelet import run
from tests.unit.backends.tfjob.operator import injected
from tests.unit.backends.verdicts import codes, documents
from tfdsl import targets
from tfdsl.ir.model import Cluster, Job, RunTimeText, SecretRef, TaskIndex

if TYPE_CHECKING:
    from tfdsl.backend import TaskConfig, Unit

INDEX_LABEL = "metadata.labels['training.kubeflow.org/replica-index']"


def tasks(asked: Unit) -> dict[str, TaskConfig]:
    backend = targets.find("tfjob")
    assert backend is not None
    return {f"{task.role}-{task.index}": task for task in backend.load().tasks(asked)}


def named(name: str, made: Job, **fields: object) -> Job:
    return made.but(**{"name": name, **fields})


def test_as_seen_from_the_operator() -> None:
    """Read from the pods that training-operator 1.8.1 made."""
    made = named("demo-tf", job(role("chief"), role("ps", 2), role("worker", 2)), namespace="default")
    cluster = (
        '{"cluster":{"chief":["demo-tf-chief-0.default.svc:2222"],'
        '"ps":["demo-tf-ps-0.default.svc:2222","demo-tf-ps-1.default.svc:2222"],'
        '"worker":["demo-tf-worker-0.default.svc:2222","demo-tf-worker-1.default.svc:2222"]},'
    )
    seen = {name: task.tf_config for name, task in tasks(unit(made, "tfjob")).items()}
    assert seen == {
        "chief-0": cluster + '"task":{"type":"chief","index":0},"environment":"cloud"}',
        "ps-0": cluster + '"task":{"type":"ps","index":0},"environment":"cloud"}',
        "ps-1": cluster + '"task":{"type":"ps","index":1},"environment":"cloud"}',
        "worker-0": cluster + '"task":{"type":"worker","index":0},"environment":"cloud"}',
        "worker-1": cluster + '"task":{"type":"worker","index":1},"environment":"cloud"}',
    }
    assert all(task.differences == () for task in tasks(unit(made, "tfjob")).values())


@pytest.mark.parametrize(("version", "key"), [("1.6", "sparseCluster"), ("1.7", "cluster")])
def test_dynamic_workers_see_a_sparse_cluster(version: str, key: str) -> None:
    """What the operator's own tests expect of genClusterSpec; `sparseCluster` until 1.6."""
    made = named("j", job(role("chief"), role("ps", 2), role("worker", 2)), namespace="ns")
    seen = {
        name: task.tf_config for name, task in tasks(unit(made, "tfjob", version=version, dynamic_workers=True)).items()
    }
    both = '"ps":["j-ps-0.ns.svc:2222","j-ps-1.ns.svc:2222"]}'
    assert seen == {
        "chief-0": f'{{"{key}":{{"worker":{{}},"ps":[]}},"task":{{"type":"chief","index":0}}}}',
        "ps-0": f'{{"{key}":{{"worker":{{}},"ps":["j-ps-0.ns.svc:2222"]}},"task":{{"type":"ps","index":0}}}}',
        "ps-1": f'{{"{key}":{{"worker":{{}},"ps":["j-ps-1.ns.svc:2222"]}},"task":{{"type":"ps","index":1}}}}',
        **{
            f"worker-{index}": f'{{"{key}":{{"worker":{{"{index}":"j-worker-{index}.ns.svc:2222"}},{both},'
            f'"task":{{"type":"worker","index":{index}}}}}'
            for index in (0, 1)
        },
    }
    alone = named("j", job(role("worker", 2)), namespace="ns")
    [first, _] = tasks(unit(alone, "tfjob", dynamic_workers=True)).values()
    assert first.tf_config is not None
    assert json.loads(first.tf_config)["cluster"] == {"worker": {"0": "j-worker-0.ns.svc:2222"}, "ps": None}


def test_the_evaluator_is_inside_the_cluster() -> None:
    """Values of the operator's own end-to-end job with four roles."""
    made = job(role("chief"), role("ps", 2), role("worker", 2), role("evaluator"))
    made = named("estimator-runconfig-v1", made, namespace="kubeflow")
    evaluator = tasks(unit(made, "tfjob"))["evaluator-0"]
    assert evaluator.tf_config == (
        '{"cluster":{"chief":["estimator-runconfig-v1-chief-0.kubeflow.svc:2222"],'
        '"evaluator":["estimator-runconfig-v1-evaluator-0.kubeflow.svc:2222"],'
        '"ps":["estimator-runconfig-v1-ps-0.kubeflow.svc:2222","estimator-runconfig-v1-ps-1.kubeflow.svc:2222"],'
        '"worker":["estimator-runconfig-v1-worker-0.kubeflow.svc:2222",'
        '"estimator-runconfig-v1-worker-1.kubeflow.svc:2222"]},'
        '"task":{"type":"evaluator","index":0},"environment":"cloud"}'
    )
    assert any("evaluator" in text for text in evaluator.differences)
    assert "KTF102" in codes(unit(made, "tfjob"), "info")


@pytest.mark.parametrize(
    "made",
    [
        job(role("master"), role("worker", 3), role("ps", 2)),
        job(role("worker", 2, port=3333), role("ps", port=4444)),
        job(role("chief"), role("evaluator"), role("tensorboard")),
        job(role("worker", 12), namespace="ml"),
        job(role("worker")),
    ],
)
def test_tasks_say_what_the_operator_makes_of_the_manifest(made: Job) -> None:
    asked = unit(made, "tfjob")
    manifest = documents(asked)[0]
    for key, spec in manifest["spec"]["tfReplicaSpecs"].items():
        for index in range(spec["replicas"]):
            assert tasks(asked)[f"{key.lower()}-{index}"].tf_config == injected(manifest, key, index)


def test_one_replica_is_told_that_it_gets_nothing() -> None:
    asked = unit(job(role("worker")), "tfjob")
    assert tasks(asked)["worker-0"].tf_config is None
    assert tasks(asked)["worker-0"].differences
    assert "KTF064" in codes(asked, "info")
    assert "KTF064" in codes(unit(job(role("worker")), "tfjob", written=("cluster.discovery",)), "warning")


def test_static_gives_one_replica_its_config_without_a_shell() -> None:
    asked = unit(job(role("worker")), "tfjob", tf_config="static")
    container = documents(asked)[0]["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
    expected = '{"cluster":{"worker":["mnist-worker-0:2222"]},"task":{"type":"worker","index":0},"environment":"cloud"}'
    assert container["command"] == ["python", "train.py"]
    assert container["env"] == [{"name": "TF_CONFIG", "value": expected}]
    assert tasks(asked)["worker-0"].tf_config == expected
    assert "KTF064" not in codes(asked)


@pytest.mark.parametrize("index", [0, 1])
def test_static_wins_over_what_the_operator_appends(index: int) -> None:
    """The container is run as a kubelet would, with the operator's TF_CONFIG as the last entry of its env."""
    show = 'import os,sys,json; print(json.dumps([os.environ["TF_CONFIG"], sys.argv[1:]]))'
    hostile = ["$(TF_CONFIG)", "a b", "'", '"', "$HOME", "", "{{x}}", "ü\n"]
    made = job(
        role("chief"),
        role("worker", 2, command=("python3", "-c", show), args=tuple(hostile)),
        role("evaluator"),
    )
    asked = unit(made, "tfjob", tf_config="static")
    container = documents(asked)[0]["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
    operator = {**container, "env": [*container.get("env", []), {"name": "TF_CONFIG", "value": "the operator's"}]}
    done = run(operator, {INDEX_LABEL: str(index)})
    assert done.returncode == 0, done.stderr
    config, args = json.loads(done.stdout)
    assert args == hostile
    assert config == tasks(asked)[f"worker-{index}"].tf_config
    assert json.loads(config) == {
        "cluster": {"chief": ["mnist-chief-0:2222"], "worker": ["mnist-worker-0:2222", "mnist-worker-1:2222"]},
        "task": {"type": "worker", "index": index},
        "environment": "cloud",
    }


def test_static_cannot_start_an_unknown_entrypoint() -> None:
    made = job(role("chief", command=()), role("worker", 2))
    assert "KTF042" in codes(unit(made, "tfjob", tf_config="static"), "error")
    assert "KTF042" not in codes(unit(made, "tfjob"))


def test_flags_are_given_and_the_operators_config_is_told() -> None:
    cluster = Cluster(discovery="flags")
    made = job(role("chief"), role("worker", 2), role("ps"), cluster=cluster)
    asked = unit(made, "tfjob", written=("cluster.discovery",))
    assert tasks(asked)["worker-1"].flags == (
        "--ps_hosts=mnist-ps-0:2222",
        "--worker_hosts=mnist-chief-0:2222,mnist-worker-0:2222,mnist-worker-1:2222",
        "--job_name=worker",
        "--task_index=2",
    )
    assert tasks(asked)["chief-0"].flags[-2:] == ("--job_name=worker", "--task_index=0")
    assert "KTF101" in codes(asked, "info")
    assert {"KTF101", "KTF102"} & set(codes(unit(job(role("worker"), cluster=cluster), "tfjob"))) == set()


def test_tensorboard_gets_no_config() -> None:
    task = tasks(unit(job(role("worker", 2), role("tensorboard")), "tfjob"))["tensorboard-0"]
    assert (task.tf_config, task.flags) == (None, ())


def test_thousands_of_tasks_are_made_one_at_a_time() -> None:
    backend = targets.find("tfjob")
    assert backend is not None
    seen = backend.load().tasks(unit(job(role("chief"), role("worker", 4000)), "tfjob"))
    assert len(seen) == 4001
    assert (seen[0].role, seen[-1].role, seen[-1].index) == ("chief", "worker", 3999)
    assert [(task.role, task.index) for task in seen[:3]] == [("chief", 0), ("worker", 0), ("worker", 1)]
    assert len(seen[4000].tf_config or "") > 100_000
    with pytest.raises(IndexError):
        _ = seen[4001]


OFF = Cluster(discovery="none", protocol="grpc")
OWN = {"TF_CONFIG": RunTimeText(parts=('{"task": {"index": ', TaskIndex(), '}, "note": "$(HOME) it\'s"}'))}


@pytest.mark.parametrize("index", [0, 1])
def test_the_jobs_own_config_wins_over_what_the_operator_appends(index: int) -> None:
    """``SetClusterSpec`` appends its variable behind those of the container, and of one name the last holds."""
    show = 'import os,sys; print(os.environ["TF_CONFIG"])'
    asked = unit(job(role("worker", 2, env=OWN, command=("python3", "-c", show)), cluster=OFF), "tfjob")
    container = documents(asked)[0]["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
    operator = {**container, "env": [*container["env"], {"name": "TF_CONFIG", "value": "the operator's"}]}
    done = run(operator, {INDEX_LABEL: str(index)})
    expected = f'{{"task": {{"index": {index}}}, "note": "$(HOME) it\'s"}}'
    assert done.stdout == f"{expected}\n"
    assert tasks(asked)[f"worker-{index}"].tf_config == expected
    assert tasks(asked)[f"worker-{index}"].differences == ()
    assert "KTF118" in codes(asked)
    assert not {"KTF101", "KTF115"} & set(codes(asked))


def test_the_own_config_of_one_replica_needs_no_shell() -> None:
    asked = unit(job(role("worker", 1, env={"TF_CONFIG": "{}"}), cluster=OFF), "tfjob")
    container = documents(asked)[0]["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
    assert (container["command"], container["env"]) == (["python", "train.py"], [{"name": "TF_CONFIG", "value": "{}"}])
    assert not {"KTF115", "KTF118"} & set(codes(asked))
    secret = {"TF_CONFIG": SecretRef(name="a", key="b")}
    assert "KTF115" not in codes(unit(job(role("worker", 1, env=secret), cluster=OFF), "tfjob"))


def test_an_own_config_that_is_not_a_text_is_refused_beside_the_operators() -> None:
    asked = unit(job(role("worker", 2, env={"TF_CONFIG": SecretRef(name="a", key="b")}), cluster=OFF), "tfjob")
    assert "KTF115" in codes(asked)


def test_an_unknown_entrypoint_cannot_be_started_with_an_own_config() -> None:
    made = job(role("worker", 2, env=OWN, command=()), cluster=OFF)
    assert "KTF042" in codes(unit(made, "tfjob"), "error")


def test_the_operators_config_is_told_where_a_role_has_none_of_its_own() -> None:
    made = job(role("chief"), role("worker", 2, env=OWN), cluster=OFF)
    asked = unit(made, "tfjob", written=("cluster.discovery",))
    assert "KTF101" in codes(asked, "info")
