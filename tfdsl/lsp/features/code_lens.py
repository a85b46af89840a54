"""Compiling a job from the line of its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.record import Record
from tfdsl.syntax import ast
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot


class Lens(Record):
    """Above the job's name: compile ``job`` for ``target``."""

    span: Span
    title: str
    target: str
    job: str


def code_lens(snapshot: Snapshot) -> list[Lens]:
    """One for each target that a job has a block for; for one without a block, one for each target that there is."""
    if not snapshot.settings.code_lens:
        return []
    found: list[Lens] = []
    for job in snapshot.program.jobs:
        blocks = [targets.find(item.name.text) for item in job.items if isinstance(item, ast.Target)]
        written = dict.fromkeys(target.name for target in blocks if target is not None)
        names = list(written) or targets.every_name()
        found += [Lens(job.name.span, f"compile to {name}", name, job.name.text) for name in names]
    return found
