"""Flows whose jobs are each a Job: Workflows of Argo."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfdsl.backend import Document, Support
from tfdsl.backend.flow import FlowUnit
from tfdsl.diagnostics import Diagnostic
from tfdsl_backends.kubernetes.messages import FLOWS, SEVERAL_JOBS
from tfdsl_backends.podspec.flows import workflow
from tfdsl_backends.podspec.flows.checks import check_flow
from tfdsl_backends.podspec.flows.manifests import RUN_LENGTH
from tfdsl_backends.podspec.flows.support import ROWS

SUPPORT: Final = Support("kubernetes", "K8S", *ROWS)
MARK: Final = RUN_LENGTH
AWAITED: Final = workflow.Awaited(
    "Job",
    "batch/v1",
    "jobs.batch",
    "status.completionTime",
    ", ".join(f"status.conditions.{at}.type = Failed" for at in range(4)),
)
"""``completionTime`` is set on success only; FailureTarget and Suspended may stand before Failed."""


def check(unit: FlowUnit) -> Iterator[Diagnostic]:
    """What Argo could not do."""
    for job in unit.jobs:
        count = len(workflow.awaited_objects(job, AWAITED))
        if count > 1:
            yield SEVERAL_JOBS(job.unit.origins.named_at, job=job.run.job, count=count).help(
                "compile to jobset or tfjob, where a job is one object"
            )
    yield from check_flow(unit, FLOWS, AWAITED)


def generate(unit: FlowUnit) -> list[Document]:
    """The Workflow, and what it needs."""
    return workflow.generate(unit, AWAITED)
