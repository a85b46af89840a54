"""Manifests in, one text out: what :func:`import_manifests` finds, reads, settles and writes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import count
from typing import Final

from tfdsl import targets
from tfdsl.backend import Backend
from tfdsl.backend.draft import Draft
from tfdsl.backend.reading import Asked, Group, Reading
from tfdsl.compiling import pipeline
from tfdsl.compiling.pipeline import Made
from tfdsl.diagnostics import Diagnostic, Report, command_rules
from tfdsl.diagnostics.command_rules import (
    IMPORT_DIFFERS,
    IMPORT_NOTHING,
    IMPORT_REFUSED,
    NOT_KEPT,
)
from tfdsl.diagnostics.suggest import enumeration
from tfdsl.importing.compare import possible, refused_of
from tfdsl.importing.convert import Settled, asked_for, differs, program_of, settle, unkept
from tfdsl.importing.lift import with_lets
from tfdsl.importing.placeholders import Placeholders
from tfdsl.importing.write import examples, opening, remarks, write
from tfdsl.manifest.find import Readable, find
from tfdsl.manifest.nodes import Document, Scalar, put, view
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.semantics.request import Choice, Request
from tfdsl.syntax.format import format_source
from tfdsl.text import Source, Span
from tfdsl.vocabulary.names import LONGEST_LABEL

# --- documents: YAML and JSON, XML, and the words of a command line, told apart by their content -----------------


_FIRST_WORD: Final = regex(r"(?:\w+=\S*\s+)*(?:\S*/)?([\w.-]+)[ \t]")
LARGEST_SUM: Final = 4 * 1024 * 1024
"""The most characters of all manifests together: the API server takes objects of at most 1.5 MiB, and a tree with the
places of all its nodes needs about 80 times as much memory as its text."""
_SCRIPTS: Final = (".sh", ".bash", ".py")


def documents_of(sources: Sequence[Source], report: Report) -> list[Document]:
    """Every document of ``sources``, in order; what is wrong with their form goes to ``report``."""
    total = 0
    for source in sources:
        total += len(source.text)
        if total > LARGEST_SUM:
            error = command_rules.MANIFEST_TOO_LARGE(Span(source, 0, 0), limit=LARGEST_SUM // 1024 // 1024)
            report(error.help("import it in several parts; kubectl can get one kind, or one namespace, at a time"))
            return []
    known = targets.built_in()
    kinds = frozenset(kind.lower() for backend in known for kind in backend.kinds)
    readable = Readable(kinds, enumeration([words for backend in known for words in backend.reads]))
    commands = {command for backend in known for command in backend.commands}
    documents = (document for source in sources for document in _documents_in(source, commands, report))
    return find(documents, readable, report)


def _documents_in(source: Source, commands: Collection[str], report: Report) -> Sequence[Document]:
    start = source.text.lstrip()
    if start.startswith("<"):
        from tfdsl.manifest.xml import read_xml

        document = read_xml(source, report)
        return () if document is None else (document,)
    first = _FIRST_WORD.match(start)
    if source.path.endswith(_SCRIPTS) or start.startswith("#!") or (first is not None and first[1] in commands):
        return [Document(source, Scalar(source.text, Span(source, 0, len(source.text))), "text")]
    from tfdsl.manifest import yaml

    return yaml.read(source, report)


# --- jobs --------------------------------------------------------------------------------------------------------


class Job(Record):
    """One job that was imported.

    ``what``: as people call the documents it was read from; ``kept``: whether the law holds, ``None`` where nothing can
    prove it; ``patches``: how many the text has; ``renamed``: whether another job has its name, which the law then
    leaves aside.
    """

    name: str
    what: str
    target: str
    patches: int
    kept: bool | None
    renamed: bool = False


class Imported(Record):
    """What came of manifests: a text of jobs, empty where none did, and all there is to say."""

    text: str
    jobs: tuple[Job, ...]
    diagnostics: tuple[Diagnostic, ...]


class _Read(Record):
    """A group of documents on its way: who reads it, and the draft that compiles."""

    group: Group
    backend: Backend
    reading: Reading
    settled: Settled
    renamed: bool = False


def import_manifests(
    sources: Sequence[Source],
    roles: Mapping[str, str] | None = None,
    target: Backend | None = None,
    *,
    apart: bool = False,
) -> list[Imported]:
    """The jobs of ``sources``, which are read together: one text with all of them, or ``apart`` one for each.

    ``roles``: what the manifests call a role → the role. ``target``: read only what this target writes. What there is
    to say is with the first text.
    """
    diagnostics: list[Diagnostic] = []
    asked = Asked(roles or {}, diagnostics.append)
    placeholders = Placeholders(documents_of(sources, diagnostics.append))
    read = _read(placeholders.documents, asked, target)
    if not read:
        return [_nothing(sources, placeholders.diagnostics(diagnostics), target)]
    named = _of_other_names(read, asked, apart=apart)
    groups = [[reading] for reading in named] if apart else [_for_one_file(named, diagnostics.append)]
    results = [_written(group, sources, placeholders, diagnostics) for group in groups]
    first = replace(results[0], diagnostics=tuple(placeholders.diagnostics(diagnostics)))
    return [first, *results[1:]]


def _of_other_names(read: Sequence[_Read], asked: Asked, *, apart: bool) -> list[_Read]:
    """``read`` with another name for each job that is called as one before it: a file has one job of a name.

    The manifest is read once more as if it had that name, so what the law says of it holds but for the name. ``apart``:
    each is in a file of its own, so that it is only told.
    """
    used = {reading.settled.draft.name for reading in read}
    before: set[str] = set()
    named: list[_Read] = []
    for reading in read:
        draft = reading.settled.draft
        if draft.name in before:
            name = free_name(draft.name, used)
            other = reading if apart else _called(reading, name, Asked(asked.roles, lambda diagnostic: None))
            now = f"would be {name} in one file" if apart else f"is {name}"
            problem = f"{now}, because there is another job {draft.name}"
            place = view(reading.group.documents[0].node)["metadata"]["name"].span
            error = IMPORT_DIFFERS(place, what="the name of this job", difference=problem)
            if other is None:
                error = IMPORT_REFUSED(draft.span, job=draft.name, problem="there is another job of this name")
            asked.report(error.help("--split -o FOLDER writes a file for each job, in which it keeps its name"))
            named += [other] if other is not None else []
            used.add(name)
        else:
            named.append(reading)
        before.add(draft.name)
    return named


def free_name(name: str, taken: Collection[str], most: int = LONGEST_LABEL) -> str:
    """``name`` with the first number that makes it one that is not ``taken``."""
    endings = (f"-{number}" for number in count(2))
    return next(candidate for ending in endings if (candidate := f"{name[: most - len(ending)]}{ending}") not in taken)


def _called(read: _Read, name: str, asked: Asked) -> _Read | None:
    """What its manifest says of ``read`` when the job is called ``name``."""
    old = read.settled.draft.name
    group = replace(read.group, documents=tuple(_renamed(each, old, name) for each in read.group.documents))
    called = _read_group(group, read.backend, read.reading, asked, name)
    return None if called is None else replace(called, renamed=True)


def _renamed(document: Document, old: str, name: str) -> Document:
    """``document``, which is the job ``old`` or one whose name begins so, for the job ``name``."""
    place = view(document.node)["metadata"]["name"]
    own = place.text or old
    new = name + own[len(old) :] if own.startswith(old) else name
    return replace(document, node=put(document.node, ("metadata", "name"), Scalar(new, place.span)))


def _for_one_file(read: Sequence[_Read], report: Report) -> list[_Read]:
    """``read`` without a job that cannot stand in one file with those before it.

    Every job of a file is checked for every target that is compiled for, so one that is an error for the target of
    another stops that one too: a job for YARN may have no image, one for Kubernetes may not.
    """
    if len({reading.backend.name for reading in read}) < 2:
        return list(read)
    kept: list[_Read] = []
    errors: dict[tuple[int, str], str] = {}

    def error_for(reading: _Read, other: _Read) -> str:
        """Why ``reading`` is an error for the target of ``other``, which is found once for each target."""
        key = (id(reading), other.backend.name)
        if key not in errors:
            errors[key] = _error_for(reading, other.backend) if reading.backend.name != other.backend.name else ""
        return errors[key]

    def stops(reading: _Read, other: _Read) -> str:
        error, name = error_for(reading, other), reading.settled.draft.name
        joint = f"in one file with {other.settled.draft.name}, which is for {other.backend.name}"
        return f"{joint}, {name} is an error: {error}" if error else ""

    for reading in read:
        problem = next((text for other in kept for text in (stops(reading, other), stops(other, reading)) if text), "")
        if problem:
            error = IMPORT_REFUSED(reading.settled.draft.span, job=reading.settled.draft.name, problem=problem)
            report(error.help("--split -o FOLDER writes a file for each job"))
        else:
            kept.append(reading)
    return kept


def _error_for(read: _Read, backend: Backend) -> str:
    """What ``backend`` says against ``read``, which was read from another target; empty if nothing."""
    draft = read.settled.draft
    program = program_of(draft.name, write([draft]).text)
    diagnostics = pipeline.check(program, Request(params=examples([draft])), [Choice(backend)]).diagnostics
    return next((each.message for each in diagnostics if each.level == "error"), "")


def _nothing(sources: Sequence[Source], diagnostics: list[Diagnostic], target: Backend | None) -> Imported:
    if not pipeline.has_errors(diagnostics) and sources:
        diagnostics.append(IMPORT_NOTHING(Span(sources[0], 0, 0), who=target.name if target else "a target"))
    return Imported("", (), tuple(diagnostics))


def _read(documents: Sequence[Document], asked: Asked, target: Backend | None) -> list[_Read]:
    """Every job that a target recognises; the targets are asked in order, each about what is left."""
    read: list[_Read] = []
    left = list(documents)
    for backend in targets.built_in() if target is None else (target,):
        reading = backend.load_reading()
        taken: set[int] = set()
        for group in reading.groups(left) if reading is not None and left else ():
            taken.update(id(manifest) for manifest in group.documents)
            one = _read_group(group, backend, reading, asked) if reading is not None else None
            read += [one] if one is not None else []
        left = [manifest for manifest in left if id(manifest) not in taken]
    for document in left if read else ():
        asked.report(_aside(document))
    return read


def _read_group(group: Group, backend: Backend, reading: Reading, asked: Asked, name: str = "") -> _Read | None:
    """The job of a group; ``name``: what it is called, also where its manifest cannot say so."""
    said: list[Diagnostic] = []
    draft = reading.read(group, replace(asked, report=said.append))
    for diagnostic in said:
        asked.report(diagnostic)
    if draft is None:
        return None
    draft.name = name or draft.name
    settled = settle(draft, group, backend, reading, asked.report, refused_of(said))
    return None if settled is None else _Read(group, backend, reading, settled)


def _aside(document: Document) -> Diagnostic:
    """That a document is not part of the jobs that it stands beside."""
    root = view(document.node)
    names = (root["kind"].text or "a document", root["metadata"]["name"].text)
    reason = "it is not part of a job; keep its manifest"
    return NOT_KEPT(root["kind"].span, what=" ".join(name for name in names if name), reason=reason)


def _written(
    read: Sequence[_Read], sources: Sequence[Source], placeholders: Placeholders, diagnostics: list[Diagnostic]
) -> Imported:
    """The text of the jobs, which is compiled once more: it is what the user gets that has to keep the law.

    ``diagnostics`` gets what there is to say.
    """
    drafts = [placeholders.draft(reading.settled.draft) for reading in read]
    text = _text(drafts, read, sources, plain=False)
    made = _compiled(text, read, drafts)
    if any(compiled is None for compiled in made):
        text = _text(drafts, read, sources, plain=True)
        made = _compiled(text, read, drafts)
    jobs: list[Job] = []
    for reading, written, output in zip(read, drafts, made, strict=True):
        kept = None
        draft, lost = reading.settled.draft, placeholders.lost(reading.group.documents, written)
        diagnostics += lost
        if draft.compared:
            assert output is not None, "what was settled compiles"
            left = unkept(placeholders.filled(asked_for(draft, reading.group)), output, reading.reading)
            refused = refused_of(diagnostics)
            diagnostics += [
                each for each in reading.settled.refused if not any(_overlap(each.span, other) for other in refused)
            ]
            refused |= refused_of(reading.settled.refused)
            own = [each for each in left if possible(each, refused) is not None]
            diagnostics += [differs(difference, draft.span) for difference in own]
            kept = (
                False if own else None if left or lost or not draft.law else True
            )  # the law is about what its server accepts
        name, patches = placeholders.named(draft.name), reading.settled.patches
        jobs.append(Job(name, reading.group.what, draft.target, patches, kept, reading.renamed))
    return Imported(text, tuple(jobs), ())


def _overlap(span: Span, other: Span) -> bool:
    return span.source is other.source and span.start < other.end and other.start < span.end


def _text(drafts: Sequence[Draft], read: Sequence[_Read], sources: Sequence[Source], *, plain: bool) -> str:
    """The formatted text. ``plain``: without lets."""
    comments = {document.source: document.comments for each in read for document in each.group.documents}
    head = [line for source in sources for line in opening(source, comments.get(source, ()))]
    if plain:
        draught = write(drafts, (), remarks(drafts, comments), head)
    else:
        named, lets = with_lets(drafts)
        draught = write(named, lets, remarks(named, comments), head)
    return format_source(Source("import", draught.text))[0]


def _compiled(text: str, read: Sequence[_Read], drafts: Sequence[Draft]) -> list[Made | None]:
    """What the text gives for each of the jobs, for the target that it was read from; ``None`` for an error."""
    program = program_of("imported.tfjob", text)
    request = Request(params=examples(drafts))
    made: dict[tuple[str, str], Made] = {}
    for backend in {reading.backend.name: reading.backend for reading in read}.values():
        for output in pipeline.run(program, request, [Choice(backend)]).made:
            made[output.unit.target, output.unit.job.name] = output
    return [made.get((reading.backend.name, reading.settled.draft.name)) for reading in read]
