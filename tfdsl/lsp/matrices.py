"""The matrices of a text: what their axes and the names of their jobs are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic
from tfdsl.lsp.occurrences import related_owners
from tfdsl.record import replace
from tfdsl.semantics.derived import Derived, derive
from tfdsl.semantics.values import Data
from tfdsl.syntax import ast

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot
    from tfdsl.semantics.project import Program


def jobs_of(snapshot: Snapshot, job: ast.Job) -> list[Derived]:
    """The jobs that the block ``job`` makes, those that have a name."""
    alone = replace(snapshot.program, jobs=(job,))
    return [one for one in derive(alone, snapshot.params, _unheard) if one.known]


def values_of(snapshot: Snapshot, job: ast.Job, axis: str) -> list[Data]:
    """The values of an axis of the matrix of ``job``; empty if it is wrong."""
    made = [one.combination.values for one in jobs_of(snapshot, job) if one.combination is not None]
    if not made or axis not in made[0]:
        return []
    seen = {id(values[axis]): values[axis].data for values in made}
    return list(seen.values())


def with_axis(program: Program, owner: str, axis: str) -> list[ast.Job]:
    """The jobs with this axis that ``owner``, a job or ``template NAME``, can speak of."""
    owners = related_owners(program, owner)
    return [job for job in program.jobs if job.name.text in owners and axis in axes_of(job)]


def axes_of(job: ast.Job) -> Sequence[str]:
    """The names of the axes of ``job``."""
    matrix = job.matrix
    return [axis.key.text for axis in matrix.axes] if matrix is not None else []


def _unheard(diagnostic: Diagnostic) -> None:
    """The check has reported it."""
