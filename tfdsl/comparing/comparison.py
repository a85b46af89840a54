"""Two sides, job by job and target by target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tfdsl.comparing.objects import Compared, compare
from tfdsl.comparing.sides import Job, Manifest, Side, choices_of, jobs_of, path_of, projects_of, source_of
from tfdsl.compiling.pipeline import Choice, Request
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.diff_rules import NOT_COMPARED, OTHER_TARGET
from tfdsl.importing.compare import same
from tfdsl.record import Record
from tfdsl.text import Span

if TYPE_CHECKING:
    Report = Callable[[Diagnostic], None]


class Result(Record):
    """Two jobs that were compared for a target; ``compared`` is ``None`` for a job that only one side has.

    ``first``, ``second``: the job's name on each side.
    """

    target: str
    version: str
    first: str | None
    second: str | None
    compared: Compared | None

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return self.compared is not None and all(same(one.first, one.second) for one in self.compared.objects)


def targets_for(
    first: Side, second: Side, named: Sequence[Choice], place: Span, report: Report, allowed: Sequence[str] = ()
) -> list[Choice]:
    """The targets to compare for: those that are named, else of a manifest, else of the project, else of the blocks.

    None, with a report, where the sides cannot be compared. ``allowed``: folders outside of the root that settings may
    be in.
    """
    manifests = [(side, choices_of(side)) for side in (first, second) if isinstance(side, Manifest)]
    choices = list(named)
    for _, own in manifests:
        choices = choices or own
    choices = choices or [*projects_of(first, allowed)] or [*projects_of(second, allowed)]
    choices = choices or choices_of(first) or choices_of(second)
    for side, own in manifests:
        wrong = [one for one in choices if all(one.backend is not other.backend for other in own)]
        if own and wrong:
            other = second if side is first else first
            shown = "the command line" if named else path_of(other)
            error = OTHER_TARGET(place, one=shown, target=wrong[0].backend.name, other=path_of(side))
            report(error.help(f"compare for the target of the manifest: -t {own[0].backend.name}"))
            return []
    return choices


def compared(
    sides: tuple[Side, Side],
    choices: Sequence[Choice],
    request: Request,
    report: Report,
    allowed: Sequence[str] = (),
) -> list[Result] | None:
    """Every job of two sides for every target; ``None`` with a report where a side has an error.

    ``allowed``: as for :func:`targets_for`.
    """
    results: list[Result] = []
    for choice in choices:
        jobs = [jobs_of(side, choice, request, report, allowed) for side in sides]
        if jobs[0] is None or jobs[1] is None:
            return None
        results += [_result(one, other, choice, sides, report) for one, other in _pairs(jobs[0], jobs[1])]
    return results


def _pairs(first: Sequence[Job], second: Sequence[Job]) -> list[tuple[Job | None, Job | None]]:
    """Jobs by name, in the order of the first side; the only job of each side is the same one in any case."""
    if len(first) == 1 and len(second) == 1:
        return [(first[0], second[0])]
    by_name = ({job.name: job for job in first}, {job.name: job for job in second})
    return [(by_name[0].get(name), by_name[1].get(name)) for name in {**by_name[0], **by_name[1]}]


def _result(one: Job | None, other: Job | None, choice: Choice, sides: tuple[Side, Side], report: Report) -> Result:
    made = next((job.made for job in (one, other) if job is not None and job.made is not None), None)
    version = made.unit.shown_version if made is not None else choice.version or choice.backend.default_version
    names = one.name if one is not None else None, other.name if other is not None else None
    found = compare(one, other, choice.backend) if one is not None and other is not None else None
    for at, left_out in enumerate(found.left_out if found is not None else ()):
        if left_out and found is not None:
            report(
                NOT_COMPARED(
                    Span(source_of(sides[at]), 0, 0),
                    objects=", ".join(left_out),
                    verb="is" if len(left_out) == 1 else "are",
                    one=path_of(sides[at]),
                    other=path_of(sides[1 - at]),
                    main=found.objects[0].name if found.objects else "one object",
                )
            )
    return Result(choice.backend.name, version, *names, found)
