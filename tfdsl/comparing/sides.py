"""What is on one side of a comparison: a text of the language, JSON, or a manifest, today or at a revision."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence as Many
from typing import Final, TypeAlias

from tfdsl import targets
from tfdsl.backend import Backend
from tfdsl.comparing import repository
from tfdsl.compiling import front_end, pipeline
from tfdsl.compiling.front_end import Input, Ready
from tfdsl.compiling.pipeline import Outcome, Output
from tfdsl.diagnostics import Diagnostic, Report
from tfdsl.diagnostics.command_rules import NO_JOB, REVISION, UNREADABLE_FILE
from tfdsl.manifest.nodes import Document, Mapping, Node, Sequence, view
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.semantics.request import Choice, Request
from tfdsl.settings import Settings
from tfdsl.source_files import STANDARD_INPUT, Inputs, Outside, read, root_of
from tfdsl.syntax import ast
from tfdsl.text import Source, Span
from tfdsl.vocabulary.secrets import is_secret

_MANIFEST: Final = regex(r"(?m)^(?:- )?[\"']?(?:apiVersion|kind|items|metadata|spec)[\"']?[ \t]*:")
_JSON_MANIFEST: Final = regex(r"\"(?:apiVersion|kind)\"[ \t\r\n]*:")
_MANIFESTS: Final = (".yaml", ".yml")


class Manifest(Record):
    """A side that is documents of a cluster."""

    source: Source
    documents: tuple[Document, ...]

    @property
    def hidden(self) -> set[str]:
        """The secrets in what a cluster was asked for: variables with plain values, which a log would keep.

        What stands in a file is shown: who reads the message can read the file.
        """
        if self.source.origin is not None:
            return set()
        return {text for document in self.documents for text in _secrets(document.node)}


Side: TypeAlias = "Input | Manifest"


class Job(Record):
    """A job of one side, for one target. ``made``: what was compiled; of a manifest its ``documents``."""

    name: str
    made: Output | None = None
    documents: tuple[Document, ...] = ()


def _secrets(root: Node) -> Iterator[str]:
    """The values of variables, ``{name: …, value: …}``, that are secrets by name or form."""
    left = [root]
    while left:
        node = left.pop()
        if isinstance(node, Mapping):
            name, value = (view(node)[key].text for key in ("name", "value"))
            if name is not None and value is not None and is_secret(name, value):
                yield value
            left += [entry.value for entry in node.entries.values()]
        elif isinstance(node, Sequence):
            left += node.items


def open_side(word: str, place: Span, allowed: Many[str], report: Report) -> Side | None:
    """What ``word`` of a command line is; ``None`` with a report where it cannot be read.

    ``FILE@REVISION`` is a file of that name where there is one and no such revision. Where both are, or two files can
    be meant, neither is read: whoever brings a file of that name decides what is compared. Nor is it a link that leads
    out of the root.
    """
    asked = repository.likely(word)
    roots = (root_of(word), *map(os.path.realpath, allowed)) if asked else None
    is_file = os.path.lexists(word)
    if is_file:
        asked = [
            reading
            for reading in repository.readings(word)
            if not isinstance(repository.revision(*reading, allowed), str)
        ]
    if len(asked) > (0 if is_file else 1):
        path, name = asked[0]
        file = word if is_file else asked[-1][0]
        ambiguous = REVISION(place, path=path, revision=name, reason=f"there is a file called {file}")
        report(ambiguous.help("rename the file, or name the revision by its commit"))
        return None
    if asked:
        return _at_revision(*asked[0], place, allowed, report)
    source = read(word, roots)
    if isinstance(source, str):
        report(UNREADABLE_FILE(place, path=word or "(no name)", reason=source))
        return None
    return side_of(source, Inputs(source, allowed), report)


def _at_revision(path: str, name: str, place: Span, allowed: Many[str], report: Report) -> Side | None:
    found = repository.revision(path, name, allowed)
    source = found.read(path) if not isinstance(found, str) else found
    if isinstance(source, str) or isinstance(found, str):
        problem = REVISION(place, path=path, revision=name, reason=source)
        report(problem.help(Outside.HELP) if isinstance(source, Outside) else problem)
        return None
    return side_of(source, Inputs(source, allowed, lambda included, _: found.read(included)), report)


def side_of(source: Source, inputs: Inputs, report: Report) -> Side | None:
    """A text of the language with what it includes, JSON of a job or a flow, or a manifest, told apart by content."""
    if not is_manifest(source):
        return front_end.read(source, inputs)
    from tfdsl.importing.manifests import documents_of

    diagnostics: list[Diagnostic] = []
    documents = documents_of([source], diagnostics.append)
    for diagnostic in diagnostics:
        report(diagnostic)
    return None if pipeline.has_errors(diagnostics) else Manifest(source, tuple(documents))


def is_manifest(source: Source) -> bool:
    """Whether a text holds documents of a cluster; no text of the language and no job as JSON looks like them."""
    path = (source.origin or source.path).lower()
    if path.endswith(".tfjob"):
        return False
    start = source.text.lstrip()[:1]
    if start == "{":
        return _JSON_MANIFEST.search(source.text) is not None
    return start in ("<", "[") or path.endswith(_MANIFESTS) or _MANIFEST.search(source.text) is not None


def path_of(side: Side) -> str:
    """The name of a side in messages."""
    return source_of(side).path


def source_of(side: Side) -> Source:
    """The main text of a side."""
    return side.source if isinstance(side, Manifest | Ready) else side.files[0].source


def choices_of(side: Side) -> list[Choice]:
    """The targets that a side names by itself: a text by its blocks, a manifest by what it is."""
    if isinstance(side, Manifest):
        return [Choice(target) for target in targets.built_in() if groups(side, target)]
    jobs = () if isinstance(side, Ready) else side.jobs
    names = [item.name.text for job in jobs for item in job.items if isinstance(item, ast.Target)]
    known = {target.name: target for name in names if (target := targets.find(name)) is not None}
    return [Choice(target) for target in known.values()]


def projects_of(side: Side, allowed: Many[str]) -> tuple[Choice, ...]:
    """The targets of the project that a text is in."""
    return () if isinstance(side, Manifest) else _project_of(side, (), allowed).choices


def _project_of(given: Input, named: Many[Choice], allowed: Many[str]) -> front_end.Project:
    """The project of a text, as it is today, whatever the revision of the text; one that Python made is in none."""
    source = front_end.source_of(given)
    if source.origin is None and source.path != STANDARD_INPUT:
        return front_end.project_with(Settings())
    return front_end.project_of(source.origin, named, allowed)


def groups(side: Manifest, target: Backend) -> list[tuple[Document, ...]]:
    """The documents of each job of ``target`` in a manifest."""
    reading = target.load_reading()
    return [group.documents for group in reading.groups(side.documents)] if reading is not None else []


def jobs_of(side: Side, choice: Choice, request: Request, report: Report, allowed: Many[str]) -> list[Job] | None:
    """The jobs of a side for a target; ``None`` with a report where there is an error."""
    if isinstance(side, Manifest):
        jobs = [Job(_name(documents), None, documents) for documents in groups(side, choice.backend)]
        if not jobs:
            from tfdsl.text import Span

            reason = f"nothing in it is for {choice.backend.name}"
            report(NO_JOB(Span(side.source, 0, 0), path=side.source.path, reason=reason))
        return jobs or None
    project = _project_of(side, [choice], allowed)
    outcome: Outcome = front_end.compiled(side, project.labelled(request), [choice])
    wrong = [diagnostic for diagnostic in (*project.problems, *outcome.diagnostics) if diagnostic.level == "error"]
    for diagnostic in wrong:
        report(diagnostic)
    return None if wrong else [Job(output.unit.name, output) for output in outcome.outputs]


def _name(documents: Many[Document]) -> str:
    from tfdsl.manifest.nodes import View

    metadata = View(documents[0].node, (), documents[0].node.span)["metadata"]
    return metadata["name"].text or metadata["generateName"].text or ""
