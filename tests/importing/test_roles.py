"""``--role``: a manifest calls a role otherwise, and compiling still gives what was read, under the role's own name."""

from __future__ import annotations

from tfdsl.importing.manifests import import_manifests
from tfdsl.text import Source

TFJOB = """
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: digits}
spec:
  runPolicy: {cleanPodPolicy: Running}
  tfReplicaSpecs:
    Trainer:
      replicas: 2
      restartPolicy: OnFailure
      template:
        spec:
          terminationGracePeriodSeconds: 45
          hostAliases: [{ip: 10.0.0.5, hostnames: [db]}]
          containers: [{name: tensorflow, image: registry.example.com/digits:2}]
    Server:
      template:
        spec: {containers: [{name: tensorflow, image: registry.example.com/digits:2}]}
"""


def test_a_tfjob_whose_roles_have_other_names() -> None:
    [result] = import_manifests([Source("job.yaml", TFJOB)], {"trainer": "worker", "Server": "ps"})
    assert [(job.name, job.kept, job.patches) for job in result.jobs] == [("digits", True, 1)]
    assert result.diagnostics == ()
    assert "role worker {" in result.text
    assert "role ps     { }" in result.text


def test_a_role_that_is_not_named() -> None:
    [result] = import_manifests([Source("job.yaml", TFJOB)], {"trainer": "worker"})
    assert result.text == ""
    assert [one.message for one in result.diagnostics] == ["the replica spec Server is not a role of the language"]


CLAIM = """---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: digits-data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}}
"""
MOUNTED = """
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: digits}
spec:
  tfReplicaSpecs:
    Trainer:
      template:
        spec:
          containers:
          - name: tensorflow
            image: registry.example.com/digits:2
            volumeMounts: [{name: data, mountPath: /data}]
          volumes: [{name: data, persistentVolumeClaim: {claimName: digits-data}}]
"""


def test_a_claim_beside_a_role_of_another_name() -> None:
    [result] = import_manifests([Source("job.yaml", MOUNTED + CLAIM)], {"trainer": "worker"})
    assert [(job.kept, job.patches) for job in result.jobs] == [(True, 0)]
    assert "mount claim 10Gi" in result.text


def test_a_task_whose_own_role_was_given_to_another() -> None:
    manifest = """
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: digits}
spec:
  tasks:
  - {name: ps, replicas: 1, template: {spec: {containers: [{name: tensorflow, image: "digits:1"}]}}}
  - {name: trainer, replicas: 1, template: {spec: {containers: [{name: tensorflow, image: "digits:1"}]}}}
"""
    [result] = import_manifests([Source("job.yaml", manifest)], {"trainer": "ps"})
    [error] = [one for one in result.diagnostics if one.level == "error"]
    assert error.message == "the language cannot say task ps as role ps: task trainer is role ps already"
