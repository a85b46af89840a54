"""The normal form of JobSets: the defaults of its webhook and schema, and what its controller overwrites in Jobs."""

from __future__ import annotations

from collections.abc import Sequence as Many
from functools import cache
from typing import Final

from tfdsl.manifest.nodes import Mapping, Node, child, each, items, scalar, with_value, within, without
from tfdsl_backends.jobset.controllers import RESTART_UNCOUNTED
from tfdsl_backends.jobset.forms import API_VERSION, completed
from tfdsl_backends.podspec.normal import documents, rules
from tfdsl_backends.podspec.normal.documents import SCHEDULER, dialect, document, with_names_of
from tfdsl_backends.podspec.normal.walk import Defaults, Dialect, Rule, Sets, Types

KINDS: Final = {(API_VERSION, "JobSet"): "JobSet"}

TYPES: Final[Types] = {
    "JobSet": {"metadata": "ObjectMeta", "spec": "JobSetSpec"},
    "JobSetSpec": {
        "replicatedJobs": "[]ReplicatedJob",
        "network": "*JobSetNetwork",
        "successPolicy": "*JobSetSuccessPolicy",
        "failurePolicy": "*JobSetFailurePolicy",
        "startupPolicy": "*StartupPolicy",
        "suspend": "*b",
        "coordinator": "*Coordinator",
        "managedBy": "*s",
        "ttlSecondsAfterFinished": "*i",
        "volumeClaimPolicies": "[]VolumeClaimPolicy",
    },
    "ReplicatedJob": {
        "name": "s",
        "groupName": "s",
        "replicas": "i",
        "template": "JobTemplateSpec",
        "dependsOn": "[]DependsOn",
    },
    "DependsOn": {"name": "s", "status": "s"},
    "JobSetNetwork": {"enableDNSHostnames": "*b", "subdomain": "s", "publishNotReadyAddresses": "*b"},
    "JobSetSuccessPolicy": {"operator": "s", "targetReplicatedJobs": "[]s"},
    "JobSetFailurePolicy": {"maxRestarts": "i", "restartStrategy": "s", "rules": "[]JobSetFailureRule"},
    "JobSetFailureRule": {
        "name": "s",
        "action": "s",
        "onJobFailureReasons": "[]s",
        "onJobFailureMessagePatterns": "[]s",
        "targetReplicatedJobs": "[]s",
    },
    "StartupPolicy": {"startupPolicyOrder": "s"},
    "Coordinator": {"replicatedJob": "s", "jobIndex": "i", "podIndex": "i"},
    "VolumeClaimPolicy": {
        "templates": "[]PersistentVolumeClaim",
        "retentionPolicy": "*VolumeRetentionPolicy",
    },
    "VolumeRetentionPolicy": {"whenDeleted": "*s"},
}
"""Source: api/jobset/v1alpha2/jobset_types.go of JobSet 0.12."""

_JOB_DEFAULTS: Final = {**rules.DEFAULTS["JobSpec"], "completionMode": "Indexed"}
DEFAULTS: Final[Defaults] = {
    **rules.DEFAULTS,
    "JobSpec": _JOB_DEFAULTS,
    "JobSetSpec": {
        "suspend": False,
        "managedBy": "jobset.sigs.k8s.io/jobset-controller",
        "startupPolicy": {"startupPolicyOrder": "AnyOrder"},
    },
    "JobSetNetwork": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
    "ReplicatedJob": {"groupName": "default"},
    "VolumeRetentionPolicy": {"whenDeleted": "Delete"},
    "VolumeClaimPolicy": {"retentionPolicy": {}},
    "PodSpec": {"schedulerName": SCHEDULER, "restartPolicy": ""},
}
SETS: Final[Sets] = {
    **rules.SETS,
    "JobSetSpec": {"replicatedJobs": ("name",)},
    "ReplicatedJob": {"dependsOn": ("name",)},
    "JobSetSuccessPolicy": {"targetReplicatedJobs": ()},
    "JobSetFailureRule": {"onJobFailureReasons": (), "targetReplicatedJobs": ()},
}


def replicas(job: Mapping) -> Mapping:
    """Without ``replicas`` of one."""
    return without(job, ("replicas",)) if scalar(job.get("replicas")) == 1 else job


def index_variable(spec: Mapping) -> Mapping:
    """Without the variable of the index, which the Job controller adds to Indexed Jobs."""
    return spec if scalar(spec.get("completionMode")) == "NonIndexed" else rules.without_index_variable(spec)


def suspended(spec: Mapping) -> Mapping:
    """Without ``suspend`` of a Job, which the controller sets itself."""
    return without(spec, ("suspend",))


def network(jobset: Mapping) -> Mapping:
    """Without a subdomain that is the name, and without a network that says nothing."""

    def in_spec(spec: Mapping) -> Mapping:
        own = spec.get("network")
        if not isinstance(own, Mapping):
            return spec
        name = scalar(child(jobset, "metadata", "name"))
        kept = without(own, ("subdomain",)) if scalar(own.get("subdomain")) == name else own
        return with_value(spec, "network", kept) if kept.entries else without(spec, ("network",))

    return within(jobset, ("spec",), in_spec)


def success_policy(spec: Mapping) -> Mapping:
    """Without a successPolicy of all Jobs."""
    policy = spec.get("successPolicy")
    says = child(policy, "targetReplicatedJobs") is not None or scalar(child(policy, "operator")) == "Any"
    return spec if says else without(spec, ("successPolicy",))


def failure_policy(spec: Mapping) -> Mapping:
    """Without a failurePolicy under which every failure ends the job."""
    policy = spec.get("failurePolicy")
    actions = [scalar(child(rule, "action")) for rule in items(child(policy, "rules"))]
    restarts = bool(scalar(child(policy, "maxRestarts"))) or any(_restarts_anyway(action) for action in actions)
    return spec if restarts else without(spec, ("failurePolicy",))


def _restarts_anyway(action: object) -> bool:
    return action in (RESTART_UNCOUNTED, "RestartJob", "RestartJobAndIgnoreMaxRestarts")


def rule_names(policy: Mapping) -> Mapping:
    """Without the strategy and the names of rules that the webhook gives."""
    kept = without(policy, ("restartStrategy",)) if scalar(policy.get("restartStrategy")) == "Recreate" else policy
    rules = kept.get("rules")
    if rules is None:
        return kept
    numbers = {id(rule): number for number, rule in enumerate(items(rules), 1)}

    def bare(rule: Node) -> Node:
        given = f"failurePolicyRule{numbers[id(rule)]}"
        named = isinstance(rule, Mapping) and scalar(rule.get("name")) == given
        return without(rule, ("name",)) if named and isinstance(rule, Mapping) else rule

    return with_value(kept, "rules", each(rules, bare))


_WEBHOOK: Final = "`Default` in pkg/webhooks/jobset_webhook.go of JobSet 0.12"
_CONTROLLER: Final = "pkg/controllers of JobSet 0.12"
RULES: Final = (
    *(rule for rule in rules.JOB_RULES if rule.change is not rules.index_variable),
    Rule(
        "JobSpec",
        index_variable,
        "`JOB_COMPLETION_INDEX` from the index of the pod, unless `completionMode` is `NonIndexed`",
        "`addCompletionIndexEnvVariable` in pkg/controller/job/indexed_job_utils.go",
    ),
    Rule("JobSpec", suspended, "`suspend` of a Job", f"{_CONTROLLER}/jobset_controller.go"),
    Rule("ReplicatedJob", replicas, "`replicas: 1`", "the schema of JobSet 0.12"),
    Rule("JobSetSpec", success_policy, "a `successPolicy` of all Jobs", _WEBHOOK),
    Rule(
        "JobSetSpec",
        failure_policy,
        "a `failurePolicy` without `maxRestarts` and actions that do not count",
        f"{_CONTROLLER}/failure_policy.go",
    ),
    Rule(
        "JobSetFailurePolicy",
        rule_names,
        "`restartStrategy: Recreate`, and names of rules that are `failurePolicyRule` with their number",
        _WEBHOOK,
    ),
    Rule("JobSet", network, "a `subdomain` that is the name", f"{_CONTROLLER}/jobset_controller.go"),
)


@cache
def words() -> Dialect:
    """The dialect of JobSets."""
    return dialect(TYPES, DEFAULTS, SETS, RULES)


def normal(documents: Many[Node], version: str) -> Many[Node]:
    """The normal form of JobSets and of what is beside them; the same at every ``version``."""
    return [document(completed(node), KINDS, words()) for node in documents]


def aligned(documents: Many[Node], written: Many[Node]) -> Many[Node]:
    """``documents`` with the names in pods that ``written`` has, and with its order of sets."""
    return with_names_of(documents, written, _jobset, KINDS, words())


def _jobset(own: Node, written: Node | None, ports: frozenset[str]) -> Node:
    if not isinstance(own, Mapping) or written is None:
        return own
    others = {scalar(child(one, "name")): one for one in items(child(written, "spec", "replicatedJobs"))}

    def job(one: Node) -> Node:
        other = child(others.get(scalar(child(one, "name"))), "template", "spec")
        return _aligned_job(one, other, ports) if isinstance(one, Mapping) else one

    replicated = child(own, "spec", "replicatedJobs")
    if replicated is None:
        return own
    return within(own, ("spec",), lambda spec: with_value(spec, "replicatedJobs", each(replicated, job)))


def _aligned_job(one: Mapping, other: Node | None, ports: frozenset[str]) -> Mapping:
    """A replicated Job with the names of containers, volumes and ports of ``other``, the ``spec`` of a Job."""
    pod, written = child(one, "template", "spec", "template", "spec"), child(other, "template", "spec")
    template = child(other, "template")
    if not isinstance(template, Mapping) or not isinstance(pod, Mapping) or not isinstance(written, Mapping):
        return one
    place = ("template", "spec", "template")
    new = within(one, place, lambda node: documents.template(node, template, ports))
    names = documents.container_names(pod, written)
    return within(new, ("template", "spec"), lambda spec: documents.failure_policy(spec, names))
