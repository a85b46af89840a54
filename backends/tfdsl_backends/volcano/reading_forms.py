"""Which documents are Volcano jobs or hold one, and what is beside a job.

A CronJob makes jobs by the clock, a JobFlow makes them of JobTemplates. The job inside is the one that is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics.import_rules import NOT_KEPT
from tfdsl.manifest.nodes import Node
from tfdsl.manifest.view import View, view
from tfdsl.reading import Asked, Group
from tfdsl_backends.podspec.reading.objects import Neighbours
from tfdsl_backends.volcano.lower import API_VERSION
from tfdsl_backends.volcano.normal import HEADERS, TEMPLATES

if TYPE_CHECKING:
    from tfdsl.manifest.documents import Document

BOARD: Final = "tensorboard"


def groups(documents: Sequence[Document]) -> Sequence[Group]:
    """Each Volcano job with the claims and the Service that the compiler would write beside it."""
    found: list[Group] = []
    neighbours = Neighbours(documents)
    for document in documents:
        kind = _kind(document.node)
        if kind:
            metadata = view(document.node)["metadata"]
            near = neighbours.of(metadata["namespace"].text, metadata["name"].text)
            beside = [other for other in near if other is not document and _belongs(other, document)]
            what = "Volcano Job" if kind == "Job" else f"job of a Volcano {kind}"
            found.append(Group(what, (document, *beside)))
    return found


def _kind(node: Node) -> str:
    """``Job``, or what holds one; empty for everything else."""
    root = view(node)
    version, kind = root["apiVersion"].text or "", root["kind"].text
    served = {"Job": HEADERS, "CronJob": (API_VERSION,), "JobTemplate": TEMPLATES}
    return kind if kind is not None and version in served.get(kind, ()) else ""


def report_holder(document: Document, asked: Asked) -> None:
    """That what is around a job is not read."""
    root = view(document.node)
    kind, spec = root["kind"].text, root["spec"]
    if kind == "CronJob":
        keys = [key for key, _ in spec.entries() if key != "jobTemplate"]
        if keys:
            reason = "a job of the language has no schedule; to keep it, put the compiled job into spec.jobTemplate"
            asked.report(
                NOT_KEPT(spec.key(keys[0]), what=f"the schedule of the CronJob ({', '.join(keys)})", reason=reason)
            )
    elif kind == "JobTemplate":
        reason = "to start the job from a JobFlow, put the compiled spec into the JobTemplate"
        asked.report(NOT_KEPT(root["kind"].span, what="the JobTemplate around the job", reason=reason))


def _belongs(document: Document, job: Document) -> bool:
    """Whether ``document``, in the namespace of ``job``, is one that the compiler writes beside it."""
    root, other = view(document.node), view(job.node)
    name, of = root["metadata"]["name"].text or "", other["metadata"]["name"].text
    if root["kind"].text == "Service":
        return name == f"{of}-{BOARD}"
    return root["kind"].text == "PersistentVolumeClaim" and name.startswith(f"{of}-") and name in _claimed(other)


def _claimed(job: View) -> set[str]:
    """The claims that the pods of ``job`` name."""
    found: set[str] = set()
    for task in job["spec"]["tasks"].items():
        for volume in task["template"]["spec"]["volumes"].items():
            claim = volume["persistentVolumeClaim"]["claimName"].text
            if claim:
                found.add(claim)
    return found
