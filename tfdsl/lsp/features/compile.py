"""The output of an open text for one target, with the map of its lines, for a preview."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, TypedDict

from tfdsl import pipeline
from tfdsl.emit.sourcemap import source_map
from tfdsl.lsp.settings import choice_of
from tfdsl.record import Record, replace
from tfdsl.semantics.params import Given
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.emit.written import Written
    from tfdsl.lsp.snapshot import Snapshot
    from tfdsl.pipeline import Made

_LANGUAGES = {"yaml": "yaml", "json": "json", "xml": "xml"}


class SourceMap(TypedDict):
    """The object of a ``.map`` file (:mod:`tfdsl.emit.sourcemap`)."""

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
    choice = choice_of(target)
    if choice is None:
        return f"there is no target {target}"
    program = snapshot.program
    if job is not None and job not in [one.name.text for one in program.jobs]:
        return f"there is no job {job}"
    request = replace(snapshot.request, job=job)
    if profile is not None:
        request = replace(request, profile=profile)
    if params is not None:
        given = tuple(Given(name, Source(f"param {name}", text)) for name, text in params.items())
        request = replace(request, params=given)
    outcome = pipeline.run(program, request, [choice])
    strict = snapshot.settings.strict
    told = pipeline.settle([outcome], [program], strict=strict, paths=[snapshot.source.path])
    made = () if pipeline.has_errors(told) else outcome.made
    outputs = tuple(output for one in made for output in _outputs(one))
    return Compiled(choice.backend.name, choice.version or choice.backend.default_version, outputs, tuple(told))


def _outputs(made: Made) -> Iterator[Output]:
    """The files of one job, named as ``compile -o`` names them."""
    job = made.unit.job.name
    if all(document.file is None for document in made.documents):
        from tfdsl.emit import yaml

        written = yaml.write([document.data for document in made.documents])
        yield _output(made, f"{job}.yaml", written, "yaml")
    else:
        for document in made.documents:
            written = pipeline.written(document)
            name = document.file or f"{job}.{document.format}"
            language = _LANGUAGES.get(document.format) or _language(name)
            yield _output(made, f"{job}/{name}", written, language, executable=document.executable)
    if made.dockerfile is not None:
        yield _output(made, f"{job}.Dockerfile", made.dockerfile, "dockerfile")


def _language(name: str) -> str:
    return {".sh": "shellscript", ".py": "python"}.get(os.path.splitext(name)[1], "plaintext")


def _output(made: Made, name: str, written: Written, language: str, *, executable: bool = False) -> Output:
    lines: SourceMap = json.loads(source_map(written, name, made.unit.origins.span))
    return Output(made.unit.job.name, name, written.text, language, executable, lines)
