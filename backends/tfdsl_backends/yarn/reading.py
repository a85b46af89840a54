"""How the target yarn reads what people have: command lines, Yarnfiles, TonY, Submarine, and what tfdsl wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.manifest.nodes import Scalar
from tfdsl.reading import Group
from tfdsl.record import replace
from tfdsl_backends.hadoop.reading import Notes
from tfdsl_backends.yarn.reading_dshell import calls, read_dshell, tell_problem
from tfdsl_backends.yarn.reading_fields import FIELDS
from tfdsl_backends.yarn.reading_own import read_own
from tfdsl_backends.yarn.reading_scripts import is_job_script, is_submit_script, job_script, submit_script, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tfdsl.draft import Draft
    from tfdsl.manifest.documents import Document
    from tfdsl.manifest.nodes import Node
    from tfdsl.reading import Asked

__all__ = ["FIELDS", "aligned", "groups", "normal", "read"]

OWN = "job for YARN"
CALL = "DistributedShell command line"


def groups(documents: Sequence[Document]) -> Sequence[Group]:
    """The jobs."""
    return [group for one in documents for group in _groups(one, documents)]


def _groups(one: Document, documents: Sequence[Document]) -> Iterator[Group]:
    if is_job_script(one):
        folder = _folder(one)
        yield Group(OWN, (one, *(other for other in documents if is_submit_script(other) and _folder(other) == folder)))
    elif one.format == "text" and not is_submit_script(one):
        for number, call in enumerate(calls(one, text_of(one))):
            part = replace(one, node=Scalar(call.span.text, call.span))
            yield Group(CALL, (part, *((one,) if not number else ())))


def _folder(document: Document) -> str:
    return document.source.path.rpartition("/")[0]


def read(group: Group, asked: Asked) -> Draft | None:
    """The job."""
    first, notes = group.documents[0], Notes(asked)
    if group.what == OWN:
        script = job_script(first)
        submit = group.documents[1] if len(group.documents) > 1 else None
        return read_own(script, submit_script(submit)) if script is not None else None
    if len(group.documents) > 1:
        tell_problem(first, first.source.text, notes)
    call = next((one for one in calls(first, first.source.text) if one.span == first.node.span), None)
    return read_dshell(call, notes) if call is not None else None


def normal(documents: Sequence[Node], version: str) -> Sequence[Node]:
    """The documents as they are: what is kept is a table."""
    return documents


def aligned(documents: Sequence[Node], written: Sequence[Node]) -> Sequence[Node]:
    """The documents as they are."""
    return documents
