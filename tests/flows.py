"""Flows of jobs that are written in a text, for one target."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfdsl.backend.flow import FlowUnit
from tfdsl.compiling import pipeline
from tfdsl.compiling.flows import with_documents, without_board, without_documents
from tfdsl.ir.fields import Origins
from tfdsl.ir.flow import Flow, FlowRun
from tfdsl.targets import find
from tfdsl.text import Source, Span

EXAMPLES = frozenset({"nightly"})
"""Those that are a flow. On Kubernetes it becomes a Workflow, which import does not read."""


def flow_of(jobs: str, runs: Iterable[tuple[str, tuple[str, ...], str]], target: str, **fields: Any) -> FlowUnit:
    """The flow ``nightly`` with the ``jobs`` of a text. ``runs``: job, those before it, with which of their ends."""
    source, backend = Source("nightly.tfjob", jobs), find(target)
    assert backend is not None
    made = pipeline.compile_source(source, backend)
    steps = tuple(FlowRun.model_validate({"job": job, "after": after, "ending": end}) for job, after, end in runs)
    units = {one.unit.job.name: one.unit for one in made}
    flow = Flow(name="nightly", runs=steps, **fields)
    unit = without_documents(backend, flow, Origins(Span(source, 0, 0)), units)
    generate = backend.load().generate
    return with_documents(unit, [generate(without_board(job.unit)) for job in unit.jobs])
