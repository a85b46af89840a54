"""The outputs of a job, as far as they can be copied on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, command_rules
from tfdsl.running.launch import Copied
from tfdsl.running.shown import shown
from tfdsl.running.texts import Texts

if TYPE_CHECKING:
    from tfdsl.ir.fields import Origins
    from tfdsl.ir.model import Job, Output, Role


def outputs_of(role: Role, index: int, variables: Mapping[str, str]) -> tuple[Copied, ...]:
    """What replica ``index`` of ``role`` copies when its command has ended. ``variables``: those of its process."""
    texts = Texts(index, variables)
    return tuple(
        Copied(texts(output.source), texts(output.destination), output.when, output.overwrite)
        for output in role.outputs
        if output.index in (None, index) and not _is_elsewhere(output)
    )


def check(job: Job, origins: Origins) -> Iterator[Diagnostic]:
    """The outputs that go to another machine, which run does not copy."""
    told: set[str] = set()
    for role in job.roles:
        for output in role.outputs:
            if _is_elsewhere(output) and str(output) not in told:
                told.add(str(output))
                place = origins.span(output.path)
                yield command_rules.NOT_COPIED(
                    place, source=shown(output.source), destination=shown(output.destination)
                )


def _is_elsewhere(output: Output) -> bool:
    return "://" in shown(output.destination)
