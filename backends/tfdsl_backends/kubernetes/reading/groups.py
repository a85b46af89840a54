"""Which documents are Jobs, and which of them make one job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.manifest.view import view
from tfdsl.reading import Group
from tfdsl_backends.kubernetes.reading.beside import belongs
from tfdsl_backends.kubernetes.reading.forms import job_of, kind
from tfdsl_backends.kubernetes.reading.parts import job_parts, sets
from tfdsl_backends.kubernetes.reading.template import is_template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.manifest.documents import Document


def groups(documents: Sequence[Document]) -> Sequence[Group]:
    """The jobs in ``documents``, in the order of their first documents."""
    kinds = [kind(view(document.node)) for document in documents]
    found: dict[int, Group] = {}
    templates = {number for number, one in enumerate(kinds) if one == "Job" and is_template(documents[number].node)}
    jobs = [number for number, one in enumerate(kinds) if one == "Job" and number not in templates]
    for members in sets([documents[number].node for number in jobs]):
        numbers = [jobs[member] for member in members]
        found[numbers[0]] = _group(documents, numbers, kinds)
    for number, one in enumerate(kinds):
        if one == "CronJob":
            found[number] = Group(one, (documents[number],))
    for number in templates:
        found[number] = Group("template of simpletfjob", (documents[number],))
    return [found[number] for number in sorted(found)]


def _group(documents: Sequence[Document], numbers: Sequence[int], kinds: Sequence[str]) -> Group:
    """The Jobs with these ``numbers`` and what belongs to them."""
    parts = job_parts([job_of(documents[number].node) for number in numbers])
    beside = [
        document
        for number, document in enumerate(documents)
        if number not in numbers and kinds[number] and belongs(document.node, parts[0].job, parts)
    ]
    what = "Kubernetes Job" if len(numbers) == 1 else f"set of {len(numbers)} Kubernetes Jobs"
    return Group(what, (*(documents[number] for number in numbers), *beside))
