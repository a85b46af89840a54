"""Flows: their jobs under the names that they have there, and the documents of the whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING

from tfdsl.backend import Backend, Unit
from tfdsl.backend.flow import FlowJob, FlowUnit
from tfdsl.record import replace

if TYPE_CHECKING:
    from tfdsl.ir.fields import Origins
    from tfdsl.ir.flow import Flow

_MARK = "run0mark"


def flow_unit(backend: Backend, flow: Flow, origins: Origins, jobs: Mapping[str, Unit]) -> FlowUnit:
    """``flow`` for a target that has flows. ``jobs``: by their own names; all are of this target and its version."""
    lowering, generate = backend.load_flows(), backend.load().generate
    assert lowering is not None
    units = [jobs[run.job] for run in flow.runs]
    mark = _mark(units, lowering.MARK)
    named = [replace(unit, job=unit.job.but(name=name_in(flow, unit, mark))) for unit in units]
    made = [
        FlowJob(run, unit, tuple(generate(_without_board(unit)))) for run, unit in zip(flow.runs, named, strict=True)
    ]
    return FlowUnit(backend.name, units[0].version, flow, origins, tuple(made), mark)


def name_in(flow: Flow, unit: Unit, mark: str) -> str:
    """What the job of ``unit`` is called in a run of ``flow``."""
    return "-".join(part for part in (flow.name, unit.job.name, mark) if part)


def _without_board(unit: Unit) -> Unit:
    """``unit`` without TensorBoard, which would never end."""
    board = unit.job.board
    if board is None:
        return unit
    roles = tuple(role for role in unit.job.roles if role is not board)
    policies = tuple(policy for policy in unit.job.policies if policy.role != board.name)
    return replace(unit, job=unit.job.but(roles=roles, policies=policies))


def _mark(units: Sequence[Unit], length: int) -> str:
    """A text of ``length`` characters that no job has in it."""
    from tfdsl.compiling.read_json import dump

    if not length:
        return ""
    texts = [dump(unit.job) for unit in units]
    marks = (_MARK[:length].ljust(length, "0") if not at else f"{at:0{length}x}" for at in count())
    return next(mark for mark in marks if not any(mark in text for text in texts))
