"""Flows whose jobs are each a TFJob: Workflows of Argo."""

from __future__ import annotations

from typing import Final

from tfdsl_backends.podspec.flows.argo import Argo
from tfdsl_backends.podspec.flows.workflow import Awaited
from tfdsl_backends.tfjob.messages import FLOWS
from tfdsl_backends.tfjob.options import API_VERSION

LOWERING: Final = Argo(
    "tfjob",
    "KTF",
    FLOWS,
    Awaited(
        "TFJob",
        API_VERSION,
        "status.completionTime",
        ", ".join(f"status.conditions.{at}.type = Failed" for at in range(1, 6)),
    ),
)
"""``completionTime`` is set for both ends, but Argo asks for the failure first; Created is the first condition."""
