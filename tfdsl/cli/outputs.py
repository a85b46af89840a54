"""Where the output of a compilation goes, and under which names (language reference, "Command line")."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

from tfdsl import pipeline
from tfdsl.cli.arguments import quote
from tfdsl.diagnostics.usage_rules import OUTPUT_PLACE
from tfdsl.emit.written import Written
from tfdsl.record import Record, replace
from tfdsl.writing import File

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tfdsl.cli.arguments import Arguments, Given
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.pipeline import Choice, Made
    from tfdsl.text import Span


FILE_ENDINGS = (".yaml", ".yml")
OTHER_ENDINGS = (".json", ".txt", ".xml", ".sh", ".py", ".zip", ".gz", ".tgz", ".tar", ".tfjob", ".dockerfile", ".md")
"""Of names that nobody gives to a folder."""
_STANDARD_OUTPUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


class Destination(Record):
    """Where output goes. ``folders``: whether each target has a folder of its own."""

    kind: Literal["stream", "file", "folder"]
    path: str
    span: Span
    folders: bool = False


def destination(given: Given | None, choices: Sequence[Choice], arguments: Arguments) -> Destination | Diagnostic:
    """The place that ``-o`` names, or why the output of ``choices`` cannot go there.

    A path is a file when it is one or ends like one (``FILE_ENDINGS``); all others are folders: ``out-1.9`` and
    ``volcano@1.15`` too. No folder is made under a name that can only have been meant for a file.
    """
    needs_folder = _needs_folder(choices)
    span = arguments.line if given is None else given.span
    if given is None or given.text in _STANDARD_OUTPUT:
        what = needs_folder or ("a source map is written beside a file" if arguments.on("--source-map") else None)
        if what is not None:
            return OUTPUT_PLACE(span, what=what).help(f"write {_command(arguments, choices)}")
        return Destination("stream", "-", span)
    path = given.text
    if not path:
        return OUTPUT_PLACE(span, what="the path behind -o is empty").help("write -o . for the current folder")
    is_file = os.path.lexists(path) and not os.path.isdir(path)
    if needs_folder and is_file:
        return OUTPUT_PLACE(span, what=f"{path} is a file: {needs_folder}").help(_another_name(path))
    ending = "" if os.path.isdir(path) else _ending(path)
    if ending and needs_folder:
        return OUTPUT_PLACE(span, what=f"{path} names a file: {needs_folder}").help(_another_name(path))
    if is_file or ending in FILE_ENDINGS:
        return Destination("file", path, span)
    if ending:
        error = OUTPUT_PLACE(
            span, what=f"{choices[0].backend.name} is written as YAML, {path} names another kind of file"
        )
        return error.help(f"write -o {quote(path[: -len(ending)] + '.yaml')}")
    return Destination("folder", path, span, folders=len(choices) > 1)


def _ending(path: str) -> str:
    """The ending that makes ``path`` the name of a file; empty when it may be a folder (``out/``, ``out-1.9``)."""
    name = os.path.basename(path).lower()
    return next((ending for ending in (*FILE_ENDINGS, *OTHER_ENDINGS) if name.endswith(ending)), "")


def _another_name(path: str) -> str:
    """The advice to write into a folder, called like the file without its endings."""
    stem = path
    while ending := _ending(stem):
        stem = stem[: -len(ending)]
    free = stem if os.path.basename(stem) and not os.path.isfile(stem) else os.path.join(os.path.dirname(path), "out")
    return f"write -o {quote(free)}"


def _needs_folder(choices: Sequence[Choice]) -> str | None:
    if len(choices) > 1:
        return "several targets need a folder"
    if choices and choices[0].backend.output == "files":
        return f"{choices[0].backend.name} is a set of files and needs a folder"
    return None


def _command(arguments: Arguments, choices: Sequence[Choice]) -> str:
    """The command line as it should be."""
    file = arguments.rest[0].text if arguments.rest else "FILE"
    targets = [f"-t {choice.backend.name}{f'@{choice.version}' if choice.version else ''}" for choice in choices]
    switches = ["--source-map"] if arguments.on("--source-map") else []
    return " ".join(["tfdsl compile", quote(file), *targets, *switches, "-o out"])


class _Stream:
    """The YAML stream of one or several jobs, with a place for every line."""

    def __init__(self, made: Sequence[Made]) -> None:
        self.made = made
        texts: list[str] = []
        lines: list[str | None] = []
        for number, one in enumerate(made):
            written = _job_stream(one)
            if number:
                texts.append("---\n")
                lines.append(None)
            texts.append(written.text)
            lines += [None if path is None else f"{number}:{path}" for path in written.lines]
        self.written = Written("".join(texts), tuple(lines))

    def span(self, path: str) -> Span:
        """The place of a line's path."""
        number, _, inner = path.partition(":")
        return self.made[int(number)].unit.origins.span(inner)


def stream(made: Sequence[Made]) -> Written:
    """The jobs of one target as one YAML stream, in file order."""
    return _Stream(made).written


def _job_stream(one: Made) -> Written:
    from tfdsl.emit import yaml

    return yaml.write([document.data for document in one.documents])


def files(place: Destination, made: Sequence[Made], *, source_map: bool) -> list[File]:
    """The files for a place that is a file or a folder."""
    if place.kind == "file":
        whole = _Stream(made)
        with_map = _with_map(File(place.path, whole.written.text), whole, source_map=source_map)
        return _kept_private(with_map, any(one.private for one in made))
    found: list[File] = []
    names = _folder_names(made) if place.folders else {}
    for one in made:
        folder = os.path.join(place.path, names[one.unit.target, one.unit.shown_version]) if names else place.path
        found += _kept_private(_job_files(folder, one, source_map=source_map), one.private)
    return [replace(file, root=place.path) for file in found]  # none of these names is the user's


def _kept_private(files: Iterable[File], private: bool) -> list[File]:
    """The files of a job; those of one that holds a secret are for their owner only."""
    return [replace(file, private=private) for file in files]


def _folder_names(made: Sequence[Made]) -> dict[tuple[str, str], str]:
    """The folder of each target; with its version where one target is there in several."""
    units = list(dict.fromkeys((one.unit.target, one.unit.shown_version) for one in made))
    targets = [target for target, _ in units]
    return {
        (target, version): target if targets.count(target) == 1 else f"{target}-{version}" for target, version in units
    }


def _job_files(folder: str, one: Made, *, source_map: bool) -> Iterable[File]:
    name = one.unit.job.name
    if all(document.file is None for document in one.documents):
        whole = _Stream([one])
        yield from _with_map(
            File(os.path.join(folder, f"{name}.yaml"), whole.written.text), whole, source_map=source_map
        )
    else:
        for document in one.documents:
            assert document.file is not None
            path = os.path.join(folder, name, *document.file.split("/"))
            written = pipeline.written(document)
            yield File(path, written.text, document.executable)
            if source_map and any(line is not None for line in written.lines):
                yield _map(path, written, one)
    if one.dockerfile is not None:
        path = os.path.join(folder, f"{name}.Dockerfile")
        yield File(path, one.dockerfile.text)
        if source_map:
            yield _map(path, one.dockerfile, one)


def _map(path: str, written: Written, one: Made) -> File:
    from tfdsl.emit.sourcemap import source_map

    return File(f"{path}.map", source_map(written, os.path.basename(path), one.unit.origins.span))


def _with_map(file: File, whole: _Stream, *, source_map: bool) -> list[File]:
    if not source_map:
        return [file]
    from tfdsl.emit.sourcemap import source_map as write_map

    return [file, File(f"{file.path}.map", write_map(whole.written, os.path.basename(file.path), whole.span))]
