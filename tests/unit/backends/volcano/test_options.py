"""Options for what a manifest of one's own has: plugins, policies as they are, the size of the gang, task names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.backends.jobs import job, policy, role, unit
from tests.unit.backends.verdicts import documents, report
from tests.unit.backends.volcano.reaction import task_of
from tfdsl.ir import model
from tfdsl.ir.model import Cluster, Job

if TYPE_CHECKING:
    from tfdsl.backend import OptionValue

ALONE = Cluster(discovery="none")
PS, WORKER = role("ps"), role("worker", 2)


def made(asked: Job, **given: OptionValue) -> dict[str, Any]:
    return documents(unit(asked, "volcano", **given))[0]


def problems(asked: Job, **given: OptionValue) -> list[str]:
    told = report(unit(asked, "volcano", **given))
    return [diagnostic.message for diagnostic in told if diagnostic.rule.code == "VOL107"]


def pairs(policies: list[dict[str, Any]] | None) -> list[tuple[object, ...]]:
    return [tuple(entry.values()) for entry in policies or ()]


# --- plugins -----------------------------------------------------------------------------------------------------


def test_plugins_replace_those_of_the_compiler() -> None:
    given = {"ssh": (), "svc": ("--disable-network-policy=true",)}
    assert made(job(PS, WORKER, cluster=ALONE), plugins=given)["spec"]["plugins"] == {
        "ssh": [],
        "svc": ["--disable-network-policy=true"],
    }
    assert "plugins" not in made(job(PS, WORKER, cluster=ALONE), plugins={})["spec"]


def test_tensorflow_is_added_where_it_sets_tf_config() -> None:
    spec = made(job(PS, WORKER), plugins={"svc": ()})["spec"]
    assert spec["plugins"] == {"svc": [], "tensorflow": ["--ps=ps", "--worker=worker", "--port=2222"]}
    given = {"svc": (), "tensorflow": ("--port=3333",)}
    assert made(job(PS, WORKER), plugins=given)["spec"]["plugins"] == {"svc": [], "tensorflow": ["--port=3333"]}


@pytest.mark.parametrize(
    ("given", "cluster", "options", "words"),
    [
        ({"sssh": ()}, ALONE, {}, "Volcano has no plugin sssh"),
        ({"env": ()}, Cluster(), {}, "svc is missing, which gives ps and worker the names of the other tasks"),
        ({"env": ()}, Cluster(discovery="flags"), {}, "svc is missing"),
        ({"svc": ()}, Cluster(), {"tf_config": "shell"}, "env is missing"),
    ],
)
def test_plugins_that_cannot_be(
    given: dict[str, tuple[str, ...]], cluster: Cluster, options: dict[str, OptionValue], words: str
) -> None:
    (problem,) = problems(job(PS, WORKER, cluster=cluster), plugins=given, **options)
    assert words in problem


def test_what_belongs_to_a_plugin_is_free_without_it() -> None:
    mount = model.PvcMount(at="/etc/volcano", claim="hosts")
    asked = job(role("worker", mounts=(mount,), env={"VC_TASK_INDEX": "0", "VC_WORKER_HOSTS": "a"}), cluster=ALONE)
    codes = {diagnostic.rule.code for diagnostic in report(unit(asked, "volcano"))}
    assert {"VOL154", "VOL155"} <= codes
    codes = {diagnostic.rule.code for diagnostic in report(unit(asked, "volcano", plugins={"ssh": ()}))}
    assert not {"VOL154", "VOL155"} & codes


# --- policies ----------------------------------------------------------------------------------------------------


def test_only_written_policies() -> None:
    written = (policy("evicted", "restart job"), policy("completed", "complete job", role="worker"))
    found = made(job(PS, WORKER, policies=written, retries=2), policies="written")
    assert pairs(found["spec"]["policies"]) == [("PodEvicted", "RestartJob")]
    assert pairs(task_of(found, "worker")["policies"]) == [("TaskCompleted", "CompleteJob")]
    assert "policies" not in task_of(found, "ps")
    assert found["spec"]["maxRetry"] == 3
    assert "policies" not in made(job(PS, WORKER), policies="written")["spec"]


def test_a_restart_in_place_is_the_restart_policy_alone() -> None:
    written = (policy("failed", "restart container"), policy("evicted", "restart job"))
    found = made(job(PS, WORKER, policies=written), policies="written")
    assert pairs(found["spec"]["policies"]) == [("PodEvicted", "RestartJob")]
    for task in found["spec"]["tasks"]:
        assert task["template"]["spec"]["restartPolicy"] == "OnFailure"
        assert "maxRetry" not in task
    counted = (*written, policy("restarted", "fail job", count=5))
    found = made(job(PS, WORKER, policies=counted), policies="written")
    assert ("TaskFailed", "TerminateJob") in pairs(found["spec"]["policies"])
    assert task_of(found, "ps")["maxRetry"] == 5


def test_restarts_without_an_end_are_told() -> None:
    asked = job(PS, WORKER, policies=(policy("failed", "restart container"),))
    told = {diagnostic.rule.code for diagnostic in report(unit(asked, "volcano", policies="written"))}
    assert "VOL133" in told
    assert "VOL120" not in told  # a lost pod ends the job: nothing says so here
    told = {diagnostic.rule.code for diagnostic in report(unit(asked, "volcano"))}
    assert "VOL133" not in told


def test_exit_statuses_of_evictions_are_left_out() -> None:
    written = (policy("evicted", "restart job"), policy("failed", "fail job"))
    asked = job(PS, WORKER, policies=written)
    found = made(asked, policies="written")
    assert pairs(found["spec"]["policies"]) == [("PodFailed", "TerminateJob"), ("PodEvicted", "RestartJob")]
    told = {diagnostic.rule.code for diagnostic in report(unit(asked, "volcano", policies="written"))}
    assert "VOL141" in told  # a deleted pod fails first, and ends the job
    assert "VOL142" not in told


def test_tensorboard_restarts_as_ever() -> None:
    found = made(job(WORKER, role("tensorboard")), policies="written", restart_policy="Never")
    assert task_of(found, "tensorboard")["template"]["spec"]["restartPolicy"] == "Always"
    assert task_of(found, "worker")["template"]["spec"]["restartPolicy"] == "Never"


@pytest.mark.parametrize("word", ["Never", "OnFailure", "Always"])
def test_restart_policy(word: str) -> None:
    found = made(job(PS, WORKER), restart_policy=word)
    assert {task["template"]["spec"]["restartPolicy"] for task in found["spec"]["tasks"]} == {word}


# --- gang and names ----------------------------------------------------------------------------------------------


def test_gang_size() -> None:
    found = made(job(PS, WORKER), gang_size=2)
    assert found["spec"]["minAvailable"] == 2
    assert [task["minAvailable"] for task in found["spec"]["tasks"]] == [1, 2]
    (problem,) = problems(job(PS, WORKER), gang_size=4)
    assert "4 pods can never be placed, because the job has 3" in problem
    (problem,) = problems(job(PS, WORKER, gang=False), gang_size=2)
    assert "gang = false" in problem


def test_task_names_are_in_every_address() -> None:
    asked = job(PS, role("worker", 2, after=("ps",), spread="node"))
    found = made(asked, task_names={"worker": "mpi-worker", "ps": "head"})
    assert [task["name"] for task in found["spec"]["tasks"]] == ["head", "mpi-worker"]
    assert task_of(found, "mpi-worker")["dependsOn"] == {"name": ["head"]}
    assert found["spec"]["plugins"]["tensorflow"] == ["--ps=head", "--worker=mpi-worker", "--port=2222"]
    assert "volcano.sh/task-spec: mpi-worker" in str(found).replace("'", "")
    static = str(made(asked, task_names={"worker": "mpi-worker"}, tf_config="static"))
    assert "mnist-mpi-worker-1.mnist:2222" in static
    assert "mnist-worker-" not in static
    shell = str(made(asked, task_names={"worker": "mpi-worker"}, tf_config="shell"))
    assert "hosts /etc/volcano/mpi_worker.host 2222; worker=$list" in shell


def test_one_of_the_roles_before_is_enough() -> None:
    asked = job(PS, WORKER, role("evaluator", after=("ps", "worker")), cluster=ALONE)
    found = made(asked, after_any=("evaluator",))
    assert task_of(found, "evaluator")["dependsOn"] == {"name": ["ps", "worker"], "iteration": "any"}
    (problem,) = problems(asked, after_any=("worker",))
    assert "worker is not a role of this job that has after" in problem


def test_two_tasks_of_one_name() -> None:
    (problem,) = problems(job(PS, WORKER), task_names={"worker": "ps"})
    assert "the task of worker has the same name as that of ps" in problem
