"""The manifest: the published example, the reference job, gangs, order of start, claims, TensorBoard."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.backends.jobs import amount, job, policy, role, time, unit
from tests.unit.backends.verdicts import documents
from tfdsl.emit.located import plain
from tfdsl.emit.yaml import write
from tfdsl.ir import model
from tfdsl_backends.volcano.lower import generate

if TYPE_CHECKING:
    from tfdsl.ir.model import Job, Role

OBSERVED = json.loads((Path(__file__).parents[3] / "data/volcano/observed.json").read_text())
EXAMPLE = {"image": "volcanosh/dist-mnist-tf-example:0.0.1", "command": ("python", "/var/tf_dist_mnist/dist_mnist.py")}


def made(asked: Job, version: str | None = None, **options: Any) -> list[dict[str, Any]]:
    return documents(unit(asked, "volcano", version, **options))


def spec(asked: Job, **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = made(asked, **options)[0]["spec"]
    return found


def container(found: dict[str, Any], task: str) -> dict[str, Any]:
    wanted = next(entry for entry in found["tasks"] if entry["name"] == task)
    first: dict[str, Any] = wanted["template"]["spec"]["containers"][0]
    return first


def published_example() -> Job:
    """volcano-sh/volcano example/integrations/tensorflow/dist-mnist."""
    return job(
        role("ps", **EXAMPLE),
        role("worker", 2, **EXAMPLE),
        policies=(policy("completed", "complete job", role="worker"), policy("evicted", "restart job")),
        name="tensorflow-dist-mnist",
        queue="default",
    )


def test_the_published_example() -> None:
    found = made(published_example(), tf_config="shell")
    assert len(found) == 1
    assert (found[0]["apiVersion"], found[0]["kind"]) == ("batch.volcano.sh/v1alpha1", "Job")
    assert found[0]["metadata"] == {"name": "tensorflow-dist-mnist"}
    body = found[0]["spec"]
    assert list(body) == ["schedulerName", "queue", "minAvailable", "maxRetry", "plugins", "policies", "tasks"]
    assert (body["minAvailable"], body["schedulerName"], body["queue"]) == (3, "volcano", "default")
    assert body["plugins"] == {"env": [], "svc": ["--publish-not-ready-addresses=true"]}
    assert {"event": "PodEvicted", "action": "RestartJob"} in body["policies"]
    ps, worker = body["tasks"]
    assert (ps["name"], ps["replicas"], "policies" in ps) == ("ps", 1, False)
    assert (worker["name"], worker["replicas"]) == ("worker", 2)
    assert worker["policies"] == [{"event": "TaskCompleted", "action": "CompleteJob"}]
    for task in (ps, worker):
        assert task["template"]["spec"]["restartPolicy"] == "Never"
        first = task["template"]["spec"]["containers"][0]
        assert (first["name"], first["image"]) == ("tensorflow", "volcanosh/dist-mnist-tf-example:0.0.1")
        assert first["ports"] == [{"name": "tfjob-port", "containerPort": 2222}]
        assert first["command"][:2] == ["/bin/sh", "-c"]
        assert "/etc/volcano/ps.host" in first["command"][2]
        assert "/etc/volcano/worker.host" in first["command"][2]
        assert first["args"] == ["python", "/var/tf_dist_mnist/dist_mnist.py"]


def test_the_published_example_with_the_plugin_and_static() -> None:
    plugin = spec(published_example())
    assert plugin["plugins"]["tensorflow"] == ["--ps=ps", "--worker=worker", "--port=2222"]
    assert "env" not in container(plugin, "worker")
    assert container(plugin, "worker")["command"] == list(EXAMPLE["command"])
    static = spec(published_example(), tf_config="static")
    assert "tensorflow" not in static["plugins"]
    assert container(static, "worker")["env"] == [
        {
            "name": "TASK_INDEX",
            "valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['volcano.sh/task-index']"}},
        },
        {
            "name": "TF_CONFIG",
            "value": '{"cluster":{"ps":["tensorflow-dist-mnist-ps-0.tensorflow-dist-mnist:2222"],"worker":['
            '"tensorflow-dist-mnist-worker-0.tensorflow-dist-mnist:2222",'
            '"tensorflow-dist-mnist-worker-1.tensorflow-dist-mnist:2222"]},'
            '"task":{"type":"worker","index":$(TASK_INDEX)},"environment":"cloud"}',
        },
    ]


def test_what_stands_on_the_job() -> None:
    asked = job(
        role("worker", 2),
        policies=(policy("failed", "restart job"),),
        namespace="ml",
        labels={"team": "vision"},
        annotations={"a": "b"},
        priority="high",
        scheduler="other",
        queue="research",
        ttl=time("90m"),
        deadline=time("1500ms"),
        retries=2,
    )
    found = made(asked)[0]
    assert found["metadata"] == {
        "name": "mnist",
        "namespace": "ml",
        "labels": {"team": "vision"},
        "annotations": {"a": "b"},
    }
    assert {key: value for key, value in found["spec"].items() if key not in ("plugins", "policies", "tasks")} == {
        "schedulerName": "other",
        "queue": "research",
        "minAvailable": 2,
        "maxRetry": 3,
        "priorityClassName": "high",
        "ttlSecondsAfterFinished": 5400,
    }
    assert found["spec"]["tasks"][0]["template"]["spec"]["activeDeadlineSeconds"] == 2


# --- gang and order of start -------------------------------------------------------------------------------------


def minimums(asked: Job) -> tuple[int, dict[str, int]]:
    body = spec(asked)
    return body["minAvailable"], {task["name"]: task["minAvailable"] for task in body["tasks"]}


def test_the_gang_is_the_sum_of_the_minimums() -> None:
    asked = job(role("ps", 2), role("worker", 4, min_available=2), role("tensorboard"))
    assert minimums(asked) == (4, {"ps": 2, "worker": 2, "tensorboard": 0})


def test_without_a_gang_no_task_waits() -> None:
    assert minimums(job(role("ps", 2), role("worker", 4), gang=False)) == (1, {"ps": 0, "worker": 0})


def test_roles_that_start_later_are_not_in_the_gang() -> None:
    asked = job(role("ps"), role("worker", 2, after=("ps",)))
    assert minimums(asked) == (1, {"ps": 1, "worker": 2})
    real = OBSERVED["depends-min1"]["job"]
    assert (real["minAvailable"], real["phase"]) == (1, "Running")
    assert {name: task["minAvailable"] for name, task in real["tasks"].items()} == {"ps": 1, "worker": 2}
    worker = spec(asked)["tasks"][1]
    assert worker["dependsOn"] == {"name": ["ps"]}


def test_without_a_gang_a_task_that_others_wait_for_keeps_its_minimum() -> None:
    assert minimums(job(role("ps", 2), role("worker", after=("ps",)), gang=False)) == (1, {"ps": 2, "worker": 0})


def test_a_job_minimum_of_0_would_mean_all() -> None:
    assert minimums(job(role("worker", 3, min_available=0))) == (1, {"worker": 0})


def test_waiting_for_tensorboard() -> None:
    asked = job(role("worker", after=("tensorboard",)), role("ps"), role("tensorboard"))
    assert minimums(asked) == (1, {"worker": 1, "ps": 1, "tensorboard": 1})


# --- claims ------------------------------------------------------------------------------------------------------


def claim(**fields: object) -> model.Claim:
    given = {"name": "runs", "size": amount("1Gi"), "access_modes": ("ReadWriteMany",)}
    return model.Claim.model_validate(given | fields)


def mounted(name: str, at: str = "/runs", **fields: object) -> tuple[model.ClaimMount, ...]:
    return (model.ClaimMount.model_validate({"at": at, "claim": "runs", **fields}),)


CLAIM_SPEC = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}


def test_a_claim_of_all_roles_is_the_jobs_own() -> None:
    roles = [role(name, mounts=mounted(name)) for name in ("ps", "worker")]
    found = made(job(*roles, claims=(claim(storage_class="fast"),)))
    assert len(found) == 1
    assert found[0]["spec"]["volumes"] == [
        {"mountPath": "/runs", "volumeClaim": {"storageClassName": "fast", **CLAIM_SPEC}}
    ]
    assert "volumeMounts" not in container(found[0]["spec"], "ps")


@pytest.mark.parametrize(
    ("mounts", "kept"),
    [
        ({"ps": mounted("ps"), "worker": mounted("worker")}, True),
        ({"ps": mounted("ps")}, False),
        ({"ps": mounted("ps"), "worker": mounted("worker", "/other")}, False),
        ({"ps": mounted("ps"), "worker": mounted("worker", readonly=True)}, False),
        ({"ps": mounted("ps"), "worker": mounted("worker", sub_path="x")}, False),
        ({"ps": mounted("ps"), "worker": (*mounted("worker"), *mounted("worker", "/again"))}, False),
    ],
)
def test_any_other_claim_is_a_document(mounts: dict[str, tuple[model.ClaimMount, ...]], kept: bool) -> None:
    roles = [role(name, mounts=mounts.get(name, ())) for name in ("ps", "worker")]
    found = made(job(*roles, claims=(claim(keep=kept),)))
    assert [document["kind"] for document in found] == ["Job", "PersistentVolumeClaim"]
    assert found[1] == {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "mnist-runs"},
        "spec": CLAIM_SPEC,
    }
    assert "volumes" not in found[0]["spec"]
    for name, placed in mounts.items():
        pod = next(task for task in found[0]["spec"]["tasks"] if task["name"] == name)["template"]["spec"]
        assert pod["volumes"] == [{"name": "pvc-mnist-runs", "persistentVolumeClaim": {"claimName": "mnist-runs"}}]
        assert [m["mountPath"] for m in pod["containers"][0]["volumeMounts"]] == [mount.at for mount in placed]


# --- devices, labels, TensorBoard --------------------------------------------------------------------------------


def test_a_share_of_a_device() -> None:
    shared = role("worker", gpu_memory=amount("8Gi"))
    two = role("ps", gpu=2, gpu_memory=amount("1000000001"))
    body = spec(job(two, shared))
    assert container(body, "worker")["resources"]["limits"] == {
        "volcano.sh/vgpu-number": 1,
        "volcano.sh/vgpu-memory": 8192,
    }
    assert container(body, "ps")["resources"]["requests"] == {
        "volcano.sh/vgpu-number": 2,
        "volcano.sh/vgpu-memory": 954,
    }


def test_labels_that_we_select_by_are_those_of_real_pods() -> None:
    asked = job(role("chief"), role("ps"), role("worker", 2, spread="node"), role("tensorboard"), name="tfplug")
    job_document, service = made(asked)
    term = job_document["spec"]["tasks"][2]["template"]["spec"]["affinity"]["podAntiAffinity"]
    (rule,) = term["requiredDuringSchedulingIgnoredDuringExecution"]
    wanted = rule["labelSelector"]["matchLabels"]
    pods = OBSERVED["tfplug"]["pods"]
    chosen = [name for name, pod in pods.items() if wanted.items() <= pod["labels"].items()]
    assert chosen == ["tfplug-worker-0", "tfplug-worker-1"]
    assert service["spec"]["selector"].keys() == wanted.keys()


@pytest.mark.parametrize(
    ("worker", "open_to_all"),
    [
        (role("worker"), False),
        (role("worker", ports={"metrics": 9090}), True),
        (
            role("worker", steps=(model.Step(kind="sidecar", name="log", image="log:1", ports={"http-log": 2020}),)),
            True,
        ),
    ],
    ids=["no port", "of the command", "of a sidecar"],
)
def test_named_ports_are_reached_from_outside(worker: Role, open_to_all: bool) -> None:
    """The svc plugin's NetworkPolicy, unless disabled, admits only pods of the same job."""
    svc = made(job(worker))[0]["spec"]["plugins"]["svc"]
    assert ("--disable-network-policy=true" in svc) == open_to_all


def test_tensorboard_is_a_task_with_a_service() -> None:
    asked = job(role("worker"), role("tensorboard", port=7000), namespace="ml")
    document, service = made(asked)
    assert document["spec"]["plugins"]["svc"] == ["--publish-not-ready-addresses=true", "--disable-network-policy=true"]
    board = document["spec"]["tasks"][1]
    assert (board["minAvailable"], board["template"]["spec"]["restartPolicy"]) == (0, "Always")
    assert service == {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "mnist-tensorboard", "namespace": "ml"},
        "spec": {
            "selector": {"volcano.sh/job-name": "mnist", "volcano.sh/task-spec": "tensorboard"},
            "ports": [{"name": "http", "port": 80, "targetPort": 7000}],
        },
    }


def test_the_volume_of_the_svc_plugin_is_left_its_name() -> None:
    real = OBSERVED["demo-vc"]["pods"]["demo-vc-ps-0"]["volumes"]
    assert real == ["demo-vc-svc"]
    worker = role("worker", mounts=(model.HostMount(at="/x", source="/a/svc"),))
    pod = spec(job(worker, name="host-a"))["tasks"][0]["template"]["spec"]
    assert pod["volumes"][0]["name"] not in ("host-a-svc", "")
    assert pod["volumes"][0]["name"].startswith("host-a-svc-")


def test_4000_workers_take_the_same_space_as_4() -> None:
    def size(workers: int) -> int:
        asked = unit(job(role("chief"), role("ps", 2), role("worker", workers)), "volcano")
        return len(write([document.data for document in generate(asked)]).text)

    assert size(4000) == pytest.approx(size(4), rel=0.1)


def test_every_line_knows_its_place() -> None:
    found = generate(unit(published_example(), "volcano"))
    written = write([document.data for document in found])
    by_line = dict(zip(written.text.splitlines(), written.lines, strict=True))
    assert by_line["  queue: default"] == "queue"
    assert by_line["  - event: PodEvicted"] == "policies[1]"
    assert by_line["    replicas: 2"] == "roles[worker].replicas"
    assert by_line["          image: volcanosh/dist-mnist-tf-example:0.0.1"] == "roles[worker].image"
    assert plain(found[0].data) == documents(unit(published_example(), "volcano"))[0]
