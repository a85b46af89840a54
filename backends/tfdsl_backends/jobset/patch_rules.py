"""What may not be patched in a JobSet, and what its schema, its webhook and the Job controller would refuse.

Source: JobSet `pkg/webhooks/jobset_webhook.go` and the rules of its CRD, 0.12; Kubernetes `pkg/apis/batch/validation`,
because the controller can only make Jobs that the server takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tfdsl.backend.patch_rules import POD, Complaint, Derived, Since
from tfdsl.diagnostics.suggest import listing
from tfdsl.patterns import regex
from tfdsl_backends.jobset.options import CLAIM_TEMPLATES, MESSAGE_PATTERNS
from tfdsl_backends.podspec import patching
from tfdsl_backends.podspec.patching import BY_POD_NAME, REPLICAS, Node, claim, job, numbers, part, rules

_JOBS: Final = ("spec", "replicatedJobs")
_SPEC: Final = (*_JOBS, "*", "template", "spec")
_FOUND: Final = "the tasks use it to find each other; cluster { discovery = … } decides how"
_INDEX: Final = "it gives each replica its index"
_ACTIONS: Final = (
    "FailJobSet",
    "RestartJobSet",
    "RestartJobSetAndIgnoreMaxRestarts",
    "RestartJob",
    "RestartJobAndIgnoreMaxRestarts",
)
_REASONS: Final = (
    "BackoffLimitExceeded",
    "DeadlineExceeded",
    "FailedIndexes",
    "MaxFailedIndexesExceeded",
    "PodFailurePolicy",
)
_STRATEGIES: Final = ("Recreate", "BlockingRecreate", "InPlaceRestart")
_OPERATORS: Final = ("All", "Any")
_ORDERS: Final = ("AnyOrder", "InOrder")
_RULE_NAME: Final = regex(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?\Z")
_LONGEST_RULE_NAME: Final = 128
_MANAGER: Final = regex(r"[a-z0-9][-a-z0-9.]*/.+\Z")
_MOST_DEPENDENCIES: Final = 5


def _check(node: Node) -> Iterator[Complaint]:
    if node["kind"].data != "JobSet":
        return
    spec = node["spec"]
    yield from numbers(spec, ("ttlSecondsAfterFinished",))
    names = [value["name"].data for value in spec["replicatedJobs"].items()]
    for value in spec["replicatedJobs"].items():
        yield from job(value["template"]["spec"])
    yield from _depends(spec, names)
    yield from _success(spec["successPolicy"], names)
    yield from _failure(spec["failurePolicy"], names)
    for policy in spec["volumeClaimPolicies"].items():
        for template in policy["templates"].items():
            yield from claim(template["spec"])
    manager = spec["managedBy"]
    if manager.data and not _MANAGER.match(str(manager.data)):
        yield manager.complain("managedBy needs a domain and a path, as in example.com/name")


def _one_of(node: Node, words: tuple[str, ...], what: str) -> Iterator[Complaint]:
    if node.data is not None and node.data not in words:
        yield node.complain(f"{what} must be {listing(words)}")


def _targets(node: Node, names: Sequence[object]) -> Iterator[Complaint]:
    for target in node.items():
        if target.data not in names:
            yield target.complain(f"there is no replicated Job {target.data!r}")


def _depends(spec: Node, names: Sequence[object]) -> Iterator[Complaint]:
    order = spec["startupPolicy"]["startupPolicyOrder"]
    yield from _one_of(order, _ORDERS, "startupPolicyOrder")
    for number, node in enumerate(spec["replicatedJobs"].items()):
        dependencies = list(node["dependsOn"].items())
        if dependencies and order.data == "InOrder":
            yield order.complain("startupPolicyOrder InOrder and dependsOn exclude each other")
        if len(dependencies) > _MOST_DEPENDENCIES:
            yield node["dependsOn"].complain(f"a replicated Job depends on at most {_MOST_DEPENDENCIES} others")
        for other in dependencies:
            if other["name"].data not in names[:number]:
                yield part(other, "name").complain(f"no replicated Job before it is called {other['name'].data!r}")
            yield from _one_of(other["status"], ("Ready", "Complete"), "status")


def _success(policy: Node, names: Sequence[object]) -> Iterator[Complaint]:
    if policy.map and policy["operator"].data not in _OPERATORS:
        yield part(policy, "operator").complain(f"operator must be {listing(_OPERATORS)}")
    yield from _targets(policy["targetReplicatedJobs"], names)


def _failure(policy: Node, names: Sequence[object]) -> Iterator[Complaint]:
    restarts = policy["maxRestarts"]
    if policy.has("maxRestarts") and not patching.is_int32(restarts.data):
        yield restarts.complain("maxRestarts must be between 0 and 2147483647")
    yield from _one_of(policy["restartStrategy"], _STRATEGIES, "restartStrategy")
    yield from policy["rules"].once("name", "rules called")
    for rule in policy["rules"].items():
        name = rule["name"].data
        if name is not None and (not _RULE_NAME.match(str(name)) or len(str(name)) > _LONGEST_RULE_NAME):
            yield rule["name"].complain(
                f"{name!r} is not the name of a rule", "use letters, digits, _ , and :, beginning with a letter"
            )
        if rule["action"].data not in _ACTIONS:
            yield part(rule, "action").complain(f"the action must be {listing(_ACTIONS)}")
        for reason in rule["onJobFailureReasons"].items():
            yield from _one_of(reason, _REASONS, "a reason")
        yield from _targets(rule["targetReplicatedJobs"], names)


RULES: Final = rules(
    (
        *BY_POD_NAME,
        Derived("JobSet", (*_JOBS, "*", "name"), "the name of a replicated Job", "the role is the name: job_names"),
        Derived("JobSet", (*_JOBS, "*", "replicas"), "the replicas of a replicated Job", REPLICAS, discovery=True),
        Derived("JobSet", (*_JOBS, "*", "dependsOn", "*", "name"), "dependsOn", "write after = [ … ] in the role"),
        *(
            Derived("JobSet", (*_SPEC, key), "the replicas of a role", REPLICAS, discovery=True)
            for key in ("completions", "parallelism")
        ),
        Derived("JobSet", (*_SPEC, "completionMode"), "completionMode", _INDEX, discovery=True),
        Derived("JobSet", (*_SPEC, "selector"), "the selector of a Job", "the server sets it"),
        Derived("JobSet", (*_SPEC, "manualSelector"), "manualSelector", "the server sets the selector"),
        Derived("JobSet", (*_SPEC, "suspend"), "suspend of a Job", "write suspend = true in the job"),
        Derived(
            "JobSet",
            (*_SPEC, "ttlSecondsAfterFinished"),
            "ttlSecondsAfterFinished of a Job",
            "JobSet makes the Job again when it is gone: write ttl = … in the job",
        ),
        *(
            Derived("JobSet", ("spec", "network", key), f"network.{key}", _FOUND, discovery=True)
            for key in ("enableDNSHostnames", "subdomain")
        ),
        *(
            Derived(POD, ("metadata", "labels", f"jobset.sigs.k8s.io/{key}"), f"the label {key}", "JobSet writes it")
            for key in ("jobset-name", "replicatedjob-name", "job-index")
        ),
    ),
    (),
    _check,
    (
        Since(
            "JobSet",
            ("spec", "failurePolicy", "rules", "*", "onJobFailureMessagePatterns"),
            MESSAGE_PATTERNS,
            "onJobFailureMessagePatterns",
        ),
        Since("JobSet", ("spec", "volumeClaimPolicies"), CLAIM_TEMPLATES, "volumeClaimPolicies"),
        *(
            Since("JobSet", ("spec", "failurePolicy", "rules", "*", "action"), "0.12", f"the action {action}", action)
            for action in ("RestartJob", "RestartJobAndIgnoreMaxRestarts")
        ),
    ),
)
