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


VOLCANO = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: digits}
spec:
  # nothing is kept of this line
  minAvailable: 1
  schedulerName: volcano
  # where it runs:
  #   a rack
  #     of one switch
  networkTopology:
    # not elsewhere
    highestTierAllowed: 1
  tasks:
  # who trains
  - name: worker
    replicas: 1
    template:
      spec:
        restartPolicy: Never
        containers:
        - name: tensorflow
          image: registry.example.com/digits:1
          env:
          - name: LEVEL
            value: "3"  # verbose
          - {name: API_TOKEN, value: not-in-a-secret}  # for the hub
"""


def test_comments_keep_their_statement_and_their_indentation() -> None:
    """A comment about a role is above the role; what a wide statement begins with is not about that statement."""
    [result] = import_manifests([Source("digits.yaml", VOLCANO)])
    assert (
        result.text
        == """\
job digits {
  image = "registry.example.com/digits:1"
  env   = {
    # verbose
    LEVEL = "3"
    # for the hub
    API_TOKEN = "not-in-a-secret"
  }

  # who trains
  role worker { }

  cluster { discovery = "none" }

  target volcano {
    istio_annotation = false
    plugins          = { }
    policies         = "written"
    # where it runs:
    #   a rack
    #     of one switch
    # not elsewhere
    # The language has no word for this.
    patch "spec.networkTopology" = { highestTierAllowed = 1 }
  }
}
"""
    )


def test_a_secret_in_plain_text_is_told_where_the_manifest_has_it() -> None:
    [result] = import_manifests([Source("digits.yaml", VOLCANO)])
    [told] = [one for one in result.diagnostics if one.level == "warning"]
    assert (told.rule.code, told.span.text) == ("TFJ3017", "{name: API_TOKEN, value: not-in-a-secret}")
    assert [(job.patches, job.kept) for job in result.jobs] == [(1, True)]
