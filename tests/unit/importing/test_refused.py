"""What the server refuses is said with its reason where no patch can give it, and the law is silent about it."""

from __future__ import annotations

from tfdsl.importing.manifests import import_manifests
from tfdsl.text import Source

MANIFEST = """\
apiVersion: kubeflow.org/v1
kind: TFJob
metadata:
  name: mnist
spec:
  tfReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - name: tensorflow
            image: registry.example.com/mnist:1.4
            volumeMounts:
            - name: nowhere
              mountPath: /data
"""


def test_a_mount_without_its_volume() -> None:
    """Pods with it are refused (core/v1, validation of volumeMounts: name: Not found)."""
    [result] = import_manifests([Source("mnist.yaml", MANIFEST)])
    [refused] = [one for one in result.diagnostics if one.level == "warning"]
    assert refused.rule.slug == "import-server-refuses"
    assert refused.message.endswith("there is no volume nowhere: the pod has none")
    assert refused.span.text.startswith("- name: nowhere") or refused.span.text.startswith("name: nowhere")
    assert result.jobs[0].kept is None
    assert "replicas = 2" in result.text


def test_one_pod_of_a_role_that_differs_is_patched_alone() -> None:
    """A set of Jobs on hosts, one of which runs another image."""
    one = """\
apiVersion: batch/v1
kind: Job
metadata: {{name: mnist-worker-{0}}}
spec:
  template:
    spec:
      nodeName: h{0}
      hostNetwork: true
      restartPolicy: Never
      containers:
      - name: tensorflow
        image: registry.example.com/mnist:{1}
        env:
        - name: TF_CONFIG
          value: '{{"cluster":{{"worker":["h0:2222","h1:2222"]}},"task":{{"type":"worker","index":{0}}}}}'
"""
    text = "---\n".join((one.format(0, 1), one.format(1, 2)))
    [result] = import_manifests([Source("jobs.yaml", text)])
    assert result.jobs[0].kept is True
    place = "Job/mnist-worker-1:spec.template.spec.containers[name=tensorflow].image"
    alone = f'patch "{place}" = "registry.example.com/mnist:2"'
    assert alone in " ".join(result.text.split())
