"""A TFJob on its cluster. Its conditions are those of ``pkg/apis/kubeflow.org/v1/common_types.go``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfdsl.backend.cluster import Phase, Sign
from tfdsl_backends.podspec.operating.family import Facts, Family, Kind, Labels
from tfdsl_backends.podspec.operating.flows import FlowFamily
from tfdsl_backends.podspec.operating.kubectl import STATE, Object, conditions, number, text
from tfdsl_backends.podspec.options import QUEUE_LABEL
from tfdsl_backends.tfjob.reasons import ROWS

_LABELS: Final = "training.kubeflow.org"
_PARTS: Final = ("Chief", "Master", "PS", "Worker", "Evaluator")
_COLUMNS: Final = STATE | {part: f".spec.tfReplicaSpecs.{part}.replicas" for part in _PARTS}
_PHASES: Final[dict[str, Phase]] = {
    "Failed": "failed",
    "Succeeded": "succeeded",
    "Suspended": "suspended",
    "Restarting": "restarting",
}
"""The first condition that holds decides; Failed and Succeeded can both hold, and then the job has failed."""


def _facts(tables: Sequence[Sequence[Object]]) -> Facts:
    job = tables[0][0]
    held = conditions(job)
    kind = next((kind for kind in _PHASES if kind in held), "")
    condition = held.get(kind)
    counts = {part.lower(): replicas for part in _PARTS if (replicas := number(job[part])) is not None}
    signs = (
        [Sign("job", text(condition, "reason"), text(condition, "message"), f"tfjob/{job['name']}")]
        if condition
        else []
    )
    return Facts(
        _PHASES.get(kind),
        "running" if "Running" in held else "waiting",
        text(condition, "lastTransitionTime"),
        None,
        text(job["labels"], QUEUE_LABEL),
        counts,
        tuple(signs),
    )


CLUSTER: Final = Family(
    "tfjob",
    (Kind("tfjobs.kubeflow.org", _COLUMNS),),
    Labels(f"{_LABELS}/job-name", f"{_LABELS}/replica-type", f"{_LABELS}/replica-index"),
    r"{name}-(?P<role>chief|master|ps|worker|evaluator)-(?P<index>\d+)",
    _facts,
    ROWS,
    suspended=("spec", "runPolicy", "suspend"),
)
FLOWS: Final = FlowFamily(CLUSTER)
