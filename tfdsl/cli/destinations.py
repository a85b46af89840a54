"""Where the output of ``tfdsl compile`` goes: standard output, a file or a folder, and which files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Literal

from tfdsl.cli.arguments import Arguments, quote
from tfdsl.compiling.front_end import Input
from tfdsl.compiling.output_files import OutputFile, folder_names, output_files, stream
from tfdsl.compiling.pipeline import Output
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import OUTPUT_PLACE
from tfdsl.record import Record, replace
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Argument, Source, Span
from tfdsl.writing import File

FILE_ENDINGS = (".yaml", ".yml")
OTHER_ENDINGS = (".json", ".txt", ".xml", ".sh", ".py", ".zip", ".gz", ".tgz", ".tar", ".tfjob", ".dockerfile", ".md")
"""Endings that nobody gives to a folder."""
OF_A_FOLDER = ("--kustomization", "--prune", "--dry-run")
"""Options about the folder that the output goes to."""
_STANDARD_OUTPUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


class Destination(Record):
    """Where output goes. ``folders``: whether each target gets a folder of its own."""

    kind: Literal["stream", "file", "folder"]
    path: str
    span: Span
    folders: bool = False


class Compilation(Record):
    """What a command line compiles, and where the output goes."""

    arguments: Arguments
    source: Source
    given: Input
    request: Request
    place: Destination


def destination(
    argument: Argument | None, choices: Sequence[Choice], arguments: Arguments, *, as_json: bool = False
) -> Destination | Diagnostic:
    """The place that ``-o`` names, or why the output of ``choices`` cannot go there.

    A path is a file if it exists as one or ends like one (``FILE_ENDINGS``); all others are folders, ``out-1.9`` and
    ``volcano@1.15`` too. No folder is created under a name that can only be meant for a file. ``as_json``: standard
    output gets a document that can hold any number of files.
    """
    of_a_folder = next((flag for flag in OF_A_FOLDER if arguments.on(flag)), None)
    needs_folder = f"{of_a_folder} is about a folder" if of_a_folder else _needs_folder(choices)
    span = arguments.line if argument is None else argument.span
    if (argument is None or argument.text in _STANDARD_OUTPUT) and as_json and not of_a_folder:
        return Destination("stream", "-", span, folders=len(choices) > 1)
    if argument is None or argument.text in _STANDARD_OUTPUT:
        what = needs_folder or (
            "a source map needs a file to be written beside" if arguments.on("--source-map") else None
        )
        if what is not None:
            return OUTPUT_PLACE(span, what=what).help(f"write {_command(arguments, choices)}")
        return Destination("stream", "-", span)
    path = argument.text
    if not path:
        return OUTPUT_PLACE(span, what="-o has an empty path").help("write -o . to use the current folder")
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
            span, what=f"{choices[0].backend.name} is written as YAML, but {path} names another kind of file"
        )
        return error.help(f"write -o {quote(path[: -len(ending)] + '.yaml')}")
    return Destination("folder", path, span, folders=len(choices) > 1)


def _ending(path: str) -> str:
    """The ending that makes ``path`` the name of a file; empty if it may be a folder (``out/``, ``out-1.9``)."""
    name = os.path.basename(path).lower()
    return next((ending for ending in (*FILE_ENDINGS, *OTHER_ENDINGS) if name.endswith(ending)), "")


def _another_name(path: str) -> str:
    """The advice to write into a folder with the name of the file, without its endings."""
    stem = path
    while ending := _ending(stem):
        stem = stem[: -len(ending)]
    free = stem if os.path.basename(stem) and not os.path.isfile(stem) else os.path.join(os.path.dirname(path), "out")
    return f"write -o {quote(free)}"


def _needs_folder(choices: Sequence[Choice]) -> str | None:
    if len(choices) > 1:
        return "several targets need a folder"
    if choices and choices[0].backend.output == "files":
        return f"{choices[0].backend.name} has several files and needs a folder"
    return None


def _command(arguments: Arguments, choices: Sequence[Choice]) -> str:
    """The command line that would work."""
    file = arguments.rest[0].text if arguments.rest else "FILE"
    targets = [f"-t {choice.shown}" for choice in choices]
    switches = [flag for flag in ("--source-map", *OF_A_FOLDER) if arguments.on(flag)]
    return " ".join(["tfdsl compile", quote(file), *targets, *switches, "-o out"])


class Placed(Record):
    """The files of one job. ``folder``: that of its target, in which they are."""

    made: Output
    folder: str
    files: tuple[File, ...]


def one_file(place: Destination, made: Sequence[Output], *, source_map: bool) -> list[File]:
    """The files to write, for a destination that is a file."""
    whole = stream(os.path.basename(place.path), made)
    return _files(os.path.dirname(place.path), [whole], source_map=source_map)


def placed(place: Destination, made: Sequence[Output], *, source_map: bool) -> list[Placed]:
    """The files to write, for a destination that is a folder."""
    where = folders(place, made)
    jobs: list[Placed] = []
    for output in made:
        folder = where[target_of(output)]
        written = _files(folder, output_files(output), source_map=source_map)
        # None of these names is the user's.
        jobs.append(Placed(output, folder, tuple(replace(each, root=place.path) for each in written)))
    return jobs


def target_of(made: Output) -> tuple[str, str]:
    """The target that a job was made for, and its version."""
    return made.unit.target, made.unit.shown_version


def folders(place: Destination, made: Sequence[Output]) -> dict[tuple[str, str], str]:
    """The folder of the files of each target; a relative path where nothing is written."""
    root = "" if place.kind == "stream" else place.path
    names = folder_names(made)
    return {target: os.path.join(root, name) if place.folders else root for target, name in names.items()}


def file_name(folder: str, output: OutputFile) -> str:
    """The path of a file in ``folder``."""
    return os.path.join(folder, *output.name.split("/"))


def _files(folder: str, outputs: Iterable[OutputFile], *, source_map: bool) -> list[File]:
    """``outputs`` below ``folder``, each with its map if those are asked for."""
    written: list[File] = []
    for output in outputs:
        path = file_name(folder, output)
        written.append(File(path, output.written.text, output.executable, output.private))
        if source_map and output.mapped:
            written.append(File(f"{path}.map", output.source_map(), private=output.private))
    return written
