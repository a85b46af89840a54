"""What is checked of flows on every target of the family, beyond the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tfdsl.backend.flow import FlowJob, FlowUnit
from tfdsl.diagnostics import Diagnostic
from tfdsl.emit.json import compact
from tfdsl.emit.located import Data
from tfdsl.vocabulary.names import LONGEST_LABEL
from tfdsl_backends.podspec.flows.workflow import LIMITED, MOST, at_least, replaces
from tfdsl_backends.podspec.messages import FlowRules

LONGEST_CRON: Final = 52
"""Characters in the name of a CronWorkflow (``maxCharsInCronWorkflowName``)."""
SUFFIX: Final = 5
"""What the server adds to ``generateName``; the name of a Workflow is the value of a label, too."""
LARGEST: Final = 1_000_000
"""Bytes of templates: the controller keeps at most 1 MiB of a Workflow, with the state of its run (seen)."""


def check_flow(unit: FlowUnit, rules: FlowRules, templates: Sequence[Data]) -> Iterator[Diagnostic]:
    """Errors and notes about a flow, then about its jobs, then about all ``templates`` of the Workflow."""
    yield from _check_name(unit, rules)
    flow, origins = unit.flow, unit.origins
    if flow.service_account is None:
        yield rules.no_account(origins.named_at).help(
            "write service_account to get a Role with the rights that the flow needs"
        )
    if flow.schedule is not None and flow.time_zone is None:
        yield rules.no_zone(origins.span("schedule")).help("write time_zone")
    if flow.deadline is not None:
        yield rules.late(origins.span("deadline"))
    if replaces(unit):
        yield rules.replaces(origins.span("overlap"))
    if flow.schedule is None and origins.written("overlap") is not None:
        yield rules.no_schedule(origins.span("overlap")).help("remove overlap, or write schedule")
    yield from _check_version(unit, rules)
    for job in unit.jobs:
        yield from _check_job(job, rules)
    yield from _check_size(unit, rules, templates)


def _check_name(unit: FlowUnit, rules: FlowRules) -> Iterator[Diagnostic]:
    flow = unit.flow
    kind, limit = ("Workflow", LONGEST_LABEL - SUFFIX - 1) if flow.schedule is None else ("CronWorkflow", LONGEST_CRON)
    if len(flow.name) > limit:
        yield rules.name(unit.origins.named_at, kind=kind, length=len(flow.name), limit=limit)


def _check_version(unit: FlowUnit, rules: FlowRules) -> Iterator[Diagnostic]:
    first, *others = unit.jobs
    for job in others:
        named = job.unit.text("argo")
        if named != first.unit.text("argo"):
            place = job.unit.option_place("argo")
            jobs = {"first": first.run.job, "version": first.unit.text("argo"), "job": job.run.job, "other": named}
            error = rules.versions(place, **jobs).note(first.unit.option_place("argo"), f"that of job {first.run.job}")
            yield error.help("write the same version in all jobs of the flow")
            return


def _check_job(job: FlowJob, rules: FlowRules) -> Iterator[Diagnostic]:
    one, origins = job.unit.job, job.unit.origins
    if one.suspend:
        yield rules.suspended(origins.span("suspend"), job=job.run.job).help("remove suspend")
    if one.board is not None:
        yield rules.board(origins.span(one.board.path), job=job.run.job).help(
            f"compile job {job.run.job} alone for TensorBoard"
        )


def _check_size(unit: FlowUnit, rules: FlowRules, templates: Sequence[Data]) -> Iterator[Diagnostic]:
    size = len(compact(templates))
    if size > LARGEST:
        yield rules.size(unit.origins.named_at, size=size, limit=LARGEST).help("split the flow")
    if len(templates) > MOST and at_least(unit, LIMITED):
        yield rules.templates(unit.origins.named_at, count=len(templates), limit=MOST).help("split the flow")
