"""Flows: their jobs under the names that they have there, and the documents of the whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING

from tfdsl.backend import Backend, Document, Unit
from tfdsl.backend.flow import FlowJob, FlowUnit
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.value_rules import JOB_NAME
from tfdsl.emit.located import entry
from tfdsl.record import replace
from tfdsl.rules import flows as rules
from tfdsl.vocabulary.names import LONGEST_LABEL
from tfdsl.vocabulary.statements import FLOW

if TYPE_CHECKING:
    from tfdsl.ir.fields import Item, Origins
    from tfdsl.ir.flow import Flow

_MARK = "run0mark"


def without_documents(backend: Backend, flow: Flow, origins: Origins, jobs: Mapping[str, Unit]) -> FlowUnit:
    """The flow with its jobs under their names there, in one namespace; nothing is generated yet.

    ``jobs``: by their own names; all are of this target and its version.
    """
    lowering = backend.load_flows()
    assert lowering is not None
    units = [jobs[run.job] for run in flow.runs]
    mark = _mark(units, lowering.MARK)
    namespace = flow.namespace or units[0].job.namespace
    if namespace != flow.namespace:
        flow = flow.but(namespace=namespace)
    spaces = any(row.fate == "kept" for row in lowering.SUPPORT["flow.namespace"])
    given = flow if spaces else flow.but(namespace=None, common_labels={})
    named = [_named(given, origins, unit, mark) for unit in units]
    made = [FlowJob(run, unit, ()) for run, unit in zip(flow.runs, named, strict=True)]
    return FlowUnit(backend.name, units[0].version, flow, origins, tuple(made), mark)


def with_documents(unit: FlowUnit, documents: Sequence[Sequence[Document]]) -> FlowUnit:
    """``unit`` with the ``documents`` of its jobs."""
    jobs = (replace(job, documents=tuple(one)) for job, one in zip(unit.jobs, documents, strict=True))
    return replace(unit, jobs=tuple(jobs))


def _named(flow: Flow, origins: Origins, unit: Unit, mark: str) -> Unit:
    from tfdsl.ir.flow import names_run, with_run

    changes: dict[str, object] = {"name": name_in(flow.name, unit, mark)}
    if flow.namespace is not None and unit.job.namespace is None:
        changes["namespace"] = flow.namespace
    if flow.common_labels:
        changes["common_labels"] = {**flow.common_labels, **unit.job.common_labels}
        places = [entry("common_labels", key) for key in flow.common_labels if key not in unit.job.common_labels]
        for path in places if unit.job.common_labels else ["common_labels", *places]:
            unit.origins.record(path, origins.span(path))
    job = with_run(unit.job, mark) if mark and names_run(unit.job) else unit.job
    return replace(unit, job=job.but(**changes))


def name_in(flow: str, unit: Unit, mark: str) -> str:
    """What the job of ``unit`` is called in a run of the flow called ``flow``."""
    name = rules.name_in(flow, unit.job.name)
    return f"{name}-{mark}" if mark else name


def without_board(unit: Unit) -> Unit:
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


def walk(flow: Flow, jobs: Mapping[str, Unit]) -> Iterator[Item]:
    """What a flow sets, as items with the keys of :data:`tfdsl.ir.flow.FLOW_KEYS`. ``jobs``: by their own names."""
    from tfdsl.ir.fields import Item
    from tfdsl.ir.flow import names_run

    for row in FLOW:
        value: object = getattr(flow, row.name)
        if value not in (None, {}):
            yield Item(f"flow.{row.name}", row.name, flow, value)
    for run in flow.runs:
        yield Item("runs[]", run.path, run, run.job)
        if names_run(jobs[run.job].job):
            yield Item("flow.run", run.path, run, run.job)
        if run.after:
            yield Item("runs[].after", f"{run.path}.after", run, ", ".join(run.after))
        if run.ending != "succeeded":
            yield Item(f"runs[].{run.ending}", f"{run.path}.ending", run, run.ending)


def too_long(flow: Flow, origins: Origins, mark: int) -> Iterator[Diagnostic]:
    """Each job whose name, with a mark of so many characters, is too long for an object."""
    behind = mark + 1 if mark else 0
    for run in flow.runs:
        name = rules.name_in(flow.name, run.job)
        if len(name) + behind > LONGEST_LABEL:
            length = f"it has {len(name) + behind} characters; at most {LONGEST_LABEL} are allowed"
            problem = f"with the {behind} that tell its runs apart, {length}"
            error = JOB_NAME(origins.span(run.path), name=f'"{name}"', problem=problem)
            yield error.help("this is its name in the flow: shorten that of the flow or of the job")


def without_mark(text: str, mark: str) -> str:
    """``text`` as people see it: the characters of a run's mark are not known."""
    return text.replace(mark, "<run>") if mark else text


def readable(diagnostic: Diagnostic, mark: str) -> Diagnostic:
    """``diagnostic`` about a job of a flow without the ``mark`` in its texts; a fix with it is left out."""
    if not mark:
        return diagnostic
    return replace(
        diagnostic,
        message=without_mark(diagnostic.message, mark),
        helps=tuple(without_mark(text, mark) for text in diagnostic.helps),
        labels=tuple(replace(label, message=without_mark(label.message, mark)) for label in diagnostic.labels),
        fixes=tuple(fix for fix in diagnostic.fixes if not any(mark in edit.text for edit in fix.edits)),
    )
