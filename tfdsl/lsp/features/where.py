"""Which lines of a preview a line of a text made, and which line made a line of the preview (:mod:`tfdsl.tracing`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.compiling import front_end
from tfdsl.compiling.front_end import Input
from tfdsl.compiling.output_files import OutputFile, output_files
from tfdsl.compiling.pipeline import Choice, Made, Outcome
from tfdsl.lsp.features.compile import outcome_for, request_for
from tfdsl.record import Record
from tfdsl.text import Source
from tfdsl.tracing import back
from tfdsl.tracing.forward import Answer, Forward, Question, line_span, outside
from tfdsl.tracing.statements import Uses
from tfdsl.tracing.trace import line_count

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot

LARGEST: Final = 200_000
"""Characters of a text that is compiled again to see what a line decides; a cursor does not wait for more."""


class Preview(Record):
    """What a preview shows, as it is asked for by ``tfdsl/compile``."""

    target: str
    job: str | None = None
    profile: str | None = None
    params: Mapping[str, str] | None = None


def made_by(snapshot: Snapshot, preview: Preview, source: Source, line: int) -> Answer | str:
    """The lines of ``preview`` that ``line`` (from 1) of a text of the program made, or why that cannot be asked."""
    found = outcome_for(snapshot, preview.target, preview.job, preview.profile, preview.params)
    if isinstance(found, str):
        return found
    if not 0 < line <= max(line_count(source), 1):
        return f"there is no line {line}"
    choice, outcome = found
    request = request_for(snapshot, preview.job, preview.profile, preview.params)

    def compiled(given: Input, choice: Choice) -> Outcome | None:
        if len(snapshot.source.text) > LARGEST:
            return None
        return front_end.compiled(given, request, [choice], strict=snapshot.strict)

    forward = Forward(Question(snapshot.program, line_span(source, line), request), _files, compiled)
    return forward.answer(choice, outcome)


def origin_of(snapshot: Snapshot, preview: Preview, name: str, line: int) -> back.Origin | str:
    """Where ``line`` (from 1) of the file ``name`` of ``preview`` comes from, or why that cannot be asked."""
    found = outcome_for(snapshot, preview.target, preview.job, preview.profile, preview.params)
    if isinstance(found, str):
        return found
    request = request_for(snapshot, preview.job, preview.profile, preview.params)
    for made in found[1].made:
        for file in output_files(made):
            if file.name == name:
                uses = Uses(snapshot.program, request.profile, outside(request))
                return back.from_output(back.Match(made, file, line, same=True), uses)
    return f"there is no file {name}"


def _files(made: Sequence[Made]) -> list[OutputFile]:
    return [file for one in made for file in output_files(one)]
