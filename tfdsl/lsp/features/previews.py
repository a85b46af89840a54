"""The output of an open text for one target, with the map of its lines, for a preview."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypedDict

from tfdsl.compiling import front_end
from tfdsl.compiling.front_end import Input, compiled
from tfdsl.compiling.output_files import OutputFile, output_files
from tfdsl.compiling.pipeline import Outcome, Output as MadeOutput
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.name_rules import UNKNOWN_JOB
from tfdsl.lsp.snapshot import Snapshot, choice_of
from tfdsl.record import Record, replace
from tfdsl.semantics.request import Choice, Given, Request
from tfdsl.text import Argument, Source, Span
from tfdsl.tracing import back
from tfdsl.tracing.forward import Answer, Forward, Question, line_span, outside
from tfdsl.tracing.statements import Uses
from tfdsl.tracing.trace import line_count

if TYPE_CHECKING:
    from tfdsl.importing.manifests import Imported


class SourceMap(TypedDict):
    """The object of a ``.map`` file (:mod:`tfdsl.emit.json`)."""

    version: int
    file: str
    sources: list[str]
    lines: list[list[int]]


class Output(Record):
    """One file, and where its lines come from."""

    job: str
    name: str
    text: str
    language: str
    executable: bool
    map: SourceMap


class Compiled(Record):
    """What a text becomes. ``problems``: what there is to say; with an error among them there are no ``outputs``.

    Of the files of a job the one that has the most lines from the source is the first: an editor shows that one.
    """

    target: str
    version: str
    outputs: tuple[Output, ...]
    problems: tuple[Diagnostic, ...]


class Preview(Record):
    """What a preview shows: the jobs for ``target`` (``volcano`` or ``volcano@1.9``), or as they are written.

    ``job``: only that one; ``profile`` (empty: none) and ``params``: instead of those of the settings.
    """

    target: str | None
    job: str | None = None
    profile: str | None = None
    params: Mapping[str, str] | None = None


def compile_text(snapshot: Snapshot, preview: Preview) -> Compiled | str:
    """What ``snapshot`` compiles to for the target of ``preview``, or why that cannot be asked for."""
    found = outcome_for(snapshot, preview)
    if isinstance(found, str):
        return found
    choice, outcome = found
    outputs: list[Output] = []
    for one in outcome.outputs:
        files = list(_outputs(one))
        first = max(files, key=lambda file: len(file.map["lines"]), default=None)
        outputs += [*filter(None, (first,)), *(file for file in files if file is not first)]
    # The text may choose the version itself.
    version = (
        outcome.outputs[0].unit.shown_version if outcome.outputs else choice.version or choice.backend.default_version
    )
    return Compiled(choice.backend.name, version, tuple(outputs), outcome.diagnostics)


def outcome_for(snapshot: Snapshot, preview: Preview) -> tuple[Choice, Outcome] | str:
    """What compiling gives for a preview with a target. The last one is kept: previews ask again."""
    if snapshot.compiled is None or snapshot.compiled[0] != preview:
        choice = choice_of(preview.target or "")
        if choice is None:
            return f"there is no target {preview.target}"
        outcome = compiled(snapshot.program, request_for(snapshot, preview), [choice], strict=snapshot.strict)
        snapshot.compiled = preview, choice, outcome
    _, choice, outcome = snapshot.compiled
    if any(diagnostic.rule is UNKNOWN_JOB for diagnostic in outcome.diagnostics):
        return f"there is no job {preview.job}"
    return choice, outcome


def request_for(snapshot: Snapshot, preview: Preview) -> Request:
    """The request of ``snapshot`` with what is asked for instead of its settings."""
    request, job = snapshot.request, preview.job
    if job is not None:
        request = replace(request, job=Argument(job, Span(Source("job", job), 0, len(job))))
    if preview.profile is not None:
        request = replace(request, profile=preview.profile or None)
    if preview.params is not None:
        given = tuple(Given(name, Source(f"param {name}", text)) for name, text in preview.params.items())
        request = replace(request, params=given)
    return request


def _outputs(made: MadeOutput) -> Iterator[Output]:
    """The files of one job."""
    for output_file in output_files(made):
        lines: SourceMap = json.loads(output_file.source_map())
        language = _language(output_file.name) if output_file.form == "text" else output_file.form
        yield Output(
            made.unit.name, output_file.name, output_file.written.text, language, output_file.executable, lines
        )


def _language(name: str) -> str:
    return {".sh": "shellscript", ".sbatch": "shellscript", ".py": "python"}.get(os.path.splitext(name)[1], "plaintext")


LARGEST: Final = 200_000
"""Characters of a text that is compiled again to see what a line decides; a cursor does not wait for more."""


def made_by(snapshot: Snapshot, preview: Preview, source: Source, line: int) -> Answer | str:
    """The lines of ``preview`` that ``line`` (from 1) of a text of the program made, or why that cannot be asked."""
    found = outcome_for(snapshot, preview)
    if isinstance(found, str):
        return found
    if not 0 < line <= max(line_count(source), 1):
        return f"there is no line {line}"
    choice, outcome = found
    request = request_for(snapshot, preview)

    def compiled(given: Input, choice: Choice) -> Outcome | None:
        if len(snapshot.source.text) > LARGEST:
            return None
        return front_end.compiled(given, request, [choice], strict=snapshot.strict)

    forward = Forward(Question(snapshot.program, line_span(source, line), request), _files, compiled)
    return forward.answer(choice, outcome)


def origin_of(snapshot: Snapshot, preview: Preview, name: str, line: int) -> back.Origin | str:
    """Where ``line`` (from 1) of the file ``name`` of ``preview`` comes from, or why that cannot be asked."""
    found = outcome_for(snapshot, preview)
    if isinstance(found, str):
        return found
    request = request_for(snapshot, preview)
    for made in found[1].outputs:
        for file in output_files(made):
            if file.name == name:
                uses = Uses(snapshot.program, request.profile, outside(request))
                return back.from_output(back.Match(made, file, line, same=True), uses)
    return f"there is no file {name}"


def _files(made: Sequence[MadeOutput]) -> list[OutputFile]:
    return [file for one in made for file in output_files(one)]


def import_text(path: str, text: str, origin: str | None) -> Imported:
    """The text of the jobs in a manifest, and all there is to say about it. ``path``: its name in messages."""
    from tfdsl.importing.manifests import import_manifests

    return import_manifests([Source(path, text.removeprefix("\ufeff"), origin)])[0]
