"""The normal form of plain Jobs: what the server writes into them, and what their controller adds to pods."""

from __future__ import annotations

from collections.abc import Sequence as Many
from functools import cache
from typing import Final

from tfdsl.manifest.nodes import Mapping, Node, child, plain, within, without
from tfdsl_backends.podspec.normal import documents, rules
from tfdsl_backends.podspec.normal.documents import SCHEDULER, dialect, document, with_names_of
from tfdsl_backends.podspec.normal.walk import Defaults, Dialect, Rule

KINDS: Final = {("batch/v1", "Job"): "Job"}
DEFAULTS: Final[Defaults] = {**rules.DEFAULTS, "PodSpec": {"schedulerName": SCHEDULER}}


def labels(job: Mapping) -> Mapping:
    """Without labels that the server gives a Job that has none: those of its template, the generated ones too."""
    own, theirs = child(job, "metadata", "labels"), child(job, "spec", "template", "metadata", "labels")
    if not isinstance(own, Mapping):
        return job
    given = plain(without(own, rules.GENERATED)) or {}
    if given != (plain(theirs) if theirs is not None else {}):
        return job
    return within(job, ("metadata",), lambda metadata: without(metadata, ("labels",)))


RULES: Final = (
    *rules.JOB_RULES,
    Rule(
        "Job",
        labels,
        "labels of a Job that are those of its template, which a Job without labels gets",
        rules.DEFAULTING,
    ),
)


@cache
def words() -> Dialect:
    """The dialect of Jobs."""
    return dialect({}, DEFAULTS, rules.SETS, RULES)


def normal(documents: Many[Node], version: str) -> Many[Node]:
    """The normal form of Jobs and of what is beside them; the same at every ``version``."""
    return [document(node, KINDS, words()) for node in documents]


def aligned(documents: Many[Node], written: Many[Node]) -> Many[Node]:
    """``documents`` with the names in pods that ``written`` has, and with its order of sets."""
    return with_names_of(documents, written, _job, KINDS, words())


def _job(own: Node, written: Node | None, ports: frozenset[str]) -> Node:
    pod, other = (child(node, "spec", "template", "spec") for node in (own, written))
    template = child(written, "spec", "template")
    if not isinstance(own, Mapping) or not isinstance(template, Mapping):
        return own
    new = within(own, ("spec", "template"), lambda node: documents.template(node, template, ports))
    if not isinstance(pod, Mapping) or not isinstance(other, Mapping):
        return new
    names = documents.container_names(pod, other)
    return within(new, ("spec",), lambda spec: documents.failure_policy(spec, names))
