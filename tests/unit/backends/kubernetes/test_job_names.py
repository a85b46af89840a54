"""Jobs and pods with names of one's own: ``job_names``."""

from __future__ import annotations

import json

import pytest

from tests.unit.backends.jobs import job, role, unit
from tests.unit.backends.verdicts import codes, documents


def test_addresses_follow_from_the_names() -> None:
    """A pod of an Indexed Job is called JOB-INDEX (Kubernetes, "Indexed Job")."""
    made = unit(job(role("ps"), role("worker", 2)), "kubernetes", job_names={"worker": "train"})
    jobs = [one for one in documents(made) if one["kind"] == "Job"]
    assert [one["metadata"]["name"] for one in jobs] == ["mnist-ps", "train"]
    env = {one["name"]: one for one in jobs[0]["spec"]["template"]["spec"]["containers"][0]["env"]}
    cluster = json.loads(env["TF_CONFIG"]["value"])["cluster"]
    assert cluster == {"ps": ["mnist-ps-0.mnist:2222"], "worker": ["train-0.mnist:2222", "train-1.mnist:2222"]}


def test_on_hosts_each_job_has_its_index() -> None:
    made = unit(job(role("worker", 2)), "kubernetes", hosts=("a", "b"), job_names={"worker": "train"})
    assert [one["metadata"]["name"] for one in documents(made)] == ["train-0", "train-1"]


def test_two_roles_cannot_have_one_name() -> None:
    two = job(role("ps"), role("worker"))
    assert "K8S117" in codes(unit(two, "kubernetes", job_names={"worker": "train", "ps": "train"}), "error")
    assert "K8S117" in codes(unit(two, "kubernetes", job_names={"worker": "mnist-ps"}), "error")
    assert "K8S117" not in codes(unit(two, "kubernetes", job_names={"worker": "train"}))


def test_a_name_leaves_room_for_the_index() -> None:
    """63 characters, as a label of pods has them: a name of 61 has no room for -10."""
    named = {"worker": "m" * 61}
    assert "K8S040" not in codes(unit(job(role("worker", 10)), "kubernetes", job_names=named))
    assert "K8S040" in codes(unit(job(role("worker", 11)), "kubernetes", job_names=named), "error")


@pytest.mark.parametrize("name", ["job-name", "controller-uid", "batch.kubernetes.io/job-name"])
def test_a_label_that_the_server_gives_each_pod_is_refused(name: str) -> None:
    """It answers 422 to a Job whose pods have another value (``ValidateGeneratedSelector``)."""
    found = codes(unit(job(role("worker", labels={name: "mine"}), role("ps")), "kubernetes"))
    assert found.count("K8S037") == 1
    assert "K8S037" not in codes(unit(job(role("worker", labels={"job-names": "mine"})), "kubernetes"))
    assert "K8S037" not in codes(unit(job(role("worker"), labels={name: "mine"}), "kubernetes"))  # not on the pods
