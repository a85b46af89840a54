"""What ``tfdsl compile --format json`` prints: the files and the messages of a compilation, as one document."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import cast

from tfdsl.cli.outputs import Destination, file_name, folders, target_of
from tfdsl.compiling.output_files import OutputFile, output_files, stream
from tfdsl.compiling.pipeline import Made
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.render.json import Json, contents, dumped
from tfdsl.emit.located import plain

_VERSION = 1


def compilation(
    place: Destination, made: Sequence[Made], diagnostics: Sequence[Diagnostic], *, written: bool, source_map: bool
) -> str:
    """The document. ``diagnostics``: without secrets and in order; ``written``: the files are at their paths."""
    files = list(_files(place, made, source_map=source_map))
    return dumped({"version": _VERSION, "written": written, "files": files, **contents(diagnostics)})


def _files(place: Destination, made: Sequence[Made], *, source_map: bool) -> Iterator[Json]:
    if place.kind == "file":
        yield _file(stream(os.path.basename(place.path), made), made, place.path, source_map=source_map)
        return
    where = folders(place, made)
    for one in made:
        for output in output_files(one):
            yield _file(output, [one], file_name(where[target_of(one)], output), source_map=source_map)


def _file(output: OutputFile, made: Sequence[Made], path: str, *, source_map: bool) -> Json:
    unit = made[0].unit
    data: dict[str, Json] = {
        "path": path,
        "jobs": [one.unit.job.name for one in made],
        "target": unit.target,
        "target_version": unit.shown_version,
        "format": output.form,
        "executable": output.executable,
        "private": output.private,
        "text": output.written.text,
        "documents": _documents(output),
    }
    return data | ({"map": json.loads(output.source_map()) if output.mapped else None} if source_map else {})


def _documents(output: OutputFile) -> list[Json]:
    """What a program would read in a file of YAML or JSON."""
    is_data = output.form in ("yaml", "json")
    return [cast("Json", plain(document.data)) for document in output.documents] if is_data else []
