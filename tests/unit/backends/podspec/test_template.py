"""The pod template: what is written, in which order, and what is not."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.unit.backends import jobs
from tests.unit.backends.jobs import amount, role
from tests.unit.backends.podspec import kubelet
from tfdsl.emit.located import plain
from tfdsl.ir import model
from tfdsl.ir.model import ConfigMapRef, EnvVar, Role, RunTimeText, SecretRef, TaskIndex
from tfdsl_backends.podspec.plan import Index, PodPlan, Program, index_of
from tfdsl_backends.podspec.pods import pod_template

FIELD = "metadata.labels['index']"


def template(*roles: Role, plan: PodPlan | None = None, **fields: object) -> dict[str, Any]:
    """The template of the last role of a job."""
    job = jobs.job(*roles, **fields)
    data = plain(pod_template(job, roles[-1], plan or PodPlan(index_of(roles[-1], FIELD))))
    assert isinstance(data, dict)
    return data


def container(*roles: Role, plan: PodPlan | None = None, **fields: object) -> dict[str, Any]:
    made: dict[str, Any] = template(*roles, plan=plan, **fields)["spec"]["containers"][0]
    return made


def env_of(*roles: Role, plan: PodPlan | None = None, **fields: object) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = container(*roles, plan=plan, **fields).get("env", [])
    return made


def test_the_least_pod() -> None:
    assert template(role("worker")) == {
        "metadata": {"annotations": {"sidecar.istio.io/inject": "false"}},
        "spec": {
            "containers": [
                {
                    "name": "tensorflow",
                    "image": "registry.example.com/mnist:1.4",
                    "command": ["python", "train.py"],
                    "ports": [{"name": "tfjob-port", "containerPort": 2222}],
                }
            ]
        },
    }


def test_everything_in_its_order() -> None:
    worker = role(
        "worker",
        3,
        labels={"team": "vision"},
        annotations={"note": "x", "sidecar.istio.io/inject": "true"},
        image_pull_policy="Always",
        image_pull_secrets=("a", "b", "a"),
        workdir="/app",
        service_account="trainer",
        node_selector={"pool": "gpu"},
        tolerations=(model.Toleration(key="k", operator="Exists", toleration_seconds=9),),
        spread="node",
        host_network=True,
    )
    plan = PodPlan(
        Index(constant=0),
        restart_policy="Never",
        active_deadline_seconds=60,
        priority_class="high",
        scheduler="volcano",
        node_name="h10",
        labels={"app": "mine", "team": "ours"},
        spread_labels={"app": "mine"},
        host_port=True,
    )
    made = template(worker, plan=plan)
    assert made["metadata"] == {
        "labels": {"team": "ours", "app": "mine"},
        "annotations": {"sidecar.istio.io/inject": "true", "note": "x"},
    }
    assert list(made["spec"].items())[:-1] == [
        ("restartPolicy", "Never"),
        ("activeDeadlineSeconds", 60),
        ("schedulerName", "volcano"),
        ("priorityClassName", "high"),
        ("serviceAccountName", "trainer"),
        ("nodeName", "h10"),
        ("hostNetwork", True),
        ("dnsPolicy", "ClusterFirstWithHostNet"),
        ("imagePullSecrets", [{"name": "a"}, {"name": "b"}]),
        ("nodeSelector", {"pool": "gpu"}),
        ("tolerations", [{"key": "k", "operator": "Exists", "tolerationSeconds": 9}]),
        (
            "affinity",
            {
                "podAntiAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": [
                        {
                            "labelSelector": {"matchLabels": {"app": "mine"}},
                            "topologyKey": "kubernetes.io/hostname",
                        }
                    ]
                }
            },
        ),
    ]
    assert list(made["spec"]["containers"][0]) == ["name", "image", "imagePullPolicy", "command", "workingDir", "ports"]
    assert made["spec"]["containers"][0]["ports"] == [{"name": "tfjob-port", "containerPort": 2222, "hostPort": 2222}]


def test_variables_of_config_maps_secrets_and_fields() -> None:
    worker = role(
        "worker",
        env={"IP": model.PodField(field="status.podIP"), "A": "1"},
        env_from=(model.ConfigMapKeys(name="settings"), model.SecretKeys(name="keys")),
    )
    made = container(worker)
    assert made["envFrom"] == [{"configMapRef": {"name": "settings"}}, {"secretRef": {"name": "keys"}}]
    assert made["env"] == [
        {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
        {"name": "A", "value": "1"},
    ]
    assert list(made)[-2:] == ["env", "envFrom"]


def test_who_the_processes_are_is_said_of_the_pod_and_their_rights_of_the_container() -> None:
    made = template(
        role("worker", run_as_user=0, run_as_group=7, fs_group=0, privileged=True, capabilities=("IPC_LOCK", "ALL"))
    )
    assert made["spec"]["securityContext"] == {"runAsUser": 0, "runAsGroup": 7, "fsGroup": 0}
    assert made["spec"]["containers"][0]["securityContext"] == {
        "privileged": True,
        "capabilities": {"add": ["IPC_LOCK", "ALL"]},
    }
    step = model.Step(kind="prepare", name="fetch", image="f")
    made = template(role("worker", restricted=True, fs_group=5, capabilities=("NET_BIND_SERVICE",), steps=(step,)))
    whole = {"fsGroup": 5, "runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    assert made["spec"]["securityContext"] == whole
    rights = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    assert made["spec"]["initContainers"][0]["securityContext"] == rights
    rights["capabilities"] = {"add": ["NET_BIND_SERVICE"], "drop": ["ALL"]}
    assert made["spec"]["containers"][0]["securityContext"] == rights
    made = template(role("worker", capabilities=("NET_RAW",)))
    assert "securityContext" not in made["spec"]
    assert made["spec"]["containers"][0]["securityContext"] == {"capabilities": {"add": ["NET_RAW"]}}


def test_labels_of_nodes_with_several_values_are_an_affinity() -> None:
    worker = role("worker", node_selector={"zone": ("a", "b"), "pool": "gpu", "kind": ("x",)})
    required = {
        "nodeSelectorTerms": [
            {
                "matchExpressions": [
                    {"key": "zone", "operator": "In", "values": ["a", "b"]},
                    {"key": "kind", "operator": "In", "values": ["x"]},
                ]
            }
        ]
    }
    made = template(worker)["spec"]
    assert made["nodeSelector"] == {"pool": "gpu"}
    assert made["affinity"] == {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    plan = PodPlan(Index(constant=0), spread_labels={"app": "mine"})
    made = template(worker.but(spread="node", node_selector={"zone": ("a", "b")}), plan=plan)["spec"]
    assert "nodeSelector" not in made
    assert list(made["affinity"]) == ["nodeAffinity", "podAntiAffinity"]


def test_further_ports_follow_that_of_the_server() -> None:
    worker = role("worker", ports={"metrics": 9090, "debug": 5678})
    further = [{"name": "metrics", "containerPort": 9090}, {"name": "debug", "containerPort": 5678}]
    assert container(worker)["ports"] == [{"name": "tfjob-port", "containerPort": 2222}, *further]
    plan = PodPlan(Index(constant=0), port_name=None)
    assert container(worker, plan=plan)["ports"] == further, "the TFJob operator adds its own"
    assert "ports" not in container(role("worker"), plan=plan)
    plan = PodPlan(Index(constant=0), host_port=True)
    assert [port["hostPort"] for port in container(worker, plan=plan)["ports"]] == [2222, 9090, 5678]
    sidecar = model.Step(kind="sidecar", name="metrics", image="m", ports={"scrape": 9100})
    made = template(role("worker", steps=(sidecar,)))
    assert made["spec"]["initContainers"][0]["ports"] == [{"name": "scrape", "containerPort": 9100}]


@pytest.mark.parametrize(("written", "seconds"), [("0s", 0), ("1500ms", 2), ("1h", 3600)])
def test_the_grace_period_is_in_whole_seconds(written: str, seconds: int) -> None:
    made = template(role("worker", stop_grace=jobs.time(written)))
    assert made["spec"]["terminationGracePeriodSeconds"] == seconds


def test_requests_and_limits_are_both_written() -> None:
    made = container(
        role(
            "worker",
            cpu=amount("500m"),
            memory=amount("8Gi"),
            memory_limit=amount("12Gi"),
            gpu=2,
            resources={"rdma/hca": amount("1")},
        )
    )
    assert made["resources"] == {
        "requests": {"cpu": "500m", "memory": "8Gi", "nvidia.com/gpu": 2, "rdma/hca": "1"},
        "limits": {"cpu": "500m", "memory": "12Gi", "nvidia.com/gpu": 2, "rdma/hca": "1"},
    }


def test_no_limit_is_written_for_none() -> None:
    made = container(role("worker", cpu=amount("2"), memory=amount("8Gi"), memory_limit="none", gpu=1))
    assert made["resources"] == {
        "requests": {"cpu": "2", "memory": "8Gi", "nvidia.com/gpu": 1},
        "limits": {"cpu": "2", "nvidia.com/gpu": 1},
    }
    made = container(role("worker", cpu=amount("2"), cpu_limit="none", memory_limit="none"))
    assert made["resources"] == {"requests": {"cpu": "2"}}
    assert "resources" not in container(role("worker", cpu_limit="none"))


def test_a_limit_alone_is_also_the_request() -> None:
    made = container(
        role("worker", cpu_limit=amount("2"), memory_limit=amount("1Gi"), gpu=1, gpu_resource="amd.com/gpu")
    )
    assert made["resources"]["requests"] == {"cpu": "2", "memory": "1Gi", "amd.com/gpu": 1}


@pytest.mark.parametrize(
    ("ps", "worker", "hidden"),
    [
        ({}, {"gpu": 1}, True),
        ({"gpu": 1}, {"gpu": 1}, False),
        ({}, {}, False),
        ({}, {"gpu": 1, "gpu_resource": "amd.com/gpu"}, False),
        ({}, {"gpu_memory": amount("8Gi")}, True),
    ],
)
def test_a_role_without_a_device_does_not_see_those_of_the_others(
    ps: dict[str, object], worker: dict[str, object], hidden: bool
) -> None:
    variables = env_of(role("worker", **worker), role("ps", **ps))
    assert ({"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"} in variables) == hidden


def test_an_own_variable_wins_over_ours() -> None:
    ours = env_of(
        role("worker", gpu=1),
        role("ps", env={"NVIDIA_VISIBLE_DEVICES": "0", "CHECKPOINT_DIR": "/mine"}),
        checkpoint="/runs",
    )
    assert ours == [{"name": "CHECKPOINT_DIR", "value": "/mine"}, {"name": "NVIDIA_VISIBLE_DEVICES", "value": "0"}]


def test_variables_are_defined_before_their_users() -> None:
    def refer(*parts: object) -> RunTimeText:
        return RunTimeText.model_validate({"parts": parts})

    worker = role(
        "worker",
        4,
        env={
            "C": refer(EnvVar(name="B"), "/c"),
            "PLAIN": "$(A) $$ $é",
            "B": refer(EnvVar(name="A"), "/", TaskIndex()),
            "TOKEN": SecretRef(name="hub", key="token"),
            "CONF": ConfigMapRef(name="conf", key="x"),
            "A": refer("/data/$", EnvVar(name="CHECKPOINT_DIR")),
        },
    )
    variables = env_of(worker, checkpoint="/runs")
    assert [entry["name"] for entry in variables] == [
        "TASK_INDEX",
        "CHECKPOINT_DIR",
        "PLAIN",
        "TOKEN",
        "CONF",
        "A",
        "B",
        "C",
    ]
    assert variables[3:5] == [
        {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "hub", "key": "token"}}},
        {"name": "CONF", "valueFrom": {"configMapKeyRef": {"name": "conf", "key": "x"}}},
    ]
    made = {**container(worker, checkpoint="/runs"), "env": [e for e in variables if "key" not in str(e)]}
    assert kubelet.environment(made, {FIELD: "3"}) == {
        "TASK_INDEX": "3",
        "CHECKPOINT_DIR": "/runs",
        "PLAIN": "$(A) $$ $é",
        "A": "/data/$/runs",
        "B": "/data/$/runs/3",
        "C": "/data/$/runs/3/c",
    }


def test_tf_config_refers_to_the_index() -> None:
    worker = role("worker", 4)
    plan = PodPlan(index_of(worker, FIELD), tf_config='{"task":{"index":$(TASK_INDEX)}}')
    assert kubelet.environment(container(worker, plan=plan), {FIELD: "2"})["TF_CONFIG"] == '{"task":{"index":2}}'


def test_the_index_gets_a_name_that_is_free() -> None:
    worker = role("worker", 2, env={"TASK_INDEX": "mine"}, args=(RunTimeText(parts=(TaskIndex(),)),))
    made = container(worker)
    assert made["args"] == ["$(TFDSL_TASK_INDEX)"]
    assert made["env"][0] == {"name": "TFDSL_TASK_INDEX", "valueFrom": {"fieldRef": {"fieldPath": FIELD}}}


def test_one_replica_needs_no_index_variable() -> None:
    made = container(role("worker", args=("--task", RunTimeText(parts=(TaskIndex(),)))))
    assert made["args"] == ["--task", "0"]
    assert "env" not in made


# --- commands --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=1))
def test_a_list_reaches_the_process_byte_for_byte(words: list[str]) -> None:
    argv, _ = kubelet.process(container(role("worker", command=("show", *words), args=tuple(words))), {}, ())
    assert argv == ["show", *[w for w in words if w != "/bin/sh"], *[w for w in words if w != "/bin/sh"]]


def test_a_text_runs_in_the_shell_with_the_arguments_as_its_own() -> None:
    text = RunTimeText(parts=('printf \'%s|\' "$0" "$@" ', TaskIndex(), ' "', EnvVar(name="PLACE"), '" $((1 + 2)) $$'))
    worker = role("worker", 2, command=text, args=("a b", "$(X)"), env={"PLACE": "$(touch hit); x"})
    done = kubelet.run(container(worker), {FIELD: "1"})
    shown = done.stdout.split("|")
    assert shown[:5] == ["sh", "a b", "$(X)", "1", "$(touch hit); x"]
    assert shown[5] == "3"
    assert re.fullmatch(r"[0-9]+", shown[6])


def test_no_command_leaves_the_entrypoint() -> None:
    made = container(role("worker", command=(), args=("--steps=5",)))
    assert "command" not in made
    assert made["args"] == ["--steps=5"]


def test_a_program_takes_the_entrypoint_of_the_build() -> None:
    build = model.Build(base="x", entrypoint=("python", "/app/$(x).py"))
    worker = role("worker", command=(), args=("--a",))
    made = container(worker, plan=PodPlan(Index(constant=0), wrapper=Program('exec "$@"\n', ("p",))), build=build)
    assert made["command"] == ["/bin/sh", "-c", 'exec "$@"\n', "sh"]
    assert made["args"] == ["p", "python", "/app/$$(x).py", "--a"]


def test_tensorboard() -> None:
    made = container(role("worker"), role("tensorboard", logdir="/runs/$(x)", args=("--verbosity", "1")))
    assert made["command"] == ["tensorboard", "--logdir", "/runs/$$(x)", "--bind_all", "--port", "6006"]
    assert made["args"] == ["--verbosity", "1"]
    assert made["ports"] == [{"name": "http", "containerPort": 6006}]


HOSTS = {"chief": ["c:1"], "ps": ["p:1", "q:1"], "worker": ["w:1", "v:1", "u:1"]}


def test_flags_of_single_replicas_are_constants() -> None:
    made = container(role("worker", 3), role("chief"), plan=PodPlan(Index(constant=0), hosts=HOSTS))
    assert made["args"] == [
        "--ps_hosts=p:1,q:1",
        "--worker_hosts=c:1,w:1,v:1,u:1",
        "--job_name=worker",
        "--task_index=0",
    ]


def test_flags_of_many_replicas_refer_to_the_index() -> None:
    ps = role("ps", 2)
    made = container(role("chief"), ps, plan=PodPlan(index_of(ps, FIELD), hosts=HOSTS))
    assert made["args"][2:] == ["--job_name=ps", "--task_index=$(TASK_INDEX)"]
    assert kubelet.process(made, {FIELD: "1"})[0][-1] == "--task_index=1"


def test_a_worker_beside_a_chief_works_out_its_task_index(shell: tuple[str, ...]) -> None:
    worker = role(
        "worker", 12, command=("python3", "-c", "import json, sys; print(json.dumps(sys.argv[1:]))"), args=("a b", "$")
    )
    made = container(role("chief"), worker, plan=PodPlan(index_of(worker, FIELD), hosts=HOSTS))
    done = kubelet.run(made, {FIELD: "10"}, shell)
    assert json.loads(done.stdout) == [
        "a b",
        "$",
        "--ps_hosts=p:1,q:1",
        "--worker_hosts=c:1,w:1,v:1,u:1",
        "--job_name=worker",
        "--task_index=11",
    ]
