"""The files that a question is about: whether one is a source or an output, and whether it is still what it was."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from tfdsl.compiling import front_end
from tfdsl.compiling.front_end import Input, Ready
from tfdsl.compiling.output_files import OutputFile, folder_names, output_files, stream
from tfdsl.compiling.pipeline import Output
from tfdsl.emit.header import Stated
from tfdsl.record import Record, replace
from tfdsl.source_files import Inputs, read, root_of
from tfdsl.text import Argument, Source

ENDINGS: Final = (".yaml", ".yml")
"""How a path ends that is one file for all jobs, not a folder."""
_SLACK: Final = 2_000_000_000
"""Nanoseconds that may lie between the writing of an output and of its map."""


def as_source(source: Source, inputs: Inputs) -> Input | None:
    """What a text compiles from, if it is a source: a text of the language with a job, or a job or a flow as JSON."""
    given = front_end.read(source, inputs)
    if source.path.endswith(".tfjob") or source.origin is None:
        return given
    if isinstance(given, Ready):
        return given if given.jobs else None
    return given if given.jobs and not given.syntax_errors else None


def in_program(path: str | os.PathLike[str], given: Input) -> Source | None:
    """The text of ``given`` that is the file at ``path``."""
    texts = [given.source] if isinstance(given, Ready) else [file.source for file in given.files]
    wanted = os.path.realpath(path)
    return next((text for text in texts if text.origin is not None and os.path.realpath(text.origin) == wanted), None)


def in_settings(path: str, labels: Iterable[Argument]) -> Source | None:
    """The text of the settings that ``labels`` are from, if it is the file at ``path``."""
    wanted = os.path.realpath(path)
    return next((label.span.source for label in labels if os.path.realpath(label.span.source.path) == wanted), None)


def named_in_header(path: str, stated: Stated) -> str | None:
    """The file that the header of the output at ``path`` names, which is relative to the root of its project.

    An output can be in another project than the current folder, or in a folder below it that is a root itself.
    """
    names = [os.path.join(root, stated.source or "") for root in (root_of(path), root_of(None))]
    return next((os.path.relpath(name) for name in names if os.path.isfile(name)), None)


class Destination(Record):
    """Where the output of a compilation is: ``path`` as for ``-o``, ``None`` for names alone.

    ``folders``: the folder in it of each target and version that has one of its own.
    """

    path: str | None = None
    folders: Mapping[tuple[str, str], str] = {}

    def files(self, made: Sequence[Output]) -> list[OutputFile]:
        """The files that jobs become, under the names that they have there."""
        path = self.path
        if path is not None and is_one_file(path):
            return [stream(path, made)] if made else []
        found: list[OutputFile] = []
        for output in made:
            folder = os.path.join(path or "", self.folders.get((output.unit.target, output.unit.shown_version), ""))
            found += [replace(file, name=os.path.join(folder, *file.name.split("/"))) for file in output_files(output)]
        return found


def destination(path: str | None, made: Sequence[Output], *, several: bool) -> Destination:
    """The destination that ``-o path`` is. ``several``: several targets were asked for, so each has its folder."""
    if path is None or is_one_file(path):
        return Destination(path)
    names = folder_names(made)
    return Destination(
        path, {key: name for key, name in names.items() if several or os.path.isdir(os.path.join(path, name))}
    )


def is_one_file(path: str) -> bool:
    """Whether ``-o path`` is a file for all jobs, not a folder."""
    return not os.path.isdir(path) and (path.endswith(ENDINGS) or os.path.lexists(path))


def candidates(made: Sequence[Output]) -> Iterator[tuple[Output, OutputFile]]:
    """All files that jobs can be written to: each by itself, and all manifests of a target in one."""
    by_target: dict[tuple[str, str], list[Output]] = {}
    for output in made:
        by_target.setdefault((output.unit.target, output.unit.shown_version), []).append(output)
        yield from ((output, file) for file in output_files(output))
    for jobs in by_target.values():
        if len(jobs) > 1 and all(document.file is None for job in jobs for document in job.documents):
            yield jobs[0], stream("-", jobs)


def changed(files: Iterable[OutputFile], roots: Sequence[str] | None) -> list[str]:
    """The files that exist below ``roots`` and are not what they would be written as now."""
    paths: list[str] = []
    for file in files:
        source = read(file.name, roots) if os.path.lexists(file.name) else "it is not written yet"
        if not isinstance(source, str) and source.text != file.written.text:
            paths.append(file.name)
    return paths


def newer(path: str, map_path: str) -> bool:
    """Whether an output was written after its map."""
    return _written(path) > _written(map_path) + _SLACK


def source_is_newer(path: str, map_path: str) -> bool:
    """Whether a source was written after a map."""
    return _written(path) > _written(map_path)


def _written(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def beside(path: str, map_path: str) -> str:
    """The source that a map names: as it is written, or beside the map, whichever is there."""
    there = os.path.join(os.path.dirname(map_path), path)
    return path if os.path.lexists(path) or not os.path.lexists(there) else there
