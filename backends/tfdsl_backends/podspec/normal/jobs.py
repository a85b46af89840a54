"""What servers and the Job controller treat alike in the ``spec`` of a Job (batch/v1), as part of any object."""

from __future__ import annotations

from typing import Final

from tfdsl.manifest.edits import child, scalar, within, without
from tfdsl.manifest.nodes import Mapping, Node
from tfdsl_backends.podspec.batch import DEFAULT_LIMIT, INDEX_FIELD, INDEX_VARIABLE
from tfdsl_backends.podspec.normal.env import without_entries
from tfdsl_backends.podspec.normal.pods import in_containers
from tfdsl_backends.podspec.normal.walk import Defaults, Rule, Sets

GENERATED: Final = ("batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "controller-uid", "job-name")
"""Labels that the server gives to pods of a Job whose selector it makes, and through them to a Job without labels."""

INDEX_FIELDS: Final = (INDEX_FIELD, INDEX_FIELD.replace("annotations", "labels"))
_NO_LIMIT: Final = 2**31 - 1

DEFAULTS: Final[Defaults] = {
    "JobSpec": {
        "completionMode": "NonIndexed",
        "suspend": False,
        "manualSelector": False,
        "managedBy": "kubernetes.io/job-controller",
    },
    "PodFailurePolicyOnPodConditionsPattern": {"status": "True"},
}
SETS: Final[Sets] = {
    "PodFailurePolicyOnExitCodesRequirement": {"values": ()},
    "PodFailurePolicyRule": {"onPodConditions": ("type", "status")},
}


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
    limit = _NO_LIMIT if spec.get("backoffLimitPerIndex") is not None else DEFAULT_LIMIT
    replaced = "Failed" if spec.get("podFailurePolicy") is not None else "TerminatingOrFailed"
    meant = {"backoffLimit": limit, "podReplacementPolicy": replaced}
    return without(spec, [key for key, value in meant.items() if scalar(spec.get(key)) == value])


def index_variable(spec: Mapping) -> Mapping:
    """Without the variable of the index, which the controller adds at the end of env where it is not there."""
    return without_index_variable(spec) if scalar(spec.get("completionMode")) == "Indexed" else spec


def without_index_variable(spec: Mapping) -> Mapping:
    """The same for a Job that is Indexed whatever it says."""
    return within(
        spec, ("template", "spec"), lambda pod: in_containers(pod, lambda one: without_entries(one, _is_index))
    )


def _is_index(entry: Node) -> bool:
    field = child(entry, "valueFrom", "fieldRef")
    return scalar(child(entry, "name")) == INDEX_VARIABLE and scalar(child(field, "fieldPath")) in INDEX_FIELDS


DEFAULTING: Final = "`SetDefaults_Job` in pkg/apis/batch/v1/defaults.go"
JOB_RULES: Final = (
    Rule(
        "JobSpec",
        selector,
        "`selector` and the labels `job-name`, `controller-uid` and their long forms, unless `manualSelector` is true",
        "`generateSelector` in pkg/registry/batch/job/strategy.go",
    ),
    Rule("JobSpec", counts, "`parallelism: 1`, and `completions: 1` beside it", DEFAULTING),
    Rule(
        "JobSpec",
        failures,
        "`backoffLimit: 6` (with `backoffLimitPerIndex` the largest int), and `podReplacementPolicy` `Failed` beside a "
        "`podFailurePolicy`, else `TerminatingOrFailed`",
        DEFAULTING,
    ),
    Rule(
        "JobSpec",
        index_variable,
        "`JOB_COMPLETION_INDEX` from the index of an Indexed Job's pod, if no other value refers to it",
        "`addCompletionIndexEnvVariable` in pkg/controller/job/indexed_job_utils.go",
    ),
)
