"""Steps become init containers, in their order (Kubernetes, "Init Containers" and "Sidecar Containers")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.backends import jobs
from tests.unit.backends.jobs import amount, policy, role, unit
from tests.unit.backends.verdicts import report
from tfdsl.emit.located import plain
from tfdsl.ir.model import EnvVar, Job, Role, RunTimeText, SecretKeys, Step, TaskIndex
from tfdsl_backends.kubernetes.policies import decisions
from tfdsl_backends.podspec.plan import Index, PodPlan, index_of
from tfdsl_backends.podspec.pods import pod_template
from tfdsl_backends.volcano.names import claims

if TYPE_CHECKING:
    from tfdsl.backend import Unit

FIELD = "metadata.labels['index']"
INDEX = {"name": "TASK_INDEX", "valueFrom": {"fieldRef": {"fieldPath": FIELD}}}


def step(kind: str = "prepare", name: str = "fetch", **fields: object) -> Step:
    return Step.model_validate({"kind": kind, "name": name, "command": ("./fetch",), **fields})


def spec_of(*roles: Role, plan: PodPlan | None = None, **fields: object) -> dict[str, Any]:
    """The pod of the last role of a job."""
    job = jobs.job(*roles, **fields)
    data = plain(pod_template(job, job.roles[-1], plan or PodPlan(index_of(roles[-1], FIELD))))
    assert isinstance(data, dict)
    made: dict[str, Any] = data["spec"]  # type: ignore[assignment]  # a template has a spec
    return made


def first(*steps: Step, plan: PodPlan | None = None, **fields: object) -> dict[str, Any]:
    made: dict[str, Any] = spec_of(role("worker", 2, steps=steps, **fields), plan=plan)["initContainers"][0]
    return made


def test_a_step_has_what_its_role_has() -> None:
    made = first(
        step(),
        env={"MODE": "fast"},
        env_from=(SecretKeys(name="hub"),),
        workdir="/app",
        memory=amount("4Gi"),
        cpu=amount("2"),
        gpu=1,
        image_pull_policy="Always",
        mounts=({"kind": "pvc", "claim": "data", "at": "/data"},),
        shm=amount("1Gi"),
    )
    assert made == {
        "name": "fetch",
        "image": "registry.example.com/mnist:1.4",
        "imagePullPolicy": "Always",
        "command": ["./fetch"],
        "workingDir": "/app",
        "envFrom": [{"secretRef": {"name": "hub"}}],
        "env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}, {"name": "MODE", "value": "fast"}],
        "resources": {"requests": {"cpu": "2", "memory": "4Gi"}, "limits": {"cpu": "2", "memory": "4Gi"}},
        "volumeMounts": [{"name": "pvc-data", "mountPath": "/data"}, {"name": "shm", "mountPath": "/dev/shm"}],
    }


def test_a_step_has_its_own_instead() -> None:
    own = step(
        image="fetcher:2",
        command='echo $HOME "$@"',
        args=("a$(B)",),
        workdir="/w",
        env={"MODE": "slow"},
        env_from=(),
        memory=amount("1Gi"),
        gpu=2,
    )
    made = first(own, env={"MODE": "fast"}, env_from=(SecretKeys(name="hub"),), workdir="/app", memory=amount("4Gi"))
    assert made == {
        "name": "fetch",
        "image": "fetcher:2",
        "command": ["/bin/sh", "-c", 'echo $HOME "$@"', "sh"],
        "args": ["a$$(B)"],
        "workingDir": "/w",
        "env": [{"name": "MODE", "value": "slow"}],
        "resources": {
            "requests": {"memory": "1Gi", "nvidia.com/gpu": 2},
            "limits": {"memory": "1Gi", "nvidia.com/gpu": 2},
        },
    }


def test_the_limit_alone_is_the_size_too() -> None:
    made = first(step(), cpu=amount("2"), cpu_limit="none", memory_limit="none")
    assert made["resources"] == {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}
    made = first(step(), memory_limit=amount("8Gi"))
    assert made["resources"] == {"requests": {"memory": "8Gi"}, "limits": {"memory": "8Gi"}}


def test_steps_start_in_their_order_and_a_sidecar_restarts_always() -> None:
    made = spec_of(role("worker", steps=(step("sidecar", "log"), step(), step("sidecar", "watch"))))
    assert [(one["name"], one.get("restartPolicy")) for one in made["initContainers"]] == [
        ("log", "Always"),
        ("fetch", None),
        ("watch", "Always"),
    ]
    assert [one["name"] for one in made["containers"]] == ["tensorflow"]


def test_tf_config_flags_and_ports_are_for_the_command_alone() -> None:
    plan = PodPlan(Index("TASK_INDEX", FIELD), tf_config="{}", hosts={"worker": ["a:1", "b:1"]})
    made = spec_of(role("worker", 2, steps=(step(),)), plan=plan)
    assert made["containers"][0]["env"][-1] == {"name": "TF_CONFIG", "value": "{}"}
    assert made["initContainers"] == [
        {"name": "fetch", "image": "registry.example.com/mnist:1.4", "command": ["./fetch"]}
    ]


def test_the_index_comes_before_its_users_and_only_where_it_is_used() -> None:
    part = RunTimeText(parts=("p", TaskIndex()))
    made = first(step(command=("./fetch", part), env={"PART": part}))
    assert made["command"] == ["./fetch", "p$(TASK_INDEX)"]
    assert made["env"] == [INDEX, {"name": "PART", "value": "p$(TASK_INDEX)"}]
    assert "env" not in first(step(), args=(part,))
    by_mount = first(step(), mounts=({"kind": "pvc", "claim": "d", "at": "/d", "sub_path": part},))
    assert by_mount["env"] == [INDEX]


def test_a_variable_is_defined_before_its_users_in_the_env_of_both() -> None:
    made = first(step(env={"B": "1"}), env={"A": RunTimeText(parts=("x", EnvVar(name="B"))), "B": "0"})
    assert made["env"] == [{"name": "B", "value": "1"}, {"name": "A", "value": "x$(B)"}]


def test_the_variable_of_the_index_is_none_of_a_step() -> None:
    assert index_of(role("worker", 2, steps=(step(env={"TASK_INDEX": "x"}),)), FIELD).variable == "TFDSL_TASK_INDEX"


def test_a_share_of_a_device_is_counted_in_its_own_resource() -> None:
    shares = {"volcano.sh/vgpu-number": 1, "volcano.sh/vgpu-memory": 8192}
    plan = PodPlan(Index(constant=0), resources=shares, device_count="volcano.sh/vgpu-number")
    with_device, without = step(gpu=2), step(name="other")
    made = spec_of(role("worker", gpu_memory=amount("8Gi"), steps=(with_device, without)), plan=plan)["initContainers"]
    assert made[0]["resources"]["limits"] == {"volcano.sh/vgpu-number": 2, "volcano.sh/vgpu-memory": 8192}
    assert made[1]["env"] == [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}]


def test_the_devices_of_a_step_are_hidden_from_the_command() -> None:
    made = spec_of(role("worker", steps=(step(gpu=1),)))
    assert made["containers"][0]["env"] == [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}]
    assert "env" not in made["initContainers"][0]


def test_what_the_server_would_refuse_in_a_step_is_refused() -> None:
    long = "x" * 140_000
    made = jobs.job(
        role("worker", gpu_resource="gpu", steps=(step(gpu=1, workdir="w", args=(long,), env={"LONG": long}),))
    )
    found = {one.rule.code for one in report(unit(made, "kubernetes"))}
    assert {"K8S041", "K8S047", "K8S048"} <= found


def test_a_variable_that_a_shell_drops_is_told_for_a_step_that_a_shell_starts() -> None:
    made = jobs.job(role("worker", env={"a.b": "1"}, steps=(step(command="./fetch"),)))
    assert "K8S049" in {one.rule.code for one in report(unit(made, "kubernetes"))}
    in_exec_form = jobs.job(role("worker", env={"a.b": "1"}, steps=(step(),)))
    assert "K8S049" not in {one.rule.code for one in report(unit(in_exec_form, "kubernetes"))}


# --- the exit status of a prepare step, on kubernetes ------------------------------------------------------------


def rules_of(*steps: Step, failed: str = "restart pod", exit_action: str = "fail job") -> object:
    made = jobs.job(
        role("worker", 2, steps=steps),
        policies=(policy("failed", failed), policy("exit", exit_action, codes=(3,))),
    )
    return plain(list(decisions(unit(made, "kubernetes")).restarts["worker"].rules))


def on_exit(action: str, operator: str, **container: str) -> dict[str, object]:
    return {"action": action, "onExitCodes": {**container, "operator": operator, "values": [3]}}


def test_statuses_of_prepare_steps_count_as_those_of_the_command() -> None:
    assert rules_of() == [on_exit("FailJob", "In", containerName="tensorflow")]
    assert rules_of(step()) == [on_exit("FailJob", "In")]
    assert rules_of(step(), failed="fail job", exit_action="restart pod") == [
        on_exit("Count", "In"),
        on_exit("FailJob", "NotIn"),
        {"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
    ]


def test_the_status_of_a_sidecar_counts_for_nothing() -> None:
    assert rules_of(step("sidecar", "log")) == [on_exit("FailJob", "In", containerName="tensorflow")]
    assert rules_of(step("sidecar", "log"), step()) == [
        on_exit("FailJob", "In", containerName="tensorflow"),
        on_exit("FailJob", "In", containerName="fetch"),
    ]


# --- claims of a Volcano job -------------------------------------------------------------------------------------


def with_claim(*steps: Step) -> Unit:
    mount = {"kind": "claim", "claim": "work", "at": "/work"}
    made = Job.model_validate(
        {
            "name": "mnist",
            "roles": (role("worker", steps=steps, mounts=(mount,)),),
            "claims": ({"name": "work", "size": amount("1Gi")},),
        }
    )
    return unit(made, "volcano")


@pytest.mark.parametrize("kind", ["prepare", "sidecar"])
def test_volcano_mounts_its_own_claims_in_no_init_container(kind: str) -> None:
    assert not claims(with_claim()).documents
    assert [*claims(with_claim(step(kind))).documents] == ["work"]
