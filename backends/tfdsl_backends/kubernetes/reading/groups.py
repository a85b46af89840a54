"""Which documents are Jobs, and which of them make one job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfdsl.manifest.nodes import view
from tfdsl.reading import Group
from tfdsl_backends.kubernetes.reading.beside import belongs
from tfdsl_backends.kubernetes.reading.forms import job_of, kind
from tfdsl_backends.kubernetes.reading.parts import job_parts, sets
from tfdsl_backends.kubernetes.reading.template import is_template
from tfdsl_backends.podspec.reading.objects import Neighbours

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import Document


def groups(documents: Sequence[Document]) -> Sequence[Group]:
    """The jobs in ``documents``, in the order of their first documents."""
    kinds = [kind(view(document.node)) for document in documents]
    found: dict[int, Group] = {}
    templates = {number for number, one in enumerate(kinds) if one == "Job" and is_template(documents[number].node)}
    jobs = [number for number, one in enumerate(kinds) if one == "Job" and number not in templates]
    neighbours = Neighbours(document for number, document in enumerate(documents) if kinds[number])
    for members in sets([documents[number].node for number in jobs]):
        numbers = [jobs[member] for member in members]
        found[numbers[0]] = _group([documents[number] for number in numbers], neighbours)
    for number, one in enumerate(kinds):
        if one == "CronJob":
            found[number] = Group(one, (documents[number],))
    for number in templates:
        found[number] = Group("template of simpletfjob", (documents[number],))
    return [found[number] for number in sorted(found)]


def _group(jobs: Sequence[Document], neighbours: Neighbours) -> Group:
    """The documents of one job's Jobs and what belongs to them."""
    parts = job_parts([job_of(document.node) for document in jobs])
    name, namespace = parts[0].job, parts[0].root["metadata"]["namespace"].text
    beside = [document for document in neighbours.of(namespace, name) if belongs(document.node, name, parts)]
    what = "Kubernetes Job" if len(jobs) == 1 else f"set of {len(jobs)} Kubernetes Jobs"
    return Group(what, (*jobs, *beside))
