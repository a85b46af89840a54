"""Compiling and checking jobs: what is read, and what comes of it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Union, Unpack, cast, overload

from tfdsl import text
from tfdsl.api.calls import (
    Asking,
    Call,
    Compiling,
    Loaded,
    Reading,
    Value,
    argument,
    asked_of,
    call_of,
    check_names,
    jobs_of,
    load_node,
    load_text,
    outcome,
    taking,
    target_of,
)
from tfdsl.api.diagnostics import Diagnostics, OutputWarning, UsageError, compile_error, messages, public
from tfdsl.compiling import beside_output, pipeline
from tfdsl.compiling.beside_output import Advice, Compilation, Whole, how_whole
from tfdsl.compiling.front_end import source_of
from tfdsl.compiling.kustomizations import Renaming
from tfdsl.compiling.output_files import dockerfiles, file_of, is_stream, placed, stream
from tfdsl.compiling.pipeline import Made, Outcome, Output
from tfdsl.emit.header import Form
from tfdsl.emit.located import plain

if TYPE_CHECKING:
    from tfdsl.ir.flow import Flow, WholeFlow
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
    diagnostics: Diagnostics
    _made: tuple[Output, ...] = field(repr=False, compare=False)
    _source: text.Source = field(repr=False, compare=False)
    _whole: Whole = field(repr=False, compare=False)

    @property
    def text(self) -> str:
        """All YAML documents as one stream, which is what ``tfdsl compile`` prints.

        Raises:
            UsageError: The target is a set of files.
        """
        if not all(map(is_stream, self._made)):
            raise UsageError(f"{self.target} is a set of files: use write() or documents")
        return stream("-", self._made).written.text

    def write(self, folder: str | os.PathLike[str], *, kustomization: bool = False, prune: bool = False) -> list[Path]:
        """Write the files into ``folder``, all or none, as ``tfdsl compile -o FOLDER`` does; gives their paths.

        Folders are made where they are missing. Scripts are executable; files of a job that holds a secret as plain
        text can be read by their owner only. What does not fit is an :class:`OutputWarning`: files of jobs that are
        gone, a kustomization that does not list what was written, or that renames a job which cannot be renamed.

        Args:
            folder: Where to write.
            kustomization: List the files in the ``resources`` of the ``kustomization.yaml`` there, or make one.
            prune: Remove the files there of jobs that the source no longer has.

        Raises:
            OSError: A file cannot be written; then none is.
            UsageError: ``prune`` cannot know which jobs are gone, as after ``job=`` or ``name=``.
        """
        root, sources = os.fspath(folder), [self._source.origin] if self._source.origin is not None else []
        here = Compilation(self._source, self._whole, root, argument("folder", root), _ADVICE)
        jobs = placed(self._made, root)
        done = beside_output.write(here, jobs, sources, lists=kustomization, prunes=prune)
        if done.unclear is not None:
            raise UsageError(f"prune=True cannot know which jobs are gone: {'; '.join(done.unclear)}")
        if done.failure is not None:
            raise OSError(f"cannot write {done.failure.path}: {done.failure.reason}; nothing was written")
        if done.stays is not None:
            raise OSError(f"cannot remove {done.stays.path}: {done.stays.reason}")
        for diagnostic in public(done.diagnostics):
            warnings.warn(OutputWarning(diagnostic), stacklevel=2)
        return [Path(file.path) for job in jobs for file in job.files]

    def __repr__(self) -> str:
        first, *others = (*(job.name for job in self.jobs), *(flow.name for flow in self.flows))
        more = f" and {len(others)} more" if others else ""
        return f"<tfdsl.Result {first}{more} on {self.target} {self.version}>"

    def _repr_html_(self) -> str:
        from tfdsl.ir.fields import roles_table  # costs pydantic

        return "".join(roles_table(job) for job in self.jobs) + messages(self.diagnostics)


def _renamed(made: Made, renaming: Renaming, several: bool) -> str:
    job = f'job="{made.unit.name}", ' if several else ""
    return f'compile(…, {job}name="{renaming.renamed(made.unit.name)}")'


_ADVICE = Advice(lambda: "write(…, kustomization=True)", _renamed, "write(…, prune=True)")


def result_of(target: str, version: str, done: Outcome, asked: Asking) -> Result:
    """The public form of what the pipeline made."""
    jobs = tuple(one.unit.job for one in done.made)
    flows = tuple(one.unit.flow for one in done.flows)
    documents = tuple(document for one in done.outputs for document in _documents(one))
    source, whole = source_of(asked.given), how_whole(asked.given, asked.request)
    return Result(target, version, jobs, flows, documents, public(done.diagnostics), done.outputs, source, whole)


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
    def diagnostics(self) -> Diagnostics:
        """What the rules of the language and of lint say, in file order; a target may have more to say."""
        return public(outcome(self.loaded, Call()).diagnostics)

    @property
    def ok(self) -> bool:
        """Whether there is no error among the diagnostics."""
        return all(diagnostic.level != "error" for diagnostic in self.diagnostics)

    def _repr_html_(self) -> str:
        return messages(self.diagnostics)

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


Source: TypeAlias = Union[str, "os.PathLike[str]", Program, "Job", "WholeFlow"]
"""What can be compiled: a file, a program that has been read, or a job or a flow made in Python."""


@overload
def compile(source: Source, target: str, *, strict: bool = False, **given: Unpack[Compiling]) -> Result: ...
@overload
def compile(*, target: str, strict: bool = False, **given: Unpack[Compiling]) -> Result: ...
@taking(Compiling)
def compile(
    source: Source | None = None, target: str | None = None, *, strict: bool = False, **given: Unpack[Compiling]
) -> Result:
    """Compile the jobs of a file, a text or a program, or what was made in Python, for one target.

    Args:
        source: A ``.tfjob`` file, a job or a flow as JSON in a file, what :func:`load` gave, a
            :class:`tfdsl.ir.Job`, or a :class:`tfdsl.ir.WholeFlow`.
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
    call = call_of(choice, given, strict=strict)
    done = outcome(loaded, call)
    if pipeline.has_errors(done.diagnostics):
        raise compile_error(f"cannot compile {loaded.path} for {target}", done.diagnostics)
    made, default = done.outputs, choice.version or choice.backend.default_version
    version = made[0].unit.shown_version if made else default
    return result_of(choice.backend.name, version, done, asked_of(loaded, call))


@taking(Compiling)
def check(
    source: Source | None = None, target: str | None = None, *, strict: bool = False, **given: Unpack[Compiling]
) -> Diagnostics:
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
    return source.loaded if isinstance(source, Program) else load_node(_node(source))


def _node(source: object) -> Job | WholeFlow:
    """``source``, which must be a job or a flow."""
    from tfdsl.ir.flow import WholeFlow  # costs pydantic
    from tfdsl.ir.model import Job

    if isinstance(source, Job | WholeFlow):
        return source
    raise TypeError(f"expected a path, a Program, a Job or a WholeFlow, not {type(source).__name__}")
