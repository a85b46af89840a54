"""The normal form of Volcano's jobs: values from its webhook and controller, as the reference describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.backends.trees import data, of
from tfdsl.importing.compare import differences
from tfdsl_backends.volcano.controller import canonical_duration
from tfdsl_backends.volcano.normal import aligned, normal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.manifest.nodes import Node

TEMPLATE = {"spec": {"containers": [{"name": "c", "image": "x:1"}]}}


def normal_of(document: dict[str, Any]) -> dict[str, Any]:
    made = normal([of(document)], "1.15")
    assert data(normal(made, "1.15")[0]) == data(made[0])
    return data(made[0])


def job(tasks: list[dict[str, Any]], **spec: Any) -> dict[str, Any]:
    document = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "j"}}
    return {**document, "spec": {**spec, "tasks": tasks}}


def task(name: str = "worker", **more: Any) -> dict[str, Any]:
    return {"name": name, "replicas": 2, "template": TEMPLATE, **more}


def test_what_the_webhook_fills_in_is_gone() -> None:
    given = {
        "schedulerName": "volcano",
        "queue": "default",
        "maxRetry": 3,
        "minAvailable": 3,
        "policies": [],
        "volumes": [],
    }
    tasks = [task("ps", minAvailable=1, maxRetry=3), task(minAvailable=2, topologyPolicy="none")]
    assert normal_of(job(tasks, **given)) == job([task("ps", minAvailable=1), task()])
    assert normal_of(job([task()], minAvailable=0, maxRetry=0)) == job([task()])


def test_names_of_tasks_without_one() -> None:
    assert normal_of(job([{"replicas": 1, "template": TEMPLATE}, task("a")])) == job(
        [task("a"), {"name": "default0", "replicas": 1, "template": TEMPLATE}]
    )


@pytest.mark.parametrize(
    ("spec", "more"),
    [
        ({"minAvailable": 1}, {}),
        ({"queue": "q"}, {}),
        ({"maxRetry": 1, "policies": [{"event": "PodFailed", "action": "RestartJob"}]}, {}),
        ({"plugins": {"env": []}}, {}),
        ({"minSuccess": 1}, {}),
        ({}, {"dependsOn": {"name": ["a", "b"], "iteration": "any"}}),
        ({}, {"template": {"spec": {"schedulerName": "default-scheduler"}}}),
        ({}, {"template": {"spec": {"hostNetwork": True, "dnsPolicy": "ClusterFirst"}}}),
        ({}, {"template": {"spec": {"restartPolicy": "OnFailure"}}}),
    ],
)
def test_what_means_something_stays(spec: dict[str, Any], more: dict[str, Any]) -> None:
    document = job([task(**more)], **spec)
    assert normal_of(document) == document


def test_what_pods_get_from_the_job() -> None:
    pod = {
        "schedulerName": "s",
        "priorityClassName": "high",
        "hostNetwork": True,
        "dnsPolicy": "ClusterFirstWithHostNet",
    }
    metadata = {
        "name": "x",
        "labels": {"volcano.sh/task-spec": "w"},
        "annotations": {"scheduling.k8s.io/group-name": "g", "a": "b"},
    }
    made = normal_of(
        job([task(template={"metadata": metadata, "spec": pod})], schedulerName="s", priorityClassName="high")
    )
    template = {"metadata": {"annotations": {"a": "b"}}, "spec": {"hostNetwork": True}}
    assert made == job([task(template=template)], schedulerName="s", priorityClassName="high")


def plugins(**given: list[str]) -> dict[str, list[str]]:
    return normal_of(job([task()], plugins=given))["spec"]["plugins"]


def test_plugins() -> None:
    assert plugins(tensorflow=["--ps=ps", "-worker", "worker", "--port=2222"]) == {"svc": [], "tensorflow": []}
    assert plugins(mpi=["--master=m"]) == {"mpi": ["--master=m"], "ssh": [], "svc": []}
    assert plugins(svc=["--publish-not-ready-addresses", "--disable-network-policy=false"]) == {
        "svc": ["--publish-not-ready-addresses=true"]
    }
    assert plugins(svc=["-unknown", "--publish-not-ready-addresses"]) == {
        "svc": ["-unknown", "--publish-not-ready-addresses"]
    }


NEVER = {"spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}
IN_PLACE = {"spec": {**TEMPLATE["spec"], "restartPolicy": "OnFailure"}}


def policies(*given: dict[str, Any], template: dict[str, Any] = NEVER) -> list[dict[str, Any]]:
    """Of the one task of a job, which is the job."""
    made = normal_of(job([task(policies=[*given], template=template)]))["spec"]
    return [*made.get("policies", []), *made["tasks"][0].get("policies", [])]


def lists(job_policies: list[dict[str, Any]], *of_tasks: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The policies of a job and of its tasks in their normal form."""
    tasks = [task(f"t{number}", policies=given, template=NEVER) for number, given in enumerate(of_tasks)]
    made = normal_of(job(tasks, policies=job_policies))["spec"]
    return [made.get("policies", []), *(one.get("policies", []) for one in made["tasks"])]


RESTART = {"event": "PodEvicted", "action": "RestartJob"}
COMPLETE = {"event": "TaskCompleted", "action": "CompleteJob"}
FAILED = {"event": "PodFailed", "action": "TerminateJob"}


def test_policies_as_the_controller_reads_them() -> None:
    assert policies(
        {"events": ["PodFailed", "PodEvicted", "PodFailed"], "action": "RestartJob", "timeout": "600s"},
        {"exitCode": 3, "action": "AbortJob"},
    ) == [
        {"event": "PodEvicted", "action": "RestartJob", "timeout": "10m"},
        {"event": "PodFailed", "action": "RestartJob", "timeout": "10m"},
    ]
    before = [{"exitCode": 3, "action": "AbortJob"}, {"event": "PodFailed", "action": "RestartJob"}]
    assert policies(*before) == before
    assert policies({"event": "JobUpdated", "action": "AbortJob"}, {"event": "PodPending", "action": "AbortJob"}) == []
    pending = {"event": "PodPending", "action": "AbortJob", "timeout": "1h"}
    assert policies(pending) == [pending]
    every = [{"exitCode": 1, "action": "AbortJob"}, {"event": "*", "action": "RestartJob"}]
    events = ("PodEvicted", "PodFailed", "TaskCompleted")
    assert policies(*every) == [every[0], *({"event": event, "action": "RestartJob"} for event in events)]


def test_where_a_policy_is_written_does_not_matter() -> None:
    assert lists([RESTART], [COMPLETE], []) == [[RESTART], [COMPLETE], []]
    assert lists([], [COMPLETE, RESTART], [RESTART]) == [[RESTART], [COMPLETE], []]
    assert lists([RESTART], [{**RESTART, "action": "AbortJob"}], []) == [
        [],
        [{**RESTART, "action": "AbortJob"}],
        [RESTART],
    ]
    statuses = {"exitCode": 3, "action": "AbortJob"}
    assert lists([statuses, FAILED], [], []) == [[statuses, FAILED], [], []]
    # Its own PodFailed comes before the status of the job, which the other task keeps.
    assert lists([statuses], [FAILED], []) == [[], [FAILED], [statuses]]
    assert lists([statuses], [statuses, FAILED], []) == [[], [statuses, FAILED], [statuses]]


def test_policies_that_never_act() -> None:
    assert policies({"exitCode": 3, "action": "AbortJob"}, RESTART, template=IN_PLACE) == [RESTART]
    counted = {"event": "TaskFailed", "action": "TerminateJob"}
    assert policies(counted, template=IN_PLACE) == [counted]
    assert policies(counted) == []
    assert lists([], [{"event": "Unknown", "action": "RestartJob"}], []) == [[], [], []]
    assert lists([RESTART], [{**RESTART, "action": "ResumeJob"}], []) == [[], [], [RESTART]]
    resumed = {"exitCode": 3, "action": "ResumeJob"}
    assert policies(resumed) == []
    assert policies(resumed, FAILED) == [resumed, FAILED]


def test_the_one_task_of_a_job_is_its_completion() -> None:
    assert policies(COMPLETE, RESTART) == [RESTART]
    assert lists([], [COMPLETE], []) == [[], [COMPLETE], []]
    later = {**COMPLETE, "timeout": "5m"}
    assert policies(later) == [later]


def test_numbers_of_starts_that_nothing_looks_at() -> None:
    assert "maxRetry" not in normal_of(job([task()], maxRetry=5))["spec"]
    assert normal_of(job([task()], maxRetry=5, policies=[RESTART]))["spec"]["maxRetry"] == 5
    assert "maxRetry" not in normal_of(job([task(maxRetry=5)]))["spec"]["tasks"][0]
    counted = [{"event": "TaskFailed", "action": "TerminateJob"}]
    assert normal_of(job([task(maxRetry=5)], policies=counted))["spec"]["tasks"][0]["maxRetry"] == 5


def test_minimums_that_nothing_looks_at() -> None:
    def numbers(document: dict[str, Any]) -> list[int | None]:
        spec = normal_of(document)["spec"]
        return [spec.get("minAvailable"), *(one.get("minAvailable") for one in spec["tasks"])]

    two = [task("a", minAvailable=1), task("b")]
    assert numbers(job(two)) == [None, 1, None]
    assert numbers(job(two, minAvailable=3)) == [None, 1, None]
    assert numbers(job(two, minAvailable=4)) == [4, 1, None]
    assert numbers(job(two, minAvailable=2)) == [2, None, None]
    assert numbers(job([task("a", minAvailable=0), task("b", minAvailable=0)], minAvailable=1)) == [1, None, None]
    waits = [task("a", minAvailable=1), task("b", dependsOn={"name": ["a"]})]
    assert numbers(job(waits, minAvailable=1)) == [1, 1, None]
    assert numbers(job([task(minAvailable=2)], minAvailable=1)) == [1, None]
    assert numbers(job([task(minAvailable=1)], minAvailable=1)) == [1, None]


def test_ports_that_only_inform() -> None:
    def ports(listed: list[dict[str, Any]], **spec: Any) -> object:
        template = {"spec": {"containers": [{"name": "c", "image": "x:1", "ports": listed, **spec}]}}
        return normal_of(job([task(template=template)]))["spec"]["tasks"][0]["template"]["spec"]["containers"][0].get(
            "ports"
        )

    assert ports([{"containerPort": 80}, {"name": "tfjob-port", "containerPort": 2222}]) is None
    assert ports([{"containerPort": 80, "hostPort": 80}]) == [{"containerPort": 80, "hostPort": 80}]
    web = [{"name": "web", "containerPort": 80}]
    assert ports(web) == web
    named = [{"name": "tfjob-port", "containerPort": 2222}]
    assert ports(named, readinessProbe={"tcpSocket": {"port": "tfjob-port"}}) == named


def test_malformed_policies_stay() -> None:
    malformed = [{"event": "PodFailed", "exitCode": 1, "action": "AbortJob"}, {"action": "AbortJob"}]
    assert policies(*malformed) == malformed


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("90s", "90s"),
        ("60s", "1m"),
        ("1h0m0s", "1h"),
        ("1.5h", "90m"),
        ("1500ms", "1500ms"),
        (".5s", "500ms"),
        ("+5s", "5s"),
        ("0s", "0s"),
    ],
)
def test_durations(written: str, shown: str) -> None:
    assert canonical_duration(written) == shown


@pytest.mark.parametrize("text", ["", "10", "1d", "1 m", "m", "-1s" * 30])
def test_what_is_no_duration(text: str) -> None:
    assert canonical_duration(text) is None


def test_volumes() -> None:
    volumes = [
        {"mountPath": "/b", "volumeClaimName": "d"},
        {"mountPath": "/a", "volumeClaimName": "d"},
        {"mountPath": "/0", "volumeClaimName": "x", "volumeClaim": {"accessModes": ["ReadWriteOnce"]}},
    ]
    made = normal_of(job([task()], volumes=[*volumes, {"mountPath": "/c", "volumeClaim": {}}]))["spec"]
    assert made["volumes"] == [
        {"mountPath": "/0", "volumeClaim": {"accessModes": ["ReadWriteOnce"]}},
        {"mountPath": "/c", "volumeClaim": {}},
    ]
    pod = made["tasks"][0]["template"]["spec"]
    (volume,) = pod["volumes"]
    assert volume["persistentVolumeClaim"] == {"claimName": "d"}
    assert pod["containers"][0]["volumeMounts"] == [{"name": volume["name"], "mountPath": "/b"}]


def test_jobs_in_other_documents() -> None:
    bare = job([task()])
    template = {"metadata": {"labels": {"a": "b"}}, "spec": bare["spec"]}
    cron = {**bare, "kind": "CronJob", "spec": {"schedule": "* * * * *", "jobTemplate": template}}
    assert normal_of(cron) == {**bare, "metadata": {"name": "j", "labels": {"a": "b"}}}
    flow = {**bare, "apiVersion": "flow.volcano.sh/v1alpha1", "kind": "JobTemplate"}
    assert normal_of(flow) == bare


def test_names_of_containers() -> None:
    ours = normal(
        [of(job([task(template={"spec": {"containers": [{"name": "tensorflow", "image": "x:1"}]}})]))], "1.15"
    )
    theirs = normal([of(job([task()]))], "1.15")
    assert data(aligned(theirs, ours)[0]) == data(ours[0])


@pytest.mark.parametrize(
    "spec", [None, 3, [], {}, {"tasks": 3}, {"tasks": [3, None]}, {"plugins": [1], "volumes": [1]}]
)
@pytest.mark.parametrize("kind", ["Job", "CronJob"])
def test_any_document_is_taken(kind: str, spec: object) -> None:
    document = of({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": kind, "spec": spec, "metadata": 3})
    made = normal([document], "x")
    aligned(made, made)
    aligned(normal([of(job([task()]))], "1.15"), made)
    aligned(made, normal([of(job([task()]))], "1.15"))


@pytest.mark.parametrize(
    ("replicas", "job_minimum", "task_minimum", "left"),
    [
        (3, 4, 2, ["replicas"]),  # kubectl patch of the replicas alone
        (3, 5, 3, ["replicas"]),  # as compiled for three
        (3, 4, 3, ["replicas"]),
        (2, 3, 2, ["minAvailable"]),
        (2, 4, 2, []),
    ],
)
def test_a_minimum_that_both_have_differs_in_neither(
    replicas: int, job_minimum: int, task_minimum: int, left: list[str]
) -> None:
    """The webhook writes the minimums of a job of two roles with two replicas: 2, 2 and 4."""

    def two(count: int, own: int, whole: int) -> Sequence[Node]:
        tasks = [task("ps", minAvailable=2), task(replicas=count, minAvailable=own)]
        return normal([of(job(tasks, minAvailable=whole))], "1.15")

    compiled, live = two(2, 2, 4), two(replicas, task_minimum, job_minimum)
    for first, second in ((aligned(compiled, live), live), (compiled, aligned(live, compiled))):
        assert sorted(str(one.path[-1]) for one in differences(first[0], second[0])) == left
