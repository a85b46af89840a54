"""Comments of a manifest stand above what was read from the lines they are about."""

from __future__ import annotations

from tfdsl.importing.manifests import import_manifests
from tfdsl.text import Source

MANIFEST = """\
# What this job is for

# and who asked for it
apiVersion: kubeflow.org/v1
kind: TFJob
metadata:
  name: mnist
spec:
  runPolicy:
    # removed after a day
    ttlSecondsAfterFinished: 86400
  # nothing is kept of this line
  tfReplicaSpecs:
    Worker:
      # as many as
      # there are GPUs
      replicas: 2  # for now
      template:
        spec:
          containers:
          - name: tensorflow
            image: "registry.example.com/mnist:1.4"  # the newest "#1"
            command: [python, "/app/#1.py"]
            env:
            # how long
            - name: EPOCHS
              value: "5"
            - name: MODE  # fast or slow
              value: fast
          # the DNS of the cluster
          dnsPolicy: Default
"""


def test_comments_move_along() -> None:
    [result] = import_manifests([Source("mnist.yaml", MANIFEST)])
    assert (
        result.text
        == """\
# What this job is for
# and who asked for it

job mnist {
  # the newest "#1"
  image   = "registry.example.com/mnist:1.4"
  command = ["python", "/app/#1.py"]
  env     = {
    # how long
    EPOCHS = "5"
    # fast or slow
    MODE = "fast"
  }
  # removed after a day
  ttl = 1d

  role worker {
    # as many as
    # there are GPUs
    # for now
    replicas = 2
  }

  target tfjob {
    cleanup          = "none"
    istio_annotation = false
    on worker[0] completed => complete job
    # the DNS of the cluster
    # The language has no word for this.
    patch pod "spec.dnsPolicy" = "Default"
  }
}
"""
    )
