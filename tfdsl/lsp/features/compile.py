"""The output of an open text for one target, with the map of its lines, for a preview."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypedDict

from tfdsl.compiling.front_end import compiled
from tfdsl.compiling.output_files import output_files
from tfdsl.compiling.pipeline import Choice, Made, Outcome, Request
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.name_rules import UNKNOWN_JOB
from tfdsl.lsp.settings import choice_of
from tfdsl.record import Record, replace
from tfdsl.semantics.derived import Asked
from tfdsl.semantics.params import Given
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from tfdsl.lsp.snapshot import Snapshot


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
    """What a text becomes. ``problems``: what there is to say; with an error among them there are no ``outputs``."""

    target: str
    version: str
    outputs: tuple[Output, ...]
    problems: tuple[Diagnostic, ...]


def compile_text(
    snapshot: Snapshot,
    target: str,
    job: str | None = None,
    profile: str | None = None,
    params: Mapping[str, str] | None = None,
) -> Compiled | str:
    """``snapshot`` for ``target`` (``volcano`` or ``volcano@1.9``), or why that cannot be asked for.

    ``job``: only that one; ``profile`` and ``params``: instead of those of the settings.
    """
    found = outcome_for(snapshot, target, job, profile, params)
    if isinstance(found, str):
        return found
    choice, outcome = found
    outputs = tuple(output for one in outcome.made for output in _outputs(one))
    # The text may choose the version itself.
    version = outcome.made[0].unit.shown_version if outcome.made else choice.version or choice.backend.default_version
    return Compiled(choice.backend.name, version, outputs, outcome.diagnostics)


def outcome_for(
    snapshot: Snapshot, target: str, job: str | None, profile: str | None, params: Mapping[str, str] | None
) -> tuple[Choice, Outcome] | str:
    """What compiling gives for the arguments of :func:`compile_text`. The last one is kept: previews ask again."""
    key = (target, job, profile, tuple(params.items()) if params is not None else None)
    if snapshot.compiled is None or snapshot.compiled[0] != key:
        choice = choice_of(target)
        if choice is None:
            return f"there is no target {target}"
        outcome = compiled(
            snapshot.program,
            request_for(snapshot, job, profile, params),
            [choice],
            strict=snapshot.strict,
        )
        snapshot.compiled = key, choice, outcome
    _, choice, outcome = snapshot.compiled
    if any(one.rule is UNKNOWN_JOB for one in outcome.diagnostics):
        return f"there is no job {job}"
    return choice, outcome


def request_for(snapshot: Snapshot, job: str | None, profile: str | None, params: Mapping[str, str] | None) -> Request:
    """The request of ``snapshot`` with what is asked for instead of its settings."""
    request = snapshot.request
    if job is not None:
        request = replace(request, job=Asked(job, Span(Source("job", job), 0, len(job))))
    if profile is not None:
        request = replace(request, profile=profile)
    if params is not None:
        given = tuple(Given(name, Source(f"param {name}", text)) for name, text in params.items())
        request = replace(request, params=given)
    return request


def _outputs(made: Made) -> Iterator[Output]:
    """The files of one job."""
    for one in output_files(made):
        lines: SourceMap = json.loads(one.source_map())
        language = _language(one.name) if one.form == "text" else one.form
        yield Output(made.unit.job.name, one.name, one.written.text, language, one.executable, lines)


def _language(name: str) -> str:
    return {".sh": "shellscript", ".py": "python"}.get(os.path.splitext(name)[1], "plaintext")
