"""Flows whose jobs are each a JobSet: Workflows of Argo."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfdsl.backend import Document, Support
from tfdsl.backend.flow import FlowUnit
from tfdsl.diagnostics import Diagnostic
from tfdsl_backends.jobset.messages import FLOWS
from tfdsl_backends.jobset.options import API_VERSION
from tfdsl_backends.podspec.flows import workflow
from tfdsl_backends.podspec.flows.checks import check_flow
from tfdsl_backends.podspec.flows.manifests import RUN_LENGTH
from tfdsl_backends.podspec.flows.support import ROWS

SUPPORT: Final = Support("jobset", "JBS", *ROWS)
MARK: Final = RUN_LENGTH
AWAITED: Final = workflow.Awaited(
    "JobSet",
    API_VERSION,
    "jobsets.jobset.x-k8s.io",
    "status.terminalState = Completed",
    "status.terminalState = Failed",
)


def check(unit: FlowUnit) -> Iterator[Diagnostic]:
    """What Argo could not do."""
    return check_flow(unit, FLOWS, AWAITED)


def generate(unit: FlowUnit) -> list[Document]:
    """The Workflow, and what it needs."""
    return workflow.generate(unit, AWAITED)
