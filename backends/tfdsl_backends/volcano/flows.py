"""Flows whose jobs are each a Job of Volcano: Workflows of Argo."""

from __future__ import annotations

from typing import Final

from tfdsl_backends.podspec.flows.argo import Argo
from tfdsl_backends.podspec.flows.workflow import Awaited
from tfdsl_backends.volcano.features import API_VERSION
from tfdsl_backends.volcano.messages import FLOWS

LOWERING: Final = Argo(
    "volcano",
    "VOL",
    FLOWS,
    Awaited(
        "Job", API_VERSION, "status.state.phase = Completed", "status.state.phase in (Failed, Terminated, Aborted)"
    ),
)
"""A job that was aborted could be resumed, but for a flow it has failed."""
