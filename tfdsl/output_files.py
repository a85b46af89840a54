"""The files that jobs become, named as ``tfdsl compile -o FOLDER`` names them below the folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from tfdsl import pipeline
from tfdsl.emit.written import Written
from tfdsl.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tfdsl.pipeline import Made
    from tfdsl.text import Span

Form: TypeAlias = Literal["yaml", "json", "xml", "text", "dockerfile"]


class OutputFile(Record):
    """One file. ``name``: with ``/`` between its parts, on every system.

    ``span_of``: where in the source the path of a line was written. ``private``: it belongs to a job that holds a
    secret as plain text.
    """

    name: str
    written: Written
    form: Form
    span_of: Callable[[str], Span]
    executable: bool = False
    private: bool = False

    @property
    def mapped(self) -> bool:
        """Whether any line comes from a place in the source."""
        return any(path is not None for path in self.written.lines)

    def source_map(self) -> str:
        """The text of its map (:mod:`tfdsl.emit.sourcemap`)."""
        from tfdsl.emit.sourcemap import source_map

        return source_map(self.written, self.name.rpartition("/")[2], self.span_of)


def output_files(made: Made) -> Iterator[OutputFile]:
    """The files of one job: ``JOB.yaml``, or those of a target that is a set of files in ``JOB/``, and a Dockerfile."""
    job, span_of, private = made.unit.job.name, made.unit.origins.span, made.private
    if is_stream(made):
        yield stream(f"{job}.yaml", [made])
    else:
        for document in made.documents:
            name, written = f"{job}/{document.file}", pipeline.written(document)
            yield OutputFile(name, written, document.format, span_of, document.executable, private)
    if made.dockerfile is not None:
        yield OutputFile(f"{job}.Dockerfile", made.dockerfile, "dockerfile", span_of, private=private)


def is_stream(made: Made) -> bool:
    """Whether the documents are one YAML stream."""
    return all(document.file is None for document in made.documents)


def stream(name: str, jobs: Sequence[Made]) -> OutputFile:
    """Jobs of one target as one YAML stream, in file order."""
    from tfdsl.emit import yaml

    texts: list[str] = []
    lines: list[str | None] = []
    for number, one in enumerate(jobs):
        written = yaml.write([document.data for document in one.documents])
        if number:
            texts.append("---\n")
            lines.append(None)
        texts.append(written.text)
        lines += [None if path is None else f"{number}:{path}" for path in written.lines]

    def span_of(path: str) -> Span:
        number, _, inner = path.partition(":")
        return jobs[int(number)].unit.origins.span(inner)

    private = any(one.private for one in jobs)
    return OutputFile(name, Written("".join(texts), tuple(lines)), "yaml", span_of, private=private)
