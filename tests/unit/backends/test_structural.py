"""The checker itself, on manifests whose verdict a real API server (1.34.4) gave."""

from __future__ import annotations

import pytest
import yaml

from tests.unit.backends.structural import schema, violations

TFJOB = """
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: demo}
spec:
  tfReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - name: tensorflow
            image: x
            env: [{name: A, value: "1"}]
"""


def test_accepts_what_the_server_accepts() -> None:
    assert violations(yaml.safe_load(TFJOB), schema("tfjob")) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("  tfReplicaSpecs:", "  cleanPodPolicy: None\n  tfReplicaSpecs:", ".spec.cleanPodPolicy: unknown field"),
        ("replicas: 2", "replicas: two", "str instead of integer"),
        ('value: "1"', "value: true", "bool instead of string"),
        ("image: x", "image: x\n            resources: {limits: {memory: 4GB}}", "does not match"),
        ("env: [{", "env: [{name: A}, {", "twice"),
        ("name: tensorflow", "image: y", "containers[0].name: required"),
        ("replicas: 2", "replicas: 3000000000", "does not fit int32"),
    ],
)
def test_refuses_what_the_server_refuses(old: str, new: str, complaint: str) -> None:
    found = violations(yaml.safe_load(TFJOB.replace(old, new)), schema("tfjob"))
    assert len(found) == 1, found
    assert complaint in found[0]


def test_job_schema_knows_its_fields() -> None:
    job = yaml.safe_load(
        """
        {apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {backofLimit: 4, template: {spec: {containers:
        [{name: a, image: b, resource: {}}]}}}}
        """
    )
    assert violations(job, schema("batch-job")) == [
        ".spec.backofLimit: unknown field",
        ".spec.template.spec.containers[0].resource: unknown field",
    ]
