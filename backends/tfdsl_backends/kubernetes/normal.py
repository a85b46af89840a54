"""The normal form of plain Jobs: what the server writes into them, and what their controller adds to pods."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from tfdsl.manifest.edits import child, scalar, within, without
from tfdsl.manifest.nodes import Mapping, Node, plain
from tfdsl_backends.podspec.normal import align
from tfdsl_backends.podspec.normal.env import without_entries
from tfdsl_backends.podspec.normal.objects import SCHEDULER, dialect, document, with_names_of
from tfdsl_backends.podspec.normal.pods import in_containers
from tfdsl_backends.podspec.normal.walk import Rule

if TYPE_CHECKING:
    from collections.abc import Sequence as Many

    from tfdsl_backends.podspec.normal.walk import Defaults, Dialect, Sets

KINDS: Final = {("batch/v1", "Job"): "Job"}
GENERATED: Final = ("batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "controller-uid", "job-name")
"""Labels that the server gives to pods of a Job whose selector it makes, and through them to a Job without labels."""

INDEX_VARIABLE: Final = "JOB_COMPLETION_INDEX"
_INDEX: Final = "batch.kubernetes.io/job-completion-index"
INDEX_FIELDS: Final = (f"metadata.annotations['{_INDEX}']", f"metadata.labels['{_INDEX}']")
_NO_LIMIT: Final = 2**31 - 1

DEFAULTS: Final[Defaults] = {
    "JobSpec": {
        "completionMode": "NonIndexed",
        "suspend": False,
        "manualSelector": False,
        "managedBy": "kubernetes.io/job-controller",
    },
    "PodSpec": {"schedulerName": SCHEDULER},
    "PodFailurePolicyOnPodConditionsPattern": {"status": "True"},
}
SETS: Final[Sets] = {
    "PodFailurePolicyOnExitCodesRequirement": {"values": ()},
    "PodFailurePolicyRule": {"onPodConditions": ("type", "status")},
}


def labels(job: Mapping) -> Mapping:
    """Without labels that the server gives a Job that has none: those of its template, the generated ones too."""
    own, theirs = child(job, "metadata", "labels"), child(job, "spec", "template", "metadata", "labels")
    if not isinstance(own, Mapping):
        return job
    given = plain(without(own, GENERATED)) or {}
    if given != (plain(theirs) if theirs is not None else {}):
        return job
    return within(job, ("metadata",), lambda metadata: without(metadata, ("labels",)))


def selector(spec: Mapping) -> Mapping:
    """Without the selector and the labels of pods that the server makes."""
    if scalar(spec.get("manualSelector")) is True:
        return spec
    place = ("template", "metadata", "labels")
    return within(without(spec, ("selector",)), place, lambda labels: without(labels, GENERATED))


def counts(spec: Mapping) -> Mapping:
    """Without the numbers that the server fills in: one pod at a time, and one in all where none is given."""
    at_once, in_all = scalar(spec.get("parallelism")), scalar(spec.get("completions"))
    if at_once == 1 and in_all == 1:
        return without(spec, ("parallelism", "completions"))
    return without(spec, ("parallelism",)) if at_once == 1 and in_all is not None else spec


def failures(spec: Mapping) -> Mapping:
    """Without the limit of failures and the time of replacement that follow from other fields."""
    limit = _NO_LIMIT if spec.get("backoffLimitPerIndex") is not None else 6
    replaced = "Failed" if spec.get("podFailurePolicy") is not None else "TerminatingOrFailed"
    meant = {"backoffLimit": limit, "podReplacementPolicy": replaced}
    return without(spec, [key for key, value in meant.items() if scalar(spec.get(key)) == value])


def index_variable(spec: Mapping) -> Mapping:
    """Without the variable of the index, which the controller adds at the end of env where it is not there."""
    if scalar(spec.get("completionMode")) != "Indexed":
        return spec
    return within(
        spec, ("template", "spec"), lambda pod: in_containers(pod, lambda one: without_entries(one, _is_index))
    )


def _is_index(entry: Node) -> bool:
    field = child(entry, "valueFrom", "fieldRef")
    return scalar(child(entry, "name")) == INDEX_VARIABLE and scalar(child(field, "fieldPath")) in INDEX_FIELDS


_DEFAULTING: Final = "`SetDefaults_Job` in pkg/apis/batch/v1/defaults.go"
RULES: Final = (
    Rule(
        "JobSpec",
        selector,
        "`selector` and the labels `job-name`, `controller-uid` and their long forms, unless `manualSelector` is true",
        "`generateSelector` in pkg/registry/batch/job/strategy.go",
    ),
    Rule("JobSpec", counts, "`parallelism: 1`, and `completions: 1` beside it", _DEFAULTING),
    Rule(
        "JobSpec",
        failures,
        "`backoffLimit: 6` (with `backoffLimitPerIndex` the largest int), and `podReplacementPolicy` `Failed` beside a "
        "`podFailurePolicy`, else `TerminatingOrFailed`",
        _DEFAULTING,
    ),
    Rule(
        "JobSpec",
        index_variable,
        "`JOB_COMPLETION_INDEX` from the index of an Indexed Job's pod, if no other value refers to it",
        "`addCompletionIndexEnvVariable` in pkg/controller/job/indexed_job_utils.go",
    ),
    Rule("Job", labels, "labels of a Job that are those of its template, which a Job without labels gets", _DEFAULTING),
)


@cache
def words() -> Dialect:
    """The dialect of Jobs."""
    return dialect({}, DEFAULTS, SETS, RULES)


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
    new = within(own, ("spec", "template"), lambda node: align.template(node, template, ports))
    if not isinstance(pod, Mapping) or not isinstance(other, Mapping):
        return new
    names = align.container_names(pod, other)
    return within(new, ("spec",), lambda spec: align.failure_policy(spec, names))
