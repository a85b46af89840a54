"""JobSets as they are stored, and their normal form: defaults of webhook and schema, what controllers overwrite.

Source: `Default` in `pkg/webhooks/jobset_webhook.go` of JobSet 0.12. The order of startupPolicy InOrder, which is
deprecated, becomes the dependencies that say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence as Many
from functools import cache
from typing import Final

from tfdsl.manifest.nodes import (
    Mapping,
    Node,
    Sequence,
    View,
    changed,
    child,
    each,
    items,
    mapping,
    put,
    scalar,
    text,
    with_value,
    within,
    without,
)
from tfdsl_backends.jobset.lifecycle import RESTART, RESTART_UNCOUNTED
from tfdsl_backends.jobset.options import API_VERSION
from tfdsl_backends.podspec.normal import rules
from tfdsl_backends.podspec.normal.documents import SCHEDULER, aligned_job, dialect, document, with_names_of
from tfdsl_backends.podspec.normal.walk import Defaults, Dialect, Rule, Sets, Types

GROUP: Final = "jobset.x-k8s.io/"
_JOBS: Final = ("spec", "replicatedJobs")
_POD: Final = ("template", "spec", "template", "spec")


def is_jobset(root: View) -> bool:
    """Whether a document is a JobSet."""
    return root["kind"].text == "JobSet" and (root["apiVersion"].text or "").startswith(GROUP)


def completed(document: Node) -> Node:
    """A JobSet as it is stored: pods restart in place unless they say something else, the order is in the Jobs."""
    if scalar(child(document, "kind")) != "JobSet":
        return document
    return _in_order(changed(document, _JOBS, lambda jobs: each(jobs, _with_restart_policy)))


def _with_restart_policy(job: Node) -> Node:
    pod = child(job, *_POD)
    if not isinstance(pod, Mapping) or pod.get("restartPolicy") is not None:
        return job
    return put(job, (*_POD, "restartPolicy"), text("OnFailure", pod.span))


def _in_order(document: Node) -> Node:
    """``document`` with each Job depending on the one before it, where the startupPolicy says that."""
    place = child(document, "spec", "startupPolicy")
    if scalar(child(place, "startupPolicyOrder")) != "InOrder":
        return document
    before: list[Node] = []

    def depends(job: Node) -> Node:
        own = child(job, "name")
        new = job
        if before and isinstance(job, Mapping) and job.get("dependsOn") is None:
            node = mapping({"name": before[-1], "status": text("Ready", job.span)}, job.span)
            new = with_value(job, "dependsOn", Sequence((node,), job.span))
        if own is not None:
            before.append(own)
        return new

    ordered = changed(document, _JOBS, lambda jobs: each(jobs, depends))
    assert isinstance(ordered, Mapping)
    return within(ordered, ("spec",), lambda spec: without(spec, ("startupPolicy",)))


def with_claims(document: Node) -> Node:
    """A JobSet with the claims that it makes as volumes of the pods that mount them, as its controller adds them."""
    name = scalar(child(document, "metadata", "name"))
    claims = {claim: f"{claim}-{name}" for claim in claim_names(document)}
    if not claims:
        return document
    return changed(document, _JOBS, lambda jobs: each(jobs, lambda job: changed(job, _POD, _with(claims))))


def claim_names(document: Node) -> list[str]:
    """The names of the claims that a JobSet makes."""
    policies = items(child(document, "spec", "volumeClaimPolicies"))
    templates = [item for policy in policies for item in items(child(policy, "templates"))]
    names = [scalar(child(template, "metadata", "name")) for template in templates]
    return [name for name in names if isinstance(name, str)]


def _with(claims: dict[str, str]) -> Callable[[Node], Node]:
    """What adds a volume to a pod for each of ``claims`` that it mounts and that is no volume yet."""

    def in_pod(pod: Node) -> Node:
        if not isinstance(pod, Mapping):
            return pod
        there = {scalar(child(item, "name")) for item in items(pod.get("volumes"))}
        containers = [*items(pod.get("containers")), *items(pod.get("initContainers"))]
        mounts = [mount for container in containers for mount in items(child(container, "volumeMounts"))]
        mounted = {scalar(child(mount, "name")) for mount in mounts}
        added = [_volume(name, claim, pod) for name, claim in claims.items() if name in mounted - there]
        if not added:
            return pod
        return with_value(pod, "volumes", Sequence((*items(pod.get("volumes")), *added), pod.span))

    return in_pod


def _volume(name: str, claim: str, pod: Mapping) -> Node:
    source = mapping({"claimName": text(claim, pod.span)}, pod.span)
    return mapping({"name": text(name, pod.span), "persistentVolumeClaim": source}, pod.span)


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
    """Without a successPolicy of all Jobs, whether it names them or not; any of a single Job is all of it."""
    policy = spec.get("successPolicy")
    named = [scalar(target) for target in items(child(policy, "targetReplicatedJobs"))]
    jobs = {scalar(child(job, "name")): scalar(child(job, "replicas")) for job in items(spec.get("replicatedJobs"))}
    targets = {name: jobs.get(name) for name in named or jobs}
    any_of = scalar(child(policy, "operator")) == "Any"
    if any_of and list(targets.values()) in ([None], [1]):
        any_of = False
        spec = within(spec, ("successPolicy",), lambda policy: with_value(policy, "operator", text("All", policy.span)))
    return spec if any_of or targets != jobs else without(spec, ("successPolicy",))


_UNCOUNTED: Final = frozenset((RESTART_UNCOUNTED, "RestartJob", "RestartJobAndIgnoreMaxRestarts"))


def failure_policy(spec: Mapping) -> Mapping:
    """Without a failurePolicy under which every failure ends the job."""
    policy = spec.get("failurePolicy")
    actions = [scalar(child(rule, "action")) for rule in items(child(policy, "rules"))]
    restarts = bool(scalar(child(policy, "maxRestarts"))) or not _UNCOUNTED.isdisjoint(actions)
    return spec if restarts else without(spec, ("failurePolicy",))


def last_rules(policy: Mapping) -> Mapping:
    """Without rules at the end that restart the job, which is done anyway."""
    kept = items(policy.get("rules"))
    while kept and scalar(child(kept[-1], "action")) == RESTART:
        kept = kept[:-1]
    rules = policy.get("rules")
    return policy if rules is None else with_value(policy, "rules", Sequence(tuple(kept), rules.span))


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
    Rule("JobSetSpec", success_policy, "a `successPolicy` of all Jobs; `Any` of a single Job is `All`", _WEBHOOK),
    Rule(
        "JobSetSpec",
        failure_policy,
        "a `failurePolicy` without `maxRestarts` and actions that do not count",
        f"{_CONTROLLER}/failure_policy.go",
    ),
    Rule(
        "JobSetFailurePolicy", last_rules, "rules at the end with `RestartJobSet`", f"{_CONTROLLER}/failure_policy.go"
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
    """A JobSet with the names of containers, volumes and ports of ``written``."""
    others = {scalar(child(item, "name")): child(item, "template") for item in items(child(written, *_JOBS))}

    def job(node: Node) -> Node:
        other = others.get(scalar(child(node, "name")))
        return changed(node, ("template",), lambda template: aligned_job(template, other, ports))

    return changed(own, _JOBS, lambda jobs: each(jobs, job))
