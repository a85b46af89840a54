"""Flows whose jobs are each a TFJob: Workflows of Argo."""

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
from tfdsl_backends.tfjob.messages import FLOWS
from tfdsl_backends.tfjob.options import API_VERSION

SUPPORT: Final = Support("tfjob", "KTF", *ROWS)
MARK: Final = RUN_LENGTH
AWAITED: Final = workflow.Awaited(
    "TFJob",
    API_VERSION,
    "tfjobs.kubeflow.org",
    "status.completionTime",
    ", ".join(f"status.conditions.{at}.type = Failed" for at in range(1, 6)),
)
"""``completionTime`` is set for both ends, but Argo asks for the failure first; Created is the first condition."""


def check(unit: FlowUnit) -> Iterator[Diagnostic]:
    """What Argo could not do."""
    return check_flow(unit, FLOWS, AWAITED)


def generate(unit: FlowUnit) -> list[Document]:
    """The Workflow, and what it needs."""
    return workflow.generate(unit, AWAITED)
