"""TFJobs of older APIs are imported as the v1 that their operators would have made of them: the texts are equal."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.importing.generated_tfjobs import manifest
from tests.sampled import sampled
from tfdsl.importing.manifests import import_manifests
from tfdsl.text import Source

FLAT = ("cleanPodPolicy", "ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit")
LISTED = ("Master", "Worker", "PS")
NUMBERS = [*range(4), *sampled(range(4, 25), 3)]


def imported(job: dict[str, Any]) -> str:
    """The text that comes of ``job``, with the law held."""
    [result] = import_manifests([Source("job.json", json.dumps(job))])
    assert [one.kept for one in result.jobs] == [True], [one.message for one in result.diagnostics]
    return result.text


def of_today(number: int, cleanup: str) -> dict[str, Any]:
    """A job with nothing that the older APIs lacked. ``cleanup``: what their operators did by default."""
    job = json.loads(manifest(number))
    spec = job["spec"]
    policy = {key: value for key, value in spec.get("runPolicy", {}).items() if key in FLAT}
    spec.pop("enableDynamicWorker", None)
    spec["runPolicy"] = {"cleanPodPolicy": cleanup, **policy}
    return job


@pytest.mark.parametrize("version", ["v1alpha2", "v1beta1", "v1beta2"])
@pytest.mark.parametrize("number", NUMBERS)
def test_policies_at_the_level_of_spec(number: int, version: str) -> None:
    today = of_today(number, "Running")
    old = json.loads(json.dumps(today))
    policies = old["spec"].pop("runPolicy")
    if policies["cleanPodPolicy"] == "Running":
        del policies["cleanPodPolicy"]
    old["apiVersion"] = f"kubeflow.org/{version}"
    old["spec"] |= policies
    assert imported(old) == imported(today)


@pytest.mark.parametrize("number", NUMBERS)
def test_the_list_of_replicas(number: int) -> None:
    today = of_today(number, "All")
    spec = today["spec"]
    roles = {key.capitalize().replace("Ps", "PS"): role for key, role in spec["tfReplicaSpecs"].items()}
    roles = {key: role for key, role in roles.items() if key in LISTED} or {"Master": next(iter(roles.values()))}
    if not {"Master", "Worker"} & set(roles):
        roles = {"Worker": roles["PS"]}
    items: list[dict[str, Any]] = []
    for key, role in roles.items():
        template = json.loads(json.dumps(role["template"]))
        restart = template["spec"].pop("restartPolicy", "Never")
        role["template"] = json.loads(json.dumps(template))
        role["restartPolicy"] = template["spec"]["restartPolicy"] = restart
        counted = {"replicas": role["replicas"]} if "replicas" in role else {}
        items.append({"tfReplicaType": key.upper(), "template": template, **counted})
    spec["tfReplicaSpecs"] = roles
    spec["runPolicy"] = {"cleanPodPolicy": spec["runPolicy"]["cleanPodPolicy"]}
    spec.pop("successPolicy", None)
    cleanup = spec["runPolicy"]["cleanPodPolicy"]
    old = {**today, "apiVersion": "kubeflow.org/v1alpha1"}
    old["spec"] = {"replicaSpecs": items, "cleanupPodPolicy": cleanup}
    assert imported(old) == imported(today)
