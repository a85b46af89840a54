"""TFJobs, of every API that there was, as jobs of the language; the inverse of :mod:`tfdsl_backends.tfjob.lower`.

A job of an older API is read as the v1 that it becomes (:mod:`tfdsl_backends.tfjob.old_forms`), with the places of what
it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics import Diagnostic
from tfdsl.draft import Draft
from tfdsl.manifest.nodes import View, view
from tfdsl.reading import Asked, Group
from tfdsl.record import replace
from tfdsl_backends.podspec.options import QUEUE_LABEL
from tfdsl_backends.podspec.reading.facts import ClaimFacts, PodFacts
from tfdsl_backends.podspec.reading.objects import Neighbours, job_name, read_metadata
from tfdsl_backends.podspec.reading.pods import add_missing_images, read_pods
from tfdsl_backends.tfjob.normal import aligned, normal
from tfdsl_backends.tfjob.old_forms import is_tfjob, modern
from tfdsl_backends.tfjob.pods import INDEX_FIELD, SET_TF_CONFIG
from tfdsl_backends.tfjob.reading_beside import BOARD, LABEL, belonging, board, claims, deployed
from tfdsl_backends.tfjob.reading_fields import FIELDS
from tfdsl_backends.tfjob.reading_policies import read_policies
from tfdsl_backends.tfjob.reading_refusals import left_out, refusals
from tfdsl_backends.tfjob.reading_roles import Roles, roles
from tfdsl_backends.tfjob.reading_run_policy import read_run_policy
from tfdsl_backends.tfjob.reading_wanted import wanted

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import Document

__all__ = ["FIELDS", "aligned", "groups", "normal", "read"]

_TARGET: Final = "tfjob"
_LOST_CONFIG: Final = "the operator sets TF_CONFIG itself, and the last one counts"


def groups(documents: Sequence[Document]) -> Sequence[Group]:
    """Each TFJob with the claims and the TensorBoard that the compiler would write beside it."""
    found: list[Group] = []
    neighbours = Neighbours(documents)
    for document in documents:
        if is_tfjob(document.node):
            root, job = view(document.node), view(modern(document.node))
            beside = belonging(neighbours, job)
            api = (root["apiVersion"].text or "").removeprefix("kubeflow.org/")
            found.append(Group(f"{root['kind'].text} {api}", (document, *beside)))
    return found


def read(group: Group, asked: Asked) -> Draft | None:
    """The job that a TFJob describes; ``None`` where one of its roles is none of the language (told as an error)."""
    told: list[Diagnostic] = []
    draft = _read(group, replace(asked, report=told.append))
    for diagnostic in sorted(told, key=lambda one: one.span.start):
        asked.report(diagnostic)
    return draft


def _read(group: Group, asked: Asked) -> Draft | None:
    document, beside = group.documents[0], group.documents[1:]
    root, job = view(document.node), view(modern(document.node))
    known = roles(job, asked)
    if known is None:
        return None
    draft = Draft(job_name(document, job["metadata"], asked, letter_first=True), _TARGET, root.span)
    draft.renamed = dict(known.renamed)
    _report(draft, root, job, known, asked)
    read_metadata(draft, job["metadata"], without=frozenset((QUEUE_LABEL,)))
    shown = board(root, beside, asked)
    images = _pods(draft, known, shown, claims(beside), asked)
    schedulers = {spec["template"]["spec"]["schedulerName"].text for spec in known.specs.values()}
    read_run_policy(draft, job, known.replicas, schedulers, asked)
    read_policies(draft, job, known.specs, asked)
    others = [one.node for one in beside]
    draft.wanted = wanted(draft, job, others, None if deployed(beside) else shown, images)
    return draft


def _report(draft: Draft, root: View, job: View, known: Roles, asked: Asked) -> None:
    """What is dropped and refused. A job that the server refuses is read as far as it goes, and need not come back."""
    draft.compared = True
    draft.law = known.accepted and (job["metadata"]["name"].text or draft.name) == draft.name
    for diagnostic in left_out(root, job):
        asked.report(diagnostic)
    for diagnostic in refusals(root, job):
        draft.law = False
        asked.report(diagnostic)


def _pods(
    draft: Draft, known: Roles, shown: View | None, made: Mapping[str, ClaimFacts], asked: Asked
) -> dict[str, str]:
    """The roles; returns the images that were made up for some of them."""
    pods = {role: spec["template"] for role, spec in known.specs.items()}
    if shown is not None:
        pods[BOARD] = shown
    for role in pods:
        draft.role(role)
    for role, count in known.replicas.items():
        if count != 1:
            draft.role(role).set("replicas", count, known.specs[role]["replicas"].span)
    facts = _facts(draft, known, made)
    found = read_pods(draft, pods, facts, asked)
    if found.config:
        draft.options.set("tf_config", "static")
    return add_missing_images(draft, pods, facts, asked)


def _facts(draft: Draft, known: Roles, made: Mapping[str, ClaimFacts]) -> PodFacts:
    """What the operator and the compiler add to the pods."""
    distributed = sum(known.replicas.values()) != 1
    return PodFacts(
        replicas=known.replicas,
        address=lambda role, index, port: f"{draft.name}-{role}-{index}:{port}",
        index_field=INDEX_FIELD,
        spread_labels=lambda role: (
            {LABEL: draft.name}
            if role == BOARD
            else {"training.kubeflow.org/job-name": draft.name, "training.kubeflow.org/replica-type": role}
        ),
        labels=frozenset((LABEL,)),
        claims=made,
        priority=True,
        scheduler=True,
        program_around=lambda role, text: 1 if text == SET_TF_CONFIG else None,
        lost_config=_LOST_CONFIG if distributed else "",
        discovery=("both", "tf_config"),
    )
