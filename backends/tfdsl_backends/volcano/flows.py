"""Flows whose jobs are each a Job of Volcano: Workflows of Argo."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfdsl.backend import Document, Support
from tfdsl.backend.flow import FlowUnit
from tfdsl.diagnostics import Diagnostic
from tfdsl_backends.podspec.flows import workflow
from tfdsl_backends.podspec.flows.checks import check_flow
from tfdsl_backends.podspec.flows.manifests import RUN_LENGTH
from tfdsl_backends.podspec.flows.support import ROWS
from tfdsl_backends.volcano.lower import API_VERSION
from tfdsl_backends.volcano.messages import FLOWS

SUPPORT: Final = Support("volcano", "VOL", *ROWS)
MARK: Final = RUN_LENGTH
AWAITED: Final = workflow.Awaited(
    "Job",
    API_VERSION,
    "jobs.batch.volcano.sh",
    "status.state.phase = Completed",
    "status.state.phase in (Failed, Terminated, Aborted)",
)
"""A job that was aborted could be resumed, but for a flow it has failed."""


def check(unit: FlowUnit) -> Iterator[Diagnostic]:
    """What Argo could not do."""
    return check_flow(unit, FLOWS, AWAITED)


def generate(unit: FlowUnit) -> list[Document]:
    """The Workflow, and what it needs."""
    return workflow.generate(unit, AWAITED)
