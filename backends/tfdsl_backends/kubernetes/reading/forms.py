"""Which documents hold Jobs, and where the Job is in each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.manifest.nodes import Mapping, Node, Scalar, View, mapping, view
from tfdsl_backends.kubernetes.reading.discovery import with_plain_config

if TYPE_CHECKING:
    from tfdsl.text import Span

JOB_APIS: Final = ("batch/v1",)
CRON_APIS: Final = ("batch/v1", "batch/v1beta1", "batch/v2alpha1")


def kind(root: View) -> str:
    """``Job`` or ``CronJob`` of Kubernetes; the kind of anything else."""
    version, name = root["apiVersion"].text or "", root["kind"].text or ""
    if name == "Job" and version not in JOB_APIS:
        return ""
    if name == "CronJob" and version not in CRON_APIS:
        return ""
    return name


def job_of(document: Node) -> Node:
    """The Job of a CronJob, named as that; any other document as it is. Its TF_CONFIG is as the compiler writes it."""
    root = view(document)
    if kind(root) == "CronJob":
        document = _of_cron(root)
    return with_plain_config(document) if kind(view(document)) == "Job" else document


def _of_cron(root: View) -> Node:
    template = root["spec"]["jobTemplate"]
    span = template.span
    entries = {"apiVersion": _text("batch/v1", span), "kind": _text("Job", span)}
    entries["metadata"] = _metadata(root, template["metadata"], span)
    spec = template["spec"].node
    return mapping({**entries, "spec": spec} if spec is not None else entries, span)


def _metadata(root: View, template: View, span: Span) -> Mapping:
    """Name and namespace of the CronJob, labels and annotations that its Jobs get."""
    entries: dict[str, Node] = {}
    for place, keys in ((root["metadata"], ("name", "namespace")), (template, ("labels", "annotations"))):
        for key in keys:
            node = place[key].node
            if node is not None:
                entries[key] = node
    return mapping(entries, span)


def _text(value: str, span: Span) -> Node:
    return Scalar(value, span)
