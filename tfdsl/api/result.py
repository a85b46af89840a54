"""What compiling gives: jobs, documents, and the files that they are."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from tfdsl.api.errors import UsageError
from tfdsl.compiling import pipeline
from tfdsl.compiling.output_files import is_stream, output_files, stream
from tfdsl.compiling.pipeline import Made
from tfdsl.emit.header import Form
from tfdsl.emit.located import plain
from tfdsl.writing import File, write_all

if TYPE_CHECKING:
    from tfdsl.api.diagnostics import Diagnostic
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
    """The jobs of a text for one target, in file order; :func:`compile` makes it.

    ``diagnostics``: the warnings and notes; a result has no errors.
    """

    target: str
    version: str
    jobs: tuple[Job, ...]
    documents: tuple[Document, ...]
    diagnostics: tuple[Diagnostic, ...]
    _made: tuple[Made, ...] = field(repr=False, compare=False)

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
            File(os.path.join(root, *one.name.split("/")), one.written.text, one.executable, one.private, root)
            for made in self._made
            for one in output_files(made)
        ]
        failure = write_all(files)
        if failure is not None:
            raise OSError(f"cannot write {failure.path}: {failure.reason}; nothing was written")
        return [Path(file.path) for file in files]


def result_of(target: str, version: str, made: tuple[Made, ...], diagnostics: tuple[Diagnostic, ...]) -> Result:
    """The public form of what the pipeline made."""
    jobs = tuple(one.unit.job for one in made)
    documents = tuple(document for one in made for document in _documents(one))
    return Result(target, version, jobs, documents, diagnostics, made)


def _documents(made: Made) -> Iterator[Document]:
    job = made.unit.job.name
    for document in made.documents:
        text = pipeline.written(document).text
        data = plain(document.data)
        name = f"{job}.yaml" if document.file is None else f"{job}/{document.file}"
        kept = cast("Data", data) if document.format in ("yaml", "json") else text
        yield Document(job, name, text, kept, document.format, document.executable)
    if made.dockerfile is not None:
        text = made.dockerfile.text
        yield Document(job, f"{job}.Dockerfile", text, text, "dockerfile")
