"""A JobSet with one Indexed Job for each role: what stands where."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from tests.unit.backends.generated_jobs import jobs as generated
from tests.unit.backends.jobs import amount, job, policy, role, time, unit
from tests.unit.backends.jobset.manifest import jobset, specs
from tests.unit.backends.podspec.kubelet import environment
from tests.unit.backends.verdicts import codes, documents, report
from tfdsl import targets
from tfdsl.ir.model import Claim, ClaimMount, Cluster, Job

INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
CLUSTER = {
    "chief": ["mnist-chief-0-0.mnist:2222"],
    "ps": ["mnist-ps-0-0.mnist:2222", "mnist-ps-0-1.mnist:2222"],
    "worker": ["mnist-worker-0-0.mnist:2222", "mnist-worker-0-1.mnist:2222"],
}


def pod(spec: dict) -> dict:
    return spec["template"]["spec"]


def container(spec: dict) -> dict:
    return pod(spec)["containers"][0]


def test_everything_that_is_always_written() -> None:
    found = jobset(job(role("worker", 2)))
    assert found["apiVersion"] == "jobset.x-k8s.io/v1alpha2"
    assert found["spec"]["network"] == {"enableDNSHostnames": True, "publishNotReadyAddresses": True}
    assert found["spec"]["successPolicy"] == {"operator": "All", "targetReplicatedJobs": ["worker"]}
    assert found["spec"]["failurePolicy"] == {"maxRestarts": 0, "restartStrategy": "BlockingRecreate"}
    [one] = found["spec"]["replicatedJobs"]
    assert (one["name"], one["replicas"]) == ("worker", 1)
    spec = one["template"]["spec"]
    assert {key: value for key, value in spec.items() if key != "template"} == {
        "completionMode": "Indexed",
        "completions": 2,
        "parallelism": 2,
        "backoffLimit": 0,
    }
    assert pod(spec)["restartPolicy"] == "Never"


def test_what_the_job_says_of_the_jobset() -> None:
    made = job(
        role("chief"),
        role("worker", 2),
        namespace="ml",
        labels={"team": "vision"},
        annotations={"note": "x"},
        queue="research",
        priority="high",
        scheduler="bin-packer",
        deadline=time("12h"),
        ttl=time("1d"),
        suspend=True,
    )
    found = jobset(made, exclusive_topology="example.com/rack", coordinator="chief", subdomain="trainers")
    assert found["metadata"] == {
        "name": "mnist",
        "namespace": "ml",
        "labels": {"team": "vision", "kueue.x-k8s.io/queue-name": "research"},
        "annotations": {"note": "x", "alpha.jobset.sigs.k8s.io/exclusive-topology": "example.com/rack"},
    }
    spec = found["spec"]
    assert (spec["suspend"], spec["ttlSecondsAfterFinished"]) == (True, 86400)
    assert spec["network"]["subdomain"] == "trainers"
    assert spec["coordinator"] == {"replicatedJob": "chief", "jobIndex": 0, "podIndex": 0}
    for one in specs(found).values():
        assert one["activeDeadlineSeconds"] == 43200
        assert (pod(one)["priorityClassName"], pod(one)["schedulerName"]) == ("high", "bin-packer")
        assert "ttlSecondsAfterFinished" not in one


def test_each_task_sees_the_cluster() -> None:
    made = job(role("chief"), role("ps", 2), role("worker", 2), role("evaluator"))
    for name, spec in specs(jobset(made)).items():
        for index in range(spec["completions"]):
            variables = environment(container(spec), {INDEX: str(index)})
            config = json.loads(variables["TF_CONFIG"])
            assert config == {"cluster": CLUSTER, "task": {"type": name, "index": index}, "environment": "cloud"}


def test_the_index_is_defined_before_its_users() -> None:
    [spec] = specs(jobset(job(role("worker", 2)))).values()
    first, second = container(spec)["env"][:2]
    assert first == {"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": {"fieldPath": INDEX}}}
    assert second["name"] == "TF_CONFIG"


def test_names_of_replicated_jobs_and_of_the_service() -> None:
    made = job(role("chief"), role("worker", 2, after=("chief",)))
    found = jobset(made, job_names={"chief": "lead", "worker": "trainer-1"}, subdomain="net")
    assert list(specs(found)) == ["lead", "trainer-1"]
    assert found["spec"]["successPolicy"]["targetReplicatedJobs"] == ["lead"]
    assert found["spec"]["replicatedJobs"][1]["dependsOn"] == [{"name": "lead", "status": "Ready"}]
    config = environment(container(specs(found)["lead"]), {})["TF_CONFIG"]
    assert '"worker":["mnist-trainer-1-0-0.net:2222","mnist-trainer-1-0-1.net:2222"]' in config


def test_without_a_service() -> None:
    quiet = job(role("worker", 2), cluster=Cluster(discovery="none"))
    assert jobset(quiet, service=False)["spec"]["network"] == {"enableDNSHostnames": False}
    assert "JBS101" in codes(unit(job(role("worker", 2)), "jobset", service=False), "error")


def test_jobs_stand_behind_those_they_depend_on() -> None:
    made = job(role("worker", 2, after=("ps", "chief")), role("chief", after=("ps",)), role("ps"))
    found = jobset(made)["spec"]["replicatedJobs"]
    assert [one["name"] for one in found] == ["ps", "chief", "worker"]
    assert [one["name"] for one in found[2]["dependsOn"]] == ["ps", "chief"]


def test_old_releases_depend_on_one() -> None:
    several = job(role("worker", 2, after=("ps", "chief")), role("chief"), role("ps"))
    assert "JBS052" in codes(unit(several, "jobset", "0.8", written=("roles[worker].after",)), "error")
    one = job(role("worker", 2, after=("ps",)), role("ps"))
    assert jobset(one, "0.8")["spec"]["replicatedJobs"][1]["dependsOn"]


@pytest.mark.parametrize(
    ("ends", "operator", "of"),
    [
        ((), "All", ["chief"]),
        ((policy("completed", "complete job", role="worker"),), "All", ["worker"]),
        (
            (policy("completed", "complete job", role="worker"), policy("completed", "complete job", role="chief")),
            "Any",
            ["chief", "worker"],
        ),
    ],
)
def test_whose_end_is_the_end(ends: tuple, operator: str, of: list[str]) -> None:
    found = jobset(job(role("chief"), role("worker", 2), role("ps"), policies=ends))
    assert found["spec"]["successPolicy"] == {"operator": operator, "targetReplicatedJobs": of}


def test_one_replica_of_several_ends_the_job() -> None:
    end = policy("completed", "complete job", role="worker", index=1)
    asked = unit(job(role("worker", 3), policies=(end,)), "jobset")
    found = jobset(asked)
    assert specs(found)["worker"]["successPolicy"] == {"rules": [{"succeededIndexes": "1"}]}
    assert "JBS109" in codes(asked, "info")
    alone = unit(job(role("worker"), policies=(policy("completed", "complete job", role="worker", index=0),)), "jobset")
    assert "successPolicy" not in specs(jobset(alone))["worker"]
    assert "JBS109" not in codes(alone, "info")


def claimed(*, keep: bool) -> Job:
    claim = Claim(name="data", size=amount("1Gi"), access_modes=("ReadWriteMany",), keep=keep)
    return job(role("worker", 2, mounts=(ClaimMount(at="/data", claim="data"),)), claims=(claim,))


def test_a_claim_goes_with_the_jobset() -> None:
    made = documents(unit(claimed(keep=False), "jobset"))
    assert len(made) == 1
    spec = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}
    assert made[0]["spec"]["volumeClaimPolicies"] == [
        {"templates": [{"metadata": {"name": "data"}, "spec": spec}], "retentionPolicy": {"whenDeleted": "Delete"}}
    ]
    worker = pod(specs(made[0])["worker"])
    assert "volumes" not in worker
    assert worker["containers"][0]["volumeMounts"] == [{"name": "data", "mountPath": "/data"}]


@pytest.mark.parametrize(("keep", "version"), [(True, "0.12"), (False, "0.10"), (True, "0.10")])
def test_a_claim_that_outlives_it(keep: bool, version: str) -> None:
    asked = unit(claimed(keep=keep), "jobset", version)
    jobset_, claim = documents(asked)
    assert "volumeClaimPolicies" not in jobset_["spec"]
    assert (claim["kind"], claim["metadata"]["name"]) == ("PersistentVolumeClaim", "mnist-data")
    [volume] = pod(specs(jobset_)["worker"])["volumes"]
    assert volume["persistentVolumeClaim"] == {"claimName": "mnist-data"}
    assert ("JBS031" in codes(asked)) == (not keep)


def test_tensorboard_never_ends_the_job() -> None:
    found, service = documents(unit(job(role("worker", 2), role("tensorboard")), "jobset"))
    board = specs(found)["tensorboard"]
    assert (pod(board)["restartPolicy"], board["backoffLimit"]) == ("OnFailure", 2**31 - 1)
    assert service["spec"]["selector"] == {
        "jobset.sigs.k8s.io/jobset-name": "mnist",
        "jobset.sigs.k8s.io/replicatedjob-name": "tensorboard",
    }


def test_replicas_apart_by_the_labels_that_their_pods_get() -> None:
    found = jobset(job(role("worker", 2, spread="node")), job_names={"worker": "w"})
    [term] = pod(specs(found)["w"])["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert term["labelSelector"]["matchLabels"] == {
        "jobset.sigs.k8s.io/jobset-name": "mnist",
        "jobset.sigs.k8s.io/replicatedjob-name": "w",
    }


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(generated())
def test_the_server_takes_what_is_made(made: Job) -> None:
    backend = targets.find("jobset")
    assert backend is not None
    for version in backend.versions:
        asked = unit(made, "jobset", version)
        if not any(one.level == "error" for one in report(asked)):
            jobset(asked)


# --- limits ------------------------------------------------------------------------------------------------------


def named(name: str, *roles: object, **options: str) -> list[str]:
    made = Job.model_validate({"name": name, "roles": roles})
    return codes(unit(made, "jobset", **options), "error")


@pytest.mark.parametrize(("replicas", "longest"), [(2, 46), (10, 46), (11, 45), (101, 44)])
def test_the_longest_name(replicas: int, longest: int) -> None:
    """Seen: worker with two pods takes 46 characters and refuses 47; with eleven 45."""
    assert "JBS040" not in named("a" * longest, role("worker", replicas))
    assert "JBS040" in named("a" * (longest + 1), role("worker", replicas))


def test_the_longest_name_with_a_coordinator() -> None:
    """Seen: chief takes 26 characters and refuses 27."""
    assert "JBS040" not in named("a" * 26, role("chief"), coordinator="chief")
    assert "JBS040" in named("a" * 27, role("chief"), coordinator="chief")


def test_the_name_begins_with_a_letter() -> None:
    assert "JBS043" in named("0mnist", role("worker"))


def test_two_roles_of_one_name() -> None:
    made = job(role("chief"), role("worker", 2))
    assert "JBS100" in codes(unit(made, "jobset", job_names={"chief": "worker"}), "error")


def test_a_coordinator_that_is_none() -> None:
    assert "JBS104" in codes(unit(job(role("worker")), "jobset", coordinator="chief"), "error")


def test_several_jobs_of_a_role() -> None:
    """Names, index and TF_CONFIG are those of a run with JobSet 0.12, in which TensorFlow trained (see c51)."""
    made = job(role("chief"), role("ps", 2), role("worker", 2))
    found = jobset(made, jobs={"ps": 2, "worker": 2})
    entries = {one["name"]: one for one in found["spec"]["replicatedJobs"]}
    assert {name: one["replicas"] for name, one in entries.items()} == {"chief": 1, "ps": 2, "worker": 2}
    spec = entries["worker"]["template"]["spec"]
    assert (spec["completions"], spec["parallelism"]) == (1, 1)
    [index, config] = container(spec)["env"]
    place = "metadata.annotations['jobset.sigs.k8s.io/job-index']"
    assert index["valueFrom"] == {"fieldRef": {"fieldPath": place}}
    whole = json.loads(config["value"].replace(f"$({index['name']})", "1"))
    assert whole["cluster"] == {
        "chief": ["mnist-chief-0-0.mnist:2222"],
        "ps": ["mnist-ps-0-0.mnist:2222", "mnist-ps-1-0.mnist:2222"],
        "worker": ["mnist-worker-0-0.mnist:2222", "mnist-worker-1-0.mnist:2222"],
    }
    assert whole["task"] == {"type": "worker", "index": 1}


def test_several_jobs_of_several_pods() -> None:
    made = job(role("worker", 6), cluster=Cluster(discovery="none"))
    [one] = jobset(made, jobs={"worker": 2})["spec"]["replicatedJobs"]
    spec = one["template"]["spec"]
    assert (one["replicas"], spec["completions"], spec["parallelism"]) == (2, 3, 3)


def test_the_annotation_of_exclusive_placement() -> None:
    key = "alpha.jobset.sigs.k8s.io/exclusive-topology"
    made = job(role("worker"), annotations={key: "other"})
    assert "JBS110" in codes(unit(made, "jobset", exclusive_topology="rack"), "error")
    same = job(role("worker"), annotations={key: "rack"})
    assert "JBS110" not in codes(unit(same, "jobset", exclusive_topology="rack"), "error")


def test_numbers_of_32_bits() -> None:
    assert "JBS102" in codes(unit(job(role("worker"), ttl=time("100000d")), "jobset"), "error")
    assert "JBS102" not in codes(unit(job(role("worker"), retries=2**31 - 2), "jobset"), "error")


def test_the_queue_is_a_label() -> None:
    assert "JBS046" in codes(unit(job(role("worker"), queue="a b"), "jobset"), "error")
