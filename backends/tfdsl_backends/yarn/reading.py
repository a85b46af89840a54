"""How the target yarn reads what people have: command lines, Yarnfiles, TonY, Submarine, and what tfdsl wrote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping as Map, Sequence
from functools import lru_cache

from tfdsl.backend.draft import Draft
from tfdsl.backend.reading import Asked, Group
from tfdsl.diagnostics import command_rules
from tfdsl.manifest.nodes import Document, Scalar, view
from tfdsl.manifest.shell_words import Command
from tfdsl.record import replace
from tfdsl.text import Source
from tfdsl_backends.hadoop.reading import Notes, aligned, normal
from tfdsl_backends.yarn.reading_dshell import calls, comments, read_dshell, tell_problem
from tfdsl_backends.yarn.reading_fields import FIELDS
from tfdsl_backends.yarn.reading_own import is_job_script, is_submit_script, job_script, read_own, submit_script
from tfdsl_backends.yarn.reading_submarine import (
    is_submarine,
    read_submarine,
    submarine_calls,
    submarine_file,
    tony_calls,
)
from tfdsl_backends.yarn.reading_tony import is_tony, read_tony
from tfdsl_backends.yarn.reading_yarnfile import is_yarnfile, read_yarnfile

__all__ = ["FIELDS", "aligned", "groups", "normal", "read"]

OWN = "job for YARN"
SERVICE = "Yarnfile"
TONY = "TonY configuration"
SUBMARINE = "Submarine job"
CALL = "DistributedShell command line"
SUBMARINE_CALL = "Submarine command line"
TONY_CALL = "TonY command line"


def groups(documents: Sequence[Document]) -> Sequence[Group]:
    """The jobs in the documents: scripts of tfdsl, Yarnfiles, and jobs of TonY, Submarine and DistributedShell."""
    return [group for document in documents for group in _groups(document, documents)]


def _groups(document: Document, documents: Sequence[Document]) -> Iterator[Group]:
    if is_job_script(document):
        folder = _folder(document)
        yield Group(
            OWN, (document, *(other for other in documents if is_submit_script(other) and _folder(other) == folder))
        )
    elif is_submit_script(document):
        if not any(is_job_script(other) and _folder(other) == _folder(document) for other in documents):
            yield Group(OWN, (document,))
    elif is_yarnfile(document):
        yield Group(SERVICE, (document,))
    elif is_submarine(document):
        yield Group(SUBMARINE, (document,))
    elif is_tony(document):
        scripts = [other for other in documents if other.format == "text" and tony_calls(other.source)]
        told = (replace(other, comments=comments(other.source)) for other in scripts[:1])
        yield Group(TONY, (document, *told, *scripts[:1]))
    elif document.format == "text":
        yield from _calls(document, documents)


def _calls(document: Document, documents: Sequence[Document]) -> Iterator[Group]:
    """The jobs that a script or a command line submits; what is in the script is taken with the first."""
    kinds = [(CALL, call) for call in calls(document.source)]
    kinds += [(SUBMARINE_CALL, call) for call in submarine_calls(document.source)]
    if not any(is_tony(other) for other in documents):
        kinds += [(TONY_CALL, call) for call in tony_calls(document.source)]
    sent = [other for other in documents if other is not document and _is_sent(other, [call for _, call in kinds])]
    told = comments(document.source) if kinds else ()
    for number, (what, call) in enumerate(kinds):
        part = replace(document, node=Scalar(call.span.text, call.span), comments=told)
        yield Group(what, (part, *((document, *sent) if not number else ())))


def _is_sent(document: Document, commands: Sequence[Command]) -> bool:
    """Whether a document is a script that one of the commands names."""
    path = f"/{document.source.path}"
    names = (word.text.removeprefix("./") for call in commands for word in call.words)
    return document.format == "text" and any(name and path.endswith(f"/{name}") for name in names)


def _folder(document: Document) -> str:
    return document.source.path.rpartition("/")[0]


def read(group: Group, asked: Asked) -> Draft | None:
    """The job that a group describes, by the reader of its form."""
    first, notes = group.documents[0], Notes(asked)
    if group.what == OWN:
        return _read_own(group, notes)
    if group.what == SERVICE:
        return read_yarnfile(view(first.node), notes)
    if group.what == SUBMARINE:
        return read_submarine(view(first.node), notes)
    if group.what == TONY:
        script_of = group.documents[1] if len(group.documents) > 1 else None
        commands = tony_calls(script_of.source) if script_of is not None else []
        return read_tony(view(first.node), commands[0] if commands else None, notes, first.node.span)
    if len(group.documents) > 1:
        tell_problem(first.source, notes)
    return _read_call(group.what, first, notes)


def _read_own(group: Group, notes: Notes) -> Draft | None:
    """The job of two scripts that belong together."""
    first, *others = group.documents
    script = job_script(first)
    if script is None:
        notes.tell(
            command_rules.NOT_A_MANIFEST(first.node.span, what="a submit.sh without the job.sh that it sends").help(
                "import the folder with both"
            )
        )
        return None
    if not others:
        reason = "it is in submit.sh; import the folder with both"
        notes.left_out(script.plan["job"].span, "what the containers are and where they run", reason)
    return read_own(script, submit_script(others[0] if others else None))


def _read_call(what: str, part: Document, notes: Notes) -> Draft | None:
    """The job of one command of a script."""
    call = _calls_by_place(what, part.source).get((part.node.span.start, part.node.span.end))
    if call is None:
        return None
    if what == CALL:
        return read_dshell(call, notes)
    if what == TONY_CALL:
        return read_tony(None, call, notes, call.words[0].span)
    return read_submarine(submarine_file(call, notes), notes)


@lru_cache(maxsize=8)
def _calls_by_place(what: str, source: Source) -> Map[tuple[int, int], Command]:
    """The calls of one kind by start and end, the first of several; each call of a script is read for itself."""
    find = {CALL: calls, SUBMARINE_CALL: submarine_calls, TONY_CALL: tony_calls}[what]
    return {(call.span.start, call.span.end): call for call in reversed(find(source))}
