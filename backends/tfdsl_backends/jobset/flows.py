"""Flows whose jobs are each a JobSet: Workflows of Argo."""

from __future__ import annotations

from typing import Final

from tfdsl_backends.jobset.messages import FLOWS
from tfdsl_backends.jobset.options import API_VERSION
from tfdsl_backends.podspec.flows.argo import Argo
from tfdsl_backends.podspec.flows.workflow import Awaited

LOWERING: Final = Argo(
    "jobset",
    "JBS",
    FLOWS,
    Awaited("JobSet", API_VERSION, "status.terminalState = Completed", "status.terminalState = Failed"),
)
