"""What the versions of the training operator can do, as data.

Source: training-operator and tf-operator releases (changelog and `pkg/controller.v1` of each tag); the operator that
was run is 1.8.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.record import Record
from tfdsl.vocabulary import versions

if TYPE_CHECKING:
    from tfdsl.backend import Unit

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


class Features(Record):
    """What one version can do."""

    exit_code: bool
    remakes_lost_pods: bool
    keeps_pods: bool
    cleans_by_policy: bool
    suspend: bool


LATEST = Features(exit_code=True, remakes_lost_pods=True, keeps_pods=True, cleans_by_policy=True, suspend=True)
"""What the newest version can do."""


def features(unit: Unit) -> Features:
    """The features of the operator that ``unit`` is for."""
    return Features(
        exit_code=unit.at_least(EXIT_CODE),
        remakes_lost_pods=unit.at_least(REMAKES_LOST_PODS),
        keeps_pods=unit.at_least(KEEPS_PODS),
        cleans_by_policy=versions.key(unit.shown_version) >= versions.key(CLEANS_BY_POLICY),
        suspend=unit.at_least(SUSPEND),
    )
