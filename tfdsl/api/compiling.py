"""Compiling and checking jobs: what is read, and what comes of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Union, Unpack, cast, overload

from tfdsl.api.calls import (
    Call,
    Compiling,
    Loaded,
    Reading,
    Value,
    call_of,
    check_names,
    jobs_of,
    load_job,
    load_text,
    outcome,
    taking,
    target_of,
)
from tfdsl.api.diagnostics import Diagnostic, UsageError, compile_error, public
from tfdsl.compiling import pipeline
from tfdsl.compiling.output_files import dockerfiles, file_of, is_stream, output_files, stream
from tfdsl.compiling.pipeline import Outcome, Output
from tfdsl.emit.header import Form
from tfdsl.emit.located import plain
from tfdsl.writing import File, write_all

if TYPE_CHECKING:
    from tfdsl.ir.flow import Flow
    from tfdsl.ir.model import Job


Data: TypeAlias = "dict[str, Any] | str"


@dataclass(frozen=True, slots=True)
class Document:
    """One document.

    ``job``: the name of its job. ``file``: the file that ``tfdsl compile -o FOLDER`` writes it to; the YAML documents
    of one job are in one file. ``text``: as it is written there, below the header of the file. ``data``: the same as a
    dict of plain values, for YAML and JSON; the text for all else.
    """

    job: str
    file: str
    text: str
    data: Data
    format: Form
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """The jobs and flows of a text for one target, in file order; :func:`compile` makes it.

    ``jobs``: those that are in no flow, or that were asked for by name.
    ``diagnostics``: the warnings and notes; a result has no errors.
    """

    target: str
    version: str
    jobs: tuple[Job, ...]
    flows: tuple[Flow, ...]
    documents: tuple[Document, ...]
    diagnostics: tuple[Diagnostic, ...]
    _made: tuple[Output, ...] = field(repr=False, compare=False)

    @property
    def text(self) -> str:
        """All YAML documents as one stream, which is what ``tfdsl compile`` prints.

        Raises:
            UsageError: The target is a set of files.
        """
        if not all(map(is_stream, self._made)):
            raise UsageError(f"{self.target} is a set of files: use write() or documents")
        return stream("-", self._made).written.text

    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write the files into ``folder``, all or none, as ``tfdsl compile -o FOLDER`` does; gives their paths.

        Folders are made where they are missing. Scripts are executable; files of a job that holds a secret as plain
        text can be read by their owner only.

        Raises:
            OSError: A file cannot be written; then none is.
        """
        root = os.fspath(folder)
        files = [
            File(
                os.path.join(root, *output_file.name.split("/")),
                output_file.written.text,
                output_file.executable,
                output_file.private,
                root,
            )
            for made in self._made
            for output_file in output_files(made)
        ]
        failure = write_all(files)
        if failure is not None:
            raise OSError(f"cannot write {failure.path}: {failure.reason}; nothing was written")
        return [Path(file.path) for file in files]


def result_of(target: str, version: str, done: Outcome, diagnostics: tuple[Diagnostic, ...]) -> Result:
    """The public form of what the pipeline made."""
    jobs = tuple(output.unit.job for output in done.made)
    flows = tuple(flow.unit.flow for flow in done.flows)
    documents = tuple(document for output in done.outputs for document in _documents(output))
    return Result(target, version, jobs, flows, documents, diagnostics, done.outputs)


def _documents(made: Output) -> Iterator[Document]:
    name = made.unit.name
    for document in made.documents:
        text = pipeline.written(document).text
        kept = cast("Data", plain(document.data)) if document.format in ("yaml", "json") else text
        yield Document(name, file_of(made, document), text, kept, document.format, document.executable)
    for file, _, dockerfile in dockerfiles(made):
        yield Document(name, file, dockerfile.text, dockerfile.text, "dockerfile")


class Program:
    """A text with its includes, its params and its profile; :func:`load` reads it.

    Reading never raises for what the text says: ask :attr:`ok`, or look at :attr:`diagnostics`.
    """

    __module__ = "tfdsl"

    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded

    def __repr__(self) -> str:
        return f"<tfdsl.Program {self.path}>"

    @property
    def path(self) -> str:
        """The file as it was named; ``<text>`` for a text."""
        return self.loaded.path

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the rules of the language and of lint say, in file order; a target may have more to say."""
        return public(outcome(self.loaded, Call()).diagnostics)

    @property
    def ok(self) -> bool:
        """Whether there is no error among the diagnostics."""
        return all(diagnostic.level != "error" for diagnostic in self.diagnostics)

    def jobs(self, target: str, *, options: Mapping[str, Value] | None = None) -> tuple[Job, ...]:
        """The jobs as ``target`` is to run them: layers merged, names resolved, defaults written out.

        Whether the target can do what they ask for is not looked at; :func:`compile` does that.

        Raises:
            CompileError: The text has errors.
            UsageError: There is no such target or version.
        """
        jobs, diagnostics = jobs_of(self.loaded, Call(target_of(target), options or {}))
        if pipeline.has_errors(diagnostics):
            raise compile_error(f"cannot read the jobs of {self.path}", diagnostics)
        return jobs


@taking(Reading)
def load(path: str | os.PathLike[str] | None = None, **given: Unpack[Reading]) -> Program:
    """Read a ``.tfjob`` file, or a text.

    Args:
        path: The file. Its includes are read below its project, as on the command line.
        text: A text instead of a file.
        base: The folder from which the includes of ``text`` are found; without it, it can have none.
        profile: Take the params of this profile.
        params: Values for params, over the profile. A ``str`` for a quantity or a duration is read as one.
        params_file: A file of ``NAME = VALUE`` lines, over the profile and below ``params``.

    Raises:
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
        UsageError: It is not a text file.
    """
    check_names(given, Reading)
    return Program(load_text(path, given))


Source: TypeAlias = Union[str, "os.PathLike[str]", Program, "Job"]
"""What can be compiled: a file, a program that has been read, or a job made in Python."""


@overload
def compile(source: Source, target: str, *, strict: bool = False, **given: Unpack[Compiling]) -> Result: ...
@overload
def compile(*, target: str, strict: bool = False, **given: Unpack[Compiling]) -> Result: ...
@taking(Compiling)
def compile(
    source: Source | None = None, target: str | None = None, *, strict: bool = False, **given: Unpack[Compiling]
) -> Result:
    """Compile the jobs of a file, a text or a program, or a job made in Python, for one target.

    Args:
        source: A ``.tfjob`` file, a job as JSON in a file, what :func:`load` gave, or a :class:`tfdsl.ir.Job`.
        target: A target such as ``volcano``, with a version if need be: ``volcano@1.9``.
        text: A text instead of a file.
        base: The folder from which the includes of ``text`` are found; without it, it can have none.
        profile: Take the params of this profile.
        params: Values for params, over the profile. A ``str`` for a quantity or a duration is read as one.
        params_file: A file of ``NAME = VALUE`` lines, over the profile and below ``params``.
        options: Values for options of the target, over those of the text.
        job: Compile only the job of this name, or all jobs of its matrix.
        name: Give the one job that is compiled this name instead of its own.
        strict: Treat what the target only approximates as an error, as ``strict`` of the project does.

    Raises:
        CompileError: The job has errors, or the target refuses something.
        UsageError: There is no such target or version, or several jobs would get one name.
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
    """
    if target is None:
        raise TypeError("compile() needs a target")
    choice = target_of(target)
    loaded = loaded_of(source, given)
    done = outcome(loaded, call_of(choice, given, strict=strict))
    if pipeline.has_errors(done.diagnostics):
        raise compile_error(f"cannot compile {loaded.path} for {target}", done.diagnostics)
    made, default = done.outputs, choice.version or choice.backend.default_version
    version = made[0].unit.shown_version if made else default
    return result_of(choice.backend.name, version, done, public(done.diagnostics))


@taking(Compiling)
def check(
    source: Source | None = None, target: str | None = None, *, strict: bool = False, **given: Unpack[Compiling]
) -> tuple[Diagnostic, ...]:
    """What is wrong with a job, and what ``target`` cannot do or does differently, in file order.

    The arguments are those of :func:`compile`. Without a target the rules of the language and of lint are checked, and
    the target blocks of the text.

    Raises:
        UsageError: There is no such target or version, or several jobs would get one name.
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
    """
    call = call_of(None if target is None else target_of(target), given, strict=strict)
    return public(outcome(loaded_of(source, given), call).diagnostics)


def loaded_of(source: Source | None, given: Reading, arguments: type = Compiling) -> Loaded:
    """What ``source``, or the text that is given, is. ``arguments``: the record of all that can be given."""
    check_names(given, arguments)
    if source is None or isinstance(source, str | os.PathLike):
        return load_text(source, given)
    if any(given.get(name) is not None for name in Reading.__annotations__):
        raise TypeError(
            "text=, base=, profile=, params= and params_file= are for a file or a text; give those of a program to "
            "load()"
        )
    return source.loaded if isinstance(source, Program) else load_job(_job(source))


def _job(source: object) -> Job:
    """``source``, which must be a job."""
    from tfdsl.ir.model import Job  # costs pydantic

    if isinstance(source, Job):
        return source
    raise TypeError(f"expected a path, a Program or a Job, not {type(source).__name__}")
