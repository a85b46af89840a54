"""How the target yarn reads what people have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.reading import Field, Group
from tfdsl_backends.yarn.reading_own import read_own
from tfdsl_backends.yarn.reading_scripts import is_job_script, is_submit_script, job_script, submit_script

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.draft import Draft
    from tfdsl.manifest.documents import Document
    from tfdsl.manifest.nodes import Node
    from tfdsl.reading import Asked

FIELDS: tuple[Field, ...] = ()


def groups(documents: Sequence[Document]) -> Sequence[Group]:
    """The jobs."""
    found: list[Group] = []
    for one in documents:
        if is_job_script(one):
            folder = one.source.path.rpartition("/")[0]
            submit = [d for d in documents if is_submit_script(d) and d.source.path.rpartition("/")[0] == folder]
            found.append(Group("job for YARN", (one, *submit)))
    return found


def read(group: Group, asked: Asked) -> Draft | None:
    """The job."""
    script = job_script(group.documents[0])
    if script is not None:
        return read_own(script, submit_script(group.documents[1] if len(group.documents) > 1 else None))
    return None


def normal(documents: Sequence[Node], version: str) -> Sequence[Node]:
    """The documents as they are: what is kept is a table."""
    return documents


def aligned(documents: Sequence[Node], written: Sequence[Node]) -> Sequence[Node]:
    """The documents as they are."""
    return documents
