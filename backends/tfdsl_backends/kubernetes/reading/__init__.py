"""Jobs of Kubernetes, and what is made of them, as jobs of the language.

The other direction of :mod:`tfdsl_backends.kubernetes.lower`; the functions are those of
:class:`tfdsl.reading.Reading`.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.draft import Draft
from tfdsl.manifest.nodes import Node
from tfdsl.reading import Asked, Group
from tfdsl_backends.kubernetes import normal as normal_form
from tfdsl_backends.kubernetes.reading.alike import bare, named_like, of_one_pod, with_container, with_port_of
from tfdsl_backends.kubernetes.reading.fields import FIELDS
from tfdsl_backends.kubernetes.reading.groups import groups
from tfdsl_backends.kubernetes.reading.jobs import read_jobs
from tfdsl_backends.kubernetes.reading.template import as_template, is_template, jobs_of

__all__ = ["FIELDS", "aligned", "groups", "normal", "read"]


def read(group: Group, asked: Asked) -> Draft | None:
    """The job that ``group`` describes; ``None`` where it is none of the language (told as an error)."""
    first = group.documents[0].node
    if is_template(first):
        draft = read_jobs(jobs_of(first), asked)
        return None if draft is None else as_template(draft, first, asked)
    return read_jobs([document.node for document in group.documents], asked)


def normal(documents: Sequence[Node], version: str) -> Sequence[Node]:
    """The normal form of Jobs and of what is beside them."""
    whole = normal_form.normal([bare(document) for document in documents], version)
    return [of_one_pod(document) for document in whole]


def aligned(documents: Sequence[Node], written: Sequence[Node]) -> Sequence[Node]:
    """``documents`` with the names of Jobs, containers and volumes that ``written`` has."""
    named = normal_form.aligned(named_like(documents, written), written)
    return [with_container(with_port_of(document, written)) for document in named]
