"""What may not be patched in a Volcano Job, and what its webhook would refuse.

Source: Volcano `pkg/webhooks/admission/jobs/validate/{admit_job.go,util.go}` and `pkg/controllers/job/plugins`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfdsl.backend.patch_rules import POD, Complaint, Derived, Since
from tfdsl.diagnostics.suggest import listing
from tfdsl_backends.podspec import patching
from tfdsl_backends.podspec.patching import (
    BY_POD_NAME,
    MINIMUM,
    REPLICAS,
    Must,
    Node,
    broken,
    claim,
    numbers,
    one_of,
    or_empty,
    rules,
    sidecars,
)
from tfdsl_backends.volcano.features import PLUGINS, SIDECARS

KIND: Final = "Job.batch.volcano.sh"
EVENTS: Final = ("*", "PodFailed", "PodEvicted", "PodPending", "Unknown", "TaskCompleted", "TaskFailed", "JobUpdated")
"""Those that a policy can name: PodRunning, OutOfSync and CommandIssued are the controller's own."""
ACTIONS: Final = ("AbortJob", "RestartJob", "RestartTask", "RestartPod", "RestartPartition", "TerminateJob",
                  "CompleteJob", "ResumeJob")  # fmt: skip
_DELIVERY: Final = "they follow from cluster { discovery = … } and target volcano { tf_config = … }"
_TASK: Final = ("spec", "tasks", "*")


def _check(node: Node) -> Iterator[Complaint]:
    if not str(node["apiVersion"].data).startswith("batch.volcano.sh/"):
        return
    spec = node["spec"]
    yield from numbers(spec, ("minAvailable", "maxRetry", "ttlSecondsAfterFinished", "minSuccess"))
    yield from _plugins(spec["plugins"])
    yield from _policies(spec["policies"])
    yield from spec["tasks"].once("name", "tasks called")
    replicas = 0
    for task in spec["tasks"].items():
        replicas += _count(task["replicas"])
        yield from _task(task)
    if _count(spec["minAvailable"]) > replicas:
        yield spec["minAvailable"].complain(f"minAvailable exceeds the {replicas} replicas of all tasks")
    for holder in (spec, *(task["partitionPolicy"] for task in spec["tasks"].items())):
        topology = holder["networkTopology"]
        if topology["highestTierName"].data and topology.has("highestTierAllowed"):
            yield topology["highestTierName"].complain("highestTierName cannot be set beside highestTierAllowed")
    yield from _depends(spec["tasks"])
    yield from _volumes(spec["volumes"])
    yield from broken(spec, _JOB)


_ACTION: Final = f"the action must be {listing(ACTIONS)}"
_EVENT: Final = f"{{value!r}} is not an event: {listing(EVENTS)}"
_POLICY: Final = (
    Must("exitCode", lambda code: code != 0, "exitCode 0 is not a failure and cannot have a policy"),
    Must("action", one_of(*ACTIONS), _ACTION, missing=True),
    Must("event", one_of(*EVENTS), _EVENT),
    Must("events[]", one_of(*EVENTS), _EVENT),
)
_JOB: Final = (
    Must(
        "tasks[].name",
        patching.is_dns_label,
        "{value!r} is not the name of a task",
        missing="None is not the name of a task",
    ),
    Must("volumes[].mountPath", bool, "a volume needs a mountPath", missing=True),
    Must(
        "queue",
        or_empty(lambda name: patching.is_dns_name(name) and len(str(name)) <= 63),
        "{value!r} is not the name of a queue",
    ),
    Must("schedulerName", lambda name: len(str(name)) <= 63, "a schedulerName has at most 63 characters"),
    Must(
        "tasks[].template.spec.restartPolicy",
        one_of("Always", "OnFailure", "Never"),
        'restartPolicy must be "Always", "OnFailure" or "Never"',
    ),
)


def _count(node: Node) -> int:
    return node.data if isinstance(node.data, int) else 0


def _plugins(node: Node) -> Iterator[Complaint]:
    for name, plugin in node.entries():
        if name not in PLUGINS:
            near = [known for known in PLUGINS if known in name or name in known]
            advice = f"did you mean {near[0]}?" if near else f"plugins are {listing([*PLUGINS])}"
            yield plugin.complain(f"Volcano has no plugin {name}", advice, key=True)


def _task(task: Node) -> Iterator[Complaint]:
    yield from numbers(task, ("replicas", "minAvailable", "maxRetry"))
    if task.has("minAvailable") and _count(task["minAvailable"]) > _count(task["replicas"]):
        yield task["minAvailable"].complain(f"minAvailable exceeds the {_count(task['replicas'])} replicas of the task")
    if not task["template"]["spec"].has("containers"):
        yield task.complain("a task needs a template with containers")
    yield from _policies(task["policies"])


def _policies(node: Node) -> Iterator[Complaint]:
    seen: set[object] = set()
    for policy in node.items():
        events = [policy["event"]] if policy.has("event") else []
        events += list(policy["events"].items())
        code = policy["exitCode"]
        if bool(events) == policy.has("exitCode"):
            yield policy.complain("a policy needs either events or an exitCode")
        yield from broken(policy, _POLICY)
        for value in [*events, *([code] if policy.has("exitCode") else [])]:
            if isinstance(value.data, str | int) and value.data in seen:
                yield value.complain(f"there are two policies on {value.data}")
            seen.add(str(value.data) if isinstance(value.data, str) else _count(value))


def _depends(tasks: Node) -> Iterator[Complaint]:
    names = [task["name"].data for task in tasks.items()]
    for task in tasks.items():
        for other in task["dependsOn"]["name"].items():
            if other.data not in names or other.data == task["name"].data:
                yield other.complain(f"there is no other task {other.data!r} to wait for")


def _volumes(node: Node) -> Iterator[Complaint]:
    yield from node.once("mountPath", "volumes at")
    for volume in node.items():
        if volume.has("volumeClaim") == volume.has("volumeClaimName"):
            yield volume.complain("a volume needs either volumeClaim or volumeClaimName")
        if volume.has("volumeClaim"):
            yield from claim(volume["volumeClaim"])


_POLICIES: Final = (("spec", "policies", "*"), (*_TASK, "policies", "*"))

_SINCE: Final = (
    sidecars(SIDECARS),
    *(
        Since(KIND, ("spec", "plugins", plugin.name), plugin.since, f"the plugin {plugin.name}")
        for plugin in PLUGINS.values()
        if plugin.since
    ),
    Since(KIND, ("spec", "networkTopology"), "1.12", "networkTopology"),
    Since(KIND, ("spec", "networkTopology", "highestTierName"), "1.14", "highestTierName"),
    Since(KIND, (*_TASK, "partitionPolicy"), "1.14", "partitionPolicy"),
    *(
        Since(
            KIND,
            (*at, "networkTopology", "highestTierName"),
            "1.15",
            "a highestTierName that is not a DNS name",  # the CRD of 1.14 has a pattern
            lambda name: bool(name) and not patching.is_dns_name(name),
        )
        for at in (("spec",), (*_TASK, "partitionPolicy"))
    ),
    *(
        Since(KIND, (*at, "action"), version, f"the action {action}", action)
        for at in _POLICIES
        for action, version in (("RestartTask", "1.11"), ("RestartPod", "1.11"), ("RestartPartition", "1.14"))
    ),
    *(Since(KIND, (*at, "event"), "1.11", "the event PodPending", "PodPending") for at in _POLICIES),
    *(Since(KIND, (*at, "events", "*"), "1.11", "the event PodPending", "PodPending") for at in _POLICIES),
    *(Since(KIND, (*at, "timeout"), "1.11", "the timeout of a policy") for at in _POLICIES),
)

RULES: Final = rules(
    (
        *BY_POD_NAME,
        Derived(KIND, (*_TASK, "name"), "the name of a task", "the role is the name: write role NAME { … }"),
        Derived(KIND, (*_TASK, "replicas"), "the replicas of a role", REPLICAS),
        Derived(KIND, (*_TASK, "minAvailable"), "the minimum of a role", MINIMUM),
        Derived(KIND, (*_TASK, "dependsOn"), "dependsOn", "write after = [ … ] in the role"),
        Derived(KIND, ("spec", "minAvailable"), "the minimum of the gang", MINIMUM),
        *(
            Derived(KIND, ("spec", "plugins", plugin.name), f"the arguments of the plugin {plugin.name}", _DELIVERY)
            for plugin in PLUGINS.values()
            if plugin.written
        ),
        *(
            Derived(POD, ("metadata", "labels", label), f"the label {label}", "Volcano writes it itself")
            for label in ("volcano.sh/job-name", "volcano.sh/task-spec", "volcano.sh/job-namespace")
        ),
    ),
    (),
    _check,
    _SINCE,
)
