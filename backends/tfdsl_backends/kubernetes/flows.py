"""Flows whose jobs are each a Job: Workflows of Argo."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfdsl.backend.flow import FlowUnit
from tfdsl.diagnostics import Diagnostic
from tfdsl_backends.kubernetes.messages import FLOWS, SEVERAL_JOBS
from tfdsl_backends.podspec.flows.argo import Argo
from tfdsl_backends.podspec.flows.workflow import Awaited, awaited_objects


class _OneJobEach(Argo):
    def check(self, unit: FlowUnit) -> Iterator[Diagnostic]:
        """What Argo could not do: it waits for one object of each job."""
        for job in unit.jobs:
            count = len(awaited_objects(job, self.awaited))
            if count > 1:
                yield SEVERAL_JOBS(job.unit.origins.named_at, job=job.run.job, count=count).help(
                    "compile to jobset or tfjob, where a job is one object"
                )
        yield from super().check(unit)


LOWERING: Final = _OneJobEach(
    "kubernetes",
    "K8S",
    FLOWS,
    Awaited(
        "Job",
        "batch/v1",
        "status.completionTime",
        ", ".join(f"status.conditions.{at}.type = Failed" for at in range(4)),
    ),
)
"""``completionTime`` is set on success only; FailureTarget and Suspended may stand before Failed."""
