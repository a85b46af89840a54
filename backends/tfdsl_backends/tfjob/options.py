"""What the target takes: the versions of the training operator and what each can do, and the options of a job.

Source: training-operator and tf-operator releases (changelog and `pkg/controller.v1` of each tag); the operator that
was run is 1.8.1.
"""

from __future__ import annotations

from tfdsl.backend import Option, Unit
from tfdsl.record import Record
from tfdsl.vocabulary import versions
from tfdsl.vocabulary.types import BOOL, STRING, one_of
from tfdsl_backends.podspec.options import POD_OPTIONS

API_VERSION = "kubeflow.org/v1"
"""Of all versions."""

ROLE_KEYS = {"chief": "Chief", "master": "Master", "ps": "PS", "worker": "Worker", "evaluator": "Evaluator"}
"""The spelling that the webhook and Kueue look for, and to which the operator turns a key that differs in case only."""

CLEANUP = {"running": "Running", "all": "All", "none": "None"}

VERSIONS = ("1.3", "1.5", "1.6", "1.7", "1.8", "1.9")
"""Versions of the operator, oldest first; all serve kubeflow.org/v1."""

EXIT_CODE = "1.5"
"""From here `ExitCode` restarts on 128 and above; before, on four statuses only (130, 137, 138, 143)."""

REMAKES_LOST_PODS = "1.6"
"""From here a pod in phase Failed (evicted, lost node) is recreated under `OnFailure` too."""

KEEPS_PODS = "1.6"
"""From here the operator keeps all pods of a finished job that says nothing (`cleanPodPolicy` None; before Running)."""

CLEANS_BY_POLICY = "1.9.4"
"""From here `cleanPodPolicy` also counts when retries or the deadline end the job; before, all its pods are deleted."""

SUSPEND = "1.7"
"""From here there is `runPolicy.suspend`."""


SIDECARS = "1.8"
"""From here the CRD keeps ``restartPolicy`` of an init container; before, a sidecar would keep the command waiting."""


SPARSE_IN_CLUSTER = "1.7"
"""From here TF_CONFIG beside `enableDynamicWorker` has its addresses in `cluster`; before, in `sparseCluster`."""


class Features(Record):
    """What one version can do."""

    exit_code: bool
    remakes_lost_pods: bool
    keeps_pods: bool
    cleans_by_policy: bool
    suspend: bool
    sparse_in_cluster: bool


LATEST = Features(True, True, True, True, True, True)
"""What the newest version can do."""


def features(unit: Unit) -> Features:
    """The features of the operator that ``unit`` is for."""
    return Features(
        exit_code=unit.at_least(EXIT_CODE),
        remakes_lost_pods=unit.at_least(REMAKES_LOST_PODS),
        keeps_pods=unit.at_least(KEEPS_PODS),
        cleans_by_policy=versions.key(unit.shown_version) >= versions.key(CLEANS_BY_POLICY),
        suspend=unit.at_least(SUSPEND),
        sparse_in_cluster=unit.at_least(SPARSE_IN_CLUSTER),
    )


OPTIONS = (
    Option(
        "tf_config",
        one_of("operator", "static"),
        "Who sets TF_CONFIG: the operator (which always does for jobs with several replicas), or a shell that starts "
        "every command and exports the value of the language reference.",
        "operator",
    ),
    Option(
        "gang_scheduler",
        STRING,
        "The scheduler that the operator was started with (`--gang-scheduler-name`), e.g. `volcano` or "
        "`scheduler-plugins-scheduler`; empty: none, and the operator creates no PodGroup.",
        "",
    ),
    Option(
        "limit_restarts",
        BOOL,
        "Write `retries` as `backoffLimit`, which ends a job whose containers restart too often. `false` omits it: the "
        "operator restarts them without a limit.",
        True,
    ),
    Option(
        "dynamic_workers",
        BOOL,
        "Let the job go on without a worker that has failed, and tell each task only the addresses that it needs "
        "(`enableDynamicWorker`).",
        False,
    ),
    Option("kueue", BOOL, "`queue` is a Kueue LocalQueue: it is written as the label that Kueue reads.", False),
    *POD_OPTIONS,
)
