"""JobSets as jobs of the language; the inverse of :mod:`tfdsl_backends.jobset.lower`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import SERVER_REFUSES
from tfdsl.draft import Draft
from tfdsl.manifest.nodes import View, view
from tfdsl.reading import Asked, Group
from tfdsl_backends.jobset.forms import completed, is_jobset, with_claims
from tfdsl_backends.jobset.names import LABELS
from tfdsl_backends.jobset.normal import aligned, normal
from tfdsl_backends.jobset.reading_beside import belonging, claims
from tfdsl_backends.jobset.reading_fields import FIELDS
from tfdsl_backends.jobset.reading_policies import read_policies
from tfdsl_backends.jobset.reading_refusals import refusals
from tfdsl_backends.jobset.reading_roles import RoleOf, named, roles, wanted
from tfdsl_backends.jobset.reading_settings import read_limits, read_order, read_settings
from tfdsl_backends.podspec.options import QUEUE_LABEL
from tfdsl_backends.podspec.plan import INDEX_FIELD, INDEX_VARIABLE
from tfdsl_backends.podspec.reading.facts import ClaimFacts, PodFacts
from tfdsl_backends.podspec.reading.objects import Neighbours, job_name, read_metadata
from tfdsl_backends.podspec.reading.pods import add_missing_images, read_pods

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import Document

__all__ = ["FIELDS", "aligned", "groups", "normal", "read"]

_TARGET: Final = "jobset"


def groups(documents: Sequence[Document]) -> Sequence[Group]:
    """Each JobSet with the claims and the Service of TensorBoard that the compiler would write beside it."""
    found: list[Group] = []
    neighbours = Neighbours(documents)
    for document in documents:
        root = view(document.node)
        if is_jobset(root):
            beside = belonging(neighbours, root)
            found.append(Group("JobSet", (document, *beside)))
    return found


def read(group: Group, asked: Asked) -> Draft | None:
    """The job that a JobSet describes; ``None`` where its Jobs cannot be roles (told as an error).

    A JobSet that the server or its controller refuses is read as far as it goes, and need not come back.
    """
    refused: list[Diagnostic] = []

    def report(diagnostic: Diagnostic) -> None:
        if diagnostic.rule is SERVER_REFUSES:
            refused.append(diagnostic)
        asked.report(diagnostic)

    draft = _read(group, Asked(asked.roles, report))
    if draft is not None and refused:
        draft.law = False
    return draft


def _read(group: Group, asked: Asked) -> Draft | None:
    document, beside = group.documents[0], group.documents[1:]
    root = view(with_claims(completed(document.node)))
    for diagnostic in refusals(root):
        asked.report(diagnostic)
    found = roles(root, asked)
    if not found:
        return None
    draft = Draft(job_name(document, root["metadata"], asked, letter_first=True), _TARGET, root.span)
    draft.renamed = {one.name: one.role for one in found if one.name != one.role}
    draft.law = all(one.copies == 1 for one in found)
    draft.wanted = (wanted(document.node, found), *(one.node for one in beside))
    read_metadata(draft, root["metadata"], without=frozenset((QUEUE_LABEL,)))
    read_settings(draft, root, found)
    read_order(draft, found, asked)
    read_limits(draft, found)
    facts = _facts(draft, root, found, claims(root, beside))
    templates = {one.role: one.spec["template"] for one in found}
    for one in found:
        if one.replicas != 1:
            draft.role(one.role).set("replicas", one.replicas, one.spec["completions"].span)
        else:
            draft.role(one.role)
    read_pods(draft, templates, facts, asked)
    add_missing_images(draft, templates, facts, asked)
    read_policies(draft, root, found)
    return draft


def _facts(draft: Draft, root: View, found: Sequence[RoleOf], made: Mapping[str, ClaimFacts]) -> PodFacts:
    names = named(found)
    copies = {one.role: one.copies for one in found}
    domain = root["spec"]["network"]["subdomain"].text or draft.name

    def address(role: str, index: int, port: int) -> str:
        numbers = f"0-{index}" if copies.get(role, 1) == 1 else f"{index}-0"
        return f"{draft.name}-{names.get(role, role)}-{numbers}.{domain}:{port}"

    return PodFacts(
        replicas={one.role: one.replicas for one in found},
        address=address,
        index_field=INDEX_FIELD,
        index_variable=INDEX_VARIABLE,
        spread_labels=lambda role: {
            f"{LABELS}/jobset-name": draft.name,
            f"{LABELS}/replicatedjob-name": names.get(role, role),
        },
        claims=made,
        priority=True,
        scheduler=True,
    )
