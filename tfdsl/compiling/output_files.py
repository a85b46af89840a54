"""The files and the tasks that jobs become.

Files have their headers, and are named as ``tfdsl compile -o FOLDER`` names them below the folder. Tasks are named
``worker`` or ``worker[0]``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, cast

from tfdsl import targets
from tfdsl.backend import Document, TaskConfig, Unit
from tfdsl.compiling import pipeline
from tfdsl.compiling.pipeline import Made, MadeFlow, Outcome, Output
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT, NO_SUCH_TASK
from tfdsl.emit.header import Form, Header, headed
from tfdsl.emit.located import Written
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.source_files import name_below_root
from tfdsl.text import Span
from tfdsl.vocabulary.attributes import ROLE_NAMES

if TYPE_CHECKING:
    from typing import Any

    from tfdsl.ir.fields import Origins


class OutputFile(Record):
    """One file. ``name``: with ``/`` between its parts, on every system.

    ``place_of``: the origins of the job that a line belongs to, and the IR path there, for the path of a line.
    ``documents``: those that are in it; none in a Dockerfile. ``private``: it belongs to a job that holds a secret as
    plain text.
    """

    name: str
    written: Written
    form: Form
    place_of: Callable[[str], tuple[Origins, str]]
    documents: tuple[Document, ...] = ()
    executable: bool = False
    private: bool = False

    @property
    def mapped(self) -> bool:
        """Whether any line comes from a place in the source."""
        return any(path is not None for path in self.written.lines)

    def span_of(self, path: str) -> Span:
        """Where in the source the path of a line was written."""
        origins, inner = self.place_of(path)
        return origins.span(inner)

    def source_map(self) -> str:
        """The text of its map (:mod:`tfdsl.emit.json`)."""
        from tfdsl.emit.json import source_map

        return source_map(self.written, self.name.rpartition("/")[2], self.span_of)


def output_files(made: Output) -> Iterator[OutputFile]:
    """The files of a job or flow: ``JOB.yaml``, or those of a set of files in ``JOB/``, and Dockerfiles of jobs."""
    if is_stream(made):
        yield stream(f"{made.unit.name}.yaml", [made])
    else:
        header = header_of(made)
        for document in made.documents:
            name = file_of(made, document)
            written = headed(pipeline.written(document), document.format, name, header)
            place_of = places(made, document)
            yield OutputFile(name, written, document.format, place_of, (document,), document.executable, made.private)
    for name, output, dockerfile in dockerfiles(made):
        written = headed(dockerfile, "dockerfile", name, replace(header_of(output), page=""))
        yield OutputFile(name, written, "dockerfile", places(output), private=output.private)


def file_of(made: Output, document: Document) -> str:
    """The file that a document is in; what a flow has on a target of streams has the name of the flow already."""
    if document.file is None:
        return f"{made.unit.name}.yaml"
    backend = targets.find(made.unit.target)
    beside = backend is not None and backend.output == "stream"
    return document.file if beside else f"{made.unit.name}/{document.file}"


def dockerfiles(made: Output) -> Iterator[tuple[str, Made, Written]]:
    """The Dockerfiles of a job, or of the jobs of a flow, under their own names."""
    jobs = (
        [(made.unit.name, made)]
        if isinstance(made, Made)
        else [(job.run.job, output) for job, output in zip(made.unit.jobs, made.jobs, strict=True)]
    )
    for job, output in jobs:
        if output.dockerfile is not None:
            yield f"{job}.Dockerfile", output, output.dockerfile


def places(made: Output, document: Document | None = None) -> Callable[[str], tuple[Origins, str]]:
    """Where a path in a document is about: the origins of a job or flow, and the path there.

    A flow also has documents of its jobs as they are.
    """
    if isinstance(made, MadeFlow):
        data = None if document is None else document.data
        owner = next((job for job in made.jobs if any(each.data is data for each in job.documents)), None)
        if owner is None:
            return made.unit.place_of
        made = owner
    origins = made.unit.origins
    return lambda path: (origins, path)


def header_of(made: Output) -> Header:
    """The header of the files of a job or flow."""
    source = name_below_root(made.source) if made.source is not None else None
    backend = targets.find(made.unit.target)
    page = backend.docs if backend is not None and backend.facts() else ""
    return Header(made.unit.target, made.unit.shown_version, source, page)


def is_stream(made: Output) -> bool:
    """Whether the documents are one YAML stream."""
    return all(document.file is None for document in made.documents)


def stream(name: str, jobs: Sequence[Output]) -> OutputFile:
    """Jobs and flows of one target as one YAML stream, in file order."""
    from tfdsl.emit import yaml

    texts: list[str] = []
    lines: list[str | None] = []
    for number, output in enumerate(jobs):
        written = yaml.write([document.data for document in output.documents])
        if number:
            texts.append("---\n")
            lines.append(None)
        texts.append(written.text)
        lines += [None if path is None else f"{number}:{path}" for path in written.lines]

    def place_of(path: str) -> tuple[Origins, str]:
        number, _, inner = path.partition(":")
        return places(jobs[int(number)])(inner)

    private = any(job.private for job in jobs)
    written = Written("".join(texts), tuple(lines))
    if jobs:
        written = headed(written, "yaml", name, header_of(jobs[0]))
    documents = tuple(document for job in jobs for document in job.documents)
    return OutputFile(name, written, "yaml", place_of, documents, private=private)


def folder_names(made: Sequence[Output]) -> dict[tuple[str, str], str]:
    """The folder of each target and version in the output of several targets: with its version if it has several."""
    units = list(dict.fromkeys((output.unit.target, output.unit.shown_version) for output in made))
    targets = [target for target, _ in units]
    return {
        (target, version): target if targets.count(target) == 1 else f"{target}-{version}" for target, version in units
    }


_TASK = regex(r"([a-z]+)(?:\[(\d{1,9})\])?")


class TaskName(Record):
    """Tasks of a role; ``index`` ``None``: all of them. ``place``: where they are named."""

    role: str
    index: int | None
    place: Span

    def missing(self, outcomes: Iterable[Outcome]) -> Diagnostic:
        """That none of the jobs has such a task."""
        names = " or ".join(dict.fromkeys(job.name for outcome in outcomes for job in tasks_of(outcome, None)))
        return NO_SUCH_TASK(self.place, job=names, name=self.place.text)


def task_name(text: str, place: Span) -> TaskName | Diagnostic:
    """What ``worker`` or ``worker[0]`` names, or why it names no task."""
    match = _TASK.fullmatch(text)
    if match is None or match.group(1) not in ROLE_NAMES:
        roles = ", ".join(ROLE_NAMES)
        return BAD_ARGUMENT(place, what=f"{text} is not a task; write ROLE or ROLE[INDEX], with {roles}")
    index = match.group(2)
    return TaskName(match.group(1), None if index is None else int(index), place)


class JobTasks(Record):
    """What tasks of a job will see. ``name``: in a flow its name there, with ``<run>`` for the mark of a run."""

    name: str
    unit: Unit
    tasks: tuple[TaskConfig, ...]


def tasks_of(outcome: Outcome, name: TaskName | None) -> list[JobTasks]:
    """The jobs, those of flows too, that have tasks: all of them, or those of that name."""
    from tfdsl.compiling.flows import without_mark

    by_name = {backend.name: backend for backend in outcome.targets}
    marks = ["" for _ in outcome.made] + [flow.unit.mark for flow in outcome.flows for _ in flow.jobs]
    jobs: list[JobTasks] = []
    for made, mark in zip(outcome.jobs, marks, strict=True):
        unit = made.unit
        tasks = tuple(
            _readable(task, mark)
            for task in by_name[unit.target].load().tasks(unit)
            if name is None or (task.role == name.role and name.index in (None, task.index))
        )
        jobs += [JobTasks(without_mark(unit.job.name, mark), unit, tasks)] if tasks else []
    return jobs


def _readable(task: TaskConfig, mark: str) -> TaskConfig:
    from tfdsl.compiling.flows import without_mark

    return replace(
        task,
        tf_config=None if task.tf_config is None else without_mark(task.tf_config, mark),
        flags=tuple(without_mark(flag, mark) for flag in task.flags),
        differences=tuple(without_mark(difference, mark) for difference in task.differences),
    )


def json_object(text: str) -> dict[str, Any] | None:
    """The object in a TF_CONFIG, which the job may have written itself; ``None`` for anything else."""
    import json

    try:
        value: object = json.loads(text, parse_constant=_not_json)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _not_json(word: str) -> float:
    raise ValueError(f"{word} is a word of Python's reader, not of JSON")
